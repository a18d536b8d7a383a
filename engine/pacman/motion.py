"""Where an action takes Pacman.

Pacman moves in the chosen direction with probability p, and slips to the left or right of it with
probability (1 − p)/2 each. p is 0.8 unless a game sets another value. If a wall is in the way, he
stays; no other direction is drawn. Stopping never fails. The high 32 bits of a move's random word
decide whether he moves as chosen; the lowest bit chooses the side to which he slips.
"""

from fractions import Fraction

import numpy as np

from thetafront.engine.jit import Integer, inlined
from thetafront.engine.pacman.maze import Action, Maze

P_CHOSEN = 0.8

STOP = int(Action.STOP)


def chosen_below(p_chosen: float) -> np.uint64:
    """Return a bound: Pacman moves as chosen if 32 random bits are below it."""
    return np.uint64(round(p_chosen * 2**32))


def p_side(p_chosen: float) -> float:
    """Return (1 − p)/2, rounded only once: for p = 0.8, this is 0.1 and not 0.09999…98."""
    return float((1 - Fraction(repr(float(p_chosen)))) / 2)


@inlined
def destination(
    maze: Maze, cell: Integer, action: Integer, word: np.uint64, chosen: np.uint64
) -> Integer:
    """Draw the cell that an action in ``cell`` leads to; ``chosen`` is from `chosen_below`."""
    if action != STOP and (word >> np.uint64(32)) >= chosen:
        to_the_right = np.int64(word & np.uint64(1))
        action = (action + 3 + 2 * to_the_right) & 3
    return np.int64(maze.after[cell, action])
