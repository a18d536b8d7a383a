"""What a sweep shows while it runs: a live display in a terminal, a line now and then elsewhere."""

import math
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from study.sweep import Snapshot

__all__ = ["SweepDisplay", "duration"]

SECONDS_BETWEEN_LINES = 15.0


def duration(seconds: float) -> str:
    """Write a time span for people: ``-``, ``42 s``, ``7 min 05 s``, ``3 h 20 min``."""
    if not math.isfinite(seconds):
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class SweepDisplay:
    """Shows snapshots of a sweep; use it as a context."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bars = Progress(
            TextColumn("{task.description:>6}"),
            BarColumn(40),
            MofNCompleteColumn(),
            console=console,
        )
        self.trials = self.bars.add_task("trials", total=None)
        self.games = self.bars.add_task("games", total=None)
        self.figures = Text()
        self.last_line = time.monotonic()
        self.live: Live | None = None
        if console.is_terminal:
            grid = Table.grid()
            grid.add_row(self.bars)
            grid.add_row(self.figures)
            self.live = Live(grid, console=console, refresh_per_second=4)

    def __enter__(self) -> "SweepDisplay":
        self.last_line = time.monotonic()
        if self.live:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.live:
            self.live.stop()

    def message(self, text: str) -> None:
        """Show a line that stays."""
        self.console.print(text, markup=False, highlight=False)

    def show(self, now: Snapshot) -> None:
        """Show how far the sweep is."""
        figures = (
            f"{now.games_per_second:.2f} games/s · {duration(now.seconds_left)} left · "
            f"hypervolume {now.hypervolume:,.0f} points·decades"
        )
        if now.n_failed:
            figures += f" · {now.n_failed} trials failed"
        if now.n_deaths:
            figures += f" · {now.n_deaths} worker deaths"
        if self.live:
            self.bars.update(self.trials, completed=now.n_trials_done, total=now.n_trials)
            self.bars.update(self.games, completed=now.n_games_done, total=now.n_games)
            self.figures.plain = f"       {figures}"
        elif time.monotonic() - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            self.message(
                f"trials {now.n_trials_done}/{now.n_trials} · "
                f"games {now.n_games_done}/{now.n_games} · {figures}"
            )
