"""Shows the progress of a source of games to a user."""

import math
from typing import Any

from thetafront.agents.agent import Game
from thetafront.agents.external.report import ReportedGame
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.source import Snapshot
from thetafront.study.terminal.progress import ProgressLine
from thetafront.study.text import counted, duration

PREPARING = "preparing (the first time, compiling kernels takes about twenty seconds)"


def preparing(game: type[Game]) -> str:
    """Say what happens before the first game; only built-in agents have kernels to compile."""
    return "preparing" if issubclass(game, ReportedGame) else PREPARING


class ProgressDisplay(ProgressLine):
    """Shows the progress of a source of games; with a budget, the bar shows the time spent."""

    def show(self, now: Snapshot, dispatch: Dispatch[Any]) -> None:
        """Show the progress; called several times a second."""
        budget, n_games = dispatch.budget, dispatch.n_games_expected(now)
        if budget.is_limited:
            share = 1.0 - budget.left / max(budget.end - budget.began, budget.left, 1e-9)
            left = f"{duration(budget.left)} of {duration(budget.seconds)} left"
        else:
            share = now.n_games_done / n_games if n_games else 0.0
            seconds = dispatch.seconds_left(now)
            left = f"{duration(seconds)} left" if math.isfinite(seconds) else ""
        figures = []
        if now.unit != "games":
            figures.append(progress_text(now.unit, now.n_units_done, now.n_units))
        figures.append(progress_text("games", now.n_games_done, n_games))
        if now.n_failed:
            figures.append(f"{counted(now.n_failed, now.unit.removesuffix('s'))} failed")
        if dispatch.workers.n_deaths:
            figures.append(counted(dispatch.workers.n_deaths, "worker death"))
        figures.append(f"{dispatch.rate:.2f} games/s")
        if dispatch.workers.is_cluster:
            figures.append(dispatch.workers.place)
        if math.isfinite(dispatch.utilization.share):
            figures.append(f"workers {dispatch.utilization.share:.0%} busy")
        if now.note:
            figures.append(now.note)
        self.update(share, left, figures)


def progress_text(unit: str, n_done: int, n: int | None) -> str:
    """Return a text such as ``trials 3/16``, or ``trials 3`` if the total is unknown."""
    return f"{unit} {n_done:,}" + ("" if n is None else f"/{n:,}")
