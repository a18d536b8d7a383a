"""Expectimax over a heuristic of rows and columns.

The value of an afterstate is a sum over its four rows and four columns, of

    base + w_empty·(empty cells) + w_merge·(equal neighbours)
         − w_order·min(Σ rises, Σ falls) − w_tiles·Σ eᵠ

where e are the exponents of a line's tiles, rises and falls are those of eᵖ from one cell to the
next, and empty cells do not separate equal neighbours. It values the position only: the points on
the way to it do not count. A position without a legal action is worth 0, so ``base`` is the cost of
the end of the game; since only ratios matter, it is fixed.

Source of the features: the program nneonneo/2048-ai, which has other weights.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import register
from thetafront.agents.parameters import Tuned, inherited, real
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.afterstate_value import VALUES
from thetafront.agents.twenty48.lookahead import LookaheadAgent
from thetafront.engine.jit import inlined
from thetafront.engine.twenty48.board import transpose
from thetafront.engine.twenty48.rows import N_ROWS, ROW

BASE = 100_000.0
MAX_WEIGHT = 1e6
TUNED_WEIGHT = Tuned(10, 10_000.0, log=True)
TUNED_POWER = Tuned(1.0, 5.0)
CELLS_OF_A_ROW = 4

Floats = npt.NDArray[np.float64]


class LineValues(NamedTuple):
    """The heuristic in the form for kernels: the value of each row, float32, shape (65536,)."""

    lines: npt.NDArray[np.float32]


@inlined
def sum_of_rows(lines: npt.NDArray[np.float32], board: np.uint64) -> np.float32:
    """Add up the values of four rows."""
    first: np.float32 = lines[board & ROW] + lines[(board >> np.uint64(16)) & ROW]
    last: np.float32 = lines[(board >> np.uint64(32)) & ROW] + lines[board >> np.uint64(48)]
    return first + last


@decides(LineValues, VALUES)
@inlined
def line_value(knowledge: LineValues, afterstate: np.uint64) -> np.float32:
    """Add up the values of all rows and columns."""
    lines = knowledge.lines
    return sum_of_rows(lines, afterstate) + sum_of_rows(lines, transpose(afterstate))


@cache
def exponents() -> Floats:
    """Return the exponents of each row's cells, shape (4, 65536)."""
    rows = np.arange(N_ROWS)
    return np.array([(rows >> 4 * cell) & 15 for cell in range(CELLS_OF_A_ROW)], np.float64)


@cache
def n_equal_neighbours() -> Floats:
    """Return how often a row's next tile is the same, empty cells left out, shape (65536,)."""
    count, last = np.zeros(N_ROWS), np.zeros(N_ROWS)
    for cell in exponents():
        count += (cell > 0) & (cell == last)
        last = np.where(cell > 0, cell, last)
    return count


@dataclass(frozen=True)
class Heuristic:
    """The weights of the heuristic, and the values of rows that follow from them."""

    empty: float = real(150.0, 0, MAX_WEIGHT, "value of an empty cell", "w_e", TUNED_WEIGHT)
    merge: float = real(
        400.0, 0, MAX_WEIGHT, "value of two equal tiles side by side", "w_m", TUNED_WEIGHT
    )
    order: float = real(
        25.0, 0, MAX_WEIGHT, "penalty for an unsorted line", "w_o", Tuned(1, 1000.0, log=True)
    )
    order_power: float = real(
        4.0, 0, 8, "exponent of w_o: higher values weight large tiles more", "p", TUNED_POWER
    )
    tiles: float = real(
        6.0, 0, MAX_WEIGHT, "penalty for each tile", "w_t", Tuned(0.1, 100.0, log=True)
    )
    tiles_power: float = real(
        3.5, 0, 8, "exponent of w_t: higher values weight large tiles more", "q", TUNED_POWER
    )

    @cached_property
    def knowledge(self) -> LineValues:
        """The value of each row."""
        cells = exponents()
        steps = np.diff(cells**self.order_power, axis=0)
        rises, falls = np.maximum(steps, 0.0).sum(0), np.maximum(-steps, 0.0).sum(0)
        sizes = np.where(cells > 0.0, cells**self.tiles_power, 0.0).sum(0)
        lines = (
            BASE
            + self.empty * (cells == 0.0).sum(0)
            + self.merge * n_equal_neighbours()
            - self.order * np.minimum(rises, falls)
            - self.tiles * sizes
        )
        return LineValues(lines.astype(np.float32))


@register
@dataclass(frozen=True)
class Expectimax(LookaheadAgent, Heuristic):
    """Expectimax over a heuristic of rows and columns.

    On the scale of the weights, the end of the game costs 100,000 per line. Weights are tuned from
    a tenth of the baseline's, or less, to ten times as much, or more, and powers from 1, where
    rises and tiles count by exponent, to 5. One move ahead takes a tenth of a microsecond, three
    take a tenth of a millisecond, so the time of a move depends on depth and on the boards that are
    searched one ply deeper.
    """

    name: ClassVar[str] = "expectimax"
    reward_weight: ClassVar[float] = 0.0

    depth: int = inherited(LookaheadAgent, "depth", 2)
    leaf_bits: int = inherited(LookaheadAgent, "leaf_bits", 0)
    knowledge = Heuristic.knowledge
