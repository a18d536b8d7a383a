"""Batch means: by hand, for games alone, and on times that drift."""

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from thetafront.study.batch_means import variances_of_log_ratios
from thetafront.study.estimate import Z95, t95

LN10 = math.log(10.0)


def test_one_sample_s_blocks_by_hand() -> None:
    """Five blocks of sums 90, 110, 100, 105, 95: s_c² = 0.00625, of four degrees of freedom."""
    counted = np.repeat([0.9, 1.1, 1.0, 1.05, 0.95], 100)
    found = variances_of_log_ratios([(counted, np.ones(500))], 50)
    of_games = 100 * (2 * 0.1**2 + 2 * 0.05**2) / 499 / 500  # if they were independent
    assert found.own == pytest.approx(of_games / LN10**2)
    widened = (t95(5) / Z95) ** 2
    assert found.shared == pytest.approx(2.0 * 0.00625 / 5 * widened / LN10**2)


def test_what_two_samples_share_by_hand() -> None:
    """Blocks of 88, 112 and 92, 108: 90 and 110 in common, and ±2 of each one's own."""
    samples = [(np.repeat(each, 50), np.ones(100)) for each in ([0.88, 1.12], [0.92, 1.08])]
    found = variances_of_log_ratios(samples, 50)
    own = 2 * 0.02**2 * 2  # P/(P − 1) = 2
    shared = (
        (2 * 0.12**2 + 2 * 0.08**2) / 2 + 3 * 0.03**2
    ) / 4  # one degree of freedom, filled up to four
    assert found.own == pytest.approx(np.array([own, own]) * 2 / 2 / LN10**2)
    assert found.shared == pytest.approx(2 * shared / 2 * (t95(5) / Z95) ** 2 / LN10**2)
    assert found.total == pytest.approx(found.own + found.shared)


def test_single_games_are_the_blocks_of_a_count() -> None:
    """Of a ratio of sums: residuals 2 − 1.5·1 and 4 − 1.5·3, by hand."""
    found = variances_of_log_ratios([(np.array([2.0, 4.0]), np.array([1.0, 3.0]))], 1, drifts=False)
    assert found.own == pytest.approx((0.5**2 + 0.5**2) * (2 / 6) ** 2 / 2 / LN10**2)
    assert found.shared == 0.0


def test_samples_are_shrunk_towards_one_another() -> None:
    """κ = 10: counts of s² = 0.02 and of 0, with one degree of freedom each."""
    uneven, even = np.array([0.9, 1.1]), np.ones(2)
    found = variances_of_log_ratios([(uneven, even), (even, even)], 1, drifts=False)
    expected = [(0.02 + 10 * 0.01) / 11, 10 * 0.01 / 11]
    assert found.own == pytest.approx(np.array(expected) / 2 / LN10**2)


def test_other_counts_do_not_blur_a_mean_of_many_games() -> None:
    """Games of one θ differ by 1%, of the other by 50%; each has 30 games or more."""
    even, quiet, wild = np.ones(40), np.tile([0.99, 1.01], 20), np.tile([0.5, 1.5], 20)
    samples = [(quiet, even), (wild, even)]
    found = variances_of_log_ratios(samples, 1, drifts=False).own
    own = np.array([0.01**2, 0.5**2]) * 40 / 39 / 40 / LN10**2
    assert found == pytest.approx(own)
    equal = variances_of_log_ratios([(0.1 * even, even), *samples], 1, drifts=False).own
    assert equal[0] > found[0], "equal games do not tell their variance"


@pytest.mark.parametrize("n_picks", [1, 3])
def test_games_in_one_stretch_do_not_show_what_others_share(n_picks: int) -> None:
    """Twelve points of 40 games take turns, then picks play 400 games each; speeds drift by 5%."""
    rng, truth = np.random.default_rng(1), 0.5 * (0.2**2 + 0.05**2) / LN10
    n_turns, memory = 12 * 40, math.exp(-1 / 200)
    points, picks, differences = [], [], []
    for _ in range(200):
        n = n_turns + 400 * n_picks
        shocks = np.append(1.0, np.full(n - 1, math.sqrt(1 - memory**2))) * rng.standard_normal(n)
        drift = 0.05 * lfilter([1.0], [1.0, -memory], shocks)
        times = np.exp(drift + 0.2 * rng.standard_normal(n))
        games = [*times[:n_turns].reshape(40, 12).T, *times[n_turns:].reshape(n_picks, 400)]
        found = variances_of_log_ratios([(each, np.ones(len(each))) for each in games], 50)
        errors = np.array([math.log10(each.mean()) for each in games]) - truth
        inside = np.abs(errors) <= Z95 * np.sqrt(found.total)
        points += inside[:12].tolist()
        picks += inside[12:].tolist()
        own = np.sqrt(found.own[0] + found.own[-1])
        differences.append(abs(errors[-1] - errors[0]) <= Z95 * own)
    assert np.mean(points) >= 0.95
    assert np.mean(picks) >= 0.95
    assert np.mean(differences) >= (0.9 if n_picks > 1 else 0.8)


