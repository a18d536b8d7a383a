"""Parts of pictures for all games: bars of action values, legend of keys, panel beside a board."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from rich.align import Align
from rich.bar import Bar
from rich.columns import Columns
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

GAP = 2
MIN_PANEL, MAX_PANEL = 21, 46  # columns
ROOM_FOR_NAMES = 34  # columns from which values have names and differences beside them

CHOSEN, OTHER = "#f59563", "#bbada0"
DIM = Style(dim=True)
NOTE = Style(color="#edc22e", bold=True)
MINUS = "\N{MINUS SIGN}"
SHORTEST_BAR = 0.2  # the worst action's, as a share of the best's


def action_table(
    values: Sequence[float] | npt.NDArray[np.float64],
    chosen: int,
    names: Sequence[tuple[str, str]],
    width: int,
    decimals: int = 0,
) -> Table:
    """Draw the value of each action as a bar, with its difference from the best; mark the choice.

    The best action's bar has full length, the worst one's a fifth: bars rank actions.

    Parameters
    ----------
    values : sequence of float
        By action; NaN where there is none.
    chosen : int
        The choice.
    names : sequence of (str, str)
        An arrow and a name for each action.
    width : int
        Columns.
    decimals : int
        Of the values.
    """
    known = [float(value) for value in values if math.isfinite(value)]
    best, worst = max(known, default=math.nan), min(known, default=math.nan)
    is_wide = width >= ROOM_FOR_NAMES
    table = Table.grid()
    table.width = width
    table.add_column(width=10 if is_wide else 3, no_wrap=True)
    table.add_column(ratio=1)
    table.add_column(width=9 if is_wide else 10, justify="right", no_wrap=True)
    if is_wide:
        table.add_column(width=9, justify="right", no_wrap=True)
    for action, (arrow, word) in enumerate(names):
        value, is_chosen = float(values[action]), action == chosen
        share, shown, difference = 0.0, "-", ""
        if math.isfinite(value):
            gap = (best - value) / (best - worst) if best > worst else 0.0
            share = 1 - (1 - SHORTEST_BAR) * gap
            shown = f"{value:,.{decimals}f}"
            difference = f"{MINUS}{best - value:,.{decimals}f}" if value < best else ""
        mark, colour = ("▶", CHOSEN) if is_chosen else (" ", OTHER)
        name = f"{mark} {arrow} {word}" if is_wide else f"{mark}{arrow}"
        style = "bold" if is_chosen else "" if math.isfinite(value) else DIM
        cells = (shown, difference) if is_wide else (shown,)
        bar = Bar(1.0, 0.0, round(share, 6), color=colour)
        table.add_row(Text(name, colour), bar, *(Text(each, style) for each in cells))
    return table


def legend(keys: Iterable[tuple[str, str]]) -> Columns:
    """Write what keys do."""
    return Columns(
        [Text.assemble((key, "bold"), " ", (meaning, DIM)) for key, meaning in keys],
        padding=(0, 2),
    )


def facts(given: Mapping[str, str]) -> Table:
    """Write figures with their names; none that is empty."""
    table = Table.grid()
    table.add_column(min_width=10, style=DIM)
    table.add_column(no_wrap=True, overflow="ellipsis")
    for name, value in given.items():
        if value:
            table.add_row(name, value)
    return table


def title(text: str) -> Text:
    """Write who plays, cut where it is too long."""
    return Text(text, "bold", no_wrap=True, overflow="ellipsis")


def room_beside(board_width: int, width: int) -> int:
    """Return the columns of a panel beside a board of so many; 0 if there is no room."""
    room = width - board_width - GAP
    return min(room, MAX_PANEL) if room >= MIN_PANEL else 0


def beside(
    board: RenderableType, parts: Iterable[RenderableType], width: int, height: int
) -> RenderableType:
    """Put a panel of ``width`` columns to the right of a board, in the middle of the screen."""
    grid = Table.grid(padding=(0, GAP))
    grid.add_column()
    grid.add_column(width=width)
    grid.add_row(board, below(parts))
    return Align.center(grid, vertical="middle", height=height)


def below(parts: Iterable[RenderableType]) -> Table:
    """Put parts below each other; the screen's edge crops them."""
    grid = Table.grid()
    grid.add_column(no_wrap=True, overflow="crop")
    for each in parts:
        grid.add_row(each)
    return grid
