"""The loop between a source of games and the workers.

Each worker has a few tasks, which are being played or queued
(:attr:`study.run.source.GameSource.tasks_per_worker`). Meanwhile, the source may prepare the next
tasks. Workers wait only if preparing a task takes longer than playing it.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

from threadpoolctl import threadpool_limits

from thetafront.agents.agent import Game
from thetafront.study import interrupt
from thetafront.study.run.budget import Budget
from thetafront.study.run.executor import Executor
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.worker import Finished
from thetafront.study.run.workers import Workers

Key = TypeVar("Key")
MAX_WAIT_SECONDS = 0.25
MAX_LOAD = 1.3  # thetafront alone causes a load of up to 1.15 on two cores
MIN_CPU_SECONDS = 5.0  # CPU seconds of games after which the load is known


@dataclass
class Utilization:
    """How busy workers were."""

    jobs: int  # how many workers there were at first
    busy_seconds: float = 0.0  # wall-clock seconds spent in games, all workers together
    cpu_seconds: float = 0.0  # CPU seconds spent in games
    longest_seconds: float = 0.0  # wall-clock seconds of the longest task
    learning_seconds: float = 0.0  # wall-clock seconds in which agents learned before their games
    n_tasks: int = 0  # how many tasks were played
    # When the first task began, and the last one ended, on the monotonic clock.
    first: float = math.inf
    last: float = -math.inf
    # When the number of workers changed, and the new number.
    changes: list[tuple[float, int]] = field(default_factory=list)

    def add(
        self, began: float, ended: float, cpu_seconds: float, learning_seconds: float = 0.0
    ) -> None:
        """Count a task; its games began after ``learning_seconds``."""
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
        """Wall-clock seconds of all workers, from the first task's start to the last one's end."""
        steps = [(-math.inf, self.jobs), *self.changes, (math.inf, 0)]
        inside = [(min(max(at, self.first), self.last), n) for at, n in steps]
        return sum(n * (end - begin) for (begin, n), (end, _) in pairwise(inside))

    @property
    def share(self) -> float:
        """Share of the workers' time spent in tasks, from 0 to 1; NaN before the first task."""
        if self.last <= self.first or not self.worker_seconds:
            return math.nan
        return self.task_seconds / self.worker_seconds

    @property
    def learning_share(self) -> float:
        """Share of the time in tasks during which agents learned; 0 before the first task."""
        return self.learning_seconds / self.task_seconds if self.task_seconds else 0.0

    @property
    def mean_seconds(self) -> float:
        """Mean wall-clock seconds of a task; 0 before the first task."""
        return self.task_seconds / max(1, self.n_tasks)

    @property
    def load(self) -> float:
        """Wall-clock seconds per CPU second of games; 1 if nothing slows them; NaN if unknown."""
        known = self.cpu_seconds >= MIN_CPU_SECONDS
        return self.busy_seconds / self.cpu_seconds if known else math.nan

    @property
    def is_loaded(self) -> bool:
        """Whether other programs slow the games down so much that a user should know."""
        return self.load > MAX_LOAD


class Display(Protocol):
    """Shows the user what the loop does."""

    def show(self, now: Snapshot, dispatch: "Dispatch[Key]") -> None:
        """Show the progress of the source; called several times a second."""

    def message(self, text: str) -> None:
        """Show a line about something that a user should know."""


