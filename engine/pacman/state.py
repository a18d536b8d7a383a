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

from thetafront.engine.jit import Integer, kernel
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


@kernel
def begin(maze: Maze, state: State) -> None:
    """Overwrite ``state`` with the first state of a game."""
    tally = state.tally
    # Loops compile in a fraction of the time that slices take.
    for place in range(len(tally)):
        tally[place] = 0
    for cell in range(len(maze.food)):
        state.food[cell] = maze.food[cell]
        state.capsules[cell] = maze.capsules[cell]
        tally[N_FOOD] += maze.food[cell]
    for i in range(len(maze.ghosts)):
        state.ghosts[i, X] = maze.ghosts[i, 0]
        state.ghosts[i, Y] = maze.ghosts[i, 1]
        state.ghosts[i, DIRECTION] = NO_DIRECTION
        state.ghosts[i, TIMER] = 0
    tally[PACMAN] = maze.pacman


@kernel
def new_state(maze: Maze) -> State:
    """Return the first state of a game."""
    n_cells = len(maze.food)
    state = State(
        np.empty(n_cells, np.bool_),
        np.empty(n_cells, np.bool_),
        np.empty((len(maze.ghosts), 4), np.int64),
        np.empty(5, np.int64),
    )
    begin(maze, state)
    return state
