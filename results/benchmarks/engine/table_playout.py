"""The baseline of ``make bench``: random playouts of 2048 by table lookup, one at a time.

Fast engines are usually built so: a table of all 65,536 rows says what a slide makes of each;
columns are rows of the transposed board.
"""

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import kernel
from thetafront.engine.rng import below, next_word
from thetafront.engine.twenty48.board import (
    count_cells,
    empty_cells,
    is_four,
    is_terminal,
    mirror,
    slide_left,
    transpose,
    worth,
)

N_ROWS = 1 << 16
ROW = np.uint64(N_ROWS - 1)


@kernel
def row_tables() -> npt.NDArray[np.uint64]:
    """Return all rows after a slide: shape (2, 65536), to the left and to the right."""
    tables = np.empty((2, N_ROWS), np.uint64)
    for row in range(N_ROWS):
        board = np.uint64(row)
        tables[0, row] = slide_left(board, None) & ROW
        mirrored = mirror(board) & ROW
        tables[1, row] = mirror(slide_left(mirrored, None)) & ROW
    return tables


@kernel
def table_playouts(
    boards: npt.NDArray[np.uint64], tables: npt.NDArray[np.uint64], stream: np.uint64
) -> tuple[npt.NDArray[np.int64], np.int64]:
    """Play one random game from each board, one after the other.

    Returns the points gained, shape (n_boards,), and the legal moves in all games together.
    """
    scores = np.empty(boards.shape[0], np.int64)
    n_moves = np.int64(0)
    for i in range(boards.shape[0]):
        board = boards[i]
        n_fours = np.int64(0)
        while True:
            word, stream = next_word(stream)
            table = tables[np.int64(word >> np.uint64(63))]
            if (word >> np.uint64(62)) & np.uint64(1):
                board = transpose(board)
            after = np.uint64(0)
            for row in range(4):
                shift = np.uint64(16 * row)
                after |= table[(board >> shift) & ROW] << shift
            if after == board:
                if is_terminal(board):
                    break
                continue
            n_moves += 1
            empty = empty_cells(after)
            for _ in range(below(word, count_cells(empty))):
                empty &= empty - np.uint64(1)
            four = is_four(word << np.uint64(1))
            n_fours += np.int64(four)
            board = after | ((empty & (np.uint64(0) - empty)) << four)
        scores[i] = np.int64(worth(board)) - np.int64(worth(boards[i])) - 4 * n_fours
    return scores, n_moves
