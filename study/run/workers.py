"""Games over worker processes.

joblib's own process pool (loky) is driven directly rather than through ``joblib.Parallel``: the parent
must be able to hand out a game the moment it chooses, to stop within a second whatever the workers are
doing, and to survive the death of one.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, TypeVar

import joblib
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from agents.agent import Agent, Game, warm
from study.errors import check_range
from study.run.worker import TimedGame, play_timed

Key = TypeVar("Key")

MOST_JOBS = 1024
MOST_DEATHS_ALONE = 2
SECONDS_BETWEEN_LOOKS_AT_THE_PARENT = 1.0


class PlayError(Exception):
    """Games cannot be played. Every game that has finished is stored."""


def n_cores() -> int:
    """Return the cores this process may use."""
    return int(joblib.cpu_count())


def check_jobs(jobs: int | None) -> int:
    """Return the number of workers asked for, all cores by default; InputError if out of range."""
    if jobs is None:
        return n_cores()
    check_range("jobs", jobs, 1, MOST_JOBS)
    return jobs


def end_with(parent: int) -> None:
    """End this process, whatever it is doing, soon after its parent has ended."""
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS_AT_THE_PARENT)
    os._exit(1)


def begin_worker(parent: int) -> None:
    """Make a process a worker: deaf to Ctrl-C, which the parent answers, and no survivor of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


@dataclass(frozen=True)
class Finished(Generic[Key]):
    """A game that came back: the game itself, or why there is none; and when it was played."""

    key: Key
    game: Game | None
    error: str = ""
    began: float = 0.0
    ended: float = 0.0


@dataclass
class Task(Generic[Key]):
    """A game to be played, and how often its worker died while no other game was in flight."""

    key: Key
    agent: Agent
    seed: int
    deaths_alone: int = 0


@dataclass
class Workers(Generic[Key]):
    """Worker processes that play games; use it as a context.

    Parameters
    ----------
    jobs : int
        How many processes.

    Attributes
    ----------
    returned : deque of Finished
        Games that have come back; whoever uses the workers takes them from here.
    n_deaths : int
        Times that a worker died.

    Notes
    -----
    A worker that dies (out of memory, say, or killed) takes the pool down with it, and which of the
    games in flight it was playing is not known. All of them are then played again in a new pool, one
    at a time: a game that is innocent comes back, one whose worker dies again with no other game in
    flight ends the work, by PlayError.
    """

    jobs: int
    returned: "deque[Finished[Key]]" = field(default_factory=deque)
    n_deaths: int = 0
    in_flight: dict["Future[TimedGame]", Task[Key]] = field(default_factory=dict)
    suspects: "deque[Task[Key]]" = field(default_factory=deque)
    held_back: "deque[Task[Key]]" = field(default_factory=deque)
    pool: Any = None

    def __enter__(self) -> "Workers[Key]":
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(at_once=kind is not None)

    def open(self) -> None:
        """Start the pool; its processes start with the first games."""
        self.pool = ProcessPoolExecutor(
            max_workers=self.jobs, initializer=begin_worker, initargs=(os.getpid(),)
        )

    def close(self, at_once: bool) -> None:
        """End the processes: after their games, or, for ``at_once``, in the middle of them.

        They are killed one by one rather than by the pool, whose own way of killing stumbles, with a
        traceback, over a game that was submitted just before.
        """
        pool, self.pool = self.pool, None
        self.in_flight.clear()
        if at_once:
            for process in multiprocessing.active_children():
                if process.pid is not None:
                    with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                        os.kill(process.pid, signal.SIGKILL)
        if pool is not None:
            pool.shutdown(wait=True)

    def __len__(self) -> int:
        return len(self.in_flight) + len(self.suspects) + len(self.held_back)

    def submit(self, key: Key, agent: Agent, seed: int) -> None:
        """Hand out a game; ``key`` comes back with it."""
        task = Task(key, agent, seed)
        if self.suspects:
            self.held_back.append(task)
        else:
            self._start(task)

    def _start(self, task: Task[Key]) -> None:
        try:
            future = self.pool.submit(play_timed, task.agent, task.seed)
        except BrokenProcessPool as error:
            # It broke since the last look: collect() will find out, and play this game too.
            future = Future()
            future.set_exception(TerminatedWorkerError(str(error)))
        self.in_flight[future] = task

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for one game, or ``timeout`` seconds; put all that have come back into ``returned``.

        Parameters
        ----------
        timeout : float
            Seconds to wait at most.
        also : Future, optional
            Something else whose end ends the waiting.

        Raises
        ------
        PlayError
            If a game's worker has died again with no other game in flight.
        """
        awaited: set[Future[Any]] = {*self.in_flight, *([] if also is None else [also])}
        wait(awaited, timeout=timeout, return_when=FIRST_COMPLETED)
        broken = False
        for future in [each for each in self.in_flight if each.done()]:
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                broken = True
                continue
            key = self.in_flight[future].key
            if error is None:
                self.returned.append(Finished(key, *future.result()))
            else:
                self.returned.append(Finished(key, None, f"{type(error).__name__}: {error}"))
            del self.in_flight[future]
        if broken:
            self._begin_anew()
        if not self.in_flight:
            self._release()

    def _begin_anew(self) -> None:
        """Open a new pool after a death; those that were in flight are suspects."""
        self.n_deaths += 1
        tasks = []
        for future, task in self.in_flight.items():
            if future.done() and future.exception() is None:
                self.returned.append(Finished(task.key, *future.result()))
            else:
                tasks.append(task)
        if len(tasks) == 1:
            tasks[0].deaths_alone += 1
            if tasks[0].deaths_alone >= MOST_DEATHS_ALONE:
                raise PlayError(
                    f"workers die: {MOST_DEATHS_ALONE} times in playing one and the same game alone "
                    f"({tasks[0].key}, seed {tasks[0].seed}); out of memory, perhaps"
                )
        self.suspects.extendleft(reversed(tasks))
        self.close(at_once=True)
        self.open()

    def _release(self) -> None:
        """Start the next suspect alone; when there is none left, what was held back meanwhile."""
        if self.suspects:
            self._start(self.suspects.popleft())
        else:
            while self.held_back:
                self._start(self.held_back.popleft())


def play_all(agent: Agent, seeds: Iterable[int], jobs: int) -> Iterator[Finished[int]]:
    """Play games of one agent, yielding each as it ends, with its seed as key."""
    warm(agent)
    remaining = iter(seeds)
    with Workers[int](jobs) as workers:
        exhausted = False
        while not exhausted or len(workers):
            while not exhausted and len(workers) < 2 * jobs:
                seed = next(remaining, None)
                if seed is None:
                    exhausted = True
                else:
                    workers.submit(seed, agent, seed)
            workers.collect(timeout=1.0)
            while workers.returned:
                yield workers.returned.popleft()
