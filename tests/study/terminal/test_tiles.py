"""Tiles of 2048 in a terminal: readable, in their places, in their colours."""

import re

import numpy as np
import pytest
from rich.console import Console

from thetafront.engine.twenty48 import pack
from thetafront.study.terminal.tiles import (
    LARGE,
    MEDIUM,
    SMALL,
    TILE_COLOURS,
    board_text,
    contrast,
    text_colour,
)

EVERY_TILE = pack(np.arange(16).reshape(4, 4))


def test_every_tile_can_be_read() -> None:
    for background in TILE_COLOURS.values():
        assert contrast(text_colour(background), background) >= 4.5


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert contrast("#777777", "#777777") == 1


@pytest.mark.parametrize("size", [LARGE, MEDIUM, SMALL])
def test_a_board_has_its_tiles_in_their_places_and_colours(size) -> None:
    text = board_text(EVERY_TILE, size)
    lines = text.plain.split("\n")
    assert len(lines) == size.board_height
    assert {len(line) for line in lines} == {size.board_width}
    rows = [line.split() for line in lines if any(character.isdigit() for character in line)]
    assert rows == [
        ["2", "4", "8"],
        ["16", "32", "64", "128"],
        ["256", "512", "1024", "2048"],
        ["4096", "8192", "16384", "32768"],
    ]
    console = Console(color_system="truecolor", width=80)
    words = list(re.finditer(r"\d+", text.plain))
    for word in words:
        style = text.get_style_at_offset(console, word.start())
        assert style.bgcolor.name == TILE_COLOURS[int(word[0])]
    assert len(words) == 15
