"""What a decision takes: CPU seconds from a few fixed boards, in alternation over those that are compared.

A decision of 100 simulations is a matter of some twenty to a hundred microseconds, and a call of compiled code
from Python, with a tree as its argument, takes about ten. So a *round* decides on each board once; then it calls as
often on a board with one legal action, on which nothing is simulated, and takes that time off. Whatever else the
machine does falls on all alike: rounds alternate over what is compared, and times are divided by one another
round by round. Each round of each agent begins with a new tree, which takes the memory that the last one left: where
arrays lie alone made a difference of a quarter at d = 1. What is reported is the median over rounds, with its 95% interval by ranks (:func:`median`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import binom

from agents.agent import warm
from agents.twenty48.leaf_value import LeafValue
from agents.twenty48.uct import UCT
from engine.rng import PLAYOUT
from engine.twenty48 import initial, stream
from study.estimate import Estimate
from study.reproduce.mcts.design import EXPLORATION, TITLES, Design

TIMED_SIMULATIONS = 100
N_STARTS = 20
FORCED = 0x0004_0003_0002_0001  # four different tiles in the left column: they can go right, and nowhere else
Clock = Callable[[], float]


class Decider(Protocol):
    """What decides on a board by a random stream: an agent in a game."""

    def decide(self, board: int, stream: int) -> Any:
        """Choose an action."""


class Timed(Protocol):
    """What is timed: an agent."""

    def in_game(self) -> Decider:
        """Return what decides in one game."""


def median(values: npt.NDArray[np.float64]) -> Estimate:
    """Estimate the median of one number a round, with a 95% interval whatever its distribution.

    Of n independent rounds the number below the median is binomial, n and 1/2: so the median lies between two of
    them, by rank, with a probability of 95% or more. Below six rounds no two do, and the interval is all of them.
    """
    ordered = np.sort(values)
    rank = max(int(binom.ppf(0.025, len(ordered), 0.5)), 1)
    return Estimate(float(np.median(ordered)), float(ordered[rank - 1]), float(ordered[-rank]))


def starting_boards(n: int = N_STARTS) -> list[int]:
    """Return the boards that the games of the first n seeds start with: two tiles each."""
    return [initial(seed) for seed in range(n)]


@dataclass(frozen=True)
class Stopwatch:
    """Times decisions on a set of boards.

    Attributes
    ----------
    boards : sequence of int
        States.
    clock : callable
        CPU seconds of this thread.
    """

    boards: Sequence[int]
    clock: Clock = time.thread_time

    def round(self, agent: Timed, number: int) -> tuple[float, float]:
        """Return the CPU seconds of a decision, the call taken off, and of the call: means over the boards.

        Rounds of the same number draw the same random streams.
        """
        decider = agent.in_game()
        streams = [stream(number, int(PLAYOUT), k) for k in range(len(self.boards))]
        begin = self.clock()
        for board, each in zip(self.boards, streams, strict=True):
            decider.decide(board, each)
        decided = self.clock()
        for each in streams:
            decider.decide(FORCED, each)
        called = self.clock()
        call = (called - decided) / len(self.boards)
        return (decided - begin) / len(self.boards) - call, call


@dataclass(frozen=True)
class Timings:
    """Seconds of a decision, by depth, leaf value and round.

    Attributes
    ----------
    depths : tuple of int
        d.
    leaf_values : tuple of LeafValue
        How leaves are valued.
    n_boards : int
        Decisions a round.
    seconds, call_seconds : float64, shape (n_depths, n_leaf_values, n_rounds)
        CPU seconds of a decision, and of the call that was taken off.
    """

    depths: tuple[int, ...]
    leaf_values: tuple[LeafValue, ...]
    n_boards: int
    seconds: npt.NDArray[np.float64]
    call_seconds: npt.NDArray[np.float64]

    def of(self, leaf_value: LeafValue, depth: int) -> npt.NDArray[np.float64]:
        """Return the seconds of a decision, shape (n_rounds,)."""
        seconds: npt.NDArray[np.float64] = self.seconds[
            self.depths.index(depth), self.leaf_values.index(leaf_value)
        ]
        return seconds

    def relative(self, leaf_value: LeafValue, other: LeafValue, depth: int) -> Estimate:
        """Return how many times as long a decision takes as by another leaf value, at the same depth."""
        return median(self.of(leaf_value, depth) / self.of(other, depth))


def timings_of(
    depths: Sequence[int],
    agents: Mapping[tuple[LeafValue, int], Timed],
    stopwatch: Stopwatch,
    n_rounds: int,
) -> Timings:
    """Time each leaf value at each depth, in alternation: within a round, all leaf values at one depth in turn.

    Parameters
    ----------
    depths : sequence of int
        d.
    agents : mapping
        By leaf value and depth.
    stopwatch : Stopwatch
        What times.
    n_rounds : int
        How often. Each round begins with the leaf value after that which began the last.
    """
    leaf_values = tuple(dict.fromkeys(leaf_value for leaf_value, _ in agents))
    shape = len(depths), len(leaf_values), n_rounds
    seconds, calls = np.empty(shape), np.empty(shape)
    for number in range(n_rounds):
        for i, depth in enumerate(depths):
            for step in range(len(leaf_values)):
                j = (number + step) % len(leaf_values)
                taken = stopwatch.round(agents[leaf_values[j], depth], number)
                seconds[i, j, number], calls[i, j, number] = taken
    return Timings(tuple(depths), leaf_values, len(stopwatch.boards), seconds, calls)


def time_design(design: Design, clock: Clock = time.thread_time) -> Timings:
    """Time the design's decisions from starting boards, after one round that does not count."""
    warm(UCT())
    stopwatch = Stopwatch(starting_boards(), clock)
    agents = {
        (leaf_value, depth): UCT(TIMED_SIMULATIONS, depth, EXPLORATION, leaf_value)
        for leaf_value in TITLES
        for depth in design.depths
    }
    timings_of(design.depths, agents, stopwatch, 1)
    return timings_of(design.depths, agents, stopwatch, design.n_rounds)


def timings_frame(timings: Timings) -> pd.DataFrame:
    """Return one row for each leaf value and depth: seconds, and times as long as random rollouts take."""
    lines = []
    for leaf_value in timings.leaf_values:
        for i, depth in enumerate(timings.depths):
            j = timings.leaf_values.index(leaf_value)
            seconds = median(timings.of(leaf_value, depth))
            relative = timings.relative(leaf_value, LeafValue.RANDOM, depth)
            lines.append(
                {
                    "leaf_value": leaf_value.value,
                    "depth": depth,
                    "n_rounds": timings.seconds.shape[2],
                    "n_decisions": timings.seconds.shape[2] * timings.n_boards,
                    "seconds_per_decision": seconds.value,
                    "seconds_low95": seconds.low,
                    "seconds_high95": seconds.high,
                    "relative_to_random": relative.value,
                    "relative_low95": relative.low,
                    "relative_high95": relative.high,
                    "call_seconds": float(np.median(timings.call_seconds[i, j])),
                }
            )
    return pd.DataFrame(lines)
