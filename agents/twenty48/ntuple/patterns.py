"""Patterns: groups of cells whose tiles a network looks up together.

=========  =======================================================================================
pattern    some cells of the board. The cells of the board are numbered 0 to f in reading order.
           The exponents in a pattern's cells are the base-16 digits of an index into a table of
           weights
value      of an afterstate: the sum of the weights that all patterns look up on all eight symmetric
           boards
set        the patterns of a network; ``4x6`` has four patterns of six cells each
part       a pattern whose cells all belong to another pattern of the set
stage      of a board: 0 without a tile of 16384 or more, 1 with one, 2 if it also has an 8192 tile,
           and 3 if it has a 4096 tile, too
=========  =======================================================================================

A set with a plus, such as ``4x6+``, also has parts: all lines and squares of four cells that lie
within its patterns. The weights of a part are learned fast, because the same tiles appear often in
so few cells. With these weights, the network can estimate the value of boards whose larger patterns
are new to it. For playing, the weights of parts are added to those of the patterns
(:func:`without_parts`), so parts take no time in play.

A network can have several *stages*. Each stage has its own tables, and a board is valued by the
tables of its stage. Boards of all further stages use the tables of the last stage. The tables of
all stages are in one array, beginning with stage 0.

In a packed board, each cell is a nibble (four bits). The cells of a pattern form at most three
stretches of nibbles, so an index takes at most three shifts. All tables of a network are in one
array, and the table of a pattern begins at its *base*.

In files, the first cell of a pattern is the lowest digit of an index. In memory, the last cell is
the lowest digit. The last cell lies further inside the board than the first, so its tile changes
more often. With this order, weights that are looked up one after the other share cache lines, and a
move at one ply takes a seventh less time than with the order of files. To use this order, kernels
turn boards and patterns by 180° (:func:`turned_tables`, :func:`turned_indices`).

Sources:

- Networks of this form: Szubert and Jaśkowski (2014), *Temporal difference learning of n-tuple
  networks for the game 2048*, §III.
- Tuples of six cells, and stages by large tiles: Yeh et al. (2016), *Multistage temporal difference
  learning for 2048-like games*.
- Parts: Jaśkowski (2017), *Mastering 2048 with delayed temporal coherence learning, multi-stage
  weight promotion, redundant encoding and carousel shaping*, §VI.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.policy_dispatch import Kernels, Settings, decides, dispatch_on_settings
from thetafront.agents.twenty48.afterstate_value import VALUES
from thetafront.engine.jit import inlined, kernel
from thetafront.engine.twenty48.board import mirror, transpose

N_SYMMETRIES = 8
MAX_STAGES = 4
N_EXPONENTS = 16
N_STRETCHES = 3  # of neighbouring cells in a pattern, at most
NIBBLE = 4  # bits

Weights = npt.NDArray[np.float32]
Indices = npt.NDArray[np.uint64]


class PatternSet(StrEnum):
    """The sets of patterns, in order of the sizes of their tables; sets with parts come last."""

    FOUR_BY_FIVE = "4x5"
    SIX_BY_FIVE = "6x5"
    FOUR_BY_SIX = "4x6"
    FIVE_BY_SIX = "5x6"
    EIGHT_BY_SIX = "8x6"
    FOUR_BY_FIVE_PLUS = "4x5+"
    SIX_BY_FIVE_PLUS = "6x5+"
    FOUR_BY_SIX_PLUS = "4x6+"
    FIVE_BY_SIX_PLUS = "5x6+"
    EIGHT_BY_SIX_PLUS = "8x6+"

    @property
    def played(self) -> "PatternSet":
        """The set without parts."""
        return PatternSet(self.removesuffix(PLUS))


PLUS = "+"
CELLS = {
    PatternSet.FOUR_BY_FIVE: ("01234", "45678", "01245", "45689"),
    PatternSet.SIX_BY_FIVE: ("01234", "45678", "01245", "45689", "01456", "01256"),
    PatternSet.FOUR_BY_SIX: ("012345", "456789", "012456", "45689a"),
    PatternSet.FIVE_BY_SIX: ("012345", "456789", "012456", "45689a", "89abcd"),
    PatternSet.EIGHT_BY_SIX: (
        *("012345", "456789", "012456", "234569"),
        *("01259a", "345678", "134567", "01489a"),
    ),
}
"""The cells of each set's patterns, as hexadecimal digits."""
PARTS = {5: ("0123", "4567", "0145", "4589"), 6: ("0123", "4567", "0145", "1256", "569a")}
"""The cells of possible parts, by the number of cells that the set's patterns have."""
for each, patterns in list(CELLS.items()):
    CELLS[PatternSet(f"{each}{PLUS}")] = patterns + tuple(
        part
        for part in PARTS[len(patterns[0])]
        if any(set(part) < set(whole) for whole in patterns)
    )