def test_a_sample_of_fewer_blocks_has_more_of_its_own() -> None:
    """It was timed in a part of the time: 2s_c² (1/1 − 1/5) more than s² pooled."""
    counted = np.repeat([0.9, 1.1, 1.0, 1.05, 0.95], 50)
    samples = [(each, np.ones(len(each))) for each in (counted, counted, np.ones(60))]
    found = variances_of_log_ratios(samples, 50)
    of_games = 50 * (2 * 0.1**2 + 2 * 0.05**2) / 249 / 250
    expected = np.array([of_games, of_games, 2 * 0.00625 * 0.8])
    assert found.own == pytest.approx(expected / LN10**2)


def test_without_two_blocks_deviations_of_3_percent_are_shared() -> None:
    few, none = np.repeat([0.9, 1.1], 20), np.empty(0)
    found = variances_of_log_ratios([(few, np.ones(40)), (none, none)], 50)
    v = 40 * 0.1**2 / 39
    np.testing.assert_allclose(found.own, [v / 40 / LN10**2, np.nan])
    assert found.shared == pytest.approx(2 * 0.03**2 * (t95(5) / Z95) ** 2 / LN10**2)
    ones = [(np.ones(1), np.ones(1))] * 3
    assert np.isnan(variances_of_log_ratios(ones, 50).own).all(), "v unknown"
    nothing = variances_of_log_ratios([(none, none)], 50)
    assert np.isnan(nothing.own).all()


def test_games_that_differ_have_errors_of_their_own() -> None:
    """As if they were independent, beside blocks that are all equal."""
    many, two = (np.ones(100), np.ones(100)), (np.array([4.0, 6.0]), np.ones(2))
    found = variances_of_log_ratios([many, many, two], 50)
    pooled = 2 * 0.2**2 / (99 + 99 + 1)
    expected = [*[10 * pooled / (99 + 10) / 100] * 2, (2 * 0.2**2 + 10 * pooled) / (1 + 10) / 2]
    assert found.own == pytest.approx(np.array(expected) / LN10**2)


def test_noisy_games_of_one_sample_widen_its_interval_and_hardly_those_of_others() -> None:
    rng, inside = np.random.default_rng(2), []
    for _ in range(200):
        times = np.exp(0.05 * rng.standard_normal((12, 40)))
        times[0] = np.exp(rng.standard_normal(40) - 0.5)
        found = variances_of_log_ratios([(each, np.ones(40)) for each in times], 20)
        quiet = variances_of_log_ratios([(each, np.ones(40)) for each in times[1:]], 20)
        assert found.shared < 2.0 * quiet.shared
        inside.append(abs(math.log10(times[0].mean())) <= Z95 * math.sqrt(found.total[0]))
    assert np.mean(inside) > 0.85, "0.6 by blocks alone"


def test_games_of_the_same_work_share_no_time() -> None:
    """Solutions were timed whenever each was asked for."""
    samples = [(np.array([0.9, 1.1]), np.ones(2)), (np.array([1.05, 0.95]), np.ones(2))]
    found = variances_of_log_ratios(samples, 1)
    assert found.shared == 0.0
    assert (found.own > 0.0).all()


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
        ).total
        truth = 0.5 * (spread**2 + 0.05**2) / LN10  # log₁₀ of the mean time
        errors = np.array([math.log10(each.mean()) for each in samples]) - truth
        inside += (np.abs(errors) <= 1.96 * np.sqrt(variances)).tolist()
    assert 0.9 <= np.mean(inside) <= 0.999


def test_games_alone_understate_what_drifts() -> None:
    """Times that forget half in 35 games: 200 means and their intervals."""
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
        by_blocks.append(variances_of_log_ratios(sample, 50).total[0])
        by_games.append(variances_of_log_ratios(sample, 1, drifts=False).total[0])
    truth = float(np.std(means, ddof=1))
    errors = np.abs(np.array(means) - np.mean(means))
    assert 0.93 <= np.mean(errors <= Z95 * np.sqrt(by_blocks)) <= 0.995
    assert math.sqrt(np.mean(by_games)) < 0.3 * truth
