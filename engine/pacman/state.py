"""The state of a game of Pacman: a few small arrays that change from step to step.

Two arrays have names for their indices: ``tally`` describes the game (``PACMAN`` to ``OUTCOME``),
and row i of ``ghosts`` describes ghost i (``X`` to ``TIMER``).

==============  ================================================================================
``PACMAN``      the cell Pacman is in
``N_FOOD``      food left
``N_STEPS``     actions taken; also the index of the next turn and of its random streams
``SCORE``       points so far
``OUTCOME``     an :class:`Outcome`
``X``, ``Y``    position in half cells: both even in a cell; one is odd between two cells
``DIRECTION``   the ghost's direction; NO_DIRECTION at its start
``TIMER``       number of further moves for which the ghost is scared; 0 if it is not scared
==============  ================================================================================
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from thetafront.engine.jit import Integer
from thetafront.engine.pacman.maze import NO_DIRECTION, Flags, Indices, Maze

PACMAN, N_FOOD, N_STEPS, SCORE, OUTCOME = range(5)
X, Y, DIRECTION, TIMER = range(4)

NO_CAP = 2**62
"""The largest ``most_steps``: no game takes so many steps."""


class Outcome(IntEnum):
    """The outcome of a game."""

    RUNNING = 0
    WON = 1
    LOST = 2
    CUT = 3
    """Neither won nor lost after the maximum number of steps."""


class State(NamedTuple):
    """A game between two turns."""

    food: Flags  # (n_cells,)
    capsules: Flags  # (n_cells,)
    ghosts: Indices  # (n_ghosts, 4)
    tally: Indices  # (5,)


class Setup(NamedTuple):
    """What stays fixed in a game besides the maze. Maze, setup and actions determine the game."""

    seed: np.uint64
    directional: bool  # whether ghosts are directional; otherwise they are random
    most_steps: Integer  # a game that is still running after this many steps is cut
    chosen: np.uint64  # Pacman moves as chosen if 32 random bits are below it: `chosen_below`


def new_state(maze: Maze) -> State:
    """Return the first state of a game."""
    ghosts = np.zeros((len(maze.ghosts), 4), np.int64)
    ghosts[:, X : Y + 1] = maze.ghosts
    ghosts[:, DIRECTION] = NO_DIRECTION
    tally = np.zeros(5, np.int64)
    tally[PACMAN] = maze.pacman
    tally[N_FOOD] = maze.food.sum()
    return State(maze.food.copy(), maze.capsules.copy(), ghosts, tally)
