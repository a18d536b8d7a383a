"""The number of games per trial, from the duration of games of the initial design.

If games are short, a trial gets enough games to take about as long as a proposal. Then workers need
not wait for proposals. Games of one θ may take a thousand times as long as those of others, so
the mean duration over the whole design is used.
"""

import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rich.console import Console

from thetafront.agents.agent import Game
from thetafront.study.log.seeds import search_seed
from thetafront.study.log.study_data import StudyData
from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.executor import Executor
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.worker import Finished, Task

SECONDS_A_TRIAL = 0.25  # if games are short: about as long as a proposal takes
MAX_SHORT_GAMES = 128  # per trial; with this many, the standard error of a win rate is about 4%
MAX_SECONDS = 5.0  # of timing, including the start of the workers


class DesignTimes(GameSource[int]):
    """Times one game of each θ of a design, and stores none of these games.

    Timing stops early if games are long.
    """

    tasks_per_worker = 1

    def __init__(self, data: StudyData, settings: SearchSettings) -> None:
        self.n_usual = settings.n_replicates
        self.waiting: deque[Task[int]] = deque()
        for number, theta in enumerate(data.design):
            with suppress(ValueError):  # θ is refused, and its trial will say why
                agent = data.experiment.build(theta)
                self.waiting.append(Task(number, agent, (search_seed(settings.seed, number, 0),)))
        self.max_seconds = len(self.waiting) * SECONDS_A_TRIAL / (2 * self.n_usual)
        self.in_flight: dict[int, Task[int]] = {}
        self.n_timed = 0
        self.seconds = 0.0

    def next_task(self) -> Task[int] | None:
        """Return the game of the next θ, unless games are known to be long."""
        if not self.waiting or self.seconds > self.max_seconds:
            return None
        task = self.waiting.popleft()
        self.in_flight[task.key] = task
        return task

    def record(self, finished: Finished[int]) -> None:
        """Time a game; a worker's first game, which includes one-off work, is queued again."""
        task = self.in_flight.pop(finished.key)
        if finished.is_first:
            self.waiting.append(task)
        elif finished.games and all(isinstance(game, Game) for game in finished.games):
            self.n_timed += len(finished.games)
            self.seconds += finished.ended - finished.began

    def snapshot(self) -> Snapshot:
        """Return how many games are timed."""
        n = self.n_timed + len(self.waiting) + len(self.in_flight)
        return Snapshot("games", self.n_timed, n, self.n_timed, n)

    @property
    def n_games(self) -> int:
        """How many games a trial has: the usual number, or more if games were short on average."""
        if self.waiting or self.in_flight or not self.n_timed:
            return self.n_usual
        return short_games(self.seconds / self.n_timed, self.n_usual)


def short_games(seconds: float, n_usual: int) -> int:
    """Return the number of games per trial: ``n_usual``, or a power of two if games are short."""
    n = min(SECONDS_A_TRIAL / max(seconds, 1e-9), MAX_SHORT_GAMES)
    return n_usual if n < 2 * n_usual else 2 ** math.floor(math.log2(n))


def with_short_games(
    settings: SearchSettings,
    data: StudyData,
    executor: Executor[Any],
    say: Callable[[str], None],
    seconds: float = math.inf,
) -> SearchSettings:
    """Return settings with the study's number of games per trial.

    For a new study, games are timed to find that number. This takes at most a tenth of the
    ``seconds`` that are left.
    """
    if not settings.adapts:
        return settings
    if data.trials:
        return replace(settings, n_replicates=data.trials[-1].n_games, adapts=False)
    times = DesignTimes(data, settings)
    budget = Budget(min(MAX_SECONDS, 0.1 * seconds))
    Dispatch(times, executor, ProgressDisplay(Console(quiet=True)), budget).run()
    if times.n_games > settings.n_replicates:
        say(f"games are short, so each trial gets {times.n_games} games")
    return replace(settings, n_replicates=times.n_games, adapts=False)
