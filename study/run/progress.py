"""Progress on a terminal: a live display, or a line now and then where output is not a terminal."""

import math
import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from study.run.dispatch import Dispatch
from study.run.source import Snapshot
from study.text import counted

SECONDS_BETWEEN_LINES = 15.0
PREPARING = "preparing (the first time, kernels are compiled: some twenty seconds)"


def duration(seconds: float) -> str:
    """Write a time span: ``-``, ``42 s``, ``7 min 05 s``, ``3 h 20 min``."""
    if not math.isfinite(seconds):
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def figures_of(now: Snapshot, dispatch: Dispatch[Any]) -> str:
    """Write rate, remaining time, utilization and failures in one line."""
    seconds_left = dispatch.seconds_left(now)
    figures = [f"{dispatch.rate:.2f} games/s", f"{duration(seconds_left)} left"]
    if math.isfinite(dispatch.utilization.share):
        figures.append(f"workers {dispatch.utilization.share:.0%} busy")
    if dispatch.utilization.is_loaded:
        figures.append(f"machine loaded, {dispatch.utilization.load:.1f} s a CPU second")
    if now.note:
        figures.append(now.note)
    if now.n_failed:
        figures.append(f"{counted(now.n_failed, now.unit.removesuffix('s'))} failed")
    if dispatch.n_deaths:
        figures.append(counted(dispatch.n_deaths, "worker death"))
    return " · ".join(figures)


class ProgressDisplay:
    """Shows how far a source of games is; use it as a context."""

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

    def __exit__(self, *_: object) -> None:
        if self.live:
            self.live.stop()

    def message(self, text: str) -> None:
        """Show a line that stays."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def show(self, now: Snapshot, dispatch: Dispatch[Any]) -> None:
        """Show how far the source is."""
        n_games = dispatch.n_games_expected(now)
        if self.live:
            for bar, name, done, total in (
                (self.units, now.unit, now.n_units_done, now.n_units),
                (self.games, "games", now.n_games_done, n_games),
            ):
                visible = bar == self.games or name != "games"
                self.bars.update(
                    bar, description=name, completed=done, total=total, visible=visible
                )
            self.figures.plain = f"       {figures_of(now, dispatch)}"
        elif time.monotonic() - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            units = f"{now.unit} {now.n_units_done}/{now.n_units} · "
            self.message(
                f"{units if now.unit != 'games' else ''}"
                f"games {now.n_games_done}/{n_games} · {figures_of(now, dispatch)}"
            )
