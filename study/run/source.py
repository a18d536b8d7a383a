"""Sources of games: they give the loop its tasks, and store the games that come back.

There are four sources: the timing of a design's games, the search, the validation (also of a single
point, for a pick), and lists of tasks: the missing games of a table of agents, or stored games to
be played again.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thetafront.study.run.worker import Finished, Task

Key = TypeVar("Key")


@dataclass(frozen=True)
class Snapshot:
    """The progress of a source."""

    unit: str  # what it counts: `games`, `trials` or `points`
    # Complete units, and the total that the source aims at; None without a total.
    n_units_done: int
    n_units: int | None
    # Finished games, including those of earlier runs, and the total as far as it is known.
    n_games_done: int
    n_games: int
    note: str = ""  # what else to show
    n_failed: int = 0  # units that could not be played


class GameSource(ABC, Generic[Key]):
    """Gives games to play, and stores those that have been played."""

    # Maximum number of tasks in flight per worker. By default, one is played and two are queued,
    # because playing a game may take no longer than storing one.
    tasks_per_worker: int = 3
    n_workers: int = 1  # how many workers play now; on a cluster, workers come and go
    # How many seconds a task's games should take together; 0 for one game per task.
    seconds_a_task: float = 0.0
    seconds_left: float = math.inf  # seconds left of the budget; infinity without one

    @abstractmethod
    def next_task(self) -> Task[Key] | None:
        """Return the next games to play; None if there are no more, or if none can begin yet."""

    def pending_proposal(self) -> "Future[Any] | None":
        """Return the proposal for which the next games must wait; None if there is none."""
        return None

    @abstractmethod
    def record(self, finished: Finished[Key]) -> None:
        """Store games that have come back; PlayError if they could not be played."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Return the progress of the source."""

    @property
    def stage(self) -> int:
        """How many milestones have been reached; after each, there is more to show.

        By default, there are no milestones.
        """
        return 0

    def close(self) -> None:  # most sources have nothing to close
        """Release what the source holds, even if the run failed."""


class TaskList(GameSource[Key]):
    """A list of tasks; ``store`` is called with each task that has come back.

    ``n_before`` games were stored before.
    """

    def __init__(
        self,
        tasks: Sequence[Task[Key]],
        store: Callable[[Finished[Key]], None],
        n_before: int = 0,
        note: str = "",
    ) -> None:
        self.waiting, self.store, self.note = iter(tasks), store, note
        self.n_done = n_before
        self.n_games = n_before + sum(len(task.seeds) for task in tasks)

    def next_task(self) -> Task[Key] | None:
        """Return the next task."""
        return next(self.waiting, None)

    def record(self, finished: Finished[Key]) -> None:
        """Store the games of a task."""
        self.store(finished)
        self.n_done += len(finished.games)

    def snapshot(self) -> Snapshot:
        """Return how many games are done."""
        return Snapshot("games", self.n_done, self.n_games, self.n_done, self.n_games, self.note)
