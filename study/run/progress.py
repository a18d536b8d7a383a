"""Progress: a live display on a terminal or in a notebook, elsewhere a line now and then."""

import math
import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from thetafront.agents.agent import Game
from thetafront.agents.external.report import ReportedGame
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.source import Snapshot
from thetafront.study.text import counted, duration

SECONDS_BETWEEN_LINES = 15.0
SECONDS_BETWEEN_UPDATES = 1.0  # in a notebook
PREPARING = "preparing (the first time, kernels are compiled: some twenty seconds)"


def preparing(game: type[Game]) -> str:
    """Say what happens before the first game; users' agents have no kernels."""
    return "preparing" if issubclass(game, ReportedGame) else PREPARING


def figures_of(now: Snapshot, dispatch: Dispatch[Any]) -> str:
    """Write rate, remaining time, utilization and failures in one line."""
    seconds_left = dispatch.seconds_left(now)
    figures = [f"{dispatch.rate:.2f} games/s", f"{duration(seconds_left)} left"]
    if dispatch.workers.is_cluster:
        figures.append(dispatch.workers.place)
    if math.isfinite(dispatch.utilization.share):
        figures.append(f"workers {dispatch.utilization.share:.0%} busy")
    if dispatch.utilization.is_loaded:
        figures.append(f"machine loaded, {dispatch.utilization.load:.1f} s a CPU second")
    if now.note:
        figures.append(now.note)
    if now.n_failed:
        figures.append(f"{counted(now.n_failed, now.unit.removesuffix('s'))} failed")
    if dispatch.workers.n_deaths:
        figures.append(counted(dispatch.workers.n_deaths, "worker death"))
    return " · ".join(figures)


class NotebookLine:
    """A line of a notebook's output that is written again and again, once a second at most."""

    def __init__(self) -> None:
        from IPython.display import display  # noqa: PLC0415, installed where a notebook runs

        self.text, self.written = "", -math.inf
        self.handle = display({"text/plain": self.text}, raw=True, display_id=True)

    def show(self, text: str) -> None:
        """Show a text, or keep it for the next one."""
        self.text = text
        if time.monotonic() - self.written >= SECONDS_BETWEEN_UPDATES:
            self.write()

    def write(self) -> None:
        """Show what is kept."""
        self.written = time.monotonic()
        self.handle.update({"text/plain": self.text}, raw=True)


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
        self.line: NotebookLine | None = None
        if console.is_terminal:
            grid = Table.grid()
            grid.add_row(self.bars)
            grid.add_row(self.figures)
            self.live = Live(grid, console=console, refresh_per_second=4)

    def __enter__(self) -> "ProgressDisplay":
        self.last_line = time.monotonic()
        if self.live:
            self.live.start()
        elif self.console.is_jupyter:
            self.line = NotebookLine()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self.live.stop()
        elif self.line:
            self.line.write()

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
            return
        of_units = "" if now.n_units is None else f"/{now.n_units}"
        units = f"{now.unit} {now.n_units_done}{of_units} · " if now.unit != "games" else ""
        of_all = "" if n_games is None else f"/{n_games}"
        text = f"{units}games {now.n_games_done}{of_all} · {figures_of(now, dispatch)}"
        if self.line:
            self.line.show(text)
        elif time.monotonic() - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            self.message(text)
