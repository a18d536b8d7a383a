"""Handing out games to workers, and taking back what has finished.

Three games a worker are in the line: one to play, and two to go on with at once, since a game may be as short
as the writing down of another. While they are played the source may be thinking about the next ones;
nobody waits for that unless it takes longer than they do.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from agents.agent import Agent
from study.run.workers import Finished, Workers

Key = TypeVar("Key")
GAMES_PER_WORKER = 3
LONGEST_WAIT_SECONDS = 0.25


class Source(Protocol[Key]):
    """Where games come from, and where they go when they have been played."""

    def next_game(self) -> tuple[Key, Agent, int] | None:
        """Return key, agent and seed of the next game; None if there is none, or none yet."""

    def thinking(self) -> "Future[Any] | None":
        """Return what the next games wait for, if they wait for something."""

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back."""


@dataclass
class Utilization:
    """How busy workers were.

    Attributes
    ----------
    jobs : int
        How many workers.
    busy_seconds : float
        Wall-clock seconds spent in games, all workers together.
    first, last : float
        When the first game began, and the last one ended, on the system's monotonic clock.
    """

    jobs: int
    busy_seconds: float = 0.0
    first: float = float("inf")
    last: float = float("-inf")

    def add(self, began: float, ended: float) -> None:
        """Count a game."""
        self.busy_seconds += ended - began
        self.first = min(self.first, began)
        self.last = max(self.last, ended)

    @property
    def share(self) -> float:
        """Share of the workers' time spent in games, from 0 to 1; NaN before the first."""
        if self.last <= self.first:
            return float("nan")
        return self.busy_seconds / (self.jobs * (self.last - self.first))


@dataclass
class Dispatch(Generic[Key]):
    """The loop between a source of games and the workers that play them.

    Parameters
    ----------
    source : Source
        Where games come from.
    jobs : int
        How many workers.
    on_change : callable
        Called several times a second.
    on_message : callable
        Called with a line of text when something happens that a user should know of.

    Attributes
    ----------
    utilization : Utilization
        So far.
    n_games, n_deaths : int
        Games that came back, and workers that died.
    """

    source: Source[Key]
    jobs: int
    on_change: Callable[["Dispatch[Key]"], None]
    on_message: Callable[[str], None]
    n_games: int = 0
    n_deaths: int = 0
    began: float = 0.0
    utilization: Utilization = field(init=False)

    def __post_init__(self) -> None:
        self.utilization = Utilization(self.jobs)

    @property
    def seconds(self) -> float:
        """Seconds since :meth:`run` began."""
        return time.monotonic() - self.began if self.began else 0.0

    def run(self) -> None:
        """Play until the source has no more games.

        An interrupt may come at any time: workers end at once, and whatever has finished is stored.

        Raises
        ------
        PlayError
            If workers die again and again.
        """
        self.began = time.monotonic()
        with Workers[Key](self.jobs) as workers:
            try:
                self.play_on(workers)
            except KeyboardInterrupt:
                with interrupts_ignored():
                    workers.collect(timeout=0.0)
                    self.record_all(workers)
                    workers.close(at_once=True)
                raise

    def play_on(self, workers: Workers[Key]) -> None:
        """Hand out games and record those that come back, until there are none left."""
        while True:
            self.hand_out(workers)
            thinking = self.source.thinking()
            if not len(workers) and thinking is None:
                return
            # While the line is full nothing waits for a thought, however ready it is.
            has_room = len(workers) < GAMES_PER_WORKER * self.jobs
            workers.collect(LONGEST_WAIT_SECONDS, thinking if has_room else None)
            if workers.n_deaths > self.n_deaths:
                self.n_deaths = workers.n_deaths
                self.on_message("a worker died; the games in flight are played again")
            while workers.returned:
                self.record(workers)
                self.hand_out(workers)  # storing takes time: nobody waits for all of it
            self.on_change(self)

    def hand_out(self, workers: Workers[Key]) -> None:
        """Fill the line."""
        while (
            len(workers) < GAMES_PER_WORKER * self.jobs
            and (game := self.source.next_game()) is not None
        ):
            workers.submit(*game)

    def record(self, workers: Workers[Key]) -> None:
        """Record the first of the games that have come back.

        It leaves the line only when it is stored: an interrupt in between stores it twice.
        """
        finished = workers.returned[0]
        self.source.record(finished)
        workers.returned.popleft()
        if finished.game is not None:
            self.n_games += 1
            self.utilization.add(finished.began, finished.ended)

    def record_all(self, workers: Workers[Key]) -> None:
        """Record all games that have come back."""
        while workers.returned:
            self.record(workers)


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Let nothing interrupt the few moments in which finished games are stored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread only
        return
    interrupts = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {each: signal.signal(each, signal.SIG_IGN) for each in interrupts}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
