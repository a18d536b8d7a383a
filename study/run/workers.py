"""Games over worker processes.

This drives joblib's process pool (loky) directly rather than through ``joblib.Parallel``: the
parent must hand out a game the moment it chooses, stop within a second whatever the workers are
doing, and survive the death of one.
"""

import contextlib
import math
import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import joblib
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker
from joblib.externals.loky.process_executor import TerminatedWorkerError

from thetafront.agents.agent import Agent, warm
from thetafront.agents.external.processes import Orphans
from thetafront.study import interrupt
from thetafront.study.errors import check_range
from thetafront.study.run.executor import Finished, PlayError, Task, dead_alone
from thetafront.study.run.worker import (
    OURS,
    SAFE_PATH,
    TimedGames,
    begin_worker,
    play_timed,
    reason,
)

__all__ = ["Finished", "PlayError", "Task", "Workers", "check_jobs", "n_cores", "play_all"]

Key = TypeVar("Key")

MOST_JOBS_A_CORE = 32  # each takes some 100 MB
SECONDS_A_TASK = 0.02  # of games that take less: handing out and storing a task takes 1 ms


def n_cores() -> int:
    """Return the cores this process may use."""
    return int(joblib.cpu_count())


def check_jobs(jobs: int | None) -> int:
    """Return the number of workers asked for, all cores by default; InputError if out of range."""
    if jobs is None:
        return n_cores()
    return check_range("jobs", jobs, 1, MOST_JOBS_A_CORE * n_cores())


def start_trackers() -> None:
    """Start the processes that delete semaphores after a kill, and let them do so silently.

    Here, since starting them unblocks signals (Python 3.11), and workers would start so, too.
    """
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (before, "ignore:resource_tracker")))
    try:
        with interrupt.deferred():
            multiprocessing.resource_tracker.ensure_running()
            loky_resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def end_pool(pool: Any, at_once: bool) -> None:
    """End a pool's processes: after their tasks, or, for ``at_once``, in the middle of them.

    They are killed one by one: the pool's own way of killing them fails with a traceback if a task
    was submitted just before.
    """
    if at_once:
        own = set(pool._processes)  # a program that calls this may have other children
        for process in multiprocessing.active_children():
            if process.pid is not None and process.pid in own:
                with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(process.pid, signal.SIGKILL)
    pool.shutdown(wait=True)