@dataclass(frozen=True)
class Pattern:
    """One pattern as shifts and masks of a packed board.

    The index is the bitwise or of (board >> shifts[i]) & masks[i] for i = 0, 1 and 2.
    """

    cells: tuple[int, ...]  # in reading order, in at most three stretches of neighbouring numbers
    shifts: tuple[int, ...]
    masks: tuple[int, ...]  # 0 where there are fewer stretches

    @classmethod
    def from_digits(cls, digits: str) -> "Pattern":
        """Make a pattern from its cells; ValueError if they form more than three stretches."""
        cells = tuple(int(digit, 16) for digit in digits)
        masks: dict[int, int] = {}
        for position, cell in enumerate(cells):
            shift = NIBBLE * (cell - position)
            masks[shift] = masks.get(shift, 0) | (0xF << NIBBLE * position)
        unused = N_STRETCHES - len(masks)
        if unused < 0 or [*cells] != sorted({*cells}):
            allowed = "at most three ascending stretches of cells"
            raise ValueError(f"pattern must be {allowed} (got {digits!r})")
        return cls(cells, (*masks, *[0] * unused), (*masks.values(), *[0] * unused))

    @property
    def turned(self) -> "Pattern":
        """The same pattern on boards turned by 180°. The digits of its indices are reversed."""
        return Pattern.from_digits("".join(f"{15 - cell:x}" for cell in reversed(self.cells)))

    @property
    def n_weights(self) -> int:
        """Length of the pattern's table."""
        return int(N_EXPONENTS ** len(self.cells))


def get_patterns(pattern_set: PatternSet) -> tuple[Pattern, ...]:
    """Return the patterns of a set, in order."""
    return tuple(map(Pattern.from_digits, CELLS[pattern_set]))


def count_weights(pattern_set: PatternSet) -> int:
    """Return how many weights a network with these patterns has, for one stage."""
    return sum(each.n_weights for each in get_patterns(pattern_set))


def n_looked_up(pattern_set: PatternSet) -> int:
    """Return how many weights are added for one value."""
    return N_SYMMETRIES * len(CELLS[pattern_set])


def without_parts(pattern_set: PatternSet, weights: Weights) -> Weights:
    """Return the weights of the set ``pattern_set.played`` that give the same values.

    Parameters
    ----------
    pattern_set : PatternSet
        The patterns of ``weights``.
    weights : float32, shape (n_stages * n_weights,)
        The array is not changed. If the set has no parts, this array itself is returned.
    """
    if pattern_set == pattern_set.played:
        return weights
    patterns = get_patterns(pattern_set)
    n_played = len(CELLS[pattern_set.played])
    ends = list(accumulate(each.n_weights for each in patterns))
    stages = weights.reshape(-1, ends[-1])
    played = stages[:, : ends[n_played - 1]].copy()
    for part, end in zip(patterns[n_played:], ends[n_played:], strict=True):
        whole = next(each for each in patterns if set(part.cells) < set(each.cells))
        begin = ends[patterns.index(whole)] - whole.n_weights
        # There is one axis per cell. The first cell comes first, as in an index in memory.
        shape = [N_EXPONENTS if cell in part.cells else 1 for cell in whole.cells]
        for stage, own in zip(played, stages, strict=True):
            table = stage[begin : begin + whole.n_weights].reshape([N_EXPONENTS] * len(whole.cells))
            table += own[end - part.n_weights : end].reshape(shape)
    return played.reshape(-1)


