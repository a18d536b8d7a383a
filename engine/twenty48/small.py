"""2048 on a board with fewer rows or columns, small enough to list all its states.

Notation
--------
=============  =================================================================================
h, w           rows and columns of the board, 1 to 4 each
small board    a board of :mod:`engine.twenty48.board` that is empty outside its first h rows and
               w columns
=============  =================================================================================

A row of w cells slides left as the row of four that begins with it, since all cells behind are
empty. Slid right, its tiles end up against the last of the four columns, in the right order and
correctly merged, and are shifted back by 4 − w columns. Up and down work the same way.

Source: the rules are those of :mod:`engine.twenty48.board`; small boards are ours.
"""

import numpy as np
import numpy.typing as npt

from engine.jit import Integer, kernel
from engine.twenty48.board import P_FOUR, P_TWO, Action, afterstate, empty_cells

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
    """Slide and merge a small board.

    Parameters
    ----------
    board : uint64
        A small board.
    action : Action or int
        0 to 3: up, right, down, left.
    n_rows, n_columns : int
        h and w.

    Returns
    -------
    afterstate : uint64
        The small board before the spawn; equal to ``board`` if and only if the action is illegal.
    reward : int
        Sum of the face values of merged tiles.
    """
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
    """List all boards after a spawn on a small afterstate, with their probabilities.

    The order is cell by cell in reading order, a 2 before a 4. Each of m empty cells is equally
    likely.

    Parameters
    ----------
    after : uint64
        A small board with an empty cell.
    cells : uint64
        All its cells, see :func:`cells`.
    boards : uint64, shape (at least n + 2m,)
        Receives the boards, from index ``n``.
    probabilities : float64, shape as ``boards``
        Receives the probabilities.
    n : int
        The first index.

    Returns
    -------
    int
        n + 2m.
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
