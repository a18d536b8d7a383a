"""The loop between a source of games and the workers.

A few tasks a worker are in flight (:attr:`study.run.source.Source.tasks_per_worker`). While they
are played the source may prepare the next ones; nobody waits for that unless it takes longer than
they do.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

from threadpoolctl import threadpool_limits

from thetafront.agents.agent import Game
from thetafront.study import interrupt
from thetafront.study.run.budget import Budget
from thetafront.study.run.executor import Executor
from thetafront.study.run.source import Snapshot, Source
from thetafront.study.run.workers import Workers

Key = TypeVar("Key")
LONGEST_WAIT_SECONDS = 0.25
LARGEST_LOAD = 1.3  # this program's own work gives up to 1.15 on two cores
LEAST_CPU_SECONDS = 5.0  # before the load is known


@dataclass
class Utilization:
    """How busy workers were.

    Attributes
    ----------
    jobs : int
        How many workers; of those that come and go, at first.
    busy_seconds : float
        Wall-clock seconds spent in games, all workers together.
    cpu_seconds : float
        CPU seconds of that.
    longest_seconds : float
        Wall-clock seconds of the longest task.
    learning_seconds : float
        Wall-clock seconds in which agents learned before their games.
    n_tasks : int
        How many tasks were played.
    first, last : float
        When the first task began, and the last one ended, on the monotonic clock.
    changes : list of (float, int)
        When the number of workers changed, and to what.
    """

    jobs: int
    busy_seconds: float = 0.0
    cpu_seconds: float = 0.0
    longest_seconds: float = 0.0
    learning_seconds: float = 0.0
    n_tasks: int = 0
    first: float = math.inf
    last: float = -math.inf
    changes: list[tuple[float, int]] = field(default_factory=list)

    def add(
        self, began: float, ended: float, cpu_seconds: float, learning_seconds: float = 0.0
    ) -> None:
        """Count a task, whose games began after so many seconds of learning."""
        self.busy_seconds += ended - began
        self.cpu_seconds += cpu_seconds
        self.learning_seconds += learning_seconds
        self.longest_seconds = max(self.longest_seconds, learning_seconds + ended - began)
        self.n_tasks += 1
        self.first = min(self.first, began - learning_seconds)
        self.last = max(self.last, ended)

    @property
    def task_seconds(self) -> float:
        """Wall-clock seconds spent in tasks, all workers together."""
        return self.learning_seconds + self.busy_seconds

    @property
    def worker_seconds(self) -> float:
        """Wall-clock seconds of all workers from the first task's begin to the last one's end."""
        steps = [(-math.inf, self.jobs), *self.changes, (math.inf, 0)]
        inside = [(min(max(at, self.first), self.last), n) for at, n in steps]
        return sum(n * (end - begin) for (begin, n), (end, _) in pairwise(inside))

    @property
    def share(self) -> float:
        """Share of the workers' time spent in tasks, from 0 to 1; NaN before the first."""
        if self.last <= self.first or not self.worker_seconds:
            return math.nan
        return self.task_seconds / self.worker_seconds

    @property
    def learning_share(self) -> float:
        """Share of the time in tasks that agents learned for; 0 before the first."""
        return self.learning_seconds / self.task_seconds if self.task_seconds else 0.0

    @property
    def mean_seconds(self) -> float:
        """Mean wall-clock seconds of a task; 0 before the first."""
        return self.task_seconds / max(1, self.n_tasks)

    @property
    def load(self) -> float:
        """Wall-clock seconds a CPU second of games: 1 where nothing else runs; NaN if unknown."""
        known = self.cpu_seconds >= LEAST_CPU_SECONDS
        return self.busy_seconds / self.cpu_seconds if known else math.nan

    @property
    def is_loaded(self) -> bool:
        """Whether games wait for other programs so much that a user should know."""
        return self.load > LARGEST_LOAD


class Display(Protocol):
    """Shows a user what the loop does."""

    def show(self, now: Snapshot, dispatch: "Dispatch[Key]") -> None:
        """Show how far the source is; called several times a second."""

    def message(self, text: str) -> None:
        """Show a line when something happens that a user should know."""


