"""The unit cube: bounds kept, and the way back."""

from typing import Any

import numpy as np
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from thetafront.study.samplers.encoding import UnitCube

NUMERIC: dict[str, FloatDistribution | IntDistribution] = {
    "int": IntDistribution(-2, 3),
    "int_log": IntDistribution(16, 2048, log=True),
    "int_log_from_one": IntDistribution(1, 7, log=True),
    "int_step": IntDistribution(10, 100, step=15),
    "int_large": IntDistribution(0, 10**12),
    "float": FloatDistribution(0.05, 1.0),
    "float_log": FloatDistribution(1.0, 10.0, log=True),
    "float_log_wide": FloatDistribution(1e-8, 1e3, log=True),
    "float_step": FloatDistribution(0.1, 0.7, step=0.1),
    "float_negative": FloatDistribution(-1e6, -1e-6),
}
CHOICES = (None, "a", 3, 2.5, True)
ALL: dict[str, BaseDistribution] = {**NUMERIC, "choice": CategoricalDistribution(CHOICES)}


def accepted(distribution: BaseDistribution, value: Any) -> bool:
    return distribution._contains(distribution.to_internal_repr(value))


def same(a: Any, b: Any) -> bool:
    return a == pytest.approx(b, rel=1e-12) if isinstance(b, float) else a is b or a == b


@pytest.mark.parametrize("name", ALL)
def test_values_are_in_bounds_and_there_is_a_way_back(name: str) -> None:
    cube = UnitCube({name: ALL[name]})
    rng = np.random.default_rng(0)
    corners = [np.zeros(cube.n_coordinates), np.ones(cube.n_coordinates)]
    for point in [*corners, *rng.random((300, cube.n_coordinates))]:
        params = cube.decode(point)
        assert accepted(ALL[name], params[name])
        is_whole = isinstance(ALL[name], IntDistribution)
        assert not is_whole or type(params[name]) is int
        encoded = cube.encode([params])
        assert np.all((encoded >= 0.0) & (encoded <= 1.0))
        assert same(cube.decode(encoded[0])[name], params[name])
        np.testing.assert_allclose(cube.snap(point[None]), encoded, rtol=0, atol=1e-12)


def test_a_choice_is_one_hot() -> None:
    """So choices are equally far, and farther apart than the ends of a number."""
    cube = UnitCube({"x": FloatDistribution(0.0, 1.0), "choice": CategoricalDistribution(CHOICES)})
    points = cube.encode([{"x": 0.0, "choice": each} for each in CHOICES])
    np.testing.assert_array_equal(points, np.eye(6)[1:])
    assert cube.decode(np.array([0.5, 0.1, 0.3, 0.2, 0.9, 0.8])) == {"x": 0.5, "choice": 2.5}
    assert cube.widths.tolist() == [1, 5]
    assert cube.owners.tolist() == [0, 1, 1, 1, 1, 1]


def test_snapping_twice_changes_nothing() -> None:
    cube = UnitCube(ALL)
    points = np.random.default_rng(1).uniform(-0.3, 1.3, (200, cube.n_coordinates))
    once = cube.snap(points)
    np.testing.assert_array_equal(cube.snap(once), once)
    assert np.all((once >= 0.0) & (once <= 1.0))


def test_points_of_equal_params_are_equal_to_the_last_bit() -> None:
    """A sampler recognizes a point that was tried before by it."""
    grid = UnitCube({name: each for name, each in ALL.items() if getattr(each, "step", 1)})
    points = grid.snap(np.random.default_rng(2).random((200, grid.n_coordinates)))
    np.testing.assert_array_equal(grid.encode([grid.decode(point) for point in points]), points)


def test_a_parameter_of_one_value_is_in_the_middle() -> None:
    cube = UnitCube({"x": FloatDistribution(2.0, 2.0), "n": IntDistribution(5, 5)})
    np.testing.assert_array_equal(cube.encode([{"x": 2.0, "n": 5}]), [[0.5, 0.5]])
    assert cube.decode(np.array([0.9, 0.1])) == {"x": 2.0, "n": 5}
