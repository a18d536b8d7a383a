"""Worker processes that play games.

This module uses joblib's process pool (loky) directly rather than ``joblib.Parallel``, because the
parent process must be able to hand out a game at any moment, to stop within a second whatever the
workers are doing, and to survive the death of a worker.
"""

import contextlib
import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

import joblib
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker

from thetafront.agents.external.processes import Orphans
from thetafront.study import interrupt
from thetafront.study.errors import check_range
from thetafront.study.run.executor import Executor, PlayError
from thetafront.study.run.worker import (
    OURS,
    SAFE_PATH,
    Finished,
    Task,
    begin_worker,
    play,
    unplayed,
)
from thetafront.study.text import counted

__all__ = ["Finished", "PlayError", "Task", "Workers", "check_jobs", "n_cores"]

Key = TypeVar("Key")
T = TypeVar("T")

MAX_JOBS_A_CORE = 32  # each job takes some 100 MB
# Short games are put together into tasks of this duration, since handing out and storing a task
# takes 1 ms.
SECONDS_A_TASK = 0.02


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    return int(joblib.cpu_count())


def check_jobs(jobs: int | None) -> int:
    """Return the number of workers, by default one per core; InputError if out of range."""
    if jobs is None:
        return n_cores()
    return check_range("jobs", jobs, 1, MAX_JOBS_A_CORE * n_cores())


def start_trackers() -> None:
    """Start the processes that delete semaphores after a kill, and silence their warnings.

    They must be started before the workers. Otherwise, the pool starts them while Ctrl-C is blocked
    for the workers. Their start unblocks Ctrl-C (in Python 3.11), so workers that are started
    later do not block Ctrl-C.
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
    """End a pool's processes after their tasks, or with ``at_once`` in the middle of their tasks.

    With ``at_once``, they are killed one by one, because the pool's own method fails with a
    traceback if a task was submitted just before.
    """
    if at_once:
        own = set(pool._processes)  # a program that calls this may have other children
        for process in multiprocessing.active_children():
            if process.pid is not None and process.pid in own:
                with contextlib.suppress(ProcessLookupError):  # it has just exited on its own
                    os.kill(process.pid, signal.SIGKILL)
    pool.shutdown(wait=True)


def submitted(pool: Any, function: Callable[..., T], *arguments: Any) -> "Future[T]":
    """Submit a call to a pool; if a process of the pool has died, the future raises the error."""
    try:
        # A process that starts while this one ends would print a traceback.
        with interrupt.deferred(), interrupt.kept_from_children():
            return pool.submit(function, *arguments)  # type: ignore[no-any-return]
    except BrokenProcessPool as error:
        future: Future[T] = Future()
        future.set_exception(error)
        return future


class Workers(Executor[Key]):
    """Worker processes of this machine that play games.

    The processes are started when the first games are handed out, and are kept for the games of
    later phases.

    If a worker dies (killed, or out of memory), the pool breaks, and it is unknown which of the
    tasks in flight the worker was playing. A new pool then plays all of these tasks again, one at a
    time. If a task kills its worker repeatedly while it is played alone, it is given up
    (:meth:`~study.run.executor.Executor.judge`).
    """

    seconds_a_task = SECONDS_A_TASK

    def __init__(self, jobs: int) -> None:
        super().__init__()
        self.jobs = jobs
        self.in_flight: dict[Future[Finished[Key]], Task[Key]] = {}
        self.suspects: deque[Task[Key]] = deque()
        self.held_back: deque[Task[Key]] = deque()
        self.pool: Any = None

    @property
    def capacity(self) -> int:
        """How many workers play."""
        return self.jobs

    @property
    def place(self) -> str:
        """How many workers play, in words."""
        return counted(self.jobs, "job")

    def __enter__(self) -> "Workers[Key]":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(at_once=kind is not None)

    def open(self) -> None:
        """Create the pool, which starts its processes with the first games."""
        os.environ.setdefault(SAFE_PATH, OURS)
        if interrupt.is_watched():  # then this process ends programs left by killed workers
            Orphans.adopt()
        start_trackers()
        self.pool = ProcessPoolExecutor(
            max_workers=self.jobs, initializer=begin_worker, initargs=(os.getpid(),)
        )

    def close(self, at_once: bool) -> None:
        """End the processes after their games, or with ``at_once`` in the middle of their games."""
        pool, self.pool = self.pool, None
        self.in_flight.clear()
        if pool is None:
            return
        end_pool(pool, at_once)
        if interrupt.is_watched():
            Orphans.end()
            Orphans.adopt(False)
        if os.environ.get(SAFE_PATH) == OURS:
            del os.environ[SAFE_PATH]

    def leave_a_core_to_each(self) -> None:
        """If there are more jobs than cores, end the processes and use one job per core."""
        if self.jobs > n_cores():
            self.close(at_once=False)
            self.jobs = n_cores()

    def stop(self) -> None:
        """End the processes in the middle of their games; finished games are kept."""
        self._take_finished()
        self.close(at_once=True)
        self.suspects.clear()
        self.held_back.clear()

    def __len__(self) -> int:
        return len(self.in_flight) + len(self.suspects) + len(self.held_back)

    def submit(self, task: Task[Key]) -> None:
        """Hand out a task."""
        if self.suspects:
            self.held_back.append(task)
        else:
            self._start(task)

    def _start(self, task: Task[Key]) -> None:
        if self.pool is None:
            self.open()
        # If the pool has just broken, collect() will see this, and play the task again.
        self.in_flight[submitted(self.pool, play, task)] = task

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for a task or for ``also``; put finished tasks into ``returned``.

        The wait ends after ``timeout`` seconds at the latest. PlayError if a built-in agent kills
        its workers repeatedly.
        """
        awaited: set[Future[Any]] = {*self.in_flight, *([] if also is None else [also])}
        wait(awaited, timeout=timeout, return_when=FIRST_COMPLETED)
        if self._take_finished():
            self._suspect()
        if not self.in_flight:
            self._release()

    def _take_finished(self) -> bool:
        """Take the tasks that have come back; return whether a worker has died."""
        broken = False
        for future in [each for each in self.in_flight if each.done()]:
            if isinstance(future.exception(), BrokenProcessPool):
                broken = True
            else:
                self._take(future)
        return broken

    def _take(self, future: "Future[Finished[Key]]") -> None:
        task, error = self.in_flight.pop(future), future.exception()
        self.returned.append(future.result() if error is None else unplayed(task, error))

    def _suspect(self) -> None:
        """End the pool after a death; the tasks that were in flight are suspects."""
        self.n_deaths += 1
        self.lines.append("a worker died; the games in flight are played again")
        for future in [each for each in self.in_flight if each.done() and not each.exception()]:
            self._take(future)  # it finished after the death was found
        tasks = list(self.in_flight.values())
        self.close(at_once=True)
        if len(tasks) == 1 and self.judge(tasks[0]):
            tasks.clear()
        self.suspects.extendleft(reversed(tasks))

    def _release(self) -> None:
        """Start the next suspected task alone; if none is left, start all held-back tasks."""
        if self.suspects:
            self._start(self.suspects.popleft())
        else:
            while self.held_back:
                self._start(self.held_back.popleft())
