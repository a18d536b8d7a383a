"""How many games a trial needs: enumerations and closed forms."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from results.papers import replicates
from results.papers.replicates import MAX_GAMES_A_TRIAL, N_RESAMPLES, Floats


def coins(p_percent: int, n: int) -> Floats:
    """Scores 0 and 4, with the given percentage of 4s."""
    ones = n * p_percent // 100
    return np.array([4.0] * ones + [0.0] * (n - ones))


def binomial(k: int, n: int, p: Fraction) -> Fraction:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def test_the_papers_example_by_fractions() -> None:
    p = Fraction(3, 5)
    frame = replicates.paper_frame().set_index(["n_games", "what"])
    by_hand = {
        (1, "expected score, points"): p * 70_000 + (1 - p) * 35_000,
        (3, "P(4096 exactly once)"): binomial(1, 3, p),
        (3, "P(4096 at most once)"): binomial(0, 3, p) + binomial(1, 3, p),
        (3, "mean score with 4096 once, points"): Fraction(70_000 + 2 * 35_000, 3),
        (9, "P(4096 at most 3 times)"): sum(binomial(k, 9, p) for k in range(4)),
        (9, "mean score with 4096 3 times, points"): Fraction(3 * 70_000 + 6 * 35_000, 9),
    }
    for key, exact in by_hand.items():
        assert frame.loc[key, "exact"] == pytest.approx(float(exact), rel=1e-12)
    variance = p * (1 - p) * 35_000**2
    for n, what in ((1, "standard deviation"), (3, "standard error"), (9, "standard error")):
        found = frame.loc[(n, f"{what}, points"), "exact"]
        assert found**2 == pytest.approx(float(variance / n))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_trials_are_distributed_as_all_draws_with_replacement(n: int) -> None:
    scores, n_resamples = [0.0, 12.0, 12.0, 40.0], 40_000
    rng = np.random.default_rng(1)
    sums = replicates.resampled_sums(np.array(scores), n_resamples, rng, 3)[:, n - 1]
    every = [sum(draw) for draw in itertools.product(scores, repeat=n)]
    assert set(sums.tolist()) == set(every)
    for value in set(every):
        p = every.count(value) / len(every)
        error = math.sqrt(p * (1 - p) / n_resamples)
        assert np.mean(sums == value) == pytest.approx(p, abs=5 * error)


def test_quantiles_and_standard_errors_of_means() -> None:
    scores = np.array([1000.0, 2000, 4000, 8000, 16000])
    rng = np.random.default_rng(0)
    sums = replicates.resampled_sums(scores, N_RESAMPLES, rng)
    estimate = replicates.estimate_deviation(scores, rng)
    frame = replicates.means_frame("A", 5, sums, estimate).set_index("n_games")
    assert list(frame.index) == list(range(1, MAX_GAMES_A_TRIAL + 1))
    means = np.sort([sum(draw) / 3 for draw in itertools.product(scores, repeat=3)])
    for name, level in replicates.QUANTILES.items():
        value = frame.loc[3, f"mean_{name}_points"]
        below, up_to = np.mean(means < value - 1e-6), np.mean(means <= value + 1e-6)
        assert below - 0.02 <= level <= up_to + 0.02
    deviation = math.sqrt(sum((each - 6200) ** 2 for each in scores) / 4)
    for n in (1, 9, 100):
        expected = deviation / math.sqrt(n)
        assert frame.loc[n, "standard_error_points"] == pytest.approx(expected)
    wanted = replicates.errors_frame("A", 5, estimate).set_index("standard_error_points")
    assert wanted.loc[250, "n_games"] == math.ceil(deviation**2 / 250**2)


@pytest.mark.parametrize(
    ("deviation", "standard_error", "n"),
    [(1000, 250, 16), (18_000, 500, 1296), (18_000.1, 500, 1297), (10, 500, 1), (0, 1, 1)],
)
def test_games_for_a_standard_error(deviation: float, standard_error: float, n: int) -> None:
    assert replicates.games_for_error(deviation, standard_error) == n


def test_a_deviations_interval_is_as_wide_as_its_theory_says() -> None:
    """Var s ≈ s²(κ − 1)/(4N); κ = 1.8 for a uniform distribution."""
    n = 600
    scores = np.arange(n) * 100.0
    estimate = replicates.estimate_deviation(scores, np.random.default_rng(2))
    deviation = scores.std(ddof=1)
    half = 1.96 * deviation * math.sqrt(0.8 / (4 * n))
    assert estimate.value == pytest.approx(deviation, rel=1e-12)
    assert estimate.low == pytest.approx(deviation - half, abs=0.2 * half)
    assert estimate.high == pytest.approx(deviation + half, abs=0.2 * half)


def exact_wrong(p_worse: float, p_better: float, n: int) -> float:
    """The probability that the better coin has fewer heads, ties counted half."""
    total = 0.0
    for i, j in itertools.product(range(n + 1), repeat=2):
        weight = 1.0 if i > j else 0.5 if i == j else 0.0
        total += weight * binom.pmf(i, n, p_worse) * binom.pmf(j, n, p_better)
    return total


def test_the_wrong_order_of_two_coins() -> None:
    worse, better = coins(50, 200), coins(65, 200)
    rng = np.random.default_rng(3)
    sums = [replicates.resampled_sums(each, 20_000, rng, 30) for each in (worse, better)]
    p = replicates.p_wrong_order(*sums)
    worlds = replicates.p_wrong_in_worlds(worse, better, rng)
    low, high = np.quantile(worlds, replicates.ENDS, axis=0)
    for n in (1, 2, 3, 9, 30):
        expected = exact_wrong(0.5, 0.65, n)
        assert p[n - 1] == pytest.approx(expected, abs=0.015)
        assert low[n - 1] < expected < high[n - 1]
    # With one game the chance is ½ − (p₂ − p₁)/2: its error is half the difference's.
    half = 1.96 * 0.5 * math.sqrt((0.5 * 0.5 + 0.65 * 0.35) / 200)
    assert high[0] - low[0] == pytest.approx(2 * half, rel=0.25)


def test_the_order_in_which_they_are_given_does_not_matter() -> None:
    one, _ = replicates.measure({"A": coins(20, 50), "B": coins(80, 50)})
    other, _ = replicates.measure({"A": coins(80, 50), "B": coins(20, 50)})
    # The draws differ; the probabilities are those of the same two coins.
    columns = [each["ranking"]["p_wrong"].to_numpy() for each in (one, other)]
    assert columns[0] == pytest.approx(columns[1], abs=0.02)
    difference = replicates.estimate_difference(coins(20, 50), coins(80, 50))
    assert difference.value == pytest.approx(2.4)


def test_ties_count_half() -> None:
    same = np.full((10, 3), 7.0)
    assert replicates.p_wrong_order(same, same).tolist() == [0.5, 0.5, 0.5]
    worse = np.array([[1.0, 1], [2, 1], [3, 1], [0, 1]])
    better = np.array([[2.0, 0], [2, 0], [2, 0], [2, 0]])
    assert replicates.p_wrong_order(worse, better).tolist() == [0.375, 1.0]


def test_the_first_n_below_a_level() -> None:
    assert replicates.first_below(np.array([0.4, 0.2, 0.1, 0.05]), 0.1) == 4
    assert math.isinf(replicates.first_below(np.array([0.4, 0.2]), 0.1))


def test_more_games_than_were_looked_at() -> None:
    """A small difference, known precisely: more than 9 games; normal approximation 135."""
    worse, better = coins(45, 20_000), coins(55, 20_000)
    p = np.array([exact_wrong(0.45, 0.55, n) for n in range(1, 10)])
    order = replicates.order_frame(worse, better, p, np.array([p, p]))
    row = order.set_index("p_wrong_below").loc[0.05]
    assert math.isinf(row["n_games"])
    assert math.isinf(row["n_games_low95"])
    expected = (1.6448536269514722 * math.sqrt(2 * 0.45 * 0.55) / 0.1) ** 2
    assert row["normal_n_games"] == pytest.approx(expected, abs=1.5)
    assert row["normal_n_games_low95"] < expected < row["normal_n_games_high95"]


def test_a_difference_that_is_not_known_gives_no_number() -> None:
    worse, better = np.array([0.0, 100, 200, 300]), np.array([10.0, 110, 190, 310])
    p = np.full(9, 0.01)
    order = replicates.order_frame(worse, better, p, np.array([p, p]))
    assert order.drop(columns="p_wrong_below").isna().all(axis=None)
