"""Means of many games are weighed by variances that do not follow the luck of these games."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.study.conftest import QUICK
from tests.study.made_studies import record_of
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.arrays import Floats
from thetafront.study.batch_means import game_errors
from thetafront.study.experiments.objectives.goals import SCORE, mean
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH
from thetafront.study.model.study_model import fit_study
from thetafront.study.model.weights import (
    MIN_VARYING,
    count_variances_by_model,
    variances_by_model,
    variances_of_games,
)
from thetafront.study.scale import Scale

N_TRIALS, N_GAMES = 200, 40


def weighed(samples: list[Floats], variances: Floats) -> float:
    """The mean of all samples, weighed by their variances."""
    return float(np.average([each.mean() for each in samples], weights=1.0 / variances))


def test_skewed_games_are_not_counted_by_their_luck() -> None:
    """Exponential games of equal mean: s² follows the mean by chance, and biases the average."""
    rng = np.random.default_rng(1)
    samples = list(rng.exponential(100.0, (N_TRIALS, N_GAMES)))
    error = 100.0 / np.sqrt(N_TRIALS * N_GAMES)
    found = variances_of_games(samples, np.full(N_TRIALS, 100.0))
    assert found is not None
    assert abs(weighed(samples, found) - 100.0) < 2.0 * error
    assert weighed(samples, np.var(samples, axis=1, ddof=1)) < 100.0 - 4.0 * error
    np.testing.assert_allclose(found, 1e4, rtol=0.25)


def test_they_grow_with_the_mean() -> None:
    rng = np.random.default_rng(2)
    means = np.geomspace(10.0, 1000.0, N_TRIALS)
    samples = [rng.exponential(each, N_GAMES) for each in means]
    found = variances_of_games(samples, np.log(means))
    assert found is not None
    assert np.abs(np.log(found / means**2)).mean() < 0.2
    own = np.log([each.var(ddof=1) for each in samples]) - 2.0 * np.log(means)
    assert np.abs(own).mean() > 0.3


def test_what_differs_for_other_reasons_is_kept() -> None:
    """Normal games whose deviations differ by a factor of 1000, whatever their mean."""
    rng = np.random.default_rng(3)
    deviations = 10.0 ** rng.uniform(-3.0, 0.0, N_TRIALS)
    means = rng.uniform(0.0, 1.0, N_TRIALS)
    samples = [rng.normal(m, s, N_GAMES) for m, s in zip(means, deviations, strict=True)]
    found = variances_of_games(samples, means)
    assert found is not None
    np.testing.assert_allclose(found, [each.var(ddof=1) for each in samples], rtol=0.3)


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.95])
def test_an_outlier_changes_only_its_own_sample(share_of_zeros: float) -> None:
    rng = np.random.default_rng(6)
    is_zero = rng.random((N_TRIALS, N_GAMES)) < share_of_zeros
    samples = list(np.where(is_zero, 0.0, rng.normal(50.0, 10.0, (N_TRIALS, N_GAMES))))
    if share_of_zeros:  # the outlier's half is then the only one that varies
        samples[7][:] = 0.0
    before = variances_of_games(samples, np.full(N_TRIALS, 50.0))
    samples[7][3] = 1e6
    found = variances_of_games(samples, np.full(N_TRIALS, 50.0))
    assert before is not None
    assert found is not None
    assert found[7] == pytest.approx(np.var(samples[7], ddof=1))
    np.testing.assert_allclose(np.delete(found, 7), np.delete(before, 7), rtol=0.1)


def test_the_unlucky_are_no_outliers() -> None:
    """Of games with rare jackpots, those of some θ have none, and nearly no variance."""
    rng = np.random.default_rng(7)
    is_jackpot = rng.random((N_TRIALS, N_GAMES)) < 0.05
    samples = list(np.where(is_jackpot, 20.0, 0.0) + 0.001 * rng.standard_normal(is_jackpot.shape))
    found = variances_of_games(samples, np.ones(N_TRIALS))
    assert found is not None
    unlucky = [not any(each) for each in is_jackpot]
    assert sum(unlucky) > 10
    assert np.median(found[unlucky]) > 1.0  # of 19; s² is 1e-6


def test_rare_games_of_two_samples_belong_to_all() -> None:
    rng = np.random.default_rng(8)
    samples = list(rng.normal(50.0, 1.0, (N_TRIALS, N_GAMES)))
    samples[7][3] = samples[9][4] = 1e4
    found = variances_of_games(samples, np.full(N_TRIALS, 50.0))
    assert found is not None
    pooled = np.mean([each.var(ddof=1) for each in samples])
    np.testing.assert_allclose(found, pooled, rtol=0.5)


def test_counts_are_not_weighed_by_their_luck() -> None:
    rng = np.random.default_rng(9)
    counts = rng.lognormal(0.0, 1.5, (12, 200))
    samples = [*counts, counts[0, :29]]
    errors = game_errors([(each, np.ones(len(each))) for each in samples])
    own = np.array([np.sum(each**2) / (len(each) - 1.0) / len(each) for each in errors])
    own /= np.log(10.0) ** 2
    found = count_variances_by_model(errors, np.linspace(0.0, 1.0, 13), own)
    assert found is not None
    assert np.ptp(np.log(found[:12])) < 0.5 * np.ptp(np.log(own[:12]))
    assert found[:12].mean() == pytest.approx(own[:12].mean(), rel=0.2)
    assert found[12] == own[12], "29 games"
    shrunk = count_variances_by_model(errors[:7], np.linspace(0.0, 1.0, 7), own[:7])
    assert shrunk is not None
    assert shrunk == pytest.approx((199 * own[:7] + 10 * np.exp(np.log(own[:7]).mean())) / 209)
    assert count_variances_by_model(errors[:1], np.zeros(1), own[:1]) is None
    equal = count_variances_by_model([0.0 * errors[0], *errors[1:3]], np.zeros(3), own[:3])
    assert equal is not None
    assert equal[0] == own[0]


@pytest.mark.parametrize("deviation", [0.0, 1e-14])
def test_samples_that_hardly_vary_tell_nothing(deviation: float) -> None:
    rng = np.random.default_rng(4)
    samples = list(1.0 + deviation * rng.standard_normal((MIN_VARYING, N_GAMES)))
    assert variances_of_games(samples, np.ones(MIN_VARYING)) is None


@pytest.mark.parametrize("predicted", [1.5, 0.05])
def test_a_wrong_prediction_near_a_bound_does_not_change_a_variance(predicted: float) -> None:
    """One of 40 θ has a mean of 1.5, whatever is predicted; the others are as predicted."""
    rng = np.random.default_rng(6)
    means = np.append(np.linspace(0.5, 4.0, 39), 1.5)
    goal = mean("left", low=0)
    points = [
        Point({"x": k}, games={r: ReportedGame(r, x, 1, 1e-5, {}) for r, x in enumerate(sample)})
        for k, sample in enumerate(rng.poisson(means, (400, 40)).T.astype(float).tolist())
    ]
    roots = np.sqrt(np.append(means[:39], predicted))
    posterior = SimpleNamespace(
        scales=(goal.estimator.scale, Scale.LOG),
        sign=1.0,
        mean=lambda at: np.column_stack([roots, roots]),
    )
    given: Any = posterior, np.zeros((40, 1)), np.full(40, np.nan)
    found = variances_by_model(points, goal, *given)
    assert found is not None
    assert found[-1] == pytest.approx(0.25 / 400, rel=0.2)  # √y of Poisson counts: 1/4


def skewed_study(n_trials: int, n_games: int) -> StudyData:
    """Trials of lognormal scores, with the same mean of 1,000 points everywhere."""
    rng = np.random.default_rng(5)
    trials = []
    for number in range(n_trials):
        scores = 1000.0 * rng.lognormal(-0.5, 1.0, n_games)
        games = {
            r: Game2048(r, int(score), 100, 1e-3 * (1 + number), 5000, 256, 0)
            for r, score in enumerate(scores)
        }
        values = float(np.mean([game.score for game in games.values()])), 1e-5 * (1 + number)
        params = {"n_playouts": 1 + number % 40}
        trials.append(Point(params, "", SEARCH, number, games, n_games=n_games, values=values))
    return StudyData("s", QUICK, record_of(QUICK), trials)


def test_a_model_expects_what_skewed_games_score() -> None:
    data = skewed_study(60, 60)
    model = fit_study(data)
    assert model is not None
    expected = SCORE.estimator.scale.inverse(model.posterior.mean(model.observations.points)[:, 0])
    mean_score = np.mean([trial.values for trial in data.trials], axis=0)[0]
    assert abs(float(np.mean(expected)) - mean_score) < 0.02 * mean_score  # by s²: 4.5% too low
