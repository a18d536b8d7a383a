"""512 games of 2048 in lockstep on bit-planes: a step is boolean algebra without branches.

A *group* holds 512 games bit by bit, in planes of eight words. Bit l of word w of plane 4·cell + k
is bit k of the exponent in that cell of game (l, w). A step has three stages. Each is a plain loop
over the eight words of a plane, and LLVM turns the operations of the loop into vector instructions
(docs/explanation/engine.md). LLVM does so only if the code follows some rules:

- A group is one flat array, with plane p in words p·WORDS to p·WORDS + 7. With separate arrays,
  LLVM would have to test whether they overlap.
- All calls in a loop are inlined. A single call that is not inlined prevents vectorization.
- Helpers take the index of a word, which is a variable, and not the number of a cell, which would
  be a literal. numba would compile a helper once for each value of a literal argument.
- Loops have large bodies. LLVM unrolls a loop with a small body before it considers vectorization.
- Stages communicate through memory. A single stage would need more than the 32 vector registers
  that AVX-512 has.
"""

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from thetafront.engine.jit import inlined, kernel
from thetafront.engine.rng import GOLDEN, mix
from thetafront.engine.twenty48.planes import (
    Cell,
    add_three_bits,
    add_to_four_bits,
    differ,
    either,
    filled,
    is_largest,
    scale_by_bit,
    slide_row,
    swap,
    take_three_bits,
    take_two_bits,
    with_flag,
)
from thetafront.engine.twenty48.rule import BuiltRule

Group = npt.NDArray[np.uint64]

WORDS = 8  # of a plane: one AVX-512 register; results are the same with other registers
LANES = 64 * WORDS
CELL = 4 * WORDS
ROW = 4 * CELL

# Planes 0 to 63 hold the boards. These constants are the first words of the other items.
FOURS = 64 * WORDS  # eight planes: number of 4s spawned in each game (255 at most, see `spawn`)
N_FOURS_PLANES = 8
COINS = 72 * WORDS  # two planes: random bits for the direction of the next step
STREAM = 74 * WORDS  # two planes: the state of each word's random stream
RESULT = 76 * WORDS  # four planes per row: one marks where the row moved, three count empty cells
OVER = 92 * WORDS  # one plane: the games that are over
GROUP = 93 * WORDS

NONE = np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NO_GAME = np.uint64(0)  # the empty board never moves, and `find_over` never marks it

CACHE_LINE = 64


@intrinsic
def n_set(typing_context, word):  # type: ignore[no-untyped-def]
    """Count the set bits of a word."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@inlined
def load(group: Group, i: int) -> Cell:
    """Read four planes from word i on: a cell, or a row's entry in RESULT."""
    return group[i], group[i + WORDS], group[i + 2 * WORDS], group[i + 3 * WORDS]


@inlined
def store(group: Group, i: int, x: Cell) -> None:
    """Write four planes from word i on."""
    group[i] = x[0]
    group[i + WORDS] = x[1]
    group[i + 2 * WORDS] = x[2]
    group[i + 3 * WORDS] = x[3]


@inlined
def turn(group: Group) -> None:
    """Transpose boards whose first random bit is set; by symmetry, this need not be undone."""
    for row in range(1, 4):
        for column in range(row):
            for w in range(WORDS):
                i = row * ROW + column * CELL + w
                j = column * ROW + row * CELL + w
                x, y = swap(group[COINS + w], load(group, i), load(group, j))
                store(group, i, x)
                store(group, j, y)


@inlined
def slide(group: Group, rule: BuiltRule) -> None:
    """Mirror boards whose second random bit is set, and slide all rows to their first cell.

    For each row, RESULT receives whether the row moved, and how many cells at its end are empty.
    """
    for row in range(4):
        for w in range(WORDS):
            i = row * ROW + w
            mirrored = group[COINS + WORDS + w]
            first, last = swap(mirrored, load(group, i), load(group, i + 3 * CELL))
            second, third = swap(mirrored, load(group, i + CELL), load(group, i + 2 * CELL))
            a, b, c, d, moved = slide_row(
                with_flag(first), with_flag(second), with_flag(third), with_flag(last), rule
            )
            store(group, i, a[:4])  # without the flag
            store(group, i + CELL, b[:4])
            store(group, i + 2 * CELL, c[:4])
            store(group, i + 3 * CELL, d[:4])
            # The number of empty cells, 0 to 4, in binary; the tiles of a row begin at a.
            ones = (a[4] & ~b[4]) | (c[4] & ~d[4])
            store(group, RESULT + row * CELL + w, (moved, ones, a[4] & ~c[4], ~a[4]))


