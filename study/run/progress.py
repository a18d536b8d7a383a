"""What a sweep shows while it runs: a live display in a terminal, a line now and then elsewhere."""

import math
import time
from dataclasses import dataclass
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from study.text import counted

SECONDS_BETWEEN_LINES = 15.0


@dataclass(frozen=True)
class Snapshot:
    """How far a phase of a sweep is.

    Attributes
    ----------
    unit : str
        What the phase counts: ``trials`` or ``points``.
    n_units_done, n_units : int
        Complete ones, and the total aimed at.
    n_games_done, n_games : int
        Finished games, those of earlier runs included, and those it takes in all, as far as known.
    n_games_now : int
        Finished games of this run.
    seconds : float
        Since this run began; 0 before.
    utilization : float
        Share of the workers' time spent in games; NaN before it is known.
    note : str
        What else to show.
    n_failed, n_deaths : int
        Units that could not be played, and times a worker died.
    """

    unit: str
    n_units_done: int
    n_units: int
    n_games_done: int
    n_games: int
    n_games_now: int
    seconds: float
    utilization: float
    note: str
    n_failed: int
    n_deaths: int

    @property
    def games_per_second(self) -> float:
        """Of this run; 0 before its first game."""
        return self.n_games_now / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float:
        """At that rate; NaN before it is known."""
        rate = self.games_per_second
        return (self.n_games - self.n_games_done) / rate if rate else math.nan


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


class ProgressDisplay:
    """Shows snapshots of a sweep; use it as a context."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bars = Progress(
            TextColumn("{task.description:>6}"),
            BarColumn(40),
            MofNCompleteColumn(),
            console=console,
        )
        self.units = self.bars.add_task("trials", total=None)
        self.games = self.bars.add_task("games", total=None)
        self.figures = Text()
        self.last_line = time.monotonic()
        self.live: Live | None = None
        if console.is_terminal:
            grid = Table.grid()
            grid.add_row(self.bars)
            grid.add_row(self.figures)
            self.live = Live(grid, console=console, refresh_per_second=4)

    def __enter__(self) -> "ProgressDisplay":
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
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def show(self, now: Snapshot) -> None:
        """Show how far the sweep is."""
        figures = f"{now.games_per_second:.2f} games/s · {duration(now.seconds_left)} left"
        if math.isfinite(now.utilization):
            figures += f" · workers {now.utilization:.0%} busy"
        if now.note:
            figures += f" · {now.note}"
        if now.n_failed:
            figures += f" · {counted(now.n_failed, now.unit.removesuffix('s'))} failed"
        if now.n_deaths:
            figures += f" · {counted(now.n_deaths, 'worker death')}"
        if self.live:
            self.bars.update(
                self.units,
                description=now.unit,
                completed=now.n_units_done,
                total=now.n_units,
            )
            self.bars.update(self.games, completed=now.n_games_done, total=now.n_games)
            self.figures.plain = f"       {figures}"
        elif time.monotonic() - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            self.message(
                f"{now.unit} {now.n_units_done}/{now.n_units} · "
                f"games {now.n_games_done}/{now.n_games} · {figures}"
            )
