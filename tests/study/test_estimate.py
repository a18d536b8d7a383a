"""Intervals against closed forms, and how often they cover."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm
from scipy.stats import t as student

from thetafront.study import estimate as intervals


def test_a_mean_of_many_is_as_the_normal_theory_has_it() -> None:
    sample = np.random.default_rng(1).normal(100.0, 10.0, 2000)
    estimate = intervals.mean(sample)
    half = 1.96 * sample.std(ddof=1) / math.sqrt(2000)
    assert estimate.value == sample.mean()
    assert estimate.high - estimate.value == pytest.approx(half, rel=0.08)
    assert estimate.value - estimate.low == pytest.approx(half, rel=0.08)


def test_intervals_of_bimodal_scores_cover_the_truth() -> None:
    """200 samples of 60 games, 35,000 with 40% and 70,000 with 60%; 88 to 99% must cover."""
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


def test_a_mean_of_few_has_students_interval() -> None:
    found = intervals.t_interval([900.0, 1000.0, 1100.0, 1400.0])
    error = math.sqrt(140_000 / 3) / 2
    half = student.ppf(0.975, 3) * error
    assert astuple(found) == pytest.approx((1100.0, 1100.0 - half, 1100.0 + half, error))
    assert intervals.mean([900.0, 1000.0, 1100.0, 1400.0]) == found
    assert astuple(intervals.t_interval([5.0])) == pytest.approx(
        (5.0, *[math.nan] * 3), nan_ok=True
    )
    assert norm.ppf(0.975) == intervals.Z95


@pytest.mark.parametrize(
    ("wins", "n"), [(0, 4), (4, 4), (1, 4), (13, 40), (0, 1), (480, 1000), (0, 1000), (58, 100)]
)
def test_a_share_has_wilsons_interval_and_jeffreys_error(wins: int, n: int) -> None:
    found = intervals.share(wins, n)
    wilson = binomtest(wins, n).proportion_ci(method="wilson")
    assert found.value == wins / n
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=1e-14)
    assert found.sem == pytest.approx(beta(wins + 0.5, n - wins + 0.5).std())
    assert 0.0 <= found.low < found.high <= 1.0


def test_a_medians_interval_is_the_binomials() -> None:
    """Of six values the least and the greatest, at 1 − 2/64; of fewer there is none."""
    six = intervals.median([5.0, 1.0, 4.0, 2.0, 6.0, 3.0])
    assert (six.low, six.value, six.high) == (1.0, 3.5, 6.0)
    assert math.isnan(intervals.median([1.0, 2.0, 3.0, 4.0, 5.0]).low)
    assert math.isnan(intervals.median([]).value)
    hundred = intervals.median(np.arange(1.0, 101.0))
    assert (hundred.low, hundred.value, hundred.high) == (40.0, 50.5, 61.0)


def test_a_medians_interval_covers_the_truth_95_times_of_100() -> None:
    rng = np.random.default_rng(6)
    inside = [intervals.median(rng.exponential(size=40)).contains(math.log(2)) for _ in range(1000)]
    assert 0.94 <= np.mean(inside) <= 0.98


DISTRIBUTIONS = {
    "wins": ([0.0, 1.0], [0.1, 0.9]),
    "rare losses": ([0.0, 1.0], [0.02, 0.98]),
    "matches": ([0.0, 0.5, 1.0], [0.3, 0.4, 0.3]),
    "good matches": ([0.0, 0.5, 1.0], [0.05, 0.35, 0.6]),
    "mostly draws": ([0.0, 0.5, 1.0], [0.0, 0.95, 0.05]),
    "nearly equal": ([0.0, 0.9], [0.02, 0.98]),
    "with outliers": ([0.0, 0.9], [0.1, 0.9]),
}


@pytest.mark.parametrize("name", [*DISTRIBUTIONS, "arcsine", "accuracies"])
@pytest.mark.parametrize("n", [4, 10, 40, 400])
def test_bounded_intervals_hold_the_mean(name: str, n: int) -> None:
    """93% of 1,000 samples or more, less three standard errors; Wilson's own dips are below."""
    rng = np.random.default_rng(n)
    if name in DISTRIBUTIONS:
        values, chances = DISTRIBUTIONS[name]
        samples, true = rng.choice(values, (1000, n), p=chances), float(np.dot(values, chances))
    elif name == "arcsine":
        samples, true = rng.beta(0.5, 0.5, (1000, n)), 0.5
    else:
        samples, true = rng.binomial(450, 0.9, (1000, n)) / 450, 0.9
    found = [intervals.bounded_mean(sample) for sample in samples]
    assert np.mean([each.contains(true) for each in found]) > (
        0.93 - 3 * (0.93 * 0.07 / 1000) ** 0.5
    )
    assert all(0.0 <= each.low <= each.value <= each.high <= 1.0 for each in found)
    widths = np.mean([each.high - each.low for each in found])
    if name == "accuracies" and n >= 10:  # not much wider than Student's
        assert widths < 2 * 2 * 2.3 * (0.9 * 0.1 / 450 / n) ** 0.5


def test_few_equal_games_have_a_wide_interval() -> None:
    """14 wins of 14 are Wilson's; equal values within the range may be those of a coin, too."""
    assert intervals.bounded_mean([1.0] * 14).low == pytest.approx(0.785, abs=0.001)
    won = intervals.bounded_mean([1.0] * 9 + [0.0])
    wilson = intervals.share(9, 10)
    assert (won.low, won.high, won.sem) == pytest.approx((wilson.low, wilson.high, wilson.sem))
    drawn = intervals.bounded_mean([0.5] * 5)
    assert drawn.low < 0.3
    assert drawn.high > 0.7
    scaled = intervals.bounded_mean([15.0] * 5, 10.0, 20.0)
    assert (scaled.low, scaled.high) == pytest.approx((10 + 10 * drawn.low, 10 + 10 * drawn.high))


def test_equal_values_without_bounds_do_not_tell_an_interval() -> None:
    assert np.isnan(intervals.t_interval([3.0] * 5).low)
    assert intervals.t_interval([3.0] * 5).value == 3.0
