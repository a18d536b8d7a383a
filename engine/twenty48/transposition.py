"""Conversion of 512 games between bit-planes and packed boards, by transposing bits.

Both forms occupy the same words of a group (:mod:`engine.twenty48.lockstep`). For each of the eight
words w of a plane, 64 x 64 bits are transposed: first the bytes, then the bits of each 8 x 8 block.
"""

import numpy as np

from thetafront.engine.jit import inlined, kernel
from thetafront.engine.twenty48.lockstep import WORDS, Group

# Arguments of `cross_eight`. BYTES: the 8 x 8 bytes of eight words that are eight planes apart.
BYTES = (
    8 * WORDS,
    np.uint64(8),
    np.uint64(0x00000000FFFFFFFF),
    np.uint64(0x0000FFFF0000FFFF),
    np.uint64(0x00FF00FF00FF00FF),
)
# BITS: each block of 8 x 8 bits in eight words of neighbouring planes.
BITS = (
    WORDS,
    np.uint64(1),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x3333333333333333),
    np.uint64(0x5555555555555555),
)


@inlined
def cross_pair(
    x: np.uint64, y: np.uint64, shift: np.uint64, mask: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Exchange the high parts of x with the low parts of y."""
    t = ((x >> shift) ^ y) & mask
    return x ^ (t << shift), y ^ t


@inlined
def cross_eight(
    group: Group,
    i: int,
    apart: int,
    shift: np.uint64,
    mask4: np.uint64,
    mask2: np.uint64,
    mask1: np.uint64,
) -> None:
    """Transpose 8 x 8 blocks in 8 words at distance ``apart``; each entry has ``shift`` bits."""
    a, b, c, d = group[i], group[i + apart], group[i + 2 * apart], group[i + 3 * apart]
    k = i + 4 * apart
    e, f, g, h = group[k], group[k + apart], group[k + 2 * apart], group[k + 3 * apart]
    four, two = np.uint64(4) * shift, np.uint64(2) * shift
    a, e = cross_pair(a, e, four, mask4)
    b, f = cross_pair(b, f, four, mask4)
    c, g = cross_pair(c, g, four, mask4)
    d, h = cross_pair(d, h, four, mask4)
    a, c = cross_pair(a, c, two, mask2)
    b, d = cross_pair(b, d, two, mask2)
    e, g = cross_pair(e, g, two, mask2)
    f, h = cross_pair(f, h, two, mask2)
    a, b = cross_pair(a, b, shift, mask1)
    c, d = cross_pair(c, d, shift, mask1)
    e, f = cross_pair(e, f, shift, mask1)
    g, h = cross_pair(g, h, shift, mask1)
    group[i], group[i + apart], group[i + 2 * apart], group[i + 3 * apart] = a, b, c, d
    group[k], group[k + apart], group[k + 2 * apart], group[k + 3 * apart] = e, f, g, h


@kernel
def cross(group: Group) -> None:
    """Convert planes to boards, or back: transpose the 64 x 64 bits of each word w.

    In the form of boards, word l·WORDS + w is the packed board of game (l, w). The game's number of
    4s is byte l // 8 of word FOURS + (l % 8)·WORDS + w.
    """
    for row in range(2):
        for w in range(WORDS):
            i = row * WORDS + w
            cross_eight(group, i, *BYTES)
            cross_eight(group, i + 2 * WORDS, *BYTES)
            cross_eight(group, i + 4 * WORDS, *BYTES)
            cross_eight(group, i + 6 * WORDS, *BYTES)
    for row in range(3):
        for w in range(WORDS):
            i = 24 * row * WORDS + w
            cross_eight(group, i, *BITS)
            cross_eight(group, i + 8 * WORDS, *BITS)
            cross_eight(group, i + 16 * WORDS, *BITS)
