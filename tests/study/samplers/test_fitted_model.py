"""The fitted model of a study: none before a trial is complete; conditioned on more points."""

import numpy as np
import pytest

from study.experiments.definition import Experiment
from study.samplers.fitted_model import SHIFT_DEVIATION, FittedModel
from study.store.study_model import fit_study
from tests.study.made_studies import add_trials, data_of, new_study

pytestmark = pytest.mark.usefixtures("one_thread")  # matrices this small are slower with more


def test_there_is_no_model_before_a_trial_is_complete(quick: Experiment) -> None:
    study = new_study()
    assert fit_study(data_of(study, quick, seed=1)) is None
    study.ask(quick.space.distributions())
    assert fit_study(data_of(study, quick, seed=1)) is None


@pytest.fixture
def model(quick: Experiment) -> FittedModel:
    study = new_study()
    add_trials(study, quick)
    found = fit_study(data_of(study, quick, seed=1))
    assert found is not None
    return found


def test_points_join_the_trials_as_observations_of_the_same_process(model: FittedModel) -> None:
    """Compared with the normal's conditional distribution, given the model's own at one point."""
    point = model.cube.encode([{"n_playouts": 16}])
    others = model.cube.encode([{"n_playouts": n} for n in (5, 14, 33)])
    noise = np.array([[90.0**2, 1e-4]])
    values = np.array([[4500.0, 3.7]])
    combined = model.given(point, values, noise, timed=False)
    for k in range(2):
        process = model.posterior.processes[k]
        both = np.concatenate([point, others])
        prior, covariance = process.mean(both), process.covariance(both)
        gain = covariance[1:, 0] / (covariance[0, 0] + noise[0, k])
        mean = prior[1:] + gain * (values[0, k] - prior[0])
        variance = np.diag(covariance)[1:] - gain * covariance[1:, 0]
        found = combined.posterior.processes[k].predict(others)
        assert found[0] == pytest.approx(mean, rel=1e-4)
        assert found[1] == pytest.approx(variance, rel=1e-2)
        assert combined.posterior.processes[k].hyper is process.hyper
    assert combined.common_variance == 0.0


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
    combined = model.given(points, values, noise, timed=True)
    left = combined.observations.values[:8, 1] - model.observations.values[:8, 1]
    assert left == pytest.approx(found)
    assert combined.common_variance == pytest.approx(1e-6)
    nothing = model.shift_of_times(points[:1], values[:1], np.full((1, 2), 1e6))
    assert abs(nothing) < 0.01 * SHIFT_DEVIATION, "a point that says nothing leaves the prior"
