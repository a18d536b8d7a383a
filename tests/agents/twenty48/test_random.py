"""The random agent: the known mean of random play, and uniform choices."""

import numpy as np
from scipy import stats

from thetafront.agents.twenty48.random import RandomAgent
from thetafront.engine.twenty48 import Action, legal_actions


def test_random_games_average_1095_points_and_118_moves() -> None:
    """8,000 seeded games, one decision at a time: an implementation apart from the playouts."""
    games = [RandomAgent().play(seed) for seed in range(8000)]
    scores = np.array([game.score for game in games])
    n_moves = np.array([game.n_moves for game in games])
    assert abs(scores.mean() - 1095.0) < 5 * scores.std() / np.sqrt(len(games))
    assert abs(n_moves.mean() - 118.4) < 5 * n_moves.std() / np.sqrt(len(games))


def test_choices_are_uniform_over_legal_actions() -> None:
    board = 0x11  # two 2s side by side in the top left corner: up is not legal
    assert legal_actions(board) == (Action.RIGHT, Action.DOWN, Action.LEFT)
    counts = np.zeros(4)
    for stream in range(9000):
        counts[RandomAgent().act(board, stream).action] += 1
    assert counts[Action.UP] == 0
    assert stats.chisquare(counts[1:]).pvalue > 1e-3
