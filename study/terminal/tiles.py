"""A board of 2048 in a terminal: tiles in the game's usual colours, in three sizes."""

from dataclasses import dataclass

from rich.align import Align
from rich.console import RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table

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
    """The size of tiles in characters; a character is about twice as high as it is wide."""

    # Columns and rows of a tile. Five columns hold the largest face value.
    width: int
    height: int
    # Columns and rows between two tiles, and around the board.
    gap_columns: int
    gap_rows: int

    @property
    def board_width(self) -> int:
        """Columns of a board with its frame."""
        return 4 * self.width + 5 * self.gap_columns

    @property
    def board_height(self) -> int:
        """Rows of a board with its frame."""
        return 4 * self.height + 5 * self.gap_rows


LARGE = TileSize(width=10, height=5, gap_columns=2, gap_rows=1)
MEDIUM = TileSize(width=7, height=3, gap_columns=2, gap_rows=1)
SMALL = TileSize(width=6, height=1, gap_columns=1, gap_rows=0)


def tile_style(face: int) -> Style:
    """Return the style of a tile, with dark or light text, whichever is more legible.

    The original game has white text from tile 8 on; on orange tiles, its contrast is only 1.8.
    """
    background = TILE_COLOURS[face]
    text = LIGHT_TEXT if background == LARGER_TILES else DARK_TEXT
    return Style(color=text, bgcolor=background, bold=True)


def board_picture(board: int, size: TileSize) -> RenderableType:
    """Draw a packed board in ``size.board_height`` lines of ``size.board_width`` columns."""
    columns, rows = size.gap_columns, size.gap_rows
    frame = Style(bgcolor=FRAME)
    table = Table(box=None, show_header=False, pad_edge=True, padding=(rows, columns, 0, 0))
    for _ in range(4):
        table.add_column(width=size.width)
    for exponents in unpack(board):
        faces = [tile(int(exponent)) for exponent in exponents]
        table.add_row(
            *(
                Align.center(
                    str(face or ""), tile_style(face), vertical="middle", height=size.height
                )
                for face in faces
            )
        )
    return Padding(table, (0, 0, rows, columns), style=frame, expand=False)
