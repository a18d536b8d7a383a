"""The random agent, against plain Python with the same random words."""

from fractions import Fraction

import numpy as np
import pytest

from tests.engine.pacman.positions import CHAMBER
from tests.engine.pacman.test_oracle import MAZES
from tests.oracles import pacman as oracle
from tests.oracles.twenty48 import substream, words
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.engine.pacman import Outcome

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


def test_games_end_or_are_cut() -> None:
    for seed in range(100):
        walled = PacmanRandom(layout=CHAMBER).play(seed)
        assert walled.won  # no ghost reaches him
        assert walled.score == 580 - walled.n_moves
        cut = PacmanRandom(layout=CHAMBER, most_steps=40).play(seed)
        assert (cut.outcome is Outcome.CUT) == (walled.n_moves > 40)
        assert cut.n_moves == min(walled.n_moves, 40)
