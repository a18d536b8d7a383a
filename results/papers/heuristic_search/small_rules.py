"""2048 on a board with fewer rows or columns, small enough to list all its states.

A *small board* has h rows and w columns, 1 to 4 each: it is a board of :mod:`engine.twenty48.board`
that is empty elsewhere. A row of w cells slides left as the row of four that begins with it, since
all cells behind are empty. Slid right, its tiles end up against the last of the four columns,
correctly merged, and are shifted back by 4 − w columns. Up and down work the same way.
"""

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import Integer, kernel
from thetafront.engine.twenty48.board import P_FOUR, P_TWO, Action, afterstate, empty_cells

RIGHT = int(Action.RIGHT)
DOWN = int(Action.DOWN)


def cells(n_rows: int, n_columns: int) -> np.uint64:
    """Mark each cell of a small board by bit 0 of its nibble."""
    marks = [4 * (4 * row + column) for row in range(n_rows) for column in range(n_columns)]
    return np.uint64(sum(1 << bit for bit in marks))


@kernel
def small_afterstate(
    board: np.uint64, action: Integer, n_rows: Integer, n_columns: Integer
) -> tuple[np.uint64, np.int64]:
    """Return a small board before the spawn, or itself if illegal, and the reward."""
    after, reward = afterstate(board, action, None)
    if action == RIGHT:
        after >>= np.uint64(4 * (4 - n_columns))
    elif action == DOWN:
        after >>= np.uint64(16 * (4 - n_rows))
    return after, reward


@kernel
def small_spawns(
    after: np.uint64,
    cells: np.uint64,
    boards: npt.NDArray[np.uint64],
    probabilities: npt.NDArray[np.float64],
    n: Integer,
) -> Integer:
    """List all boards after a spawn on a small afterstate, with their probabilities, from index n.

    The order is cell by cell in reading order, a 2 before a 4; m empty ones of its ``cells`` are
    equally likely. Return n + 2m, the index behind the last.
    """
    empty = empty_cells(after) & cells
    begin = n
    while empty:
        cell = empty & (np.uint64(0) - empty)
        boards[n] = after | cell
        boards[n + 1] = after | (cell << np.uint64(1))
        n += 2
        empty ^= cell
    m = (n - begin) // 2
    for i in range(begin, n, 2):
        probabilities[i] = P_TWO / m
        probabilities[i + 1] = P_FOUR / m
    return n
