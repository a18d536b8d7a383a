"""Goals against closed forms and simulated truth."""

import math
from collections.abc import Callable
from dataclasses import astuple, replace

import numpy as np
import pytest

from tests.study.conftest import Coin, Solver
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, SCORE, WIN_RATE, Goal, mean
from thetafront.study.shrinkage import Moments


def results(wins: int, n: int) -> np.ndarray:
    return np.array([1.0] * wins + [0.0] * (n - wins))


def test_samples_are_what_a_goal_counts() -> None:
    games = [Coin(20).play(seed) for seed in range(6)]
    assert WIN_RATE.samples(games).tolist() == [float(game.won) for game in games]
    assert SCORE.samples(games).tolist() == [500.5 if game.won else -500.0 for game in games]
    assert 0.0 < WIN_RATE.estimate(games).value == WIN_RATE.samples(games).mean() < 1.0


def rate_variances(samples: list[np.ndarray]) -> np.ndarray:
    return WIN_RATE.estimator.variances([Moments.from_sample(sample) for sample in samples])


@pytest.mark.parametrize("goal", [SCORE, WIN_RATE, EXACT_SCORE])
def test_of_no_games_nothing_is_known(goal: Goal) -> None:
    assert np.isnan(astuple(goal.estimate([]))).all()
    moments = [Moments.from_sample(np.empty(0)), Moments.from_sample(np.ones(3))]
    assert np.isnan(goal.estimator.variances(moments)).tolist() == [True, False]
    assert list(goal.summary([])) == list(goal.summary([Coin(20).play(0)]))
    assert np.isnan(list(goal.summary([]).values())).all()


def test_variances_of_rates_by_hand() -> None:
    """Half a win and half a loss are added."""
    rates = [(wins + 0.5) / 5 for wins in (4, 1)]
    expected = [rate * (1.0 - rate) / 4 for rate in rates]
    found = rate_variances([results(4, 4), results(1, 4)])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for wins in (0, 4):  # of four: the naive variance is 0
        assert (rate_variances([results(wins, 4)] * 10) > 0.02).all()


def test_variances_of_rates_are_those_of_simulated_trials() -> None:
    """200 trials of ten games, rates from Beta(2, 3): on average, to a tenth."""
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(40):
        rates = rng.beta(2.0, 3.0, 200)
        wins = rng.binomial(10, rates)
        said = rate_variances([results(int(k), 10) for k in wins])
        ratios.append(np.mean((wins / 10 - rates) ** 2) / np.mean(said))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.1)


def test_an_exact_score_is_known_from_one_game() -> None:
    game = Solver(7).play(3)
    found = EXACT_SCORE.estimate([game])
    assert found == Estimate(game.score, game.score, game.score, 0.0)
    assert EXACT_SCORE.estimator.variances(
        [Moments.from_sample(EXACT_SCORE.samples([game]))]
    ).tolist() == [0.0]
    assert EXACT_SCORE.is_exact
    assert not any(goal.is_exact for goal in (SCORE, WIN_RATE))


def test_values_are_written_with_their_unit() -> None:
    assert SCORE.format.with_unit(12_345.6) == "12,346 points"
    assert SCORE.format.interval_with_unit(1000.0, 900.0, 1100.0) == "1,000 ± 100 points"
    assert SCORE.format.interval(777.0, math.nan, math.nan) == "777 ± ?"
    assert WIN_RATE.format.with_unit(0.4567) == "45.7%"
    assert WIN_RATE.size_text(-0.426) == "42.6 percentage points"
    assert SCORE.size_text(-1881.0) == "1,881 points"
    assert WIN_RATE.format.interval_with_unit(0.5, 0.41, 0.59) == "50.0% (41.0% to 59.0%)"
    assert (
        EXACT_SCORE.format.interval_with_unit(13.348271, 13.348271, 13.348271) == "13.34827 points"
    )
    assert EXACT_SCORE.format.interval(13.0, 12.5, 13.5) == "13.00000 ± 0.50000"


def test_columns_end_in_the_unit() -> None:
    assert [SCORE.column("mean"), SCORE.posterior_column("mean")] == [
        "score_mean_points",
        "posterior_mean_points",
    ]
    assert [WIN_RATE.column("low95"), WIN_RATE.posterior_column("sd")] == [
        "win_rate_low95",
        "posterior_sd",
    ]
    assert (SCORE.bound, WIN_RATE.bound) == ("min_score", "min_win_rate")


def test_a_goal_that_is_minimized_is_reached_from_above() -> None:
    """Of both signs; an exact one also if it is written the same."""
    loss = replace(WIN_RATE, name="loss", direction="minimize")
    assert (WIN_RATE.sign, loss.sign) == (1.0, -1.0)
    assert [loss.reaches(value, -0.5) for value in (-0.6, -0.5, -0.4)] == [True, True, False]
    assert [WIN_RATE.reaches(value, -0.5) for value in (-0.6, -0.5, -0.4)] == [False, True, True]
    exact = replace(EXACT_SCORE, direction="minimize")
    assert exact.reaches(13.348274, 13.34827)
    assert not exact.reaches(13.348276, 13.34827)
    assert SCORE.reaches(5000.0, 5000.0)
    assert not SCORE.reaches(4999.9, 5000.0), "which is shown as 5,000, and is a noisy mean"


def skewed(rng: np.random.Generator, mean: float, n: int, deviation: float) -> np.ndarray:
    return mean * rng.gamma(deviation**-2, deviation**2, n)


def accuracy(rng: np.random.Generator, mean: float, n: int, deviation: float) -> np.ndarray:
    return rng.beta(*(np.array([mean, 1.0 - mean]) * (0.25 / deviation**2)), n)


@pytest.mark.parametrize("n", [2, 3, 5, 10, 30, 100])
@pytest.mark.parametrize(
    ("goal", "draw", "low", "high"),
    [(SCORE, skewed, 8e3, 8e4), (mean("accuracy", low=0, high=1), accuracy, 0.3, 0.9)],
)
def test_intervals_of_few_games_cover_and_none_is_narrow_by_luck(
    goal: Goal, draw: Callable[..., np.ndarray], low: float, high: float, n: int
) -> None:
    """Scores like those of 2048: skewed, with deviations of 30% to 60% that differ between θ."""
    rng = np.random.default_rng(n)
    holds, widths = [], []
    for _ in range(60):
        means = rng.uniform(low, high, 72)
        deviations = rng.uniform(0.3, 0.6, 72)
        sizes = [4] * 60 + [n] * 12
        drawn = [draw(rng, *each) for each in zip(means, sizes, deviations, strict=True)]
        prior = goal.estimator.prior([*map(Moments.from_sample, drawn)])
        for truth, sample in zip(means[60:].tolist(), drawn[60:], strict=True):
            found = goal.estimator.estimate(sample, prior)
            holds.append(found.contains(truth))
            widths.append((found.high - found.low) / truth)
    assert 0.93 <= np.mean(holds) <= 0.99
    assert n > 5 or min(widths) > 0.2 * np.median(widths), "games that agree are no certainty"
