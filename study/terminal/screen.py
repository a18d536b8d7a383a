"""One picture of a game: the board, the figures of the game, what the agent thinks, the keys.

What fits is shown: beside a board of large or medium tiles where there is room, else below one of small tiles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.align import Align
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from engine.twenty48 import Action
from study.experiments.objectives import format_seconds
from study.terminal.inspect import ARROWS, Thought
from study.terminal.position import Position
from study.terminal.tiles import FRAME, LARGE, MEDIUM, SMALL, TileSize, board_text, text_colour

GAP = 3
NARROWEST_PANEL = 21
WIDEST_PANEL = 46
ROOM_FOR_NAMES = 34  # columns from which the values have names and differences beside them
PANEL_HEIGHT = 17

BOX = Style(color=text_colour(FRAME), bgcolor=FRAME)
BOX_VALUE = BOX + Style(bold=True)
CHOSEN = Style(color="#f59563", bold=True)
OTHER = Style(color=FRAME)
DIM = Style(dim=True)
NOTE = Style(color="#edc22e", bold=True)
EIGHTHS = " ▏▎▍▌▋▊▉"
MINUS = "\N{MINUS SIGN}"

LEAST_BAR = 0.2  # of the best action's: how long the bar of the worst is


@dataclass(frozen=True)
class View:
    """What a picture shows.

    Attributes
    ----------
    player : str
        The agent's name and parameters, or the person's.
    position : Position
        Where the game stands.
    thought : Thought, optional
        What the agent thinks of it; None where it is not asked, or the game is over.
    pace : str
        How fast the game goes, for people.
    note : str
        What else is to be said, in a few words.
    keys : tuple of (str, str)
        Each key and what it does.
    """

    player: str
    position: Position
    thought: Thought | None
    pace: str
    note: str
    keys: tuple[tuple[str, str], ...]


def picture(view: View, width: int, height: int) -> RenderableType:
    """Draw a view for a terminal of so many columns and rows."""
    for size in (LARGE, MEDIUM):
        room = width - size.board_width - GAP
        if room >= NARROWEST_PANEL and height >= max(size.board_height, PANEL_HEIGHT):
            return beside(view, size, min(room, WIDEST_PANEL), height)
    return below(view, width)


def beside(view: View, size: TileSize, panel_width: int, height: int) -> RenderableType:
    """Put the panel to the right of the board."""
    lines = panel(view, panel_width)
    keys = keys_lines(view, panel_width)
    # The keys stand at the board's lower edge.
    n_blank = max(size.board_height - len(lines) - len(keys), 0)
    side = Text("\n", no_wrap=True).join([*lines, *[Text()] * n_blank, *keys])
    grid = Table.grid()
    grid.add_column(width=size.board_width)
    grid.add_column(width=GAP)
    grid.add_column(width=panel_width)
    grid.add_row(board_text(view.position.board, size), "", side)
    return Align.center(grid, vertical="middle", height=height)


def below(view: View, width: int) -> RenderableType:
    """Put what matters most below a small board; the terminal's edge cuts off what is too much."""
    position = view.position
    lines = [
        board_text(position.board, SMALL),
        Text(f"score {position.score:,} · move {position.n_moves:,} · seed {position.seed}"),
        Text(view.note, NOTE),
        *(value_lines(view.thought, min(width, WIDEST_PANEL)) if view.thought else []),
        *keys_lines(view, width),
    ]
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def panel(view: View, width: int) -> list[Text]:
    """Write the figures of the game and the agent's values, line by line."""
    position = view.position
    counts = (
        ("score", f"{position.score:,}"),
        ("move", f"{position.n_moves:,}"),
        ("largest", f"{position.largest}"),
    )
    facts = [("seed", str(position.seed)), ("pace", view.pace)]
    if view.thought:
        facts.append(("decision", f"{format_seconds(view.thought.seconds)} CPU"))
    if width >= ROOM_FOR_NAMES:
        lines = [*boxes(counts, width), Text()]
    else:
        lines = []
        facts = [*counts, *facts]
    lines.append(Text(shortened(view.player, width), "bold"))
    lines += [fact(name, value, width) for name, value in facts if value]
    lines += [Text(), Text(view.note, NOTE)]
    if view.thought:
        lines += [Text("points from here on", DIM), *value_lines(view.thought, width)]
    return lines


def shortened(text: str, width: int) -> str:
    """Cut a text that is too long."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def fact(name: str, value: str, width: int) -> Text:
    """Write one figure with its name."""
    return Text.assemble((f"{name:<10}", DIM), shortened(value, width - 10))


def boxes(counts: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Write figures in boxes side by side, as the game does."""
    each = (width - len(counts) + 1) // len(counts)
    names, values = Text(), Text()
    for position, (name, value) in enumerate(counts):
        if position:
            names.append(" ")
            values.append(" ")
        names.append(name.upper().center(each), BOX)
        values.append(value.center(each), BOX_VALUE)
    edge = Style(color=FRAME)
    upper, lower = (Text(" ".join(half * each for _ in counts), edge) for half in ("▄", "▀"))
    return [upper, names, values, lower]


def value_lines(thought: Thought, width: int) -> list[Text]:
    """Draw the value of each action of 2048: see :func:`action_lines`."""
    names = [(ARROWS[action], action.name.lower()) for action in Action]
    return action_lines(thought.decision.values, int(thought.decision.action), names, width)


def action_lines(
    values: Sequence[float] | npt.NDArray[np.float64],
    chosen_action: int,
    names: Sequence[tuple[str, str]],
    width: int,
    decimals: int = 0,
) -> list[Text]:
    """Draw the value of each action as a bar, and its difference from the best; the choice is marked.

    The best action's bar has full length, the worst one's a fifth of it: bars compare the actions, not the
    points.
    """
    known = [float(value) for value in values if math.isfinite(value)]
    best, worst = max(known, default=math.nan), min(known, default=math.nan)
    longest = width - (28 if width >= ROOM_FOR_NAMES else 13)
    lines = []
    for action, (arrow, word) in enumerate(names):
        chosen = action == chosen_action
        style = CHOSEN if chosen else OTHER
        value = float(values[action])
        length, shown, difference = 0.0, "-", ""
        if math.isfinite(value):
            gap = (best - value) / (best - worst) if best > worst else 0.0
            length = longest * (1 - (1 - LEAST_BAR) * gap)
            shown = f"{value:,.{decimals}f}"
            difference = f"{MINUS}{best - value:,.{decimals}f}" if value < best else ""
        mark = "▶" if chosen else " "
        if width >= ROOM_FOR_NAMES:
            name = f"{mark} {arrow} {word:<6}"
            tail = f"{shown:>9}{difference:>9}"
        else:
            name, tail = f"{mark}{arrow} ", f"{shown:>10}"
        plain = "bold" if chosen else "" if math.isfinite(value) else DIM
        lines.append(
            Text.assemble((name, style), (bar(length, longest), style), (tail, plain), no_wrap=True)
        )
    return lines


def bar(length: float, longest: int) -> str:
    """Draw a bar of so many columns, to an eighth, in a field of ``longest``."""
    eighths = round(8 * length)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()).ljust(longest)


def keys_lines(view: View, width: int) -> list[Text]:
    """Write what the keys of a view do."""
    return wrapped_keys(view.keys, width)


def wrapped_keys(keys: Sequence[tuple[str, str]], width: int) -> list[Text]:
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
