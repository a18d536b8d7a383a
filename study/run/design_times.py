"""The number of games per trial, from the duration of games of the initial design.

If games are short, a trial gets so many games that workers need not wait for proposals, and that
all trials together take about as long as the search may. (In simulated studies, twice as many games
per trial lowered the regret by about a fifth at an equal number of trials.) Games of one θ may take
a thousand times as long as those of others, so the mean duration over the whole design is used.
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
from thetafront.study.run.plan import DEARER, SECONDS_A_PROPOSAL
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.settings import TRIALS_IN_BUDGET, SearchSettings
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.worker import Finished, Task

MAX_SHORT_GAMES = 512  # per trial; with this many, the standard error of a win rate is about 2%
MAX_SECONDS = 5.0  # of timing, including the start of the workers, in a search of minutes


class DesignTimes(GameSource[int]):
    """Times one game of each θ of a design, and stores none of these games.

    Timing stops early if games are so long that :func:`short_games` is the usual number.
    """

    tasks_per_worker = 1

    def __init__(self, data: StudyData, settings: SearchSettings, seconds_a_trial: float) -> None:
        self.n_usual, self.seconds_a_trial = settings.n_replicates, seconds_a_trial
        self.waiting: deque[Task[int]] = deque()
        for number, theta in enumerate(data.design):
            with suppress(ValueError):  # θ is refused, and its trial will say why
                agent = data.experiment.build(theta)
                self.waiting.append(Task(number, agent, (search_seed(settings.seed, number, 0),)))
        self.max_seconds = len(self.waiting) * seconds_a_trial / (math.sqrt(2.0) * self.n_usual)
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
        return short_games(self.seconds / self.n_timed, self.n_usual, self.seconds_a_trial)


def short_games(seconds: float, n_usual: int, seconds_a_trial: float) -> int:
    """Return the number of games per trial: ``n_usual``, or a power of two if games are short."""
    n = min(seconds_a_trial / max(seconds, 1e-9), MAX_SHORT_GAMES)
    rounded = 2 ** round(math.log2(max(n, 1.0)))
    return n_usual if rounded < 2 * n_usual else rounded


def with_short_games(
    settings: SearchSettings,
    data: StudyData,
    executor: Executor[Any],
    say: Callable[[str], None],
    seconds: float,
) -> SearchSettings:
    """Return settings with the study's number of games per trial.

    For a new study, games are timed to find that number. ``seconds`` is the time of the search,
    which may be infinite; the timing takes a small part of it.
    """
    if not settings.adapts:
        return settings
    if data.trials:
        return replace(settings, n_replicates=data.trials[-1].n_games, adapts=False)
    of_search, most = 0.0, MAX_SECONDS
    if math.isfinite(seconds):
        # With fewer trials, a search may end early, or may be continued with more.
        of_search = seconds / (DEARER * max(settings.n_trials, TRIALS_IN_BUDGET))
        most = min(0.2 * seconds, max(MAX_SECONDS, 0.01 * seconds))
    times = DesignTimes(data, settings, executor.capacity * max(SECONDS_A_PROPOSAL, of_search))
    Dispatch(times, executor, ProgressDisplay(Console(quiet=True)), Budget(most)).run()
    if times.n_games > settings.n_replicates:
        say(f"there is time for {times.n_games} games per trial")
    return replace(settings, n_replicates=times.n_games, adapts=False)
