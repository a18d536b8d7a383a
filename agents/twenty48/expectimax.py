"""Expectimax over a heuristic of rows and columns.

Each line, that is each row and each column of an afterstate, has the value

    base + w_empty·(empty cells) + w_merge·(equal neighbours)
         − w_order·min(Σ rises, Σ falls) − w_tiles·Σ eᵠ

The value of the afterstate is the sum over its eight lines. Here e is the exponent of each tile in
the line. Rises and falls are the increases and decreases of eᵖ from one cell to the next. Two equal
tiles also count as neighbours if there are only empty cells between them.

The heuristic rates only the position: points already won do not count. A position without a legal
action is worth 0, so the end of the game costs ``base`` for each line. Decisions depend only
on the ratios between ``base`` and the weights, so ``base`` is fixed.

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
    """The heuristic in the form that kernels take: the value of each possible row or column."""

    lines: npt.NDArray[np.float32]  # (65536,)


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
    """Return the exponents in the cells of each possible row, shape (4, 65536)."""
    rows = np.arange(N_ROWS)
    return np.array([(rows >> 4 * cell) & 15 for cell in range(CELLS_OF_A_ROW)], np.float64)


@cache
def n_equal_neighbours() -> Floats:
    """Return the number of equal neighbours in each possible row, shape (65536,)."""
    count, last = np.zeros(N_ROWS), np.zeros(N_ROWS)
    for cell in exponents():
        count += (cell > 0) & (cell == last)
        last = np.where(cell > 0, cell, last)
    return count


@dataclass(frozen=True)
class Heuristic:
    """The weights of the heuristic, and the values of rows that result from them."""

    empty: float = real(150.0, 0, MAX_WEIGHT, "value of an empty cell", "w_e", TUNED_WEIGHT)
    merge: float = real(
        400.0,
        0,
        MAX_WEIGHT,
        "value of two equal tiles in a line with no tile between them",
        "w_m",
        TUNED_WEIGHT,
    )
    order: float = real(
        25.0, 0, MAX_WEIGHT, "penalty for an unsorted line", "w_o", Tuned(1, 1000.0, log=True)
    )
    order_power: float = real(
        4.0,
        0,
        8,
        "power to which log2 of a tile is raised in the penalty for unsorted lines: higher powers "
        "weight large tiles more",
        "p",
        TUNED_POWER,
    )
    tiles: float = real(
        6.0, 0, MAX_WEIGHT, "penalty for each tile", "w_t", Tuned(0.1, 100.0, log=True)
    )
    tiles_power: float = real(
        3.5,
        0,
        8,
        "power to which log2 of a tile is raised in the penalty for tiles: higher powers weight "
        "large tiles more",
        "q",
        TUNED_POWER,
    )

    @cached_property
    def knowledge(self) -> LineValues:
        """The value of each possible row."""
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

    The weights are relative to ``base``, 100,000 per line, which the end of the game costs. Each
    weight is tuned from at most a tenth of its default to at least ten times its default. The
    powers p and q are tuned from 1 to 5. With a power of 1, the exponents themselves are compared
    or added.

    The time of a move depends on the depth, and on which boards are searched one ply deeper. It is
    a tenth of a microsecond when looking one move ahead, and a tenth of a millisecond when looking
    three moves ahead.
    """

    name: ClassVar[str] = "expectimax"
    reward_weight: ClassVar[float] = 0.0

    depth: int = inherited(LookaheadAgent, "depth", 2)
    leaf_bits: int = inherited(LookaheadAgent, "leaf_bits", 0)
    knowledge = Heuristic.knowledge
