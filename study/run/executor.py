"""Executors: they play the games that a source hands out.

There are two kinds: worker processes of this machine (:mod:`study.run.workers`), and the workers of
a cluster (:mod:`study.cluster`). One executor serves all phases of a run.
"""

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from thetafront.agents.agent import FailedGame
from thetafront.study.errors import RunError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.run.worker import Finished, Task

Key = TypeVar("Key")
Machines = Mapping[str, Mapping[str, Any]]
"""Descriptions of machines, by the key that is stored with their games."""


class PlayError(RunError):
    """Games cannot be played; all games that were finished before are stored."""


class Executor(ABC, Generic[Key]):
    """Plays tasks on workers that may come and go; use it as a context manager."""

    n_deaths: int = 0  # how often a worker died or left
    is_cluster: bool = False  # whether games are played on other machines
    # A task that is suspected of killing its workers is given up after this many deaths.
    max_deaths_alone: int = 2
    machines: Machines = MappingProxyType({})  # the other machines that play games

    def __init__(self) -> None:
        # Tasks that have come back; the caller takes them from here.
        self.returned: deque[Finished[Key]] = deque()
        self.lines: list[str] = []

    @abstractmethod
    def __enter__(self) -> Any:
        """Open the executor."""

    @abstractmethod
    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the workers after their games, or at once if there was an error."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """How many workers play now."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Which workers play, such as ``2 jobs`` or ``12 workers on 3 machines``."""

    @property
    def seconds_a_task(self) -> float:
        """How many seconds a task's games should take together; 0 for one game per task."""
        return 0.0

    @property
    def tasks_per_worker(self) -> float:
        """Maximum number of tasks in flight per worker: one being played, and others queued."""
        return math.inf  # so that the source's maximum counts

    @abstractmethod
    def submit(self, task: Task[Key]) -> None:
        """Hand out a task."""

    @abstractmethod
    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for a task or for ``also``; put finished tasks into ``returned``.

        The wait ends after ``timeout`` seconds at the latest. PlayError if workers die repeatedly,
        or there are none for a long time.
        """

    @abstractmethod
    def stop(self) -> None:
        """Abort the games that are being played; finished games are put into ``returned``."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many tasks are in flight."""

    def admit(self, experiment: Experiment, known: Machines) -> None:
        """Choose the workers that may play, and record messages about them for the user.

        ``known`` are the machines that played the study's games so far, by key. If the experiment's
        cost is in seconds, only machines of one class may play. InputError if no worker may play,
        or the cost is in seconds and the machines have several classes.
        """

    def leave_a_core_to_each(self) -> None:
        """Play at most one game per core: games that share a core distort each other's times."""

    def drain_messages(self) -> list[str]:
        """Return the messages to the user since the last call, one line each."""
        lines, self.lines = self.lines, []
        return lines

    def judge(self, task: Task[Key]) -> bool:
        """Count the death of a suspected task's worker; return whether to give the task up.

        If a user's own agent plays the task, the games of a task that is given up count as failed.
        PlayError if a built-in agent kills its workers repeatedly.
        """
        task.n_deaths_alone += 1
        if task.n_deaths_alone < self.max_deaths_alone:
            return False
        if task.agent.is_ours:
            raise PlayError(
                f"workers keep dying while playing {task.key} alone, "
                f"from seed {task.seeds[0]} on; they may be out of memory"
            )
        died = "the process that played it died: it crashed, exited or ran out of memory"
        games = tuple(FailedGame(seed, died) for seed in task.seeds)
        self.returned.append(Finished(task.key, games))
        return True
