"""Tiles of 2048 in a terminal: readable, in their places, in their colours."""

import numpy as np
import pytest
from rich.console import Console

from thetafront.engine.twenty48 import pack
from thetafront.study.terminal.tiles import (
    DARK_TEXT,
    FRAME,
    LARGE,
    MEDIUM,
    SMALL,
    TILE_COLOURS,
    TileSize,
    board_picture,
    tile_style,
)

EVERY_TILE = pack(np.arange(16).reshape(4, 4))


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, 0 to 1, as WCAG 2 defines it."""
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21, as WCAG 2 defines it; 4.5 reads well."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_tile_can_be_read() -> None:
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    for face in TILE_COLOURS:
        style = tile_style(face)
        assert style.color
        assert style.bgcolor
        assert contrast(style.color.name, style.bgcolor.name) >= 4.5
    assert contrast(DARK_TEXT, FRAME) >= 4.5


@pytest.mark.parametrize("size", [LARGE, MEDIUM, SMALL])
def test_a_board_has_its_tiles_in_their_places_and_colours(size: TileSize) -> None:
    console = Console(color_system="truecolor", width=80)
    board = console.render_lines(board_picture(EVERY_TILE, size), pad=False)
    lines = ["".join(segment.text for segment in line) for line in board]
    assert len(lines) == size.board_height
    assert {len(line) for line in lines} == {size.board_width}
    rows = [line.split() for line in lines if any(character.isdigit() for character in line)]
    assert rows == [
        ["2", "4", "8"],
        ["16", "32", "64", "128"],
        ["256", "512", "1024", "2048"],
        ["4096", "8192", "16384", "32768"],
    ]
    faces = [each for line in board for each in line if each.text.strip().isdigit()]
    assert len(faces) == 15
    for each in faces:
        assert each.style
        assert each.style.bgcolor
        assert each.style.bgcolor.name == TILE_COLOURS[int(each.text)]
