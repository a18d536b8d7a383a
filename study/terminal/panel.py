"""Parts of pictures for all games: bars of action values, and a panel beside a board."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.align import Align
from rich.bar import Bar
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.style import Style
from rich.table import Table
from rich.text import Text

from thetafront.study.terminal.pace import View

GAP = 2
MIN_PANEL, MAX_PANEL = 34, 46  # columns
PANEL_HEIGHT = 18

CHOSEN, OTHER = "#f59563", "#bbada0"
DIM = Style(dim=True)
NOTE = Style(color="#edc22e", bold=True)
MINUS = "\N{MINUS SIGN}"
MIN_BAR = 0.2  # length of the worst action's bar, as a share of the best's


def action_table(
    values: Sequence[float] | npt.NDArray[np.float64],
    chosen: int,
    names: Sequence[tuple[str, str]],
    decimals: int = 0,
) -> Table:
    """Draw the value of each action as a bar, with its difference from the best; mark the choice.

    The best action's bar has full length, and the worst action's bar is a fifth as long. So bars
    show differences between actions, not the size of values. An action without a value has NaN;
    ``chosen`` is an index, and ``names`` has an arrow and a name for each action.
    """
    known = [float(value) for value in values if math.isfinite(value)]
    best, worst = max(known, default=math.nan), min(known, default=math.nan)
    table = Table.grid(expand=True)
    table.add_column(width=10, no_wrap=True)
    table.add_column(ratio=1)
    for _ in range(2):
        table.add_column(width=9, justify="right", no_wrap=True)
    for action, (arrow, word) in enumerate(names):
        value, is_chosen = float(values[action]), action == chosen
        share, shown, difference = 0.0, "-", ""
        if math.isfinite(value):
            gap = (best - value) / (best - worst) if best > worst else 0.0
            share = 1 - (1 - MIN_BAR) * gap
            shown = f"{value:,.{decimals}f}"
            difference = f"{MINUS}{best - value:,.{decimals}f}" if value < best else ""
        mark, colour = ("▶", CHOSEN) if is_chosen else (" ", OTHER)
        style = "bold" if is_chosen else "" if math.isfinite(value) else DIM
        table.add_row(
            Text(f"{mark} {arrow} {word}", colour),
            Bar(1.0, 0.0, round(share, 6), color=colour),
            Text(shown, style),
            Text(difference, style),
        )
    return table


def compose_picture(
    boards: Iterable[tuple[RenderableType, int, int]],
    view: View[Any, Any],
    figures: Mapping[str, str],
    values: Iterable[RenderableType],
    width: int,
    height: int,
) -> RenderableType:
    """Put a panel beside the first board that leaves room for it.

    If no board does, put the last board above the panel. Boards come with their numbers of columns
    and rows. The panel has the player's name, cut if it is too long, then the game's figures
    (without empty ones), the values of actions, the note, and the keys. The edge of the screen
    crops what does not fit.
    """
    shown = [(name, figure) for name, figure in figures.items() if figure]
    entries = [Text.assemble((name, DIM), " ", figure) for name, figure in shown]
    legend = [Text.assemble((key, "bold"), " ", (meaning, DIM)) for key, meaning in view.keys]
    panel = Table.grid()
    panel.add_column(no_wrap=True, overflow="crop")
    panel.add_row(Text(view.player, "bold", no_wrap=True, overflow="ellipsis"))
    panel.add_row(Columns(entries, padding=(0, 2)))
    for each in values:
        panel.add_row(each)
    if view.note:
        panel.add_row(Text(view.note, NOTE))
    panel.add_row(Columns(legend, padding=(0, 2)))
    board: RenderableType = ""
    for board, n_columns, n_rows in boards:
        room = min(width - n_columns - GAP, MAX_PANEL)
        if room >= MIN_PANEL and height >= max(n_rows, PANEL_HEIGHT):
            grid = Table.grid(padding=(0, GAP))
            grid.add_row(board, Constrain(panel, room))
            return Align.center(grid, vertical="middle", height=height)
    return Group(board, Constrain(panel, MAX_PANEL))
