"""Counter-based random streams, each named by seed, purpose and index.

A stream is one ``uint64``: a position in SplitMix64's sequence. Word k of a stream (k = 1, 2, …) is
mix(stream + k·γ). γ is ``GOLDEN``: 2⁶⁴ divided by the golden ratio, rounded to an odd integer.
``docs/explanation/engine.md`` explains how streams are used.

Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014, fig. 14,
with the constants of Stafford's "variant 13".
"""

import numpy as np

from thetafront.engine.jit import Integer, inlined, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FORK = np.uint64(0xD1342543DE82EF95)

# Purposes: draws for one purpose never shift the draws for another.
START = np.uint64(1)  # the two tiles a game starts with
SPAWN = np.uint64(2)  # the tile after each action
PLAYOUT = np.uint64(3)  # the playouts of a decision
POLICY = np.uint64(4)  # the random choices of a policy, other than playouts
SLIP = np.uint64(5)  # the direction in which Pacman really moves
GHOSTS = np.uint64(6)  # the ghosts' moves in a turn
SIDE_BY_SIDE = np.uint64(7)  # joint playouts for several games, for one decision in each


@inlined
def mix(z: np.uint64) -> np.uint64:
    """SplitMix64's finalizer, a bijection: neighbouring inputs give unrelated outputs."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def substream(stream: np.uint64, index: np.uint64) -> np.uint64:
    """Return substream ``index``; the inner ``mix`` makes its words differ from the stream's."""
    return mix(mix(stream ^ FORK) + (index + np.uint64(1)) * GOLDEN)


@inlined
def stream(seed: np.uint64, purpose: np.uint64, index: np.uint64) -> np.uint64:
    """Return the stream of a game's seed for a purpose and an index, such as a move's number."""
    return substream(substream(seed, purpose), index)


@kernel
def named_stream(seed: np.uint64, purpose: np.uint64, index: np.uint64) -> np.uint64:
    """Return the result of :func:`stream` to callers in Python."""
    return stream(seed, purpose, index)


@inlined
def next_word(stream: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return 64 random bits and the advanced stream."""
    stream = stream + GOLDEN
    return mix(stream), stream


@inlined
def below(word: np.uint64, n: np.uint64) -> np.uint64:
    """Map the low 32 bits of ``word`` to 0 … n − 1; the bias is under n·2⁻³²."""
    return ((word & np.uint64(0xFFFFFFFF)) * n) >> np.uint64(32)


@inlined
def any_of_four(bits: Integer, word: np.uint64) -> Integer:
    """Draw one of the bits 0 to 3 that are 1, all equally likely; return its number, or 4."""
    n = (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1)
    left = np.int64(below(word, np.uint64(n)))
    for number in range(4):
        if bits >> number & 1:
            if left == 0:
                return number
            left -= 1
    return 4
