"""Where an action takes Pacman.

With 0.8 he goes in the direction that he chose; else to the left or to the right of it, each with 0.1. Where a wall is in
the way of the direction that came out he stays, and nothing is drawn again. Choosing to stop is certain.

It takes one random word: the high 32 bits tell whether he goes as chosen, the lowest whether else to the right.
"""

import numpy as np

from engine.jit import Integer, inlined
from engine.pacman.maze import Action, Maze

P_CHOSEN = 0.8
P_SIDE = 0.1
"""The probability of each of the two sides."""

CHOSEN = np.uint64(round(P_CHOSEN * 2**32))
STOP = int(Action.STOP)


@inlined
def destination(maze: Maze, cell: Integer, action: Integer, word: np.uint64) -> Integer:
    """Draw the cell that an action leads to from ``cell``."""
    if action != STOP and (word >> np.uint64(32)) >= CHOSEN:
        to_the_right = np.int64(word & np.uint64(1))
        action = (action + 3 + 2 * to_the_right) & 3
    return np.int64(maze.after[cell, action])
