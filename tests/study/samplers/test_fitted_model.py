"""The fitted model of a study: none before a trial is complete; conditioned on more points."""

from dataclasses import replace

import numpy as np
import pytest

from tests.study.made_studies import add_trials, data_of, data_of_values, new_study, store_trial
from thetafront.study.arrays import Floats
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.model.study_model import fit_study
from thetafront.study.samplers.covariance import covariances
from thetafront.study.samplers.fitted_model import SHIFT_DEVIATION, FittedModel


def test_there_is_no_model_before_a_trial_is_complete(quick: Experiment) -> None:
    study = new_study()
    assert fit_study(data_of(study, quick, seed=1)) is None
    store_trial(study, quick, {"n_playouts": 3}, [], n_games=3)
    assert fit_study(data_of(study, quick, seed=1)) is None


@pytest.fixture
def model(quick: Experiment) -> FittedModel:
    study = add_trials(new_study(), quick)
    found = fit_study(data_of(study, quick, seed=1))
    assert found is not None
    return found


def conditional(
    model: FittedModel, k: int, at: Floats, costs: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return means and variances by the normal's conditional distribution.

    Where the first process sees the cost, ``costs`` are those at the points; by default, means.
    """
    seen, hyper = model.observations, model.posterior.processes[k].hyper
    own = seen.noise[:, k] / hyper.scale**2
    noise = np.where(np.isnan(own), hyper.noise, own)
    points, values = seen.points, (seen.values[:, k] - hyper.centre) / hyper.scale
    if k == 0 and model.posterior.sees_cost:
        of_costs = model.posterior.processes[1].hyper
        known = conditional(model, 1, points)[0]
        costs = conditional(model, 1, at)[0] if costs is None else costs
        points, at = (
            np.column_stack([p, (c - of_costs.centre) / of_costs.scale / np.sqrt(12.0)])
            for p, c in ((points, known), (at, costs))
        )
    matrix = covariances(hyper, points, points) + np.diag(noise)
    gain = np.linalg.solve(matrix, covariances(hyper, points, at)).T
    variance = hyper.total - np.sum(gain * covariances(hyper, at, points), axis=1)
    return hyper.centre + hyper.scale * gain @ values, hyper.scale**2 * variance


def test_points_join_the_trials_as_observations_of_the_same_process(model: FittedModel) -> None:
    point = model.cube.encode([{"n_playouts": 16}])
    others = model.cube.encode([{"n_playouts": n} for n in (5, 14, 33)])
    values, noise = np.array([[62.0, 3.7]]), np.array([[0.5, 1e-4]])
    combined = model.given(point, values, noise, timed=False)
    assert len(combined.observations.points) == len(model.observations.points) + 1
    (scores, variances), (costs, of_costs) = (conditional(combined, k, others) for k in range(2))
    ends = [conditional(combined, 0, others, costs + k * np.sqrt(of_costs))[0] for k in (1, -1)]
    mean, deviation = combined.posterior.predict(others)
    assert mean == pytest.approx(np.column_stack([scores, costs]), rel=1e-4)
    added = ((ends[0] - ends[1]) / 2.0) ** 2
    assert deviation**2 == pytest.approx(np.column_stack([variances + added, of_costs]), rel=1e-2)
    for k in range(2):
        refitted, before = (each.posterior.processes[k].hyper for each in (combined, model))
        assert refitted.variance != before.variance, "the points tell of hyperparameters, too"
    assert combined.shared_variance == 0.0


def test_many_games_of_a_point_stand_against_all_trials_nearby(model: FittedModel) -> None:
    """A step: the trials about 16 playouts say 4,000 points, a thousand games of it 2,500."""
    points = model.cube.encode([{"n_playouts": n} for n in (5, 10, 16, 24, 33)])
    values = model.posterior.mean(points)
    values[2, 0] = 50.0
    combined = model.given(points, values, np.full_like(values, 0.1**2), timed=False)
    mean, deviation = combined.expects(points)
    assert mean[2, 0] == pytest.approx(50.0, abs=3 * 0.1)
    assert deviation[2, 0] <= 0.1 * 1.01


def test_deviations_contain_the_uncertainty_of_the_hyperparameters(model: FittedModel) -> None:
    """At tested points, deviations are those of draws, which come from several posteriors."""
    points = model.cube.encode([{"n_playouts": n} for n in (5, 10, 16, 24, 33)])
    noise = np.tile([2.0**2, 0.02**2], (len(points), 1))
    combined = model.given(points, model.posterior.mean(points), noise, timed=False)
    mean, deviation = combined.expects(points)
    draws = combined.draw(points, 40_000, np.random.default_rng(0))
    assert np.sqrt(np.mean((draws - mean) ** 2, axis=0)) == pytest.approx(deviation, rel=0.03)
    most_probable, alone = combined.posterior.predict(points)
    assert (mean == most_probable).all()
    assert (deviation[:, 0] > 1.01 * alone[:, 0]).all()


def test_what_is_untested_is_as_doubtful_as_what_was_tested_turned_out(model: FittedModel) -> None:
    """Validated points lie below what the trials predict: so do others, and all vary more."""
    points = model.cube.encode([{"n_playouts": n} for n in (2, 5, 10, 16, 24, 33)])
    below = np.array([[-19.0], [-1.0], [-17.0], [-2.0], [-18.0], [-3.0]]) * [1.0, 0.0]
    values = model.posterior.mean(points) + below
    combined = model.given(points, values, np.full_like(values, 1e-2), timed=False)
    mean, variance = conditional(model, 0, points)
    z = (values[:, 0] - mean) / np.sqrt(variance + 1e-2)
    (shift, factor), of_costs = zip(combined.shifts, combined.factors, strict=True)
    assert shift == pytest.approx(z.sum() / (4 + 6), rel=1e-3)
    assert factor == pytest.approx(np.sqrt((8 + np.sum((z - shift) ** 2)) / (8 + 6)), rel=1e-3)
    assert (shift < -1.0, factor > 1.0) == (True, True)
    assert of_costs == pytest.approx((0.0, 1.0), abs=1e-6), "costs were as predicted"
    above = model.given(points, values - 2.0 * below, np.full_like(values, 1e-2), timed=False)
    assert above.shifts[0] == 0.0, "what turned out better raises nothing"
    untested = model.cube.encode([{"n_playouts": 29}])
    mean, deviation = combined.expects(np.concatenate([untested, points[:1]]))
    plain, error = combined.posterior.predict(np.concatenate([untested, points[:1]]))
    assert mean[0, 0] == pytest.approx(plain[0, 0] + shift * error[0, 0])
    most = float(combined.posterior.prior_deviations[0])
    drawn = replace(combined, factors=np.ones(2)).expects(untested)[1][0, 0]
    assert deviation[0, 0] == pytest.approx(min(factor * drawn, most))
    assert drawn < deviation[0, 0]
    assert model.expected_means(untested) == pytest.approx(model.posterior.mean(untested))


def test_a_model_that_was_too_sure_counts_less_beside_a_points_own_games(
    model: FittedModel,
) -> None:
    """Costs of validated points scatter about the model; each is left out by hand, one by one."""
    points = model.cube.encode([{"n_playouts": n} for n in (2, 5, 10, 16, 24, 33)])
    values, variance = model.posterior.mean(points), 0.02**2
    values[:, 1] += 0.2 * np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    noise = np.tile([4.0, variance], (len(points), 1))
    combined = model.given(points, values, noise, timed=False)
    mean, of_mean = conditional(model, 1, points)
    z = (values[:, 1] - mean) / np.sqrt(of_mean + variance)
    left_out, square = [], np.empty(6)
    for k, point in enumerate(points):
        others = np.delete(z, k)
        shift = min(others.sum() / (4 + 5), 0.0)
        square[k] = (8 + np.sum((others - shift) ** 2)) / (8 + 5)
        others = combined.observations.some(np.delete(np.arange(len(points) + n_trials(model)), k))
        left_out.append(conditional(replace(combined, observations=others), 1, point[None]))
    assert square.min() > 1.2
    predicted, of_predicted = np.concatenate(left_out, axis=1)
    precision = 1.0 / variance + 1.0 / (square * of_predicted)
    expected = (values[:, 1] / variance + predicted / (square * of_predicted)) / precision
    found, deviation = combined.weighed(points, *combined.posterior.predict(points))
    assert found[:, 1] == pytest.approx(expected, rel=1e-3)
    assert deviation[:, 1] == pytest.approx(precision**-0.5, rel=1e-2)
    assert (combined.expected_means(points) == found).all()
    values[0, 1] += 0.5
    luckier = model.given(points, values, noise, timed=False)
    assert luckier.factors_by_others[0] == pytest.approx(combined.factors_by_others[0])
    assert luckier.factors_by_others[1, 1] > combined.factors_by_others[1, 1]
    draws = combined.draw(points, 40_000, np.random.default_rng(0))[..., 1]
    errors = np.sqrt(np.mean((draws - found[:, 1]) ** 2, axis=0))
    assert errors == pytest.approx(combined.expects(points)[1][:, 1], rel=0.1)


def n_trials(model: FittedModel) -> int:
    return len(model.observations.points)


def test_checks_do_not_depend_on_the_unit_of_the_goal(quick: Experiment) -> None:
    """A goal may be a latency of nanoseconds."""
    linear = replace(quick, goal=replace(mean("score"), sample="score"))
    checks = []
    for unit in (1.0, 1e-9):
        known = [
            ({"n_playouts": n}, (unit * n**0.5, 1e-5 * n)) for n in (1, 3, 7, 12, 20, 28, 36, 40)
        ]
        model = fit_study(data_of_values(linear, known))
        assert model is not None
        points = model.cube.encode([{"n_playouts": n} for n in (2, 10, 24, 33)])
        values = model.posterior.mean(points) - [[2.0 * unit, 0.0]]
        noise = np.full_like(values, 1e-2) * [unit**2, 1.0]
        found = model.given(points, values, noise, timed=False)
        checks.append((found.shifts[0], found.factors[0]))
    assert checks[0][0] < -0.1
    assert checks[1] == pytest.approx(checks[0], rel=1e-3)


def test_a_search_that_times_its_games_higher_is_found_out(model: FittedModel) -> None:
    """Validated times are 10% lower than predicted: 0.0414 decades, the prior's mean of 0 less.

    Compared with the conditional mean of a shift that is one of the normal variables.
    """
    points = model.cube.encode([{"n_playouts": n} for n in range(2, 40, 3)])
    values = model.posterior.mean(points) + np.array([0.0, np.log10(1.1)])
    noise = np.full_like(values, 1e-6)
    found = -model.shift_of_times(points, values, noise)
    covariance = model.posterior.processes[1].covariance(points) + 1e-6 * np.eye(len(points))
    covariance += SHIFT_DEVIATION**2
    shifted = np.full(len(points), np.log10(1.1))
    expected = SHIFT_DEVIATION**2 * np.sum(np.linalg.solve(covariance, shifted))
    assert found == pytest.approx(expected, rel=1e-3)
    assert 0.5 * np.log10(1.1) < found < np.log10(1.1)
    combined = model.given(points, values, noise, 1e-5, timed=True)
    n = len(points)
    left = combined.observations.values[n : n + 8, 1] - model.observations.values[:8, 1]
    assert left == pytest.approx(found)
    assert combined.shared_variance == 1e-5
    nothing = model.shift_of_times(points[:1], values[:1], np.full((1, 2), 1e6))
    assert abs(nothing) < 0.01 * SHIFT_DEVIATION, "a point that says nothing leaves the prior"
