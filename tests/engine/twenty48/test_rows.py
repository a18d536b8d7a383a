"""Tables of rows against the oracle's lines, and turned boards against its slides."""

import numpy as np
import pytest

from tests.engine.twenty48.groups import cells_of, faces_of
from tests.oracles import twenty48 as oracle
from thetafront.engine.jit import kernel
from thetafront.engine.twenty48.board import transpose, turned_back, turned_for
from thetafront.engine.twenty48.rows import N_ROWS, row_tables, slide_rows


@kernel
def slid(tables: object, board: np.uint64, action: int) -> tuple[np.uint64, np.float32]:
    after, reward = slide_rows(tables, turned_for(board, transpose(board), action))  # type: ignore[arg-type]
    return turned_back(after, action), reward


def test_all_rows_slide_as_lines_do() -> None:
    tables = row_tables()
    lines = faces_of(cells_of(np.arange(N_ROWS))).tolist()
    after, rewards = zip(*(oracle.merge_line(tuple(line)) for line in lines), strict=True)
    assert (faces_of(cells_of(tables.left.astype(np.int64))) == after).all()
    assert (tables.reward == rewards).all()


@pytest.mark.parametrize("action", range(4))
def test_boards_slide_as_the_oracle_says(action: int) -> None:
    random = np.random.default_rng(3)
    for _ in range(500):
        cells = random.integers(0, 16, 16) * (random.random(16) < 0.7)
        packed = sum(int(cell) << 4 * k for k, cell in enumerate(cells))
        after, reward = slid(row_tables(), np.uint64(packed), action)
        board, points = oracle.slide(oracle.from_packed(packed), action)
        assert (int(after), float(reward)) == (oracle.to_packed(board), points)