@dataclass
class Workers(Generic[Key]):
    """Worker processes of this machine that play games; use it as a context.

    Parameters
    ----------
    jobs : int
        How many processes.

    Attributes
    ----------
    returned : deque of Finished
        Tasks that have come back; the caller takes them from here.
    n_deaths : int
        Times that a worker died.

    Notes
    -----
    A worker that dies (killed, or out of memory) breaks the pool, and which of the tasks in flight
    it was playing is unknown. A new pool then plays all of them again, one at a time. If a worker
    dies again with only one task in flight, the run ends with PlayError.
    """

    jobs: int
    returned: "deque[Finished[Key]]" = field(default_factory=deque)
    n_deaths: int = 0
    n_deaths_told: int = 0
    in_flight: dict["Future[TimedGames]", Task[Key]] = field(default_factory=dict)
    suspects: "deque[Task[Key]]" = field(default_factory=deque)
    held_back: "deque[Task[Key]]" = field(default_factory=deque)
    pool: Any = None

    tasks_per_worker: ClassVar[float] = math.inf  # as many as the source has
    seconds_a_task: ClassVar[float] = SECONDS_A_TASK
    machines: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    place: ClassVar[str] = ""

    @property
    def capacity(self) -> int:
        """How many workers play."""
        return self.jobs

    def news(self) -> list[str]:
        """Say that a worker has died since the last call."""
        n, self.n_deaths_told = self.n_deaths - self.n_deaths_told, self.n_deaths
        return ["a worker died; the games in flight are played again"] if n else []

    def __enter__(self) -> "Workers[Key]":
        os.environ.setdefault(SAFE_PATH, OURS)
        if interrupt.is_watched():  # what killed workers leave behind is ended by this process
            Orphans.adopt()
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(at_once=kind is not None)
        if interrupt.is_watched():
            Orphans.end()
            Orphans.adopt(False)
        if os.environ.get(SAFE_PATH) == OURS:
            del os.environ[SAFE_PATH]

    def open(self) -> None:
        """Start the pool; its processes start with the first games."""
        start_trackers()
        self.pool = ProcessPoolExecutor(
            max_workers=self.jobs, initializer=begin_worker, initargs=(os.getpid(),)
        )

    def close(self, at_once: bool) -> None:
        """End the processes: after their games, or, for ``at_once``, in the middle of them."""
        pool, self.pool = self.pool, None
        self.in_flight.clear()
        if pool is not None:
            end_pool(pool, at_once)

    def stop(self) -> None:
        """End the processes in the middle of their games; those that have finished come back."""
        self._take_finished()
        self.close(at_once=True)

    def __len__(self) -> int:
        return len(self.in_flight) + len(self.suspects) + len(self.held_back)

    def submit(self, task: Task[Key]) -> None:
        """Hand out a task."""
        if self.suspects:
            self.held_back.append(task)
        else:
            self._start(task)

    def _start(self, task: Task[Key]) -> None:
        try:
            with interrupt.kept_from_children():
                future = self.pool.submit(play_timed, task.agent, task.seeds, task.side_by_side)
        except BrokenProcessPool as error:
            # It broke since the last look: collect() will notice, and play this task too.
            future = Future()
            future.set_exception(TerminatedWorkerError(str(error)))
        self.in_flight[future] = task

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for one task, or ``timeout`` seconds; put all that came back into ``returned``.

        Parameters
        ----------
        timeout : float
            Seconds to wait at most.
        also : Future, optional
            Stop waiting when this is done, too.

        Raises
        ------
        PlayError
            If a worker has died again with only one task in flight.
        """
        awaited: set[Future[Any]] = {*self.in_flight, *([] if also is None else [also])}
        wait(awaited, timeout=timeout, return_when=FIRST_COMPLETED)
        if self._take_finished():
            self._restart()
        if not self.in_flight:
            self._release()

    def _take_finished(self) -> bool:
        """Take the tasks that came back; return whether a worker has died."""
        broken = False
        for future in [each for each in self.in_flight if each.done()]:
            if isinstance(future.exception(), BrokenProcessPool):
                broken = True
            else:
                self._take(future)
        return broken

    def _take(self, future: "Future[TimedGames]") -> None:
        key, error = self.in_flight.pop(future).key, future.exception()
        if error is None:
            games, began, ended, cpu, learning = future.result()
            self.returned.append(Finished(key, games, "", began, ended, cpu, learning))
        else:
            text, is_machines = reason(error)
            self.returned.append(Finished(key, (), text, is_machines=is_machines))

    def _restart(self) -> None:
        """Open a new pool after a death; the tasks that were in flight are suspects."""
        self.n_deaths += 1
        for future in [each for each in self.in_flight if each.done() and not each.exception()]:
            self._take(future)  # came back since the look that found the death
        tasks = list(self.in_flight.values())
        if len(tasks) == 1:
            tasks[0].n_deaths_alone += 1
            if (end := dead_alone(tasks[0])) is not None:
                self.returned.append(end)
                tasks.clear()
        self.suspects.extendleft(reversed(tasks))
        self.close(at_once=True)
        self.open()

    def _release(self) -> None:
        """Start the next suspect alone; if none is left, all tasks that were held back."""
        if self.suspects:
            self._start(self.suspects.popleft())
        else:
            while self.held_back:
                self._start(self.held_back.popleft())


def play_all(
    agent: Agent, seeds: range, jobs: int, n_side_by_side: int = 1
) -> Iterator[Finished[int]]:
    """Play games of one agent, alone or so many side by side; the key is the first seed."""
    warm(agent)
    remaining = iter(range(0, len(seeds), n_side_by_side))
    with Workers[int](jobs) as workers:
        while True:
            while len(workers) < 2 * jobs and (begin := next(remaining, None)) is not None:
                some = seeds[begin : begin + n_side_by_side]
                workers.submit(Task(some[0], agent, some, side_by_side=len(some) > 1))
            if not len(workers):
                return
            workers.collect(timeout=1.0)
            while workers.returned:
                yield workers.returned.popleft()
