"""The knowledge gradient: gains by hand, degenerate studies, and problems to solve."""

import math
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from scipy.special import ndtr, ndtri

from tests.study.samplers.toy import UNIT, observations_of, searched
from thetafront.study.arrays import Floats
from thetafront.study.samplers.area import Area
from thetafront.study.samplers.covariance import Hyperparameters
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.knowledge_gradient import (
    KnowledgeGradient,
    KnowledgeGradientSampler,
    noise_of_new_trials,
)
from thetafront.study.samplers.nehvi import NoisyEHVISampler
from thetafront.study.samplers.observations import Objectives, Observations, observe
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import predicted_front
from thetafront.study.scale import Scale

CUBE = UnitCube(UNIT)
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")


def area_of(heights: list[float], extents: list[float]) -> Area:
    points, known = np.zeros((len(heights), 1)), np.zeros(len(heights))
    return Area(points, np.array(heights), known, np.array(extents), Scale.LINEAR, 1.0, 0.0)


def gains_in(area: Area, steps: np.ndarray) -> np.ndarray:
    """Gains of trials that are at no point of the area's list, such as those it has already."""
    n, size = steps.shape
    none = np.array([-np.inf, 0.0, 0.0, 0.0, area.extents[-1]])
    return area.gains(steps, np.tile(none, (n, 1)), np.full(n, size))


def test_the_larger_of_two_normals_by_its_closed_form() -> None:
    """E max(a, b + s z) = a Φ(−t) + b Φ(t) + s φ(t), t = (b − a)/s, times the second's extent.

    The first step is larger than 0 at one point alone; nine nodes are within 2% of the scale.
    """
    a, b, s, extents = 5.0, 4.6, 1.5, [2.0, 3.0]
    t = (b - a) / s
    density = np.exp(-0.5 * t * t) / np.sqrt(2.0 * np.pi)
    gain = extents[1] * (a * ndtr(-t) + b * ndtr(t) + s * density - a)
    found = gains_in(area_of([a, b], extents), np.array([[0.0, s], [0.0, 0.0]]))
    assert found[0] == pytest.approx(gain, abs=0.02 * s * extents[1])
    assert found[1] == pytest.approx(0.0, abs=1e-12)


def doubt(scale: Scale, variances: Floats) -> Floats:
    """Return what users lose by these variances of heights."""
    if scale == Scale.LINEAR:
        return np.zeros_like(variances)
    return variances if scale == Scale.ROOT else 0.5 * (1.0 - np.exp(-2.0 * variances))


