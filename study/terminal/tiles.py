"""A board of 2048 in a terminal: tiles in the game's usual colours, in three sizes."""

from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from thetafront.engine.twenty48 import tile, unpack

FRAME = "#bbada0"
EMPTY_CELL = "#cdc1b4"
LARGER_TILES = "#3c3a32"
DARK_TEXT = "#29241e"
LIGHT_TEXT = "#f9f6f2"

TILE_COLOURS = {
    0: EMPTY_CELL,
    2: "#eee4da",
    4: "#ede0c8",
    8: "#f2b179",
    16: "#f59563",
    32: "#f67c5f",
    64: "#f65e3b",
    128: "#edcf72",
    256: "#edcc61",
    512: "#edc850",
    1024: "#edc53f",
    2048: "#edc22e",
    **{1 << exponent: LARGER_TILES for exponent in range(12, 16)},
}
"""The colour of each tile, by face value; 0 is an empty cell."""


@dataclass(frozen=True)
class TileSize:
    """How large the tiles are, in characters; one is about twice as high as it is wide.

    Attributes
    ----------
    width, height : int
        Of a tile: columns and rows. Five columns hold the largest face value.
    gap_columns, gap_rows : int
        Between two tiles. The frame around the board is half as thick.
    """

    width: int
    height: int
    gap_columns: int
    gap_rows: int

    @property
    def board_width(self) -> int:
        """Columns of a board with its frame."""
        return 4 * self.width + 3 * self.gap_columns + 2 * (self.gap_columns // 2)

    @property
    def board_height(self) -> int:
        """Rows of a board with its frame."""
        return 4 * self.height + 3 * self.gap_rows + 2 * min(self.gap_rows, 1)


LARGE = TileSize(width=10, height=5, gap_columns=2, gap_rows=1)
MEDIUM = TileSize(width=7, height=3, gap_columns=2, gap_rows=1)
SMALL = TileSize(width=6, height=1, gap_columns=1, gap_rows=0)


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, 0 to 1, as WCAG 2 defines it."""
    channels = []
    for start in (1, 3, 5):
        share = int(colour[start : start + 2], 16) / 255
        channels.append(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    red, green, blue = channels
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21, as WCAG 2 defines it; 4.5 reads well."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def text_colour(background: str) -> str:
    """Return which of a dark and a light text reads better.

    The original game writes in white from 8 on; on its orange that has a contrast of 1.8.
    """
    return max((DARK_TEXT, LIGHT_TEXT), key=lambda colour: contrast(colour, background))


def tile_style(face: int) -> Style:
    """Return how a tile looks."""
    background = TILE_COLOURS[face]
    return Style(color=text_colour(background), bgcolor=background, bold=True)


def board_text(board: int, size: TileSize) -> Text:
    """Draw a board.

    Parameters
    ----------
    board : int
        A packed board.
    size : TileSize
        How large.

    Returns
    -------
    Text
        ``size.board_height`` lines of ``size.board_width`` columns.
    """
    frame = Style(bgcolor=FRAME)
    edge = Style(color=FRAME)
    text = Text(no_wrap=True)
    outer = " " * (size.gap_columns // 2)
    # Half a row is as thick as one column: the frame's upper edge is the lower half of its row.
    if size.gap_rows:
        text.append("▄" * size.board_width + "\n", edge)
    for row, exponents in enumerate(unpack(board)):
        if row:
            text.append((" " * size.board_width + "\n") * size.gap_rows, frame)
        faces = [tile(int(exponent)) for exponent in exponents]
        for line in range(size.height):
            text.append(outer, frame)
            for column, face in enumerate(faces):
                if column:
                    text.append(" " * size.gap_columns, frame)
                shown = str(face) if face and line == size.height // 2 else ""
                text.append(shown.center(size.width), tile_style(face))
            text.append(outer + "\n", frame)
    if size.gap_rows:
        text.append("▀" * size.board_width, edge)
    else:
        text.right_crop(1)
    return text
