"""Where an action takes Pacman.

With probability 0.8 he moves in the chosen direction, else to the left or right of it, with 0.1
each. If a wall is in the way, he stays; no other direction is drawn. Stopping is certain. The high
32 bits of a move's random word decide whether he moves as chosen, the lowest bit between the sides.
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
