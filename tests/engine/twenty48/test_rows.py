"""Tables of rows against the oracle's lines, and turned boards against its slides."""

import numpy as np
import pytest

from tests.oracles import twenty48 as oracle
from thetafront.engine.jit import kernel
from thetafront.engine.twenty48.board import transpose
from thetafront.engine.twenty48.rows import N_ROWS, row_tables, slide_rows, turned_back, turned_for


@kernel
def slid(tables: object, board: np.uint64, action: int) -> tuple[np.uint64, np.float32]:
    after, reward = slide_rows(tables, turned_for(board, transpose(board), action))  # type: ignore[arg-type]
    return turned_back(after, action), reward


def test_all_rows_slide_as_lines_do() -> None:
    tables = row_tables()
    for row in range(N_ROWS):
        line = oracle.from_packed(row)[0]
        after, reward = oracle.merge_line(line)
        board = [after, *[[0] * 4] * 3]
        assert (tables.left[row], tables.reward[row]) == (oracle.to_packed(board), reward)


@pytest.mark.parametrize("action", range(4))
def test_boards_slide_as_the_oracle_says(action: int) -> None:
    random = np.random.default_rng(3)
    for _ in range(500):
        cells = random.integers(0, 16, 16) * (random.random(16) < 0.7)
        packed = sum(int(cell) << 4 * k for k, cell in enumerate(cells))
        after, reward = slid(row_tables(), np.uint64(packed), action)
        board, points = oracle.slide(oracle.from_packed(packed), action)
        assert (int(after), float(reward)) == (oracle.to_packed(board), points)
