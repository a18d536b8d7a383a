"""Sources of games: they give the loop its tasks, and store the games that come back.

There are five: games of a design that are timed, the search, validation (also of a single point,
for a pick), missing games of a table of agents, and games replayed to be compared.
"""

from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thetafront.study.run.worker import Finished, Task

Key = TypeVar("Key")


@dataclass(frozen=True)
class Snapshot:
    """The progress of a source."""

    unit: str  # what it counts: `games`, `trials`, `points` or `rows`
    # Complete units, and the total aimed at; None without a total.
    n_units_done: int
    n_units: int | None
    # Finished games, including those of earlier runs, and the total as far as it is known.
    n_games_done: int
    n_games: int
    note: str = ""  # what else to show
    n_failed: int = 0  # units that could not be played


class GameSource(ABC, Generic[Key]):
    """Where games come from, and where they go when they have been played.

    Attributes
    ----------
    tasks_per_worker : int
        Maximum tasks in flight per worker. By default one is played and two are queued, because a
        game may be as short as the time to store another.
    n_workers : int
        How many workers play now; on a cluster they come and go.
    seconds_a_task : float
        How many seconds of games a task should have; 0 for a single game.
    """

    tasks_per_worker: int = 3
    n_workers: int = 1
    seconds_a_task: float = 0.0

    @abstractmethod
    def next_task(self) -> Task[Key] | None:
        """Return the next games to play; None if there are none, or none yet."""

    def pending_proposal(self) -> "Future[Any] | None":
        """Return the proposal that the next games wait for, if any."""
        return None

    @abstractmethod
    def record(self, finished: Finished[Key]) -> None:
        """Store games that have come back; PlayError if they could not be played."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Return the progress of the source."""

    @property
    def stage(self) -> int:
        """How many milestones are reached, from 0 on; after each, there is more to show.

        By default there are none.
        """
        return 0

    def close(self) -> None:  # most sources have nothing to close
        """Release what the source holds, even if the run failed."""
