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
    (variance,) = variances_of_log_ratios([(np.array([2.0, 4.0]), np.array([1.0, 3.0]))], 1)
    assert variance == pytest.approx((0.5**2 + 0.5**2) * (2 / 6) ** 2 / 2 / LN10**2)


def test_samples_are_shrunk_towards_one_another() -> None:
    """κ = 10: one of s² = 0.02 and one of 0, each with one degree of freedom, and two of 5%."""
    uneven, even = np.repeat([0.9, 1.1], 50), np.ones(100)
    found = variances_of_log_ratios([(uneven, even), (even, even)], 50)
    pooled = (0.02 + 2 * 0.05**2) / 4
    expected = [(0.02 + 10 * pooled) / 11, 10 * pooled / 11]
    assert found == pytest.approx(np.array(expected) * 2 / 2 / LN10**2)


def test_without_two_blocks_nothing_is_known() -> None:
    few, none = np.ones(99), np.empty(0)
    assert np.isnan(variances_of_log_ratios([(few, few), (none, none)], 50)).all()
    found = variances_of_log_ratios([(few, few), (np.ones(100), np.ones(100)), (none, none)], 50)
    pooled = 3 * 0.05**2 / 4  # two blocks that agree, and three deviations of 5%
    shrunk = [pooled, 10 * pooled / 11]
    np.testing.assert_allclose(found[:2], 2 * np.array(shrunk) / [1, 2] / np.log(10.0) ** 2)
    assert math.isnan(found[2])


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
        by_games.append(variances_of_log_ratios(sample, 1)[0])
    truth = float(np.std(means, ddof=1))
    assert truth / 1.5 < math.sqrt(np.mean(by_blocks)) < truth * 1.5
    assert math.sqrt(np.mean(by_games)) < 0.3 * truth
