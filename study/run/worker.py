"""What a worker process runs: games, timed.

Workers import this module and the agents, no more, so that they start fast and stay small; one
whose agent learns imports the training, too.
"""

import gc
import math
import os
import signal
import threading
import time
from collections.abc import Sequence
from functools import cache

from joblib.externals.loky import process_executor

from thetafront.agents.agent import Agent, ChangedError, FailedGame, GameError, Outcome, warm
from thetafront.agents.external.processes import Orphans

SECONDS_BETWEEN_LOOKS_AT_THE_PARENT = 1.0
SAFE_PATH, OURS = "PYTHONSAFEPATH", "thetafront"
"""While workers start, no module of the folder where a user stands takes the place of another."""

TimedGames = tuple[tuple[Outcome, ...], float, float, float, float]
"""Games, ended or failed; when the first began and the last ended on the monotonic clock; CPU
seconds of that, NaN where they do not tell how loaded the machine is; and seconds of learning
before it."""


class LearningError(Exception):
    """An agent cannot learn, for lack of memory or room on the disk: no fault of its θ."""


def reason(error: BaseException) -> tuple[str, bool]:
    """Say why games could not be played, and whether that is no fault of θ."""
    is_machines = isinstance(error, ChangedError | LearningError)
    is_said = is_machines or isinstance(error, GameError)
    return str(error) if is_said else f"{type(error).__name__}: {error}", is_machines


def begin_worker(parent: int) -> None:
    """Initialize a worker: the parent alone answers Ctrl-C, and no worker outlives it."""
    if os.environ.get(SAFE_PATH) == OURS:  # not for programs that play games
        del os.environ[SAFE_PATH]
    Orphans.adopt()
    process_executor._MAX_MEMORY_LEAK_SIZE = math.inf  # networks and tables are no leak
    # A handler that does nothing: what is ignored, or blocked by the parent, is so in games, too.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def end_with(parent: int) -> None:
    """End this process, whatever it is doing, soon after its parent has ended."""
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS_AT_THE_PARENT)
    os._exit(1)


def outcome_of(agent: Agent, seed: int) -> Outcome:
    """Play a game; return that it failed if the agent is a user's own."""
    try:
        return agent.play(seed)
    except GameError as error:
        if agent.is_ours:
            raise
        return FailedGame(seed, str(error) or type(error).__name__)


def play_timed(agent: Agent, seeds: Sequence[int], side_by_side: bool) -> TimedGames:
    """Play one game a seed: one after the other, or all side by side."""
    learning_seconds = 0.0
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
    if side_by_side:
        games: tuple[Outcome, ...] = agent.play_side_by_side(seeds)
    else:
        games = tuple(outcome_of(agent, seed) for seed in seeds)
    ended, cpu_seconds = time.monotonic(), time.process_time() - cpu_before
    if not agent.is_ours:
        cpu_seconds = math.nan  # a program's own time is not this process's, and games may wait
    settle()
    return games, began, ended, cpu_seconds, learning_seconds


@cache
def settle() -> None:
    """Exempt all objects there are by now from garbage collection, once in a process.

    A collection takes a tenth of a second, most of it for libraries that will never be garbage, and
    may come in the middle of a game.
    """
    gc.collect()
    gc.freeze()
