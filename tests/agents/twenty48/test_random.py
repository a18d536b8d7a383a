"""The random agent: uniform choices."""

import numpy as np
from scipy import stats

from thetafront.agents.twenty48.random import RandomAgent
from thetafront.engine.twenty48 import Action, legal_actions


def test_choices_are_uniform_over_legal_actions() -> None:
    board = 0x11  # two 2s side by side in the top left corner: up is not legal
    assert legal_actions(board) == (Action.RIGHT, Action.DOWN, Action.LEFT)
    counts = np.zeros(4)
    for stream in range(9000):
        counts[RandomAgent().act(board, stream).action] += 1
    assert counts[Action.UP] == 0
    assert stats.chisquare(counts[1:]).pvalue > 1e-3
