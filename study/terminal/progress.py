"""Progress of a run: a bar that is redrawn in place; without a terminal, an occasional line."""

import time
from collections.abc import Sequence
from typing import Any, Self

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

SECONDS_BETWEEN_LINES = 15.0
SECONDS_BETWEEN_UPDATES = 1.0  # in a notebook
MIN_BAR, MAX_BAR = 4, 40  # columns


def fitted(figures: Sequence[str], width: int) -> str:
    """Join as many numbers as fit into a line, at least one."""
    line = figures[0] if figures else ""
    for each in figures[1:]:
        if cell_len(longer := f"{line} · {each}") > width:
            break
        line = longer
    return line


class ProgressLine:
    """Shows the progress of a run; use it as a context.

    On a terminal, it shows a bar and a line of as many numbers as fit; both are redrawn in place,
    and removed at the end. In a notebook, it shows one line and updates it. In a file or a pipe, or
    on a terminal that cannot redraw, it prints a line every 15 s.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.share, self.left, self.figures = 0.0, "", [""]
        self.shown_at = time.monotonic()
        self.live: Live | None = None
        self.notebook: Any = None

    def __enter__(self) -> Self:
        self.shown_at = time.monotonic()
        if self.console.is_jupyter:
            from IPython.display import display  # noqa: PLC0415, installed where a notebook runs

            self.notebook = display({"text/plain": ""}, raw=True, display_id=True)
        elif self.console.is_terminal and not self.console.is_dumb_terminal:
            self.live = Live(self, console=self.console, refresh_per_second=4, transient=True)
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self.live.stop()
        elif self.notebook:
            self.notebook.update({"text/plain": self.line}, raw=True)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - 1  # some terminals wrap a line that is full
        bar = max(MIN_BAR, min(MAX_BAR, width - cell_len(self.left) - 1))
        grid = Table.grid(padding=(0, 1))
        grid.add_row(ProgressBar(1.0, min(1.0, self.share), width=bar), self.left)
        yield grid
        yield Text(fitted(self.figures, width), no_wrap=True, overflow="crop")

    @property
    def line(self) -> str:
        """The whole progress as a line of text."""
        return " · ".join(filter(None, [self.left, *self.figures]))

    def message(self, text: str) -> None:
        """Print a line that is not overwritten later."""
        self.console.print(text, markup=False, highlight=False)

    def update(self, share: float, left: str, figures: Sequence[str]) -> None:
        """Show the progress; called several times a second.

        ``share`` is the share that is done, from 0 to 1. ``left`` is the time left, empty if
        unknown, and ``figures`` are other numbers, the most important first.
        """
        self.share, self.left, self.figures = share, left, list(figures)
        if self.live:
            return
        now = time.monotonic()
        wait = SECONDS_BETWEEN_UPDATES if self.notebook else SECONDS_BETWEEN_LINES
        if now - self.shown_at >= wait:
            self.shown_at = now
            if self.notebook:
                self.notebook.update({"text/plain": self.line}, raw=True)
            else:
                self.message(self.line)