def turned_tables(pattern_set: PatternSet, weights: Weights) -> Weights:
    """Reorder the weights of all stages from the order of files to that of memory, or back."""
    turned = np.empty_like(weights)
    begin = 0
    while begin < len(weights):
        for each in get_patterns(pattern_set):
            own = slice(begin, begin := begin + each.n_weights)
            turn_table(weights[own], turned[own], len(each.cells) - 2)
    return turned


@kernel
def turn_table(table: Weights, turned: Weights, n_inner: int) -> None:
    """Copy each weight to the index with its digits reversed; there are ``n_inner`` + 2 digits."""
    n = N_EXPONENTS**n_inner
    for inner in range(n):
        left, reverse = inner, 0
        for _ in range(n_inner):
            left, reverse = left // N_EXPONENTS, N_EXPONENTS * reverse + left % N_EXPONENTS
        for first in range(N_EXPONENTS):
            for last in range(N_EXPONENTS):
                found = table[(first * n + inner) * N_EXPONENTS + last]
                turned[(last * n + reverse) * N_EXPONENTS + first] = found


def turned_indices(pattern_set: PatternSet, indices: npt.NDArray[np.int64]) -> Any:
    """Convert indices from the order of files to that of memory, or back.

    TypeError if the array is not a vector of int64; IndexError if an index is negative.
    """
    if indices.ndim != 1 or indices.dtype != np.int64:
        raise TypeError(f"indices must be a vector of int64 (got {indices.shape} {indices.dtype})")
    if (indices < 0).any():
        raise IndexError("a weight index is negative")
    patterns = get_patterns(pattern_set)
    ends = np.cumsum([each.n_weights for each in patterns])
    turned = np.empty(len(indices), np.int64)
    turn_indices(indices, ends, np.array([len(each.cells) for each in patterns]), turned)
    return turned


@kernel
def turn_indices(
    indices: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    n_digits: npt.NDArray[np.int64],
    turned: npt.NDArray[np.int64],
) -> None:
    """Reverse the digits of each index, given each pattern's end and number of digits."""
    for i in range(len(indices)):
        within = indices[i] % ends[-1]
        k = 0
        while within >= ends[k]:
            k += 1
        begin = ends[k - 1] if k else 0
        left, reverse = within - begin, 0
        for _ in range(n_digits[k]):
            left, reverse = left // N_EXPONENTS, N_EXPONENTS * reverse + left % N_EXPONENTS
        turned[i] = indices[i] - within + begin + reverse


PUT: Kernels = {}
"""For each class of networks, the kernel that puts the indices of weights into an array."""


def put_indices(network: Settings, afterstate: np.uint64, indices: Indices) -> None:
    """Put the indices of all weights of a value into an array; only kernels can call this."""
    raise NotImplementedError


dispatch_on_settings(put_indices, PUT)


class Network(NamedTuple):
    """Weights of a network. Each set of patterns has a subclass, which selects its kernels."""

    weights: Weights  # (n_stages * n_weights,)


