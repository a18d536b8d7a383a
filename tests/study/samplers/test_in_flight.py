"""Trials put in flight one after the other, compared with conditioning anew."""

import numpy as np
import pytest

from thetafront.study.samplers.covariance import Hyperparameters
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.in_flight import InFlight

HYPER = Hyperparameters(
    centre=3.0, scale=2.0, variance=1.3, lengths=np.array([0.4, 0.9, 0.6]), noise=0.05
)


def conditioned(points: np.ndarray, values: np.ndarray, noise: np.ndarray) -> GaussianProcess:
    return GaussianProcess.condition(HYPER, points, values, noise)


@pytest.mark.parametrize("noise", [0.3, 0.0])
def test_downdates_equal_conditioning_anew(noise: float) -> None:
    """And the factor with rows appended is that of the whole covariance."""
    rng = np.random.default_rng(3)
    points, values = rng.random((20, 3)), rng.normal(3.0, 2.0, 20)
    noises = rng.uniform(0.1, 0.5, 20)
    process = conditioned(points, values, noises)
    added, candidates, others = rng.random((5, 3)), rng.random((7, 3)), rng.random((9, 3))
    flying = InFlight(process, 6)
    mean, explained = flying.predict(candidates)
    _, by_others = flying.predict(others)
    np.testing.assert_allclose(mean, process.mean(candidates), atol=1e-12)
    covariance = flying.covariance(candidates, explained, others, by_others)
    np.testing.assert_allclose(covariance, process.covariance(candidates, others), atol=1e-10)
    for point in added:
        flying.add(point, noise)
        row, by_row = flying.follow(candidates, explained), flying.follow(others, by_others)
        covariance = covariance - row[:, None] * by_row
    all_points = np.concatenate([points, added])
    anew = conditioned(
        all_points,
        np.concatenate([values, process.mean(added)]),
        np.concatenate([noises, np.full(5, noise)]),
    )
    np.testing.assert_allclose(covariance, anew.covariance(candidates, others), atol=1e-9)
    np.testing.assert_allclose(flying.variance(explained), anew.predict(candidates)[1], atol=1e-9)
    # Points first looked at after the trials were put in flight.
    mean, later = flying.predict(candidates)
    np.testing.assert_allclose(later, explained, atol=1e-9)
    np.testing.assert_allclose(mean, anew.mean(candidates), atol=1e-8)
    np.testing.assert_allclose(flying.rows[20:25, :5].T, anew.factor[20:, 20:], atol=1e-9)
    np.testing.assert_allclose(flying.rows[:20, :5].T, anew.factor[20:, :20], atol=1e-9)


def test_a_point_twice_without_noise_tells_nothing_more() -> None:
    rng = np.random.default_rng(5)
    process = conditioned(rng.random((6, 3)), rng.normal(size=6), np.full(6, 0.1))
    flying, point = InFlight(process, 2), rng.random(3)
    flying.add(point, 0.0)
    once = flying.variance(flying.predict(point[None])[1])
    flying.add(point, 0.0)
    twice = flying.variance(flying.predict(point[None])[1])
    assert once[0] == pytest.approx(0.0, abs=1e-6)
    assert twice[0] == pytest.approx(0.0, abs=1e-6)
