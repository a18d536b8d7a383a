"""What a worker process runs: one game, timed.

Workers import this module and the agents, so that they start fast and stay small: no optuna, pandas or matplotlib.
"""

import gc
import time
from functools import cache

from agents.agent import Agent, Game

TimedGame = tuple[Game, str, float, float]
"""A game, no error, and when it began and ended on the system's monotonic clock, in seconds."""


def play_timed(agent: Agent, seed: int) -> TimedGame:
    """Play one game: what a worker is asked to do."""
    began = time.monotonic()
    game = agent.play(seed)
    ended = time.monotonic()
    settle()
    return game, "", began, ended


@cache
def settle() -> None:
    """Take all objects there are by now out of garbage collection, once in a process.

    Without psutil, joblib's workers collect garbage once a second, between two games: a tenth of a second
    each time, most of it spent on libraries that will never be garbage.
    """
    gc.collect()
    gc.freeze()