@dataclass
class Dispatch(Generic[Key]):
    """The loop between a source of games and the workers that play them."""

    source: GameSource[Key]  # where games come from
    workers: Executor[Key]  # the executor that plays them, already open
    display: Display  # where progress is shown
    budget: Budget = field(default_factory=Budget)  # when it is spent, no more games are begun
    limit: Budget | None = None  # the phase's part of the budget, for showing the time left
    each_turn: Callable[[], None] = lambda: None  # called several times a second
    n_games: int = 0  # how many games came back
    game_seconds: float = 0.0  # CPU seconds that the agents' deciding threads took in these games
    began: float | None = None
    utilization: Utilization = field(init=False)  # how busy the workers were so far

    def __post_init__(self) -> None:
        self.jobs = self.workers.capacity  # how many workers play now
        self.utilization = Utilization(self.jobs)

    @property
    def seconds(self) -> float:
        """Seconds since :meth:`run` began, without time in which the process was stopped."""
        return 0.0 if self.began is None else self.budget.clock() - self.began

    @property
    def rate(self) -> float:
        """Games a second so far."""
        return self.n_games / self.seconds if self.seconds else 0.0

    def seconds_left(self, now: Snapshot) -> float:
        """Return how many seconds the source's games will still take; NaN if unknown."""
        if not self.rate:
            return math.nan
        return min(self.left, (now.n_games - now.n_games_done) / self.rate)

    def n_games_expected(self, now: Snapshot) -> int | None:
        """Return how many games the source will have when the budget ends; None if unknown."""
        if not self.budget.is_limited:
            return now.n_games
        if not self.rate:
            return None
        return min(now.n_games, now.n_games_done + round(self.rate * self.left))

    @property
    def left(self) -> float:
        """Seconds that are left of the budget, or of this phase's part if that ends earlier."""
        return min(each.left for each in (self.budget, self.limit) if each is not None)

    def run(self) -> None:
        """Play until the source has no more games.

        An interrupt ends the games in flight at once, and then raises KeyboardInterrupt; finished
        games are stored. PlayError if games cannot be played, or workers die repeatedly.
        """
        self.began = self.budget.clock()
        # One thread for linear algebra: the cores are for the workers.
        with interrupt.deferred(), threadpool_limits(1):
            try:
                self.play()
            finally:
                self.source.close()

    def play(self) -> None:
        """Hand out tasks and record those that come back, until all are done or interrupted."""
        workers = self.workers
        while not interrupt.requested():
            self.update_source()
            self.hand_out()
            pending = self.source.pending_proposal()
            if not len(workers) and (pending is None or self.budget.is_spent):
                return
            if self.budget.is_exceeded:
                self.display.message(
                    "games that outlast the budget are stopped, and played again later"
                )
                break
            self.budget.clock()  # read often: a long gap between readings counts as a stop
            # If the queue is full, a proposal that is ready must not wake the loop repeatedly.
            workers.collect(MAX_WAIT_SECONDS, pending if self.has_room else None)
            for line in workers.drain_messages():
                self.display.message(line)
            while workers.returned:
                self.record(workers.returned.popleft())
                self.hand_out()  # at once: workers must not wait until all tasks are stored
            self.display.show(self.source.snapshot(), self)
            self.each_turn()
        workers.stop()
        while workers.returned:
            self.record(workers.returned.popleft())

    def update_source(self) -> None:
        """Tell the source how many workers there are now, and how much time is left."""
        n = self.workers.capacity
        if n != self.jobs:
            self.utilization.changes.append((time.monotonic(), n))
            self.jobs = n
        self.source.n_workers, self.source.seconds_a_task = n, self.workers.seconds_a_task
        self.source.seconds_left = self.left

    def hand_out(self) -> None:
        """Fill the queue, except with tasks that would begin after the end of the budget."""
        while self.has_room and (task := self.source.next_task()) is not None:
            self.workers.submit(task)

    @property
    def has_room(self) -> bool:
        """Whether the queue has room for one more task that would begin within the budget."""
        n = len(self.workers)
        n_each = min(self.source.tasks_per_worker, self.workers.tasks_per_worker)
        begins_in = (n // max(1, self.jobs)) * self.utilization.mean_seconds
        # Even if there is no worker now, some tasks are queued for the next one.
        return n < n_each * max(1, self.jobs) and begins_in < self.budget.left

    def record(self, finished: Finished[Key]) -> None:
        """Let the source record a task that has come back, and count its games."""
        self.source.record(finished)
        if not finished.error:
            self.n_games += len(finished.games)
            self.game_seconds += sum(x.seconds for x in finished.games if isinstance(x, Game))
            self.utilization.add(
                finished.began, finished.ended, finished.cpu_seconds, finished.learning_seconds
            )


def play_here(source: GameSource[Any], jobs: int, display: Display) -> Dispatch[Any]:
    """Play all games of a source on this machine; see :meth:`Dispatch.run`."""
    with Workers[Any](jobs) as workers:
        dispatch = Dispatch(source, workers, display)
        dispatch.run()
    return dispatch
