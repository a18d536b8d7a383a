"""Boolean algebra on bit-planes: the rules of 2048 for 64 games in one word.

===========  ===================================================================================
word         ``uint64``; bit l belongs to game l
plane        several words; these functions take one word of a plane at a time
mask m       a word that says for each game whether something holds
Cell         four words: the bits of the exponents in one cell, lowest first
Tile         a Cell and a fifth word, a flag that says whether there is a tile
Number       three or four words: the bits of a number below 16 for each game, lowest first
===========  ===================================================================================

Every function is inlined into the loops of :mod:`engine.twenty48.lockstep`, which LLVM vectorizes,
so tuples cost nothing. The expressions are written so that LLVM folds them into instructions with
three inputs. Among equivalent expressions, we kept the fastest.
"""

import numpy as np

from thetafront.engine.jit import inlined
from thetafront.engine.twenty48.rule import BuiltRule

Cell = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
Tile = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]
Number = tuple[np.uint64, np.uint64, np.uint64]


# --- words ---


@inlined
def either(m: np.uint64, x: np.uint64, y: np.uint64) -> np.uint64:
    """Choose x where m is set, else y. This takes one instruction; a form with xor takes two."""
    return (x & m) | (y & ~m)


@inlined
def full_add(x: np.uint64, y: np.uint64, carry: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return sum and carry of three bits. Choosing the carry by x ^ y would be slower."""
    t = x ^ y
    return t ^ carry, x ^ ((x ^ carry) & t)


@inlined
def full_subtract(x: np.uint64, y: np.uint64, borrow: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the difference x − y − borrow and the new borrow."""
    t = x ^ y
    return t ^ borrow, borrow ^ ((borrow ^ y) & t)


# --- cells ---


@inlined
def filled(x: Cell) -> np.uint64:
    """Mark where there is a tile."""
    return x[0] | x[1] | x[2] | x[3]


@inlined
def is_largest(x: Cell) -> np.uint64:
    """Mark where the tile is a 32768, which does not merge."""
    return x[0] & x[1] & x[2] & x[3]


@inlined
def differ(x: Cell, y: Cell) -> np.uint64:
    """Mark where two cells differ."""
    return (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])


@inlined
def choose_cell(m: np.uint64, x: Cell, y: Cell) -> Cell:
    """Choose cell x where m is set, y elsewhere."""
    return (
        either(m, x[0], y[0]),
        either(m, x[1], y[1]),
        either(m, x[2], y[2]),
        either(m, x[3], y[3]),
    )


@inlined
def swap(m: np.uint64, x: Cell, y: Cell) -> tuple[Cell, Cell]:
    """Exchange two cells where m is set."""
    return choose_cell(m, y, x), choose_cell(m, x, y)


# --- tiles: cells with a flag ---


@inlined
def with_flag(x: Cell) -> Tile:
    """Turn a Cell into a Tile."""
    return x[0], x[1], x[2], x[3], filled(x)


@inlined
def keep(m: np.uint64, x: Tile) -> Tile:
    """Keep the tile where m is set; empty the cell elsewhere."""
    return x[0] & m, x[1] & m, x[2] & m, x[3] & m, x[4] & m


@inlined
def choose(m: np.uint64, x: Tile, y: Tile) -> Tile:
    """Choose tile x where m is set, y elsewhere."""
    return (*choose_cell(m, x[:4], y[:4]), either(m, x[4], y[4]))


@inlined
def fill(x: Tile, y: Tile) -> Tile:
    """Take tile x, or y where x is empty."""
    m = ~x[4]
    return (
        x[0] | (y[0] & m),
        x[1] | (y[1] & m),
        x[2] | (y[2] & m),
        x[3] | (y[3] & m),
        x[4] | (y[4] & m),
    )


@inlined
def increment(m: np.uint64, x: Tile) -> Tile:
    """Add one to the exponent where m is set; the exponent must be below 15 there."""
    carry1 = x[0] & m
    carry2 = x[1] & carry1
    carry3 = x[2] & carry2
    return x[0] ^ m, x[1] ^ carry1, x[2] ^ carry2, x[3] ^ carry3, x[4]


@inlined
def mergeable(x: Tile, y: Tile) -> np.uint64:
    """Mark where two neighbours merge; x must hold a tile wherever y does, as after a slide."""
    return y[4] & ~(differ(x[:4], y[:4]) | is_largest(y[:4]))


@inlined
def merge_row(a: Tile, b: Tile, c: Tile, d: Tile) -> tuple[Tile, Tile, Tile, Tile, np.uint64]:
    """Merge the row a b c d, which has no gaps, by the common rule; mark where it changed."""
    ab = mergeable(a, b)
    bc = mergeable(b, c) & ~ab
    cd = mergeable(c, d) & ~bc
    a, b, c, d = increment(ab, a), increment(bc, b), increment(cd, c), keep(~cd, d)
    b = choose(ab, c, b)
    c, d = choose(ab | bc, d, c), keep(~(ab | bc), d)
    return a, b, c, d, ab | bc | cd


