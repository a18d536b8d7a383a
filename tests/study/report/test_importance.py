"""Total Sobol indices against closed forms and plain sums over all values."""

from itertools import product

import numpy as np
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from thetafront.study.arrays import Floats
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.space import Space
from thetafront.study.report.importance import coordinates, total_indices
from thetafront.study.samplers.encoding import UnitCube


def test_of_ishigamis_function_they_are_the_published_ones() -> None:
    cube = UnitCube({name: FloatDistribution(-np.pi, np.pi) for name in "abc"})
    a, b = 7.0, 0.1

    def mean(points: Floats) -> Floats:
        x = (2.0 * points - 1.0) * np.pi
        ishigami = np.sin(x[:, 0]) * (1.0 + b * x[:, 2] ** 4) + a * np.sin(x[:, 1]) ** 2
        return np.stack([ishigami, 3.0 * points[:, 0] + 4.0 * points[:, 1]], axis=-1)

    found = total_indices(mean, cube)
    v1, v2 = 0.5 * (1.0 + b * np.pi**4 / 5.0) ** 2, a**2 / 8.0
    v13 = b**2 * np.pi**8 * 8.0 / 225.0
    expected = np.array([v1 + v13, v2, v13]) / (v1 + v2 + v13)
    assert found.total[0] == pytest.approx(expected, abs=0.03)
    assert found.total[1] == pytest.approx([9 / 25, 16 / 25, 0.0], abs=0.02)
    assert np.all(found.low <= found.total + 1e-9)
    assert np.all(found.total <= found.high + 1e-9)


MIXED = UnitCube(
    {
        "n": IntDistribution(1, 3),
        "how": CategoricalDistribution(("x", "y", "z")),
        "step": FloatDistribution(0.0, 1.0, step=0.5),
    }
)


def value(n: int, how: str, step: float) -> float:
    """A function with interactions."""
    return n * {"x": 0.0, "y": 1.0, "z": 5.0}[how] + 2.0 * step


def of_points(points: Floats) -> Floats:
    values = np.array([value(**MIXED.decode(point)) for point in points])
    return np.stack([values, np.zeros(len(points))], axis=-1)


def test_of_integers_choices_and_steps_they_are_those_of_the_sum_over_all() -> None:
    every = product((1, 2, 3), ("x", "y", "z"), (0.0, 0.5, 1.0))
    table = np.array([value(n, how, step) for n, how, step in every]).reshape(3, 3, 3)
    expected = [table.var(axis=k).mean() / table.var() for k in range(3)]
    found = total_indices(of_points, MIXED)
    assert found.total.shape == (2, 3), "a categorical parameter counts as one"
    assert found.total[0] == pytest.approx(expected, abs=0.04)


def test_of_a_constant_there_is_none() -> None:
    found = total_indices(of_points, MIXED)
    for each in (found.total, found.low, found.high):
        assert not each[1].any()


def test_only_real_points_are_asked_for() -> None:
    u = np.random.default_rng(0).random((500, 3))
    points = coordinates(u, MIXED)
    assert np.array_equal(points, MIXED.encode([MIXED.decode(point) for point in points]))
    assert np.array_equal(points, MIXED.snap(points))
    shares = points[:, 1:4].mean(axis=0)
    assert shares == pytest.approx([1 / 3] * 3, abs=0.07)


def test_with_constraints_a_parameter_varies_as_far_as_it_may() -> None:
    """On the triangle a + b <= 1: E Var(a | b) = 1/24 and Var a = 1/18; a + b has 1/24 and 1/18."""
    parameters = tuple(NumericParameter(name, 0.0, 1.0) for name in "ab")
    cube = UnitCube.from_space(Space(parameters, ("a + b <= 1",)))
    found = total_indices(lambda u: np.stack([u[:, 0], u.sum(axis=1)], axis=-1), cube)
    np.testing.assert_allclose(found.total, [[0.75, 0.0], [0.75, 0.75]], atol=0.04)
    assert (found.low <= found.total).all()
    assert (found.total <= found.high).all()


def test_an_inactive_parameter_matters_only_where_it_is_active() -> None:
    space = Space(
        (
            CategoricalParameter("kind", ("flat", "deep")),
            NumericParameter("depth", 0.0, 1.0, when={"kind": "deep"}),
        )
    )
    cube = UnitCube.from_space(space)
    found = total_indices(lambda u: np.stack([u[:, 2], u[:, 0]], axis=-1), cube)
    # Of u: uniform for one half, 1/2 for the other; its variance is 1/24, all of it by depth.
    assert found.total[0, 1] == pytest.approx(1.0, abs=0.05)
    assert found.total[1, 1] == 0.0
