"""The random agent: its games are the engine's."""

import numpy as np

from thetafront.agents.pacman.random import PacmanRandom
from thetafront.engine.pacman import Layout, random_games


def test_its_games_are_the_engines() -> None:
    layout = Layout.named("medium")
    agent = PacmanRandom(layout=layout, ghosts="directional", p_chosen=0.9)
    games = [agent.play(seed) for seed in range(100, 150)]
    engine = random_games(layout, 50, 100, "directional", p_chosen=0.9)
    assert [game.score for game in games] == engine.scores.tolist()
    assert [game.n_moves for game in games] == engine.n_steps.tolist()
    assert [game.outcome for game in games] == engine.outcomes.tolist()
    last = list(agent.moves(149))[-1]
    assert last.world.n_steps + 1 == games[-1].n_moves
    assert np.isnan(last.decision.values).all()


def test_it_hardly_ever_wins() -> None:
    """Of 20,000 other games 0.3% were won: 6 of 2,000, with a standard deviation of 2.5."""
    assert sum(PacmanRandom().play(seed).won for seed in range(2000)) <= 6 + 5 * 2.5
