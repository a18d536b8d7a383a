"""Random streams: against their definition in Python integers, and for uniformity."""

import numpy as np
from scipy import stats

from tests.engine.compiled import compiled
from tests.oracles import twenty48 as oracle
from thetafront.engine import rng
from thetafront.engine.rng import PLAYOUT, SPAWN

mix = compiled(rng.mix)
next_word = compiled(rng.next_word)
below = compiled(rng.below)
substream = compiled(rng.substream)
stream = compiled(rng.stream)

SEEDS = [0, 1, 2, 2**32, 2**63 - 1, 2**64 - 1]


def test_words_are_splitmix64() -> None:
    """The first words of seed 1234567, as the reference implementation prints them."""
    state = np.uint64(1234567)
    words = []
    for _ in range(3):
        word, state = next_word(state)
        state = np.uint64(state)
        words.append(int(word))
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_streams_are_as_defined() -> None:
    for seed in SEEDS:
        assert mix(np.uint64(seed)) == oracle.mix(seed)
        for index in (0, 1, 77):
            expected = oracle.substream(seed, index)
            assert substream(np.uint64(seed), np.uint64(index)) == expected
        named = oracle.substream(oracle.substream(seed, int(SPAWN)), 9)
        assert stream(np.uint64(seed), SPAWN, np.uint64(9)) == named


def test_names_do_not_collide() -> None:
    names = {
        int(stream(np.uint64(seed), purpose, np.uint64(index)))
        for seed in range(40)
        for purpose in (SPAWN, PLAYOUT)
        for index in range(100)
    }
    assert len(names) == 40 * 2 * 100


def test_below_is_uniform() -> None:
    counts = np.zeros(7)
    for seed in range(14_000):
        word, _ = next_word(np.uint64(seed))
        counts[below(np.uint64(word), np.uint64(7))] += 1
    assert stats.chisquare(counts).pvalue > 1e-3
