"""Resampled means and standard errors, against enumerations and closed forms."""

import itertools
import math

import numpy as np
import pytest

from tests.study.reproduce.sample_size.samples import sample
from thetafront.study.errors import InputError
from thetafront.study.reproduce.sample_size.means import (
    MOST_GAMES_A_TRIAL,
    check_errors,
    deviation_of,
    games_for_error,
    resampled_sums,
)
from thetafront.study.reproduce.sample_size.measured import measure


@pytest.mark.parametrize("n", [1, 2, 3])
def test_trials_are_distributed_as_all_draws_with_replacement(n: int) -> None:
    scores = [0, 12, 12, 40]
    n_resamples = 40_000
    sums = resampled_sums(np.array(scores), n_resamples, np.random.default_rng(1), 3)[:, n - 1]
    every = [sum(draw) for draw in itertools.product(scores, repeat=n)]
    assert set(sums.tolist()) == set(every)
    for value in set(every):
        p = every.count(value) / len(every)
        error = math.sqrt(p * (1 - p) / n_resamples)
        assert np.mean(sums == value) == pytest.approx(p, abs=5 * error)


def test_quantiles_and_standard_errors_of_means() -> None:
    scores = [1000, 2000, 4000, 8000, 16000]
    measured = measure([sample(scores)])
    assert measured.ranking is None
    frame = measured.means.set_index("n_games")
    assert list(frame.index) == list(range(1, MOST_GAMES_A_TRIAL + 1))
    means = np.sort([sum(draw) / 3 for draw in itertools.product(scores, repeat=3)])
    for column, level in (
        ("mean_low95_points", 0.025),
        ("mean_low50_points", 0.25),
        ("mean_median_points", 0.5),
        ("mean_high50_points", 0.75),
        ("mean_high95_points", 0.975),
    ):
        value = frame.loc[3, column]
        below, up_to = np.mean(means < value - 1e-6), np.mean(means <= value + 1e-6)
        assert below - 0.02 <= level <= up_to + 0.02
    deviation = math.sqrt(sum((each - 6200) ** 2 for each in scores) / 4)
    for n in (1, 9, 100):
        error = frame.loc[n, "standard_error_points"]
        assert error == pytest.approx(deviation / math.sqrt(n))
        assert frame.loc[n, "standard_error_low95_points"] < error
    n_wanted = measured.errors.set_index("standard_error_points")["n_games"]
    assert n_wanted[250] == math.ceil(deviation**2 / 250**2)


@pytest.mark.parametrize(
    ("deviation", "standard_error", "n"),
    [(1000, 250, 16), (18_000, 500, 1296), (18_000.1, 500, 1297), (10, 500, 1), (0, 1, 1)],
)
def test_games_for_a_standard_error(deviation: float, standard_error: float, n: int) -> None:
    assert games_for_error(deviation, standard_error) == n


def test_a_deviations_interval_is_as_wide_as_its_theory_says() -> None:
    """Var s ≈ s²(κ − 1)/(4N); κ = 1.8 for a uniform distribution."""
    n = 600
    scores = np.arange(n) * 100
    estimate = deviation_of(scores, np.random.default_rng(2))
    deviation = scores.std(ddof=1)
    assert estimate.value == pytest.approx(deviation, rel=1e-12)
    half = 1.96 * deviation * math.sqrt(0.8 / (4 * n))
    assert estimate.low == pytest.approx(deviation - half, abs=0.2 * half)
    assert estimate.high == pytest.approx(deviation + half, abs=0.2 * half)


@pytest.mark.parametrize("error", [0.0, -1.0, math.nan, math.inf])
def test_standard_errors_that_no_number_gives_are_refused(error: float) -> None:
    with pytest.raises(
        InputError, match=r"standard error: .* given, a finite number of 0\.01 or more"
    ):
        check_errors([error])
