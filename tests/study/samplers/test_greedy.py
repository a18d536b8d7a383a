"""Several proposals at a time: conditioning anew, gains by a plain loop, batches of proposals."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests.study.samplers.toy import UNIT, observations_of
from thetafront.study.samplers.area import NODES, WEIGHTS, Area
from thetafront.study.samplers.covariance import Hyperparameters
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.knowledge_gradient import KnowledgeGradientSampler
from thetafront.study.samplers.nehvi import NoisyEHVISampler
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.scale import Scale

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
    flying, explained, by_others = process, *(process.explain(x)[1] for x in (candidates, others))
    for point in added:
        flying = flying.awaiting(point[None], np.array([noise]))
        explained = flying.extended(candidates, explained)
        by_others = flying.extended(others, by_others)
    anew = conditioned(
        np.concatenate([points, added]),
        np.concatenate([values, process.mean(added)]),
        np.concatenate([noises, np.full(5, noise)]),
    )
    covariance = flying.covariance_given(candidates, explained, others, by_others)
    np.testing.assert_allclose(covariance, anew.covariance(candidates, others), atol=1e-9)
    np.testing.assert_allclose(flying.variance(explained), anew.predict(candidates)[1], atol=1e-9)
    # Points first looked at after the trials were put in flight.
    mean, later = flying.explain(candidates)
    np.testing.assert_allclose(later, explained, atol=1e-9)
    np.testing.assert_allclose(mean, anew.mean(candidates), atol=1e-8)
    np.testing.assert_allclose(flying.factor, anew.factor, atol=1e-9)
    together = process.awaiting(added, np.full(5, noise))
    np.testing.assert_allclose(together.factor, anew.factor, atol=1e-9)


def test_a_point_twice_without_noise_tells_nothing_more() -> None:
    rng = np.random.default_rng(5)
    process = conditioned(rng.random((6, 3)), rng.normal(size=6), np.full(6, 0.1))
    point, nothing = rng.random((1, 3)), np.zeros(1)
    for _ in range(2):
        process = process.awaiting(point, nothing)
        assert process.predict(point)[1] == pytest.approx(0.0, abs=1e-6)


CUBE = UnitCube(UNIT)


def observed(n: int, noise: float = 0.01) -> Observations:
    rng = np.random.default_rng(8)
    points = rng.random((n, 4))
    first = points[:, 0] - np.sum((points[:, 1:] - 0.5) ** 2, axis=1)
    values = np.column_stack([first, -points[:, 0]]) + 0.05 * rng.standard_normal((n, 2))
    variances = np.tile([noise, np.nan], (n, 1))
    return replace(observations_of(points, values, variances), reference=np.array([-2.0, -2.0]))


@pytest.mark.parametrize("scale", [Scale.LINEAR, Scale.ROOT, Scale.within(0.0, 1.0)])
@pytest.mark.parametrize("place", [0, 3, 8])
def test_a_candidate_in_the_list_gains_as_if_it_stood_there(scale: Scale, place: int) -> None:
    """As in plain NumPy, and as :meth:`Area.gains` of the list with the candidate in it says."""
    rng = np.random.default_rng(place)
    heights, extents, steps = rng.normal(2.0, 1.0, 8), rng.random(8), rng.normal(size=8)
    height, step, extent, cut = 2.5, 1.2, 0.3, 0.1
    widths = extents.copy()
    if place:
        widths[place - 1] = cut
    longer = [np.insert(a, place, b) for a, b in ((heights, height), (widths, extent))]
    area = Area(np.zeros((9, 1)), *longer, scale, 0.5)
    expected = area.gains(np.insert(steps, place, step)[None])
    own = np.array([[height, step, extent, cut]])
    shorter = Area(np.zeros((8, 1)), heights, extents, scale, 0.5)
    found = shorter.gains_with(steps[None], own, np.array([place]))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    moved = longer[0] + np.outer(NODES, np.insert(steps, place, step))
    tops = np.maximum(np.maximum.accumulate(moved, axis=1), 0.5)
    plain = WEIGHTS @ (scale.raised(tops) @ longer[1])
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12)


def test_one_of_many_is_the_single_proposal() -> None:
    """To the bit; and where a sampler has no batches, the first of many is."""
    observations = observed(20)
    for sampler, q in ((KnowledgeGradientSampler(), 1), (NoisyEHVISampler(), 2)):
        with threadpool_limits(1):
            single = sampler.propose(observations, CUBE, np.random.default_rng(4))
            many = sampler.propose_many(observations, CUBE, np.random.default_rng(4), q)
        assert many.shape == (q, 4)
        np.testing.assert_array_equal(many[0], single)


def test_a_batch_is_spread() -> None:
    """No two points are the same, and together they leave less to learn than one point repeated."""
    observations = observed(24)
    with threadpool_limits(1):
        sampler = KnowledgeGradientSampler()
        points = sampler.propose_many(observations, CUBE, np.random.default_rng(4), 6)
        again = sampler.propose_many(observations, CUBE, np.random.default_rng(4), 6)
        process = Posterior.fit(observations).processes[0]
    np.testing.assert_array_equal(points, again)
    distances = np.abs(points[:, None] - points[None]).max(axis=-1)[np.triu_indices(6, 1)]
    assert distances.min() > 1e-3
    grid = np.random.default_rng(1).random((200, 4))

    def left(added: np.ndarray) -> float:
        after = GaussianProcess.condition(
            process.hyper,
            np.concatenate([observations.points, added]),
            np.zeros(24 + 6),
            np.full(24 + 6, 0.01),
        )
        return float(after.predict(grid)[1].sum())

    assert left(points) < left(np.repeat(points[:1], 6, axis=0))


def test_without_noise_no_point_is_proposed_twice() -> None:
    observations = observed(16, noise=0.0)
    with threadpool_limits(1):
        points = KnowledgeGradientSampler().propose_many(
            observations, CUBE, np.random.default_rng(2), 8
        )
    both = np.concatenate([points, observations.points])
    distances = np.abs(both[:, None] - both[None]).max(axis=-1)[np.triu_indices(len(both), 1)]
    assert distances.min() > 1e-9
