"""CPU seconds of a decision, from a few fixed boards, in turns over the agents compared.

A decision of 100 simulations takes some twenty to a hundred microseconds, and calling compiled code
with a tree from Python takes about ten. A *round* therefore decides on each board once, then makes
as many calls on a board with one legal action, which simulates nothing, and subtracts their time.
Rounds alternate over the agents, and ratios are taken round by round, so that noise of the machine
affects all alike. Each round begins with a new tree, in the memory that the last one left: array
placement alone made a difference of a quarter at d = 1. Reported is the median over rounds, with
its 95% interval by ranks (:func:`median`).

``timing_rounds.csv`` keeps all rounds, so that a later run, on a machine that may be busy, does not
time again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import binom

import thetafront
from results.papers.mcts.design import EXPLORATION, TITLES, Design
from thetafront.agents.agent import warm
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.rng import PLAYOUT
from thetafront.engine.twenty48 import initial, stream
from thetafront.study.estimate import Estimate

TIMED_SIMULATIONS = 100
N_STARTS = 20
ROUND_COLUMNS = [
    *("round", "depth", "leaf_value", "n_decisions", "seconds_per_decision", "call_seconds"),
]
FORCED = 0x0004_0003_0002_0001  # four different tiles in the left column can only move right
Clock = Callable[[], float]


class Timed(Protocol):
    """An agent to time."""

    def in_game(self) -> Any:
        """Return its state in one game, whose ``decide`` takes a board and a random stream."""


def median(values: npt.NDArray[np.float64]) -> Estimate:
    """Estimate the median of one number a round, with a distribution-free 95% interval.

    The number of rounds below the median is binomial, with n and 1/2, so the median lies between
    two ranks with a probability of at least 95%. Below six rounds the interval is their range.
    """
    ordered = np.sort(values)
    rank = max(int(binom.ppf(0.025, len(ordered), 0.5)), 1)
    return Estimate(float(np.median(ordered)), float(ordered[rank - 1]), float(ordered[-rank]))


def starting_boards(n: int = N_STARTS) -> list[int]:
    """Return the first boards of the games on the first n seeds."""
    return [initial(seed) for seed in range(n)]


@dataclass(frozen=True)
class DecisionTimer:
    """Times decisions on a set of boards; the clock gives CPU seconds of this thread."""

    boards: Sequence[int]
    clock: Clock = time.thread_time

    def round(self, agent: Timed, number: int) -> tuple[float, float]:
        """Return mean CPU seconds of a decision, without the call, and of the call.

        Rounds of one number use the same random streams.
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

    ``seconds`` of a decision and ``call_seconds`` of the subtracted call have the shape
    (n_depths, n_leaf_values, n_rounds).
    """

    depths: tuple[int, ...]
    leaf_values: tuple[LeafValue, ...]
    n_boards: int  # decisions a round
    seconds: npt.NDArray[np.float64]
    call_seconds: npt.NDArray[np.float64]

    def of(self, leaf_value: LeafValue, depth: int) -> npt.NDArray[np.float64]:
        """Return the seconds of a decision, shape (n_rounds,)."""
        seconds: npt.NDArray[np.float64] = self.seconds[
            self.depths.index(depth), self.leaf_values.index(leaf_value)
        ]
        return seconds

    def relative(self, leaf_value: LeafValue, other: LeafValue, depth: int) -> Estimate:
        """Return the ratio of a decision's time to another leaf value's at the same depth."""
        return median(self.of(leaf_value, depth) / self.of(other, depth))


def timings_of(
    depths: Sequence[int],
    agents: Mapping[tuple[LeafValue, int], Timed],
    timer: DecisionTimer,
    n_rounds: int,
) -> Timings:
    """Time all leaf values at all depths, in turns: in a round, all leaf values at a depth.

    Each round starts with the leaf value after the last round's first.
    """
    leaf_values = tuple(dict.fromkeys(leaf_value for leaf_value, _ in agents))
    shape = len(depths), len(leaf_values), n_rounds
    seconds, calls = np.empty(shape), np.empty(shape)
    for number in range(n_rounds):
        for i, depth in enumerate(depths):
            for step in range(len(leaf_values)):
                j = (number + step) % len(leaf_values)
                taken = timer.round(agents[leaf_values[j], depth], number)
                seconds[i, j, number], calls[i, j, number] = taken
    return Timings(tuple(depths), leaf_values, len(timer.boards), seconds, calls)


def time_design(design: Design, clock: Clock = time.thread_time) -> Timings:
    """Time the design's decisions from starting boards, after a warm-up round."""
    warm(UCT())
    timer = DecisionTimer(starting_boards(), clock)
    agents = {
        (leaf_value, depth): UCT(TIMED_SIMULATIONS, depth, EXPLORATION, leaf_value)
        for leaf_value in TITLES
        for depth in design.depths
    }
    timings_of(design.depths, agents, timer, 1)
    return timings_of(design.depths, agents, timer, design.n_rounds)


def rounds_frame(timings: Timings) -> pd.DataFrame:
    """Return one row for each round of a leaf value at a depth."""
    depths, leaf_values, n_rounds = timings.seconds.shape
    places = product(range(n_rounds), range(depths), range(leaf_values))
    return pd.DataFrame(
        (
            {
                "round": number,
                "depth": timings.depths[i],
                "leaf_value": timings.leaf_values[j].value,
                "n_decisions": timings.n_boards,
                "seconds_per_decision": float(f"{timings.seconds[i, j, number]:.4g}"),
                "call_seconds": float(f"{timings.call_seconds[i, j, number]:.4g}"),
            }
            for number, i, j in places
        ),
        columns=ROUND_COLUMNS,
    )


def kept_timings(path: Path, design: Design) -> Timings | None:
    """Read the rounds of an earlier run; None without a file, or if it timed another design.

    Raises
    ------
    InputError
        If the file is no such table.
    """
    if not path.exists():
        return None
    try:
        frame = pd.read_csv(path)[ROUND_COLUMNS]
        numbers = frame.drop(columns="leaf_value").to_numpy(float)
        if not len(frame) or not np.isfinite(numbers).all():
            raise ValueError("numbers out of range")
        leaf_values = tuple(map(LeafValue, frame["leaf_value"].unique()))
        depths = tuple(map(int, frame["depth"].unique()))
        shape = (int(frame["round"].max()) + 1, len(depths), len(leaf_values))
        seconds, calls = (
            frame[column].to_numpy(float).reshape(shape).transpose(1, 2, 0)
            for column in ("seconds_per_decision", "call_seconds")
        )
        found = Timings(depths, leaf_values, int(frame["n_decisions"].iloc[0]), seconds, calls)
    except (OSError, ValueError, KeyError, pd.errors.ParserError):
        raise thetafront.InputError(
            f"{path}: no timings of this version; use another folder, or move it away"
        ) from None
    timed = (found.depths, found.leaf_values, found.n_boards, shape[0])
    wanted = (tuple(design.depths), tuple(TITLES), N_STARTS, design.n_rounds)
    return found if timed == wanted else None


def timings_frame(timings: Timings) -> pd.DataFrame:
    """Return one row a leaf value and depth: seconds, and their ratio to random rollouts'."""
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