@pytest.mark.parametrize(
    ("scale", "low", "high", "u"),
    [
        (Scale.LINEAR, -1.0, 1.0, lambda h: h),
        (Scale.ROOT, 2.0, 4.0, np.square),
        (Scale.ROOT, -4.0, -2.0, lambda h: -np.square(h)),  # the gap to a bound, minimized
        (Scale.within(0.0, 1.0), 0.4, 0.7, lambda h: np.sin(h) ** 2),
        (Scale.within(0.0, 1.0), 0.9, 1.2, lambda h: np.sin(h) ** 2),
        (Scale.within(0.0, 1.0), -0.7, -0.4, lambda h: -(np.sin(h) ** 2)),
    ],
)
def test_a_gain_is_what_users_get_more_after_a_trial(
    scale: Scale,
    low: float,
    high: float,
    u: Callable[[Floats], Floats],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By simulation: true heights are drawn, a trial at each point is played, means are updated.

    A user who can afford a point takes the one of the highest mean up to it, and loses by its
    variance. Nine nodes are rough where a few points compete; 4,000 equally likely z are exact.
    """
    rng = np.random.default_rng(4)
    n, n_draws, noise = 7, 200_000, (0.2 * (high - low)) ** 2
    heights, extents = np.sort(rng.uniform(low, high, n)), rng.random(n)
    root = 0.06 * (high - low) * rng.normal(size=(n, n))
    covariance = root @ root.T
    true = heights + rng.normal(size=(n_draws, n)) @ root.T
    reference = float(heights[1])
    got = np.column_stack([np.full(n_draws, u(np.float64(reference))), u(true)])

    def areas(means: Floats, variances: Floats) -> Floats:
        means = np.insert(means, 0, reference, axis=1)
        best = np.array([means[:, : j + 2].argmax(axis=1) for j in range(n)])
        worth = got - np.insert(doubt(scale, variances), 0, 0.0)
        return extents @ np.take_along_axis(worth, best.T, axis=1).T

    now = areas(np.tile(heights, (n_draws, 1)), np.diag(covariance))
    own = np.diag(covariance) + noise
    steps = covariance / np.sqrt(own)[:, None]
    side = 1.0 if low > 0.0 else -1.0
    area = Area(np.zeros((n, 1)), heights, np.diag(covariance), extents, scale, side, reference)
    rough = gains_in(area, steps)
    nodes = ndtri((np.arange(4000) + 0.5) / 4000)
    module = import_module("thetafront.study.samplers.area")
    monkeypatch.setattr(module, "NODES", np.append(nodes, 0.0))
    monkeypatch.setattr(module, "WEIGHTS", np.append(np.full(4000, 1 / 4000), -1.0))
    exact = gains_in(area, steps)
    np.testing.assert_allclose(rough, exact, rtol=0.2, atol=0.08 * exact.max())
    for c, gain in enumerate(exact):
        result = true[:, c] + math.sqrt(noise) * rng.normal(size=n_draws)
        means = heights + np.outer((result - heights[c]) / own[c], covariance[c])
        after = areas(means, np.diag(covariance) - steps[c] ** 2)
        error = np.std(after - now) / math.sqrt(n_draws)
        assert gain == pytest.approx(np.mean(after - now), rel=0.03, abs=4.0 * error)


@pytest.mark.parametrize("scale", [Scale.LINEAR, Scale.ROOT, Scale.within(0.0, 1.0)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_trial_that_changes_no_choice_removes_doubt_alone(scale: Scale, side: float) -> None:
    heights = np.sort(side * np.array([0.05, 0.7, 1.56]))  # some outcomes are beyond an end
    steps, known = np.diag([0.01, 0.02, 0.03]), np.full(3, 0.04**2)
    area = Area(np.zeros((3, 1)), heights, known, np.ones(3), scale, side, side - 1.0)
    removed = doubt(scale, known) - doubt(scale, known - np.diag(steps) ** 2)
    np.testing.assert_allclose(gains_in(area, steps), removed, rtol=1e-6, atol=1e-12)


def test_the_area_has_the_plausible_points_by_cost() -> None:
    """Six points known exactly but one, which is the best of all with a probability of 0.25.

    Its prior variance is 100, its noise 4: so its score is 100/104 · 8 ± 1.96. What lies beyond it
    counts by that probability, what lies before the best of the others wholly.
    """
    points = np.linspace(0.0, 1.0, 6)[:, None]
    first = np.array([1.0, 5.0, 3.0, 9.0, 8.0, 7.0])
    second = np.array([0.0, -1.0, -1.5, -2.0, -2.1, -3.0])
    hyper = Hyperparameters(0.0, 1.0, 100.0, np.array([0.05]), 1e-12)
    exact = np.full(6, 1e-9)
    score, cost = (
        GaussianProcess.condition(hyper, points, each, exact) for each in (first, second)
    )
    noise = np.where(first == 8.0, 4.0, exact)
    uncertain = GaussianProcess.condition(hyper, points, first, noise)
    given = points[[4, 2, 0, 5, 1, 3]], Posterior([score, cost]), uncertain
    rng = np.random.default_rng(0)
    area = Area.under(*given, np.array([0.5, -9.0]), rng)
    np.testing.assert_array_equal(area.points, points[[0, 1, 3, 4]])
    np.testing.assert_allclose(area.heights, [1.0, 5.0, 9.0, 7.7], atol=0.1)
    np.testing.assert_allclose(area.extents[:3], [1.0, 1.0, 0.1], atol=1e-3)
    z = (9.0 - 800.0 / 104.0) / np.sqrt(400.0 / 104.0)
    assert area.extents[3] == pytest.approx(6.9 * ndtr(-z), abs=6.9 * 0.15)
    nearer = Area.under(*given, np.array([0.5, -1.7]), rng)
    np.testing.assert_allclose(nearer.extents, [1.0, 0.7], atol=1e-3)
    assert len(Area.under(*given, np.array([0.5, 1.0]), rng).points) == 0


def test_a_new_trial_is_as_noisy_as_those_of_its_mean() -> None:
    points = np.linspace(0.0, 1.0, 5)[:, None]
    values = np.column_stack([100.0 + 100.0 * points[:, 0], np.zeros(5)])
    variances = np.column_stack([1e-4 * values[:, 0] ** 2, np.full(5, np.nan)])
    seen = observations_of(points, values, variances)
    noise = noise_of_new_trials(Posterior.fit(seen).processes[0], seen)
    np.testing.assert_allclose(noise(np.array([50.0, 150.0, 999.0])), [1.0, 2.25, 4.0], rtol=0.02)


def test_what_is_known_exactly_is_not_tried_again() -> None:
    """Exact values on a grid of 32: every trial is a new one until none is left."""
    space = {"n": IntDistribution(0, 15), "c": CategoricalDistribution("ab")}

    def values(params: dict[str, Any], _: object) -> tuple[float, float]:
        return np.sin(params["n"] / 3.0) - 0.1 * (params["c"] == "a"), params["n"]

    exact = Objectives(noise=lambda trials: np.zeros((len(trials), 2)))
    sampler = KnowledgeGradientSampler(1, exact, n_startup_trials=3)
    study = searched(sampler, 1, values, n_random=0, n_trials=14, space=space)
    asked = [(trial.params["n"], trial.params["c"]) for trial in study.trials[3:]]
    assert len(set(asked)) == len(asked)


def regret(study: optuna.Study, objectives: Objectives, seed: int) -> float:
    """Return what users lose with the recommended front, mean over ten budgets of x + q ≤ b.

    The score is x − q, q = Σ (xₖ − ½)²; the best at a budget b is b, with q = 0.
    """
    cube = UnitCube(UNIT)
    observations = observe(study.trials, cube, study.directions, objectives)
    posterior = Posterior.fit(observations)
    front = predicted_front(posterior, observations, cube, np.random.default_rng(seed))
    losses = []
    for budget in np.linspace(0.1, 1.0, 10):
        n_within = np.count_nonzero(front.mean[:, 1] >= -budget)  # the best is the dearest of them
        score = parts(cube.decode(front.points[n_within - 1]))[0] if n_within else 0.0
        losses.append(budget - score)
    return float(np.mean(losses))


def parts(params: dict[str, Any], rng: np.random.Generator | None = None) -> tuple[float, float]:
    """Score and cost, with noise of the score if there is chance."""
    first, *others = (params[name] for name in UNIT)
    waste = float(np.sum((np.array(others) - 0.5) ** 2))
    return first - waste + (0.1 * rng.standard_normal() if rng else 0.0), first + waste


def test_what_it_recommends_is_better_than_after_random_trials() -> None:
    objectives = Objectives(
        reference_point=(-1.0, 2.0),
        noise=lambda trials: np.tile([0.1**2, np.nan], (len(trials), 1)),
    )
    losses: dict[type[BaseSampler], list[float]] = {KnowledgeGradientSampler: [], RandomSampler: []}
    for seed in range(2):
        for sampler in (KnowledgeGradientSampler(seed, objectives), RandomSampler(seed=seed)):
            study = searched(sampler, seed, parts, n_random=10, n_trials=24)
            losses[type(sampler)].append(regret(study, objectives, seed))
    assert np.mean(losses[KnowledgeGradientSampler]) < np.mean(losses[RandomSampler])


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
    rng = np.random.default_rng(place)
    heights, extents, steps = rng.normal(0.9, 0.2, 8), rng.random(8), 0.1 * rng.normal(size=8)
    known = rng.uniform(0.1, 0.2, 8)
    height, variance, step, extent, cut = 1.0, 0.05, 0.12, 0.3, 0.1
    widths = extents.copy()
    if place:
        widths[place - 1] = cut
    pairs = (heights, height), (known, variance), (widths, extent)
    longer = [np.insert(a, place, b) for a, b in pairs]
    area = Area(np.zeros((9, 1)), *longer, scale, 1.0, 0.5)
    expected = gains_in(area, np.insert(steps, place, step)[None])
    own = np.array([[height, variance, step, extent, cut]])
    shorter = Area(np.zeros((8, 1)), heights, known, extents, scale, 1.0, 0.5)
    found = shorter.gains(steps[None], own, np.array([place]))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_the_first_of_many_is_the_single_proposal() -> None:
    """Where a sampler has no batches."""
    observations, sampler = observed(20), NoisyEHVISampler()
    single = sampler.propose(observations, CUBE, np.random.default_rng(4))
    many = sampler.propose_many(observations, CUBE, np.random.default_rng(4), 2)
    assert many.shape == (2, 4)
    np.testing.assert_array_equal(many[0], single)


def test_a_batch_is_spread() -> None:
    """No two points are the same, and together they leave less to learn than one point repeated."""
    observations = observed(24)
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


def test_a_trial_in_flight_reduces_the_variances() -> None:
    observations = observed(24)
    gradient = KnowledgeGradient(observations, CUBE, np.random.default_rng(4))
    pool, before = gradient.pool(gradient.candidates), gradient.area.variances
    gradient.add(pool.points[0], pool)
    _, expected = gradient.process.predict(gradient.area.points)
    np.testing.assert_allclose(gradient.area.variances, expected, rtol=1e-6)
    assert (gradient.area.variances < before).all()


def test_without_noise_no_point_is_proposed_twice() -> None:
    observations = observed(16, noise=0.0)
    points = KnowledgeGradientSampler().propose_many(
        observations, CUBE, np.random.default_rng(2), 8
    )
    both = np.concatenate([points, observations.points])
    distances = np.abs(both[:, None] - both[None]).max(axis=-1)[np.triu_indices(len(both), 1)]
    assert distances.min() > 1e-9
