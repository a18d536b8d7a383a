"""The probability of the wrong order, by enumeration and by the normal approximation."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from tests.study.reproduce.sample_size.samples import coins, sample
from thetafront.study.reproduce.sample_size.means import resampled_sums
from thetafront.study.reproduce.sample_size.order import (
    correlation_of,
    first_below,
    normal_games,
    p_wrong_order,
    rank,
)


def exact_wrong(p_worse: float, p_better: float, n: int) -> float:
    """The probability that the better coin has fewer heads, ties counted half."""
    total = 0.0
    for i, j in itertools.product(range(n + 1), repeat=2):
        weight = 1.0 if i > j else 0.5 if i == j else 0.0
        total += weight * binom.pmf(i, n, p_worse) * binom.pmf(j, n, p_better)
    return total


def test_the_wrong_order_of_two_coins() -> None:
    worse, better = coins(50, 200, "A"), coins(65, 200, "B")
    rng = np.random.default_rng(3)
    sums = [resampled_sums(each.scores, 20_000, rng, 30) for each in (worse, better)]
    ranking = rank(worse, better, sums, rng)
    assert (ranking.worse.name, ranking.better.name) == ("A", "B")
    probabilities = ranking.probabilities.set_index("n_games")
    for n in (1, 2, 3, 9, 30):
        expected = exact_wrong(0.5, 0.65, n)
        assert probabilities.loc[n, "p_wrong"] == pytest.approx(expected, abs=0.015)
        assert (
            probabilities.loc[n, "p_wrong_low95"]
            < expected
            < probabilities.loc[n, "p_wrong_high95"]
        )
    # With one game the chance is ½ − (p₂ − p₁)/2: its error is half the difference's.
    half = 1.96 * 0.5 * math.sqrt((0.5 * 0.5 + 0.65 * 0.35) / 200)
    width = probabilities.loc[1, "p_wrong_high95"] - probabilities.loc[1, "p_wrong_low95"]
    assert width == pytest.approx(2 * half, rel=0.25)
    smallest = next(n for n in range(1, 100) if exact_wrong(0.5, 0.65, n) < 0.1)
    row = ranking.levels.set_index("p_wrong_below").loc[0.1]
    assert row["n_games_low95"] <= smallest
    assert abs(row["n_games"] - smallest) <= 1.0 if smallest <= 30 else math.isinf(row["n_games"])


def test_the_order_in_which_they_are_given_does_not_matter() -> None:
    worse, better = coins(20, 50, "A"), coins(80, 50, "B")
    rng = np.random.default_rng(4)
    sums = [resampled_sums(each.scores, 2_000, rng, 5) for each in (worse, better)]
    one = rank(worse, better, sums, np.random.default_rng(5))
    other = rank(better, worse, sums[::-1], np.random.default_rng(5))
    assert one.probabilities.equals(other.probabilities)
    assert one.levels.equals(other.levels)
    assert one.difference == other.difference
    assert one.difference.value == pytest.approx(2.4)


def test_ties_count_half() -> None:
    same = np.full((10, 3), 7)
    assert p_wrong_order(same, same).tolist() == [0.5, 0.5, 0.5]
    worse = np.array([[1, 1], [2, 1], [3, 1], [0, 1]])
    better = np.array([[2, 0], [2, 0], [2, 0], [2, 0]])
    assert p_wrong_order(worse, better).tolist() == [0.375, 1.0]


def test_the_first_n_below_a_level() -> None:
    assert first_below(np.array([0.4, 0.2, 0.1, 0.05]), 0.1) == 4
    assert math.isinf(first_below(np.array([0.4, 0.2]), 0.1))


def test_the_normal_approximation() -> None:
    """Deviations 3 and 4 make 5 together: n = (1.2815516·5/δ)²."""
    first, second = sample([-3, 0, 3]), sample([-4, 0, 4])
    assert normal_games(first, second, 1.0, 0.1) == math.ceil((1.2815515655446004 * 5) ** 2)
    assert normal_games(first, second, 0.1, 0.05) == math.ceil((1.6448536269514722 * 50) ** 2)
    assert math.isinf(normal_games(first, second, -0.1, 0.1))


def test_a_difference_that_is_not_known_gives_no_number() -> None:
    rng = np.random.default_rng(6)
    first, second = sample([0, 100, 200, 300]), sample([10, 110, 190, 310], "B")
    sums = [resampled_sums(each.scores, 500, rng, 4) for each in (first, second)]
    ranking = rank(first, second, sums, rng)
    assert not ranking.known
    assert ranking.levels.drop(columns="p_wrong_below").isna().all(axis=None)


def test_more_games_than_were_looked_at() -> None:
    """A small difference, known precisely: more than 9 games; normal approximation 41."""
    first, second = coins(45, 20_000, "A"), coins(55, 20_000, "B")
    rng = np.random.default_rng(7)
    sums = [resampled_sums(each.scores, 2_000, rng, 9) for each in (first, second)]
    row = rank(first, second, sums, rng).levels.set_index("p_wrong_below").loc[0.05]
    assert math.isinf(row["n_games"])
    assert math.isinf(row["n_games_low95"])
    z, variance = 1.6448536269514722, 2 * 0.45 * 0.55
    expected = (z * math.sqrt(variance) / 0.1) ** 2
    assert row["normal_n_games"] == pytest.approx(expected, abs=1.5)
    assert row["normal_n_games_low95"] < expected < row["normal_n_games_high95"]


def test_scores_of_common_seeds_are_correlated() -> None:
    first = sample([1, 2, 3, 4, 5, 6])
    r, n = correlation_of(first, sample([2, 1, 4, 3, 6, 5, 9], "B"))
    assert (r.value, n) == (pytest.approx(29 / 35), 6)
    # Fisher: artanh r ± 1.96/√3
    assert r.low == pytest.approx(math.tanh(math.atanh(29 / 35) - 1.959964 / math.sqrt(3)))
    assert r.high == pytest.approx(math.tanh(math.atanh(29 / 35) + 1.959964 / math.sqrt(3)))
    r, n = correlation_of(first, sample([1, 2, 3], "B", first_seed=4))
    assert n == 2
    assert math.isnan(r.value)
