"""What a worker process runs: the games of a task, timed.

Workers import only this module and the agents, so that they start fast and use little memory. If
the agent learns, its worker also imports the training code.
"""

import gc
import math
import os
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from joblib.externals.loky import process_executor

from thetafront.agents.agent import Agent, ChangedError, FailedGame, GameError, Outcome, warm
from thetafront.agents.external.processes import Orphans

Key = TypeVar("Key")

PARENT_POLL_INTERVAL = 1.0
SAFE_PATH, OURS = "PYTHONSAFEPATH", "thetafront"
"""An environment variable and its value; it keeps workers from importing modules of the current
folder while they start."""


class LearningError(Exception):
    """An agent cannot learn, for example because memory is lacking; θ is not the cause."""


@dataclass
class Task(Generic[Key]):
    """Games for one worker to play."""

    key: Key  # identifies the task; it is returned with the games
    agent: Agent  # the agent that plays
    seeds: Sequence[int]  # the seeds of the games
    # Whether the games are played side by side (`Agent.play_side_by_side`) instead of one by one.
    side_by_side: bool = False
    n_deaths_alone: int = 0  # how often the task has killed its worker while it was played alone


@dataclass(frozen=True)
class Finished(Generic[Key]):
    """A task that came back."""

    key: Key  # the task's key
    games: tuple[Outcome, ...]  # all games of the task; none if the task could not be played
    error: str = ""  # why the task could not be played; otherwise empty
    # When the first game began and the last game ended, in seconds of the monotonic clock. For
    # games played on another machine, `ended` is when they arrived, and `began` is earlier by the
    # duration measured there.
    began: float = 0.0
    ended: float = 0.0
    # CPU time of the worker in between; NaN if it does not show how loaded the machine is.
    cpu_seconds: float = 0.0
    learning_seconds: float = 0.0  # wall-clock time of learning before the first game
    is_machines: bool = False  # whether the error is due to the machine or the user, not to θ
    # Key of the machine that played, in the executor's `machines`; empty for this machine.
    machine: str = ""
    is_first: bool = False  # whether it is its worker's first task, whose time includes extra work


def unplayed(task: Task[Key], error: BaseException) -> Finished[Key]:
    """Return the result of a task that could not be played, with the reason."""
    is_machines = isinstance(error, ChangedError | LearningError)
    is_said = is_machines or isinstance(error, GameError)
    text = str(error) if is_said else f"{type(error).__name__}: {error}"
    return Finished(task.key, (), text, is_machines=is_machines)


def begin_worker(parent: int) -> None:
    """Initialize a worker: only its parent handles Ctrl-C, and the worker ends with its parent."""
    if os.environ.get(SAFE_PATH) == OURS:  # programs that play games must not inherit it
        del os.environ[SAFE_PATH]
    Orphans.adopt()
    # Networks, tables and a study that grows are not a leak. A process that the pool replaces would
    # have an old copy of the study.
    process_executor._MAX_MEMORY_LEAK_SIZE = math.inf
    # A handler that does nothing, since users' programs would inherit an ignored or blocked signal.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def end_with(parent: int) -> None:
    """End this process, whatever it is doing, soon after its parent has ended."""
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_INTERVAL)
    os._exit(1)


def play_outcome(agent: Agent, seed: int) -> Outcome:
    """Play a game; a failure of a user's own agent is returned rather than raised."""
    try:
        return agent.play(seed)
    except GameError as error:
        if agent.is_ours:
            raise
        return FailedGame(seed, " ".join(str(error).split()) or type(error).__name__)


def play(task: Task[Key]) -> Finished[Key]:
    """Play a task's games: one after the other, or all side by side."""
    agent, learning_seconds = task.agent, 0.0
    if agent.learns:
        from thetafront.study.train.on_demand import learn_first  # noqa: PLC0415, only where it is needed

        arrived = time.monotonic()
        try:
            learn_first(agent)
        except Exception as error:
            raise LearningError(str(error)) from error
        learning_seconds = time.monotonic() - arrived
    warm(agent)
    began, cpu_before = time.monotonic(), time.process_time()
    if task.side_by_side:
        games: tuple[Outcome, ...] = agent.play_side_by_side(task.seeds)
    else:
        games = tuple(play_outcome(agent, seed) for seed in task.seeds)
    ended, cpu_seconds = time.monotonic(), time.process_time() - cpu_before
    if not agent.is_ours:
        cpu_seconds = math.nan  # a user's program may wait, or run in another process
    is_first = not settle.cache_info().currsize
    settle()
    return Finished(
        task.key, games, "", began, ended, cpu_seconds, learning_seconds, is_first=is_first
    )


@cache
def settle() -> None:
    """Exempt all existing objects from garbage collection, once per process.

    A garbage collection takes a tenth of a second, and may happen in the middle of a game. Most of
    that time is for objects of libraries, which are never garbage.
    """
    gc.collect()
    gc.freeze()
