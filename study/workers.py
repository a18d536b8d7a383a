"""Games over worker processes.

joblib's own process pool (loky) is driven directly rather than through ``joblib.Parallel``: the parent
must be able to hand out a game the moment it chooses, to stop within a second whatever the workers are
doing, and to survive the death of one.
"""

import contextlib
import multiprocessing
import os
import signal
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
from study.errors import InputError
from study.replicate import play_game

__all__ = ["Finished", "Workers", "check_jobs", "n_cores", "play_all"]

Key = TypeVar("Key")

MOST_JOBS = 1024
MOST_DEATHS = 3


def n_cores() -> int:
    """Return the cores this process may use."""
    return int(joblib.cpu_count())


def check_jobs(jobs: int | None) -> int:
    """Return the number of workers asked for, all cores by default; InputError if out of range."""
    if jobs is None:
        return n_cores()
    if not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"jobs: {jobs} given, 1 to {MOST_JOBS} allowed")
    return jobs


def leave_interrupts_to_the_parent() -> None:
    """Ignore Ctrl-C in a worker: a terminal sends it to all processes, and the parent decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(frozen=True)
class Finished(Generic[Key]):
    """A game that came back: the game itself, or why there is none."""

    key: Key
    game: Game | None
    error: str = ""


@dataclass
class Task(Generic[Key]):
    """A game to be played, and how often a worker died while it was in flight."""

    key: Key
    agent: Agent
    seed: int
    deaths: int = 0


@dataclass
class Workers(Generic[Key]):
    """Worker processes that play games; use it as a context.

    Parameters
    ----------
    jobs : int
        How many processes.

    Notes
    -----
    A worker that dies (out of memory, say, or killed) takes the pool down with it. All games in flight
    then go, unchanged, to a new pool; one that was in flight at three deaths is given up, since it may
    be their cause.
    """

    jobs: int
    n_deaths: int = 0
    in_flight: dict["Future[Game]", Task[Key]] = field(default_factory=dict)
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
            max_workers=self.jobs, initializer=leave_interrupts_to_the_parent
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
        return len(self.in_flight)

    def submit(self, key: Key, agent: Agent, seed: int) -> None:
        """Hand out a game; ``key`` comes back with it."""
        self._submit(Task(key, agent, seed))

    def _submit(self, task: Task[Key]) -> None:
        try:
            future = self.pool.submit(play_game, task.agent, task.seed)
        except BrokenProcessPool:
            # It broke since the last look: collect() will find out, and play this game too.
            future = Future()
            future.set_exception(TerminatedWorkerError("the pool was broken before the game began"))
        self.in_flight[future] = task

    def collect(self, timeout: float) -> list[Finished[Key]]:
        """Wait for one game at least, or ``timeout`` seconds, and return all that have come back."""
        done, _ = wait(self.in_flight, timeout=timeout, return_when=FIRST_COMPLETED)
        finished: list[Finished[Key]] = []
        for future in done:
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                continue  # still in flight: all such games are dealt with together, below
            task = self.in_flight.pop(future)
            if error is None:
                finished.append(Finished(task.key, future.result()))
            else:
                finished.append(Finished(task.key, None, f"{type(error).__name__}: {error}"))
        if any(future in self.in_flight for future in done):
            finished.extend(self._replay_after_a_death())
        return finished

    def _replay_after_a_death(self) -> list[Finished[Key]]:
        """Begin a new pool, and give it the games that were in flight."""
        self.n_deaths += 1
        finished: list[Finished[Key]] = []
        tasks: list[Task[Key]] = []
        for future, task in self.in_flight.items():
            if future.done() and future.exception() is None:
                finished.append(Finished(task.key, future.result()))
                continue
            task.deaths += 1
            tasks.append(task)
        self.close(at_once=True)
        self.open()
        for task in tasks:
            if task.deaths >= MOST_DEATHS:
                message = f"a worker died {task.deaths} times while this game was in flight"
                finished.append(Finished(task.key, None, message))
            else:
                self._submit(task)
        return finished


def play_all(agent: Agent, seeds: Iterable[int], jobs: int) -> Iterator[Finished[int]]:
    """Play games of one agent, yielding each as it ends, with its seed as key."""
    warm(type(agent))
    remaining = iter(seeds)
    with Workers[int](jobs) as workers:
        exhausted = False
        while True:
            while not exhausted and len(workers) < 2 * jobs:
                seed = next(remaining, None)
                if seed is None:
                    exhausted = True
                else:
                    workers.submit(seed, agent, seed)
            if not len(workers):
                return
            yield from workers.collect(timeout=1.0)
