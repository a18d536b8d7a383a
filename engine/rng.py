"""Counter-based random streams: every random number has a name.

A stream is one ``uint64``. It is named by what its numbers are for (the seed of a game, a purpose, an
index), so an agent's decisions depend on its parameters, the board and its stream alone: not on
lanes, workers, threads, the order of play or the instruction set. Any game can be replayed.

Notation
--------
====================  =====================================================================
``stream``            a position in SplitMix64's sequence; its words are mix(stream + k·γ)
γ (``GOLDEN``)        2⁶⁴ / golden ratio, odd: the counter's stride
``mix``               SplitMix64's finalizer, a bijection on 64 bits
====================  =====================================================================

Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014, fig. 14,
with Stafford's "variant 13" constants.
"""

import numpy as np

from engine.jit import inlined, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FORK = np.uint64(0xD1342543DE82EF95)

# Purposes. What a game draws for one of them never shifts what it draws for another.
START = np.uint64(1)  # the two tiles a game starts with
SPAWN = np.uint64(2)  # the tile after each action
PLAYOUT = np.uint64(3)  # the playouts of a decision
POLICY = np.uint64(4)  # random choices of a policy itself
SLIP = np.uint64(5)  # where Pacman's action takes him
GHOSTS = np.uint64(6)  # the ghosts' moves of a turn


@inlined
def mix(z: np.uint64) -> np.uint64:
    """Scramble 64 bits so that neighbouring inputs give unrelated outputs."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def substream(stream: np.uint64, index: np.uint64) -> np.uint64:
    """Name the stream number ``index`` below ``stream``.

    The inner ``mix`` keeps substreams away from the words that ``stream`` itself yields.
    """
    return mix(mix(stream ^ FORK) + (index + np.uint64(1)) * GOLDEN)


@inlined
def stream(seed: np.uint64, purpose: np.uint64, index: np.uint64) -> np.uint64:
    """Name the stream of a game's ``seed`` for one ``purpose``, number ``index`` (the move, say)."""
    return substream(substream(seed, purpose), index)


@kernel
def named_stream(seed: np.uint64, purpose: np.uint64, index: np.uint64) -> np.uint64:
    """Do what :func:`stream` does, for callers in Python."""
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
