"""The maze in the form that kernels take: everything that stays the same during a game.

=============  =================================================================================
x, y           column and row of a cell, from (0, 0) at the bottom left
cell           x·height + y: the flat index of (x, y) in an array of shape (width, height)
half cells     the unit of a ghost's coordinates, which are (2x, 2y) in the cell (x, y)
direction      0 … 3: north, east, south, west. Adding 1 (mod 4) turns right, adding 2 reverses
=============  =================================================================================
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


class Action(IntEnum):
    """The five actions; the first four are directions, clockwise."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3
    STOP = 4


N_ACTIONS = len(Action)
N_DIRECTIONS = 4
NO_DIRECTION = 4
"""The direction of a ghost that has just started or restarted, or is walled in."""

# Changes of x and y, indexed by action. The tuples are small, so each kernel can have a copy.
DX = (0, 1, 0, -1, 0)
DY = (1, 0, -1, 0, 0)

UNREACHABLE = -1
"""Stands for the number of steps to a cell that no path reaches."""


class Maze(NamedTuple):
    """A maze in the form that kernels take, with food and capsules as at the start of a game."""

    width: int
    height: int
    after: Indices  # (n_cells, 5): cell after each action without a slip; unchanged at a wall
    open_directions: Indices  # (n_cells,): bit d is set if direction d is open; 0 for a wall
    food: Flags  # (n_cells,)
    capsules: Flags  # (n_cells,)
    pacman: int  # the cell in which he starts
    ghosts: Indices  # (n_ghosts, 2): where each ghost starts and restarts, in half cells


def build(
    walls: Flags,
    food: Flags,
    capsules: Flags,
    pacman: tuple[int, int],
    ghosts: tuple[tuple[int, int], ...],
) -> Maze:
    """Build a maze from arrays of shape (width, height) and pairs (x, y).

    All cells on the border must be walls.

    The arrays of the result are new, and writable in every process. For read-only arrays, which
    have another type, numba would compile kernels again.
    """
    width, height = walls.shape
    after = np.empty((width * height, N_ACTIONS), np.int64)
    open_directions = np.zeros(width * height, np.int64)
    for x in range(width):
        for y in range(height):
            cell = x * height + y
            after[cell] = cell
            if walls[x, y]:
                continue
            for direction in range(N_DIRECTIONS):
                next_x, next_y = x + DX[direction], y + DY[direction]
                if not walls[next_x, next_y]:
                    after[cell, direction] = next_x * height + next_y
                    open_directions[cell] |= 1 << direction
    return Maze(
        width,
        height,
        after,
        open_directions,
        food.ravel().copy(),
        capsules.ravel().copy(),
        pacman[0] * height + pacman[1],
        2 * np.array(ghosts, np.int64).reshape(-1, 2),
    )
