"""Parts of pictures for all games: bars of action values, legend of keys, panel beside a board."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.align import Align
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

GAP = 3
NARROWEST_PANEL, WIDEST_PANEL = 21, 46
ROOM_FOR_NAMES = 34  # columns from which values have names and differences beside them

CHOSEN = Style(color="#f59563", bold=True)
OTHER = Style(color="#bbada0")
DIM = Style(dim=True)
NOTE = Style(color="#edc22e", bold=True)
EIGHTHS = " ▏▎▍▌▋▊▉"
MINUS = "\N{MINUS SIGN}"
SHORTEST_BAR = 0.2  # the worst action's, as a share of the best's


def action_lines(
    values: Sequence[float] | npt.NDArray[np.float64],
    chosen: int,
    names: Sequence[tuple[str, str]],
    width: int,
    decimals: int = 0,
) -> list[Text]:
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
    wide = width >= ROOM_FOR_NAMES
    longest = width - (28 if wide else 13)
    lines = []
    for action, (arrow, word) in enumerate(names):
        value = float(values[action])
        length, shown, difference = 0.0, "-", ""
        if math.isfinite(value):
            gap = (best - value) / (best - worst) if best > worst else 0.0
            length = longest * (1 - (1 - SHORTEST_BAR) * gap)
            shown = f"{value:,.{decimals}f}"
            difference = f"{MINUS}{best - value:,.{decimals}f}" if value < best else ""
        mark = "▶" if action == chosen else " "
        name = f"{mark} {arrow} {word:<6}" if wide else f"{mark}{arrow} "
        tail = f"{shown:>9}{difference:>9}" if wide else f"{shown:>10}"
        style = CHOSEN if action == chosen else OTHER
        plain = "bold" if action == chosen else "" if math.isfinite(value) else DIM
        parts = ((name, style), (bar(length, longest), style), (tail, plain))
        lines.append(Text.assemble(*parts, no_wrap=True))
    return lines


def bar(length: float, longest: int) -> str:
    """Draw a bar of so many columns, to an eighth, in a field of ``longest``."""
    eighths = round(8 * length)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()).ljust(longest)


def legend(keys: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Write what keys do, wrapped at ``width`` between keys."""
    lines = [Text()]
    for key, meaning in keys:
        entry = Text.assemble((key, "bold"), " ", (meaning, DIM))
        if lines[-1] and len(lines[-1]) + 3 + len(entry) > width:
            lines.append(Text())
        elif lines[-1]:
            lines[-1].append(" · ", DIM)
        lines[-1].append_text(entry)
    return lines


def shortened(text: str, width: int) -> str:
    """Cut a text that is too long."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def fact(name: str, value: str, width: int) -> Text:
    """Write a figure with its name."""
    return Text.assemble((f"{name:<10}", DIM), shortened(value, width - 10))


def room_beside(board_width: int, width: int) -> int:
    """Return the columns of a panel beside a board of so many; 0 if there is no room."""
    room = width - board_width - GAP
    return min(room, WIDEST_PANEL) if room >= NARROWEST_PANEL else 0


def beside(
    board: Text, board_width: int, lines: Sequence[Text], width: int, height: int
) -> RenderableType:
    """Put a panel of ``width`` columns to the right of a board, in the middle of the screen."""
    grid = Table.grid()
    for columns in (board_width, GAP, width):
        grid.add_column(width=columns)
    grid.add_row(board, "", below(lines))
    return Align.center(grid, vertical="middle", height=height)


def below(lines: Sequence[Text]) -> Text:
    """Put lines below each other; the screen's edge crops them."""
    return Text("\n", no_wrap=True, overflow="crop").join(lines)
