"""The front that the model predicts, where the true one is known."""

from dataclasses import replace

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution

from tests.study.samplers.toy import observations_of
from thetafront.study.samplers.candidates import sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import (
    PredictedFront,
    predicted_front,
    spread,
)
from thetafront.study.scale import Scale

Fitted = tuple[Posterior, Observations, PredictedFront]
CUBE = UnitCube({"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)})


def toy(points: np.ndarray) -> np.ndarray:
    """Score 1000·(x − q) at 10^(x + q) a move, q = (y − ½)²: the front is y = ½, any x."""
    x, y = points.T
    waste = (y - 0.5) ** 2
    return np.stack([1000.0 * (x - waste), -(x + waste)], axis=-1)


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    """32 noiseless trials, and the front predicted after them."""
    points = sobol_points(CUBE, 32, np.random.default_rng(3))
    values = toy(points)
    seen = observations_of(points, values, np.zeros_like(values))
    posterior = Posterior.fit(seen)
    return posterior, seen, predicted_front(posterior, seen, CUBE, np.random.default_rng(0))


def test_the_predicted_front_is_the_true_one(fitted: Fitted) -> None:
    """True scores within 2 points of the true front's; random search alone is 5 to 8 off."""
    *_, predicted = fitted
    score, minus_cost = toy(predicted.points).T
    assert (1000.0 * -minus_cost - score < 2.0).all(), "no point wastes more than that"
    x = predicted.points[:, 0]
    assert x.min() < 1e-3
    assert x.max() > 1.0 - 1e-3
    for budget in np.linspace(0.02, 1.0, 50):
        allowed = np.flatnonzero(predicted.mean[:, 1] >= -budget)
        best = toy(predicted.points[[allowed[np.argmax(predicted.mean[allowed, 0])]]])[0]
        assert best[0] == pytest.approx(1000.0 * budget, abs=2.0)
        assert -best[1] <= budget + 0.001


def test_a_front_is_sorted_and_no_point_of_it_dominated(fitted: Fitted) -> None:
    """A mean's last digits depend on the other points in the array: hence 1e-9."""
    posterior, _, front = fitted
    np.testing.assert_allclose(front.mean, posterior.mean(front.points), rtol=1e-9)
    assert (np.diff(-front.mean[:, 1]) > -1e-9).all(), "the cheapest first"
    assert (np.diff(front.mean[:, 0]) > -1e-6).all(), "a larger cost gets a larger score"


def test_the_predicted_front_dominates_that_of_the_trials(fitted: Fitted) -> None:
    posterior, seen, predicted = fitted
    trial_front = posterior.front(seen.points)
    for score, minus_cost in posterior.mean(trial_front):
        as_good = (predicted.mean[:, 0] >= score - 1e-6) & (
            predicted.mean[:, 1] >= minus_cost - 1e-9
        )
        assert as_good.any()
    assert len(predicted.points) > 5 * len(trial_front)


def test_some_of_many_are_spread_and_keep_both_ends() -> None:
    assert spread(5, 9).tolist() == [0, 1, 2, 3, 4]
    assert spread(101, 5).tolist() == [0, 25, 50, 75, 100]
    assert spread(1, 5).tolist() == [0]


def test_points_are_spread_along_a_front_and_not_by_their_rank() -> None:
    """Of 1,000 points, 990 lie in the cheapest tenth of the front; then follows a gap."""
    share = np.concatenate([np.linspace(0.0, 0.1, 990), np.linspace(0.5, 1.0, 10)])
    front = PredictedFront(share[:, None], np.column_stack([share, 3.0 - share]), 0.0, share)
    shown = front.spread(20)
    assert 18 <= len(shown) <= 20
    assert shown[[0, -1]].tolist() == [0, 999]
    assert {*range(990, 1000)} <= {*shown.tolist()}, "more than by rank"
    assert 7 <= (share[shown] <= 0.1).sum() <= 10
    assert front.spread(1000).tolist() == list(range(1000))
    share = np.cumsum([*[1.0] * 5, *[0.1] * 195])
    front = PredictedFront(share[:, None], np.column_stack([share, -share]), 0.0, share)
    rng = np.random.default_rng(0)
    for _ in range(20):
        near = replace(front, mean=front.mean + 1e-13 * rng.standard_normal((200, 2)))
        assert near.spread(120).tolist() == front.spread(120).tolist(), "rounding decides nothing"
    level = replace(front, mean=np.ones((200, 2)))
    assert level.spread(20).tolist() == [0, 199]


@pytest.mark.parametrize("scale", [Scale.LINEAR, Scale.ROOT])
def test_the_band_has_a_common_and_a_local_part(scale: Scale) -> None:
    """Against 20,000 joint draws of the errors along a front of unequally spaced points.

    On the scale of roots a small error counts 2√y times as much.
    """
    rng = np.random.default_rng(5)
    points = sobol_points(CUBE, 16, rng)
    values = toy(points)
    noise = np.tile([200.0**2, 0.1**2], (16, 1))
    posterior = replace(
        Posterior.fit(observations_of(points, values, noise)), scales=(scale, Scale.LOG)
    )
    x = np.array([0.1, 0.2, 0.25, 0.5, 0.55, 0.95])
    front = PredictedFront.at(np.column_stack([x, np.full(6, 0.5)]), posterior)
    cost = -front.mean[:, 1]
    edges = np.concatenate([cost[:1], (cost[1:] + cost[:-1]) / 2, cost[-1:]])
    errors = posterior.draw(front.points, 20_000, rng) - front.mean
    errors = errors[:, :, 0]
    if scale is Scale.ROOT:
        errors = 2.0 * front.mean[:, 0] * errors
    common = np.average(errors, axis=1, weights=np.diff(edges))
    assert front.common_deviation == pytest.approx(common.std(), rel=0.03)
    local = (errors - common[:, None]).std(axis=0)
    np.testing.assert_allclose(front.local_deviation, local, rtol=0.03)
    np.testing.assert_allclose(
        np.average(front.local_deviation**2, weights=np.diff(edges)) + front.common_deviation**2,
        np.average(errors.var(axis=0), weights=np.diff(edges)),
        rtol=0.03,
    )


def test_the_whole_error_of_a_front_of_one_point_is_common(fitted: Fitted) -> None:
    front = PredictedFront.at(np.array([[0.5, 0.5]]), fitted[0])
    deviation = fitted[0].predict(front.points)[1][0, 0]
    np.testing.assert_allclose(front.common_deviation, deviation, rtol=1e-6)
    # Not 0: the square root of what rounding leaves of prior variances of about 300².
    assert front.local_deviation[0] <= 1e-3 * deviation


def test_a_space_of_whole_numbers_is_searched_on_its_grid() -> None:
    cube = UnitCube({"n": optuna.distributions.IntDistribution(1, 9)})
    points = cube.encode([{"n": n} for n in (1, 3, 9)])
    values = np.stack([100.0 * points[:, 0], -points[:, 0]], axis=-1)
    seen = observations_of(points, values, np.zeros_like(values))
    predicted = predicted_front(Posterior.fit(seen), seen, cube, np.random.default_rng(1))
    assert sorted(cube.decode(point)["n"] for point in predicted.points) == list(range(1, 10))