@inlined
def next_plane(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return 64 random bits and the next state: xoroshiro128+ (Blackman and Vigna, 2018)."""
    word = a + b
    b = b ^ a
    a = ((a << np.uint64(24)) | (a >> np.uint64(40))) ^ b ^ (b << np.uint64(16))
    b = (b << np.uint64(37)) | (b >> np.uint64(27))
    return word, a, b


@inlined
def scale_by_next(
    a: np.uint64, b: np.uint64, n: Cell, x: Cell, under: np.uint64, threshold: np.uint64
) -> tuple[np.uint64, np.uint64, Cell, np.uint64]:
    """Do one step of computing u·n (see `scale_by_bit`); the next bit of u is drawn at random."""
    bit, a, b = next_plane(a, b)
    x, under = scale_by_bit(bit, n, x, under, threshold)
    return a, b, x, under


@inlined
def put(group: Group, i: int, two: np.uint64, four: np.uint64) -> None:
    """Put a 2 into an empty cell where ``two`` is set, and a 4 where ``four`` is set."""
    group[i] |= two
    group[i + WORDS] |= four


@inlined
def put_in_row(
    group: Group, i: int, here: np.uint64, four: np.uint64, j: tuple[np.uint64, np.uint64]
) -> None:
    """Where ``here`` is set, put a tile into cell j of a row, counted from the row's end."""
    two, four = here & ~four, here & four
    at = j[0] & j[1]
    put(group, i, two & at, four & at)
    at = ~j[0] & j[1]
    put(group, i + CELL, two & at, four & at)
    at = j[0] & ~j[1]
    put(group, i + 2 * CELL, two & at, four & at)
    at = ~(j[0] | j[1])
    put(group, i + 3 * CELL, two & at, four & at)


@inlined
def spawn(group: Group) -> None:
    """Put a tile on each board that moved, and draw the direction of the next step.

    A step uses a random 16-bit number u for each game, one plane per bit. The two lowest bits of u
    have already chosen the direction of this step. With n empty cells, the tile goes to empty cell
    number ⌊u·n/2¹⁶⌋. Empty cells are counted from 0, row by row, and in each row from the row's
    end. The tile is a 4 where the fractional part of u·n/2¹⁶ is below 6552/2¹⁶ = 0.1 − 2.4·10⁻⁵.
    The probability of a 4 is exactly 6552/2¹⁶ for every n. (For n = 8, the fractional part can only
    be a multiple of 8/2¹⁶, but 6552 is a multiple of 8, too.) The probability of each empty cell
    differs from 1/n by at most 2⁻¹⁶, or by at most 2⁻¹⁴ if the direction is given.

    The number of 4s of a game is counted up to 255. A random game spawns 118 tiles on average; for
    255 4s, it would need some 2,500 moves.
    """
    for w in range(WORDS):
        i = RESULT + w
        moved0, ones0, twos0, fours0 = load(group, i)
        moved1, ones1, twos1, fours1 = load(group, i + CELL)
        moved2, ones2, twos2, fours2 = load(group, i + 2 * CELL)
        moved3, ones3, twos3, fours3 = load(group, i + 3 * CELL)
        moved = moved0 | moved1 | moved2 | moved3
        n_upper = add_three_bits((ones0, twos0, fours0), (ones1, twos1, fours1))
        n_lower = add_three_bits((ones2, twos2, fours2), (ones3, twos3, fours3))
        n = add_to_four_bits(n_upper, n_lower)

        a, b = group[STREAM + w], group[STREAM + WORDS + w]
        # The bits of u and of the threshold, 6552 = 0001 1001 1001 1000 in binary, lowest first.
        x, four = scale_by_bit(group[COINS + w], n, (NONE, NONE, NONE, NONE), NONE, NONE)
        x, four = scale_by_bit(group[COINS + WORDS + w], n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, ALL)
        a, b, x, four = scale_by_next(a, b, n, x, four, ALL)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, ALL)
        a, b, x, four = scale_by_next(a, b, n, x, four, ALL)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, ALL)
        a, b, x, four = scale_by_next(a, b, n, x, four, ALL)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        a, b, x, four = scale_by_next(a, b, n, x, four, NONE)
        group[COINS + w], a, b = next_plane(a, b)
        group[COINS + WORDS + w], a, b = next_plane(a, b)
        group[STREAM + w], group[STREAM + WORDS + w] = a, b

        upper, k = take_three_bits(x, n_upper)
        ones = either(upper, ones0, ones2)
        twos = either(upper, twos0, twos2)
        fours = either(upper, fours0, fours2)
        first, j = take_two_bits(k, (ones, twos, fours))
        put_in_row(group, w, moved & upper & first, four, j)
        put_in_row(group, w + ROW, moved & upper & ~first, four, j)
        put_in_row(group, w + 2 * ROW, moved & ~upper & first, four, j)
        put_in_row(group, w + 3 * ROW, moved & ~upper & ~first, four, j)

        carry = four & moved
        for digit in range(N_FOURS_PLANES):
            i = FOURS + digit * WORDS + w
            group[i], carry = group[i] ^ carry, group[i] & carry


