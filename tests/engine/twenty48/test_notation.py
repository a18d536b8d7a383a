"""Boards as grids and as text."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from thetafront.engine.twenty48 import pack, parse, render, unpack

BOARD = 0xB00A_0000_1000_4321
TEXT = "2 4 8 16 / . . . 2 / 0 0 0 0 / 1024 . . 2048"


def test_the_lowest_nibble_is_the_top_left_cell() -> None:
    grid = np.zeros((4, 4), int)
    grid[0, 0], grid[0, 1], grid[3, 3] = 1, 2, 11
    assert pack(grid) == 0x1 | 0x2 << 4 | 0xB << 60


def test_pack_and_unpack_are_inverse() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        grid = rng.integers(0, 16, (4, 4))
        assert (unpack(pack(grid)) == grid).all()


def test_text_is_read_in_reading_order() -> None:
    assert parse(TEXT) == BOARD


def test_rendered_boards_are_read_back() -> None:
    assert parse(render(BOARD)) == BOARD
    assert render(BOARD).splitlines()[3].split() == ["1024", ".", ".", "2048"]


@pytest.mark.parametrize(
    ("read", "given", "part"),
    [
        (parse, "2 4", r"board must have 16 cells \(got 2\)"),
        *((parse, cell + " 0" * 15, f"'{cell}'") for cell in ("3", "1", "65536", "x", "-2")),
        *((pack, [[cell] * 4] * 4, "grid") for cell in (16, -1, 0.5)),
        (pack, [[1, 2]], "grid"),
        *((unpack, board, "board") for board in (-1, 2**64)),
    ],
)
def test_what_is_no_board_is_refused(read: Callable[[Any], object], given: Any, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        read(given)
