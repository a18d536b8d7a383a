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
    transpose,
)
from thetafront.engine.twenty48.rows import RowTables, slide_rows


@kernel
def table_playouts(
    boards: npt.NDArray[np.uint64], tables: RowTables, stream: np.uint64
) -> tuple[npt.NDArray[np.float32], np.int64]:
    """Play one random game from each board, one after the other.

    Returns the points gained, shape (n_boards,), and the legal moves in all games together.
    """
    scores = np.zeros(boards.shape[0], np.float32)
    n_moves = np.int64(0)
    for i in range(boards.shape[0]):
        board = boards[i]
        while True:
            word, stream = next_word(stream)
            # A board that has been turned plays on like the one before.
            if (word >> np.uint64(62)) & np.uint64(1):
                board = transpose(board)
            if word >> np.uint64(63):
                board = mirror(board)
            after, reward = slide_rows(tables, board)
            if after == board:
                if is_terminal(board):
                    break
                continue
            n_moves += 1
            scores[i] += reward
            empty = empty_cells(after)
            for _ in range(below(word, count_cells(empty))):
                empty &= empty - np.uint64(1)
            four = is_four(word << np.uint64(1))
            board = after | ((empty & (np.uint64(0) - empty)) << four)
    return scores, n_moves