@kernel
def play_steps(groups: npt.NDArray[np.uint64], n_steps: int, rule: BuiltRule) -> None:
    """Try a random action in every game ``n_steps`` times; spawn a tile if the action was legal.

    The groups, shape (n_groups, GROUP), are changed in place. Although playouts use only one
    group, this code loops over groups and is a separate kernel. Otherwise, LLVM would unroll so
    many steps that they exceed the instruction cache. With two groups, a step would be a tenth
    faster per game, but more lanes (the games' places in a group) would be idle at the end of a
    batch.
    """
    for _ in range(n_steps):
        for g in range(len(groups)):
            turn(groups[g])
        for g in range(len(groups)):
            slide(groups[g], rule)
        for g in range(len(groups)):
            spawn(groups[g])


@inlined
def stuck(x: Cell, y: Cell) -> np.uint64:
    """Mark where two neighbours on a full board cannot merge."""
    return differ(x, y) | is_largest(x)


@kernel
def find_over(group: Group) -> int:
    """Mark in OVER the full boards on which no neighbours can merge; return their number."""
    for w in range(WORDS):
        group[OVER + w] = ALL
    for line in range(4):
        for w in range(WORDS):
            i, j = line * ROW + w, line * CELL + w
            a, b = load(group, i), load(group, i + CELL)
            c, d = load(group, i + 2 * CELL), load(group, i + 3 * CELL)
            over = filled(a) & filled(b) & filled(c) & filled(d)
            over &= stuck(a, b) & stuck(b, c) & stuck(c, d)
            a, b = load(group, j), load(group, j + ROW)
            c, d = load(group, j + 2 * ROW), load(group, j + 3 * ROW)
            group[OVER + w] &= over & stuck(a, b) & stuck(b, c) & stuck(c, d)
    n_over = 0
    for w in range(WORDS):
        n_over += n_set(group[OVER + w])
    return n_over


@kernel
def new_group(seed: np.uint64) -> Group:
    """Make a group without games, with one random stream per word, named by (seed, word).

    The group begins where a cache line begins. Otherwise each access to eight words would touch two
    lines.
    """
    memory = np.zeros(GROUP + WORDS, np.uint64)
    skip = (-memory.ctypes.data % CACHE_LINE) // 8
    group = memory[skip : skip + GROUP]
    stream = mix(seed)
    for i in range(COINS, RESULT):
        group[i] = mix(stream + np.uint64(i) * GOLDEN)
    for i in range(OVER, GROUP):
        group[i] = ALL
    return group
