"""Intervals against closed forms, and how often they cover."""

import math

import numpy as np
import pytest

from study import estimate as intervals


def test_a_mean_of_many_is_as_the_normal_theory_has_it() -> None:
    sample = np.random.default_rng(1).normal(100.0, 10.0, 2000)
    estimate = intervals.mean(sample)
    half = 1.96 * sample.std(ddof=1) / math.sqrt(2000)
    assert estimate.value == sample.mean()
    assert estimate.high - estimate.value == pytest.approx(half, rel=0.08)
    assert estimate.value - estimate.low == pytest.approx(half, rel=0.08)


def test_intervals_of_bimodal_scores_cover_the_truth() -> None:
    """200 samples of 60 games, 35,000 with 40% and 70,000 with 60%: 56,000 inside in 88 to 99 of 100."""
    rng = np.random.default_rng(2)
    inside = [
        intervals.mean(np.where(rng.random(60) < 0.6, 70_000.0, 35_000.0)).contains(56_000)
        for _ in range(200)
    ]
    assert 0.88 <= np.mean(inside) <= 0.99


def test_few_and_equal_values() -> None:
    one = intervals.mean([5.0])
    assert one.value == 5.0
    assert math.isnan(one.low)
    same = intervals.mean([7.0] * 9)
    assert (same.low, same.value, same.high) == (7.0, 7.0, 7.0)


def test_differences_are_paired() -> None:
    """What both have in common does not widen the interval."""
    rng = np.random.default_rng(3)
    common = rng.normal(0, 1000, 500)
    apart = intervals.difference(common + rng.normal(5, 1, 500), common)
    assert apart.value == pytest.approx(5, abs=0.3)
    assert apart.high - apart.low < 0.3


def test_wilson_by_hand() -> None:
    """The closed form of Wilson (1927), at 58 of 100 and at none of 1,000."""
    z = 1.959963984540054
    for k, n in ((58, 100), (0, 1000), (1000, 1000)):
        p = k / n
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        estimate = intervals.share(k, n)
        assert estimate.value == p
        assert estimate.low == pytest.approx(centre - half, abs=1e-12)
        assert estimate.high == pytest.approx(centre + half, abs=1e-12)
