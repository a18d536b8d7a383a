"""The random agent, against plain Python with the same random words."""

from fractions import Fraction

import numpy as np
import pytest

from tests.engine.pacman.positions import CHAMBER
from tests.engine.pacman.test_oracle import MAZES
from tests.oracles import pacman as oracle
from tests.oracles.twenty48 import substream, words
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.engine.pacman import MAX_STEPS, Layout, Outcome

POLICY = 4


@pytest.mark.parametrize("name", ["small", "medium", "crowd"])
def test_its_games_are_those_of_plain_python(name: str) -> None:
    layout = MAZES[name]
    agent = PacmanRandom(layout=layout, ghosts="directional", most_steps=60, p_chosen=0.5)
    for seed in range(40, 48):
        game = oracle.Game(
            layout.text, seed, directional=True, most_steps=60, p_chosen=Fraction(1, 2)
        )
        while game.outcome == "running":
            word = next(words(substream(substream(game.seed, POLICY), game.turn)))
            ways = [w for w in "NESW" if oracle.moved(game.pacman, w) not in game.walls]
            game.step(ways[(word % 2**32) * len(ways) // 2**32])
        found = agent.play(seed)
        assert (found.score, found.n_moves) == (game.score, game.turn)
        assert found.outcome.name.lower() == game.outcome
    last = list(agent.moves(seed))[-1]
    assert last.world.n_steps + 1 == found.n_moves
    assert np.isnan(last.decision.values).all()


def test_games_end() -> None:
    for seed in range(100):
        walled = PacmanRandom(layout=CHAMBER).play(seed)
        assert walled.won  # no ghost reaches him
        assert walled.score == 580 - walled.n_moves
        cut = PacmanRandom(layout=CHAMBER, most_steps=40).play(seed)
        assert (cut.outcome is Outcome.CUT) == (walled.n_moves > 40)
        assert cut.n_moves == min(walled.n_moves, 40)
    medium = Layout.named("medium")
    games = [PacmanRandom(layout=medium).play(seed) for seed in range(1000)]
    assert np.mean([game.outcome is Outcome.LOST for game in games]) > 0.98
    assert all(game.n_moves < MAX_STEPS for game in games)
    hunted = [PacmanRandom(layout=medium, ghosts="directional").play(seed) for seed in range(1000)]
    assert np.mean([g.n_moves for g in hunted]) < 0.7 * np.mean([g.n_moves for g in games])


def test_it_hardly_ever_wins() -> None:
    """Of 20,000 other games 0.3% were won: 6 of 2,000, with a standard deviation of 2.5."""
    assert sum(PacmanRandom().play(seed).won for seed in range(2000)) <= 6 + 5 * 2.5