def value_kernels(
    patterns: tuple[Pattern, ...],
) -> tuple[Callable[..., np.float32], Callable[..., None]]:
    """Return two kernels for these patterns: one for values, one for the indices of weights.

    Shifts and masks are constants in the kernels: if they were read from arrays, a value would take
    two thirds longer when the weights are in the processor's cache. numba's cache does not
    distinguish kernels that differ only in constants. But it distinguishes their callers, because
    the class of the network is a part of the signatures.
    """
    n, patterns = len(patterns), tuple(each.turned for each in patterns)
    shifts = tuple(tuple(map(np.uint64, each.shifts)) for each in patterns)
    masks = tuple(tuple(map(np.uint64, each.masks)) for each in patterns)
    bases = tuple(map(np.uint64, accumulate((each.n_weights for each in patterns), initial=0)))

    @inlined
    def stage_begin(weights: Weights, board: np.uint64) -> np.uint64:
        n_stages = np.uint64(len(weights)) // bases[n]
        return bases[n] * stage(board, n_stages) if n_stages > np.uint64(1) else np.uint64(0)

    @inlined
    def index(board: np.uint64, k: int) -> np.uint64:
        low = ((board >> shifts[k][0]) & masks[k][0]) | ((board >> shifts[k][1]) & masks[k][1])
        return bases[k] + (low | ((board >> shifts[k][2]) & masks[k][2]))

    @inlined
    def part(weights: Weights, board: np.uint64) -> np.float32:
        total: np.float32 = weights[index(board, 0)]
        for k in range(1, n):
            total += weights[index(board, k)]
        return total

    @inlined
    def network_value(network: Network, afterstate: np.uint64) -> np.float32:
        weights = network.weights[stage_begin(network.weights, afterstate) :]
        a, b = afterstate, transpose(afterstate)
        c, d = mirror(a), mirror(b)
        # Boards are turned by 180°, like the patterns. The terms are added in the same order as in
        # a sum over boards that are not turned.
        return (
            (part(weights, flip(c)) + part(weights, flip(d)))
            + (part(weights, flip(a)) + part(weights, flip(b)))
        ) + ((part(weights, c) + part(weights, d)) + (part(weights, a) + part(weights, b)))

    @inlined
    def put_part(indices: Indices, first: int, board: np.uint64, begin: np.uint64) -> None:
        for k in range(n):
            indices[first + k] = begin + index(board, k)

    @inlined
    def network_indices(network: Network, afterstate: np.uint64, indices: Indices) -> None:
        a, b = afterstate, transpose(afterstate)
        c, d = mirror(a), mirror(b)
        begin = stage_begin(network.weights, afterstate)
        put_part(indices, 0, flip(c), begin)
        put_part(indices, n, flip(d), begin)
        put_part(indices, 2 * n, flip(a), begin)
        put_part(indices, 3 * n, flip(b), begin)
        put_part(indices, 4 * n, c, begin)
        put_part(indices, 5 * n, d, begin)
        put_part(indices, 6 * n, a, begin)
        put_part(indices, 7 * n, b, begin)

    return network_value, network_indices


@inlined
def stage(board: np.uint64, n_stages: np.uint64) -> np.uint64:
    """Return the stage of a board, at most ``n_stages - 1``."""
    ones = np.uint64(0x1111111111111111)
    by_8, by_4 = board >> np.uint64(3), board >> np.uint64(2)
    top = by_8 & by_4 & ones  # cells with exponents of 12 (4096) or more
    by_2 = board >> np.uint64(1)
    if top & by_2 == np.uint64(0):  # none of 14 or 15
        return np.uint64(0)
    found = np.uint64(1)
    if top & ~by_2 & board != np.uint64(0):  # 13
        found += np.uint64(1)
        if top & ~by_2 & ~board != np.uint64(0):  # 12
            found += np.uint64(1)
    return min(found, n_stages - np.uint64(1))


@inlined
def flip(board: np.uint64) -> np.uint64:
    """Reverse the order of the rows."""
    board = (board << np.uint64(32)) | (board >> np.uint64(32))
    rows = np.uint64(0x0000FFFF0000FFFF)
    return ((board & rows) << np.uint64(16)) | ((board >> np.uint64(16)) & rows)


def network_class(pattern_set: PatternSet) -> type[Network]:
    """Make the class of the networks with this set of patterns, and register its kernels."""
    name = f"Network{pattern_set.replace(PLUS, 'Plus')}"
    made = type(name, (Network,), {"__slots__": (), "__module__": __name__})
    globals()[name] = made  # numba's cache looks for the class here
    network_value, network_indices = value_kernels(get_patterns(pattern_set))
    decides(made, VALUES)(network_value)
    decides(made, PUT)(network_indices)
    return made


NETWORKS = {each: network_class(each) for each in PatternSet}
"""The class of networks for each set of patterns."""