@dataclass
class Dispatch(Generic[Key]):
    """The loop between a source of games and the workers that play them.

    Parameters
    ----------
    source : Source
        Where games come from.
    jobs : int
        How many workers play; of a cluster, now.
    display : Display
        Where progress is shown.
    budget : Budget
        No game is begun when it is spent.
    each_turn : callable
        Called several times a second.
    limit : Budget, optional
        The phase's part of the budget: what is told of the time left.
    executor : Executor, optional
        Who plays; this machine's worker processes by default.

    Attributes
    ----------
    utilization : Utilization
        So far.
    n_games, n_deaths : int
        Games that came back, and times that a worker died.
    game_seconds : float
        CPU seconds of these games' deciding threads.
    place : str
        Who plays, if not this machine.
    machines : mapping
        What is known of other machines, by the key that their games have.
    """

    source: Source[Key]
    jobs: int
    display: Display
    budget: Budget = field(default_factory=Budget)
    each_turn: Callable[[], None] = lambda: None
    n_games: int = 0
    n_deaths: int = 0
    game_seconds: float = 0.0
    began: float | None = None
    limit: Budget | None = None
    executor: Executor[Key] | None = None
    place: str = ""
    machines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    utilization: Utilization = field(init=False)

    def __post_init__(self) -> None:
        self.utilization = Utilization(self.jobs)

    @property
    def seconds(self) -> float:
        """Seconds since :meth:`run` began, but for those in which it was stopped."""
        return 0.0 if self.began is None else self.budget.clock() - self.began

    @property
    def rate(self) -> float:
        """Games a second so far."""
        return self.n_games / self.seconds if self.seconds else 0.0

    def seconds_left(self, now: Snapshot) -> float:
        """Return how long the source's games take, within the budget; NaN if unknown."""
        if not self.rate:
            return math.nan
        return min(self.left, (now.n_games - now.n_games_done) / self.rate)

    def n_games_expected(self, now: Snapshot) -> int | None:
        """Return how many games the source will have within the budget; None if unknown."""
        if not self.budget.is_limited:
            return now.n_games
        if not self.rate:
            return None
        return min(now.n_games, now.n_games_done + round(self.rate * self.left))

    @property
    def left(self) -> float:
        """Seconds that are left, of the budget or of this phase's part of it."""
        return min(each.left for each in (self.budget, self.limit) if each is not None)

    def run(self) -> None:
        """Play until the source has no more games.

        An interrupt ends the workers at once, and whatever has finished is stored.

        Raises
        ------
        KeyboardInterrupt
            After an interrupt.
        PlayError
            If games cannot be played, or workers die again and again.
        """
        self.began = self.budget.clock()
        with interrupt.deferred():
            try:
                executor = self.executor
                if executor is None:
                    executor = Workers[Key](self.jobs)
                # One thread for linear algebra: the cores are the workers'.
                with threadpool_limits(1), executor as workers:
                    self.play_on(workers)
                    if interrupt.requested():
                        self.stop(workers)
            finally:
                self.source.close()

    def play_on(self, workers: Executor[Key]) -> None:
        """Hand out tasks and record those that come back, until none are left or an interrupt."""
        while not interrupt.requested():
            self.look_at(workers)
            self.hand_out(workers)
            thinking = self.source.thinking()
            if not len(workers) and (thinking is None or self.budget.is_spent):
                return
            if self.budget.is_exceeded:
                self.display.message("games that outlast the budget are ended, and played later")
                self.stop(workers)
                return
            self.budget.clock()  # often: many seconds without a look count as a pause
            # With the line full, a proposal that is ready must not wake the loop again and again.
            workers.collect(LONGEST_WAIT_SECONDS, thinking if self.has_room(workers) else None)
            self.n_deaths = workers.n_deaths
            for line in workers.news():
                self.display.message(line)
            while workers.returned:
                self.record(workers)
                self.hand_out(workers)  # storing takes time: no worker waits for all of it
            self.display.show(self.source.snapshot(), self)
            self.each_turn()

    def stop(self, workers: Executor[Key]) -> None:
        """End games in the middle; record those that have finished."""
        workers.stop()
        while workers.returned:
            self.record(workers)

    def look_at(self, workers: Executor[Key]) -> None:
        """See how many workers there are, and where."""
        n = workers.capacity
        if n != self.jobs:
            self.utilization.changes.append((time.monotonic(), n))
            self.jobs = n
        self.source.n_workers, self.source.seconds_a_task = n, workers.seconds_a_task
        self.place, self.machines = workers.place, workers.machines

    def hand_out(self, workers: Executor[Key]) -> None:
        """Fill the line, but not with games that would begin after the budget."""
        while self.has_room(workers) and (task := self.source.next_task()) is not None:
            workers.submit(task)

    def has_room(self, workers: Executor[Key]) -> bool:
        """Tell whether the line takes one more task, which would begin within the budget."""
        n = len(workers)
        n_each = min(self.source.tasks_per_worker, workers.tasks_per_worker)
        begins_in = (n // max(1, self.jobs)) * self.utilization.mean_seconds
        # Where nobody plays now, some tasks wait for whoever comes.
        return n < n_each * max(1, self.jobs) and begins_in < self.budget.left

    def record(self, workers: Executor[Key]) -> None:
        """Record the first of the tasks that have come back."""
        finished = workers.returned.popleft()
        self.source.record(finished)
        if not finished.error:
            self.n_games += len(finished.games)
            ended = [game for game in finished.games if isinstance(game, Game)]
            self.game_seconds += sum(game.seconds for game in ended)
            self.utilization.add(
                finished.began, finished.ended, finished.cpu_seconds, finished.learning_seconds
            )
