"""The state of a game of Pacman: what changes from step to step, in a few small arrays.

Numbers lie in two arrays, and are named by their places there. ``tally`` holds those of the game,

==============  ===================================================================================
``PACMAN``      the cell Pacman is in
``N_FOOD``      food left
``N_STEPS``     actions taken: the number of the next turn, by which its random streams are named
``SCORE``       points so far
``OUTCOME``     an :class:`Outcome`
==============  ===================================================================================

and row i of ``ghosts`` those of ghost i:

==============  ===================================================================================
``X``, ``Y``    where it is, in half cells: even both, or one of them odd while it is between two cells
``DIRECTION``   where it is going; NO_DIRECTION at its start
``TIMER``       how many of its own moves it will still be scared for; 0 if it is not
==============  ===================================================================================
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from engine.jit import Integer, kernel
from engine.pacman.maze import NO_DIRECTION, Flags, Indices, Maze

PACMAN, N_FOOD, N_STEPS, SCORE, OUTCOME = range(5)
X, Y, DIRECTION, TIMER = range(4)

NO_CAP = 2**62
"""In the place of the most steps of a game: more than any takes."""


class Outcome(IntEnum):
    """How a game stands."""

    RUNNING = 0
    WON = 1
    LOST = 2
    CUT = 3
    """Neither won nor lost after the most steps it may take."""


class State(NamedTuple):
    """A game between two turns.

    Attributes
    ----------
    food, capsules : bool, shape (n_cells,)
        Where they lie.
    ghosts : int64, shape (n_ghosts, 4)
        Where each is and goes: see the module.
    tally : int64, shape (5,)
        The numbers of the game: see the module.
    """

    food: Flags
    capsules: Flags
    ghosts: Indices
    tally: Indices


class Setting(NamedTuple):
    """What a game is played with.

    Attributes
    ----------
    seed : uint64
        The same seed and actions give the same game.
    directional : bool
        Whether ghosts are ``directional``, else ``random``.
    most_steps : int
        A game that is still running after so many is cut.
    """

    seed: np.uint64
    directional: bool
    most_steps: Integer


@kernel
def begin(maze: Maze, state: State) -> None:
    """Write the first state of a game into ``state``, whatever was in it."""
    tally = state.tally
    # Loops, not slices: they compile in a fraction of the time.
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
    """Make the first state of a game."""
    n_cells = len(maze.food)
    state = State(
        np.empty(n_cells, np.bool_),
        np.empty(n_cells, np.bool_),
        np.empty((len(maze.ghosts), 4), np.int64),
        np.empty(5, np.int64),
    )
    begin(maze, state)
    return state


def copied(state: State) -> State:
    """Make a copy that can be played on alone."""
    return State(state.food.copy(), state.capsules.copy(), state.ghosts.copy(), state.tally.copy())
