"""Executors: who plays the games that a source hands out.

Worker processes of this machine are one (:mod:`study.run.workers`), and a cluster's are another
(:mod:`study.cluster`).
"""

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from thetafront.agents.agent import Agent, FailedGame, Outcome
from thetafront.study.errors import RunError
from thetafront.study.experiments.definition import Experiment

Key = TypeVar("Key")

MOST_DEATHS_ALONE = 2


class PlayError(RunError):
    """Games cannot be played. Every game that has finished is stored."""


@dataclass
class Task(Generic[Key]):
    """Games for one worker to play.

    Attributes
    ----------
    key
        Names the task; it comes back with the games.
    agent : Agent
        Who plays.
    seeds : sequence of int
        Of the games.
    side_by_side : bool
        Whether they are played side by side (:meth:`agents.agent.Agent.play_side_by_side`), or one
        after the other.
    n_deaths_alone : int
        How often a worker died on it while no other task was in flight.
    """

    key: Key
    agent: Agent
    seeds: Sequence[int]
    side_by_side: bool = False
    n_deaths_alone: int = 0


@dataclass(frozen=True)
class Finished(Generic[Key]):
    """A task that came back.

    Attributes
    ----------
    key
        The task's.
    games : tuple of Game or FailedGame
        All of its games; none if the task could not be played.
    error : str
        Why there are none.
    is_machines : bool
        Whether the error is no fault of the agent's θ, but the machine's or the user's.
    began, ended : float
        On this machine's monotonic clock, in seconds. Of games played on another machine, the
        duration is as measured there, and the end is when they arrived.
    cpu_seconds : float
        CPU time of the worker between them.
    learning_seconds : float
        Which the agent took to learn before the first game, by the clock.
    machine : str
        Key of the machine that played, among the executor's ``machines``; empty for this one.
    """

    key: Key
    games: tuple[Outcome, ...]
    error: str = ""
    began: float = 0.0
    ended: float = 0.0
    cpu_seconds: float = 0.0
    learning_seconds: float = 0.0
    is_machines: bool = False
    machine: str = ""


class Executor(Protocol[Key]):
    """Plays tasks, on workers that may come and go.

    Attributes
    ----------
    returned : deque of Finished
        Tasks that have come back; the caller takes them from here.
    """

    returned: "deque[Finished[Key]]"

    @property
    def n_deaths(self) -> int:
        """Times that a worker died, or left."""

    @property
    def capacity(self) -> int:
        """How many workers play now."""

    @property
    def tasks_per_worker(self) -> float:
        """Most tasks in flight that a worker needs: one to play, and those that wait."""

    @property
    def seconds_a_task(self) -> float:
        """How many seconds of games a task should have; 0 for a single game."""

    @property
    def machines(self) -> Mapping[str, Mapping[str, Any]]:
        """What is known of other machines that play, by the key that their games have."""

    @property
    def place(self) -> str:
        """Who plays, for progress: ``12 workers on 3 machines``; empty for this machine's."""

    def open(self) -> None:
        """Start; a context does so, too, and closes: after an error at once."""

    def __enter__(self) -> Any:
        """Open."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close."""

    def submit(self, task: Task[Key]) -> None:
        """Hand out a task."""

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for a task, ``also`` or ``timeout`` seconds; put what came back in ``returned``.

        Raises
        ------
        PlayError
            If workers die again and again, or there are none for long.
        """

    def stop(self) -> None:
        """End games in the middle; those that have finished come back."""

    def close(self, at_once: bool) -> None:
        """End: after the games in flight, or in the middle of them."""

    def news(self) -> list[str]:
        """Return what a user should know that has happened since the last call, a line each."""

    def __len__(self) -> int:
        """Return how many tasks are in flight."""


class Cluster(Protocol):
    """Machines that play in place of this one's cores; it is used as a context."""

    def __enter__(self) -> Any:
        """Connect."""

    def __exit__(self, *_: object) -> None:
        """Leave."""

    @property
    def capacity(self) -> int:
        """How many workers play now."""

    @property
    def place(self) -> str:
        """Who plays: ``12 workers on 3 machines``."""

    def admit(self, experiment: Experiment, known: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Choose the workers that may play; return what a user should know, a line each.

        Parameters
        ----------
        experiment : Experiment
            What is to be played. With seconds as its cost, machines of one class alone play.
        known : mapping
            Machines whose games the study has, by key.

        Raises
        ------
        InputError
            If no worker may play, or machines are of several classes.
        """

    def executor(self) -> Executor[Any]:
        """Return what hands tasks to these workers, for one phase."""


def dead_alone(task: Task[Any]) -> Finished[Any] | None:
    """Judge a task on which a worker has died, alone: the end of it, or None for another try.

    Raises
    ------
    PlayError
        If an agent of ours ends its workers again and again.
    """
    if task.n_deaths_alone < MOST_DEATHS_ALONE:
        return None
    if not task.agent.is_ours:
        died = "the process that played it died: crashed, ended or out of memory"
        return Finished(task.key, tuple(FailedGame(seed, died) for seed in task.seeds))
    raise PlayError(
        f"workers died {MOST_DEATHS_ALONE} times while playing {task.key} alone, "
        f"seed {task.seeds[0]}; perhaps out of memory"
    )