@inlined
def cascade_row(a: Tile, b: Tile, c: Tile, d: Tile) -> tuple[Tile, Tile, Tile, Tile, np.uint64]:
    """Merge the row a b c d, which has no gaps, by the rule ``cascade``; mark where it changed."""
    once = mergeable(a, b)
    a = increment(once, a)
    b, c, d = choose(once, c, b), choose(once, d, c), keep(~once, d)

    twice = mergeable(a, b) & once
    bc = mergeable(b, c) & ~once
    a, b = increment(twice, a), increment(bc, b)
    b = choose(twice, c, b)
    c, d = choose(twice | bc, d, c), keep(~(twice | bc), d)

    # The position of the last tile depends on how many tiles have merged before it in its row.
    merged = once | bc
    ab = mergeable(a, b) & twice
    one_merge = mergeable(b, c) & merged & ~twice
    cd = mergeable(c, d) & ~merged
    a, b, c = increment(ab, a), increment(one_merge, b), increment(cd, c)
    return a, keep(~ab, b), keep(~one_merge, c), keep(~cd, d), merged | cd


@inlined
def slide_row(
    a: Tile, b: Tile, c: Tile, d: Tile, rule: BuiltRule
) -> tuple[Tile, Tile, Tile, Tile, np.uint64]:
    """Slide the row a b c d towards a and merge; also mark where it changed."""
    moved = (b[4] & ~a[4]) | (c[4] & ~b[4]) | (d[4] & ~c[4])
    there = c[4]
    c, d = fill(c, d), keep(there, d)
    there = b[4]
    b, c, d = fill(b, c), choose(there, c, d), keep(there, d)
    there = a[4]
    a, b, c, d = fill(a, b), choose(there, b, c), choose(there, c, d), keep(there, d)

    if rule is None:
        a, b, c, d, merged = merge_row(a, b, c, d)
    else:
        a, b, c, d, merged = cascade_row(a, b, c, d)
    return a, b, c, d, moved | merged


# --- numbers ---


@inlined
def add_three_bits(x: Number, y: Number) -> Cell:
    """Add two numbers of three bits."""
    sum0, carry = x[0] ^ y[0], x[0] & y[0]
    sum1, carry = full_add(x[1], y[1], carry)
    sum2, carry = full_add(x[2], y[2], carry)
    return sum0, sum1, sum2, carry


@inlined
def add_to_four_bits(x: Cell, y: Cell) -> Cell:
    """Add two numbers of four bits whose sum is below 16."""
    sum0, sum1, sum2, carry = add_three_bits(x[:3], y[:3])
    return sum0, sum1, sum2, x[3] ^ y[3] ^ carry


@inlined
def take_three_bits(x: Cell, y: Cell) -> tuple[np.uint64, Number]:
    """Mark where x < y; also return x there and x − y elsewhere (both must be below 8)."""
    d0, borrow = x[0] ^ y[0], ~x[0] & y[0]
    d1, borrow = full_subtract(x[1], y[1], borrow)
    d2, borrow = full_subtract(x[2], y[2], borrow)
    _, below = full_subtract(x[3], y[3], borrow)
    return below, (either(below, x[0], d0), either(below, x[1], d1), either(below, x[2], d2))


@inlined
def take_two_bits(x: Number, y: Number) -> tuple[np.uint64, tuple[np.uint64, np.uint64]]:
    """Do the same as :func:`take_three_bits`, with one bit fewer in arguments and result."""
    d0, borrow = x[0] ^ y[0], ~x[0] & y[0]
    d1, borrow = full_subtract(x[1], y[1], borrow)
    _, below = full_subtract(x[2], y[2], borrow)
    return below, (either(below, x[0], d0), either(below, x[1], d1))


@inlined
def scale_by_bit(
    bit: np.uint64, n: Cell, x: Cell, under: np.uint64, threshold: np.uint64
) -> tuple[Cell, np.uint64]:
    """Do one step of computing u·n, where u is a random number in [0, 1) with 16 binary digits.

    Each step takes one bit of u, the lowest first. x becomes (x + bit·n) / 2, rounded down; after
    the last step, x is ⌊u·n⌋. The bit that is shifted out is the next higher bit of the fractional
    part of u·n. The fractional part is compared with a fixed number: ``threshold`` is the bit of
    this number at the same position, as all zeros or all ones. ``under`` marks the games in
    which the bits of the fractional part so far, read as a number, are less than the same bits of
    the fixed number. Each new bit is a higher one, so it decides the comparison if the two differ.
    """
    out = x[0] ^ (n[0] & bit)
    carry = x[0] & ~out
    x0, carry = full_add(x[1], n[1] & bit, carry)
    x1, carry = full_add(x[2], n[2] & bit, carry)
    x2, x3 = full_add(x[3], n[3] & bit, carry)
    return (x0, x1, x2, x3), (~out & (under | threshold)) | (under & threshold)
