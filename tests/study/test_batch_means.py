"""Batch means: by hand, for games alone, and on times that drift."""

import math

import numpy as np
import pytest

from study.batch_means import variances_of_log_ratios

LN10 = math.log(10.0)


def test_blocks_by_hand() -> None:
    """Five blocks of sums 90, 110, 100, 105, 95: s² = 0.00625, and 2s²/5 is the variance."""
    counted = np.repeat([0.9, 1.1, 1.0, 1.05, 0.95], 100)
    (variance,) = variances_of_log_ratios([(counted, np.ones(500))], 50)
    assert variance == pytest.approx(2.0 * 0.00625 / 5 / LN10**2)


def test_single_games_are_the_blocks_of_a_count() -> None:
    """Of a ratio of sums: residuals 2 − 1.5·1 and 4 − 1.5·3, by hand."""
    (variance,) = variances_of_log_ratios(
        [(np.array([2.0, 4.0]), np.array([1.0, 3.0]))], 1, drifts=False
    )
    assert variance == pytest.approx((0.5**2 + 0.5**2) * (2 / 6) ** 2 / 2 / LN10**2)


def test_samples_are_shrunk_towards_one_another() -> None:
    """κ = 10: one of s² = 0.02 and one of 0, each with one degree of freedom, and two of 5%."""
    uneven, even = np.repeat([0.9, 1.1], 50), np.ones(100)
    found = variances_of_log_ratios([(uneven, even), (even, even)], 50)
    pooled = (0.02 + 2 * 0.05**2) / 4
    expected = [(0.02 + 10 * pooled) / 11, 10 * pooled / 11]
    assert found == pytest.approx(np.array(expected) * 2 / 2 / LN10**2)


def test_without_two_blocks_deviations_of_5_percent_are_assumed() -> None:
    few, none = np.ones(99), np.empty(0)
    found = variances_of_log_ratios([(few, few), (none, none)], 50)
    np.testing.assert_allclose(found, [2 * 0.05**2 / np.log(10.0) ** 2, np.nan])
    assert np.isnan(variances_of_log_ratios([(np.ones(1), np.ones(1))] * 3, 50)).all(), "v unknown"
    found = variances_of_log_ratios([(few, few), (np.ones(100), np.ones(100)), (none, none)], 50)
    pooled = 3 * 0.05**2 / 4  # two blocks that agree, and three deviations of 5%
    shrunk = [pooled, 10 * pooled / 11]
    np.testing.assert_allclose(found[:2], 2 * np.array(shrunk) / [1, 2] / np.log(10.0) ** 2)
    assert math.isnan(found[2])


def test_a_few_games_differ_more_than_a_block() -> None:
    """By v·(1/n − 1/20): v = 0.08 of two games, 0.8 and 1.2 of the mean."""
    two, one = (np.array([4.0, 6.0]), np.ones(2)), (np.array([9.0]), np.ones(1))
    found = variances_of_log_ratios([two, one], 50)
    v = 2 * 0.2**2
    expected = [2 * 0.05**2 + v * (1 / n - 1 / 20) for n in (2, 1)]
    np.testing.assert_allclose(found, np.array(expected) / LN10**2)


@pytest.mark.parametrize("are_alike", [False, True])
def test_intervals_of_a_few_games_cover_on_a_machine_that_drifts(are_alike: bool) -> None:
    """Speeds differ by 5% between blocks; 12 points of one to three games, in 400 studies."""
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(400):
        n_games, spread = rng.integers(1, 4, 12), 0.0 if are_alike else 0.3
        # Games of one θ that do the same work are of several blocks, a trial's and later ones.
        samples = [
            np.exp(
                spread * rng.standard_normal(n) + 0.05 * rng.standard_normal(n if are_alike else 1)
            )
            for n in n_games
        ]
        variances = variances_of_log_ratios(
            [(each, np.ones(len(each))) for each in samples], 1 if are_alike else 50
        )
        truth = 0.5 * (spread**2 + 0.05**2) / LN10  # log₁₀ of the mean time
        errors = np.array([math.log10(each.mean()) for each in samples]) - truth
        inside += (np.abs(errors) <= 1.96 * np.sqrt(variances)).tolist()
    assert 0.9 <= np.mean(inside) <= 0.999


def test_games_alone_understate_what_drifts() -> None:
    """Times that forget half in 35 games: the errors of 200 means, within a factor of 1.5."""
    rng = np.random.default_rng(0)
    memory = 0.5 ** (1 / 35)
    means, by_blocks, by_games = [], [], []
    for _ in range(200):
        drift, shocks = np.empty(1000), rng.standard_normal(1000) * math.sqrt(1 - memory**2)
        drift[0] = rng.standard_normal()
        for k in range(1, 1000):
            drift[k] = memory * drift[k - 1] + shocks[k]
        times = np.exp(0.05 * drift)
        means.append(math.log10(times.mean()))
        sample = [(times, np.ones(1000))]
        by_blocks.append(variances_of_log_ratios(sample, 50)[0])
        by_games.append(variances_of_log_ratios(sample, 1, drifts=False)[0])
    truth = float(np.std(means, ddof=1))
    assert truth / 1.5 < math.sqrt(np.mean(by_blocks)) < truth * 1.5
    assert math.sqrt(np.mean(by_games)) < 0.3 * truth
