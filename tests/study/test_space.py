"""Search spaces: bounds kept through every transformation, and the way back."""

import math

import numpy as np
import pytest
from optuna.distributions import FloatDistribution, IntDistribution

from study.errors import InputError
from study.experiment import EXPERIMENTS
from study.space import Parameter, Space

PARAMETERS = [
    Parameter("linear", 0.05, 1.0),
    Parameter("log", 1.0, 10.0, log=True),
    Parameter("whole", -2, 3, integer=True),
    Parameter("whole_log", 16, 2048, integer=True, log=True),
]


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: p.name)
def test_values_stay_in_bounds(parameter: Parameter) -> None:
    """exp(log 10) is above 10; optuna would draw another point at random, and say nothing."""
    assert math.exp(math.log(10.0)) > 10.0
    for u in [0.0, 1.0, *np.linspace(0, 1, 997)]:
        value = parameter.from_unit(u)
        assert parameter.low <= value <= parameter.high
        assert parameter.check(value) == value
        assert parameter.distribution()._contains(parameter.distribution().to_internal_repr(value))
    assert parameter.from_unit(0.0) == parameter.low
    assert parameter.from_unit(1.0) == parameter.high


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: p.name)
def test_to_unit_is_the_way_back(parameter: Parameter) -> None:
    for u in np.linspace(0, 1, 97):
        value = parameter.from_unit(u)
        assert parameter.from_unit(parameter.to_unit(value)) == pytest.approx(value, rel=1e-12)


def test_whole_numbers_are_met_equally_often() -> None:
    parameter = Parameter("whole", 0, 3, integer=True)
    values = [parameter.from_unit(u) for u in (np.arange(4000) + 0.5) / 4000]
    assert [values.count(k) for k in range(4)] == [1000] * 4
    assert all(isinstance(value, int) for value in values)


def test_optuna_is_told_the_same() -> None:
    space = Space(tuple(PARAMETERS))
    assert space.distributions() == {
        "linear": FloatDistribution(0.05, 1.0),
        "log": FloatDistribution(1.0, 10.0, log=True),
        "whole": IntDistribution(-2, 3),
        "whole_log": IntDistribution(16, 2048, log=True),
    }


def test_the_space_of_mcmdp_is_the_one_agreed() -> None:
    bounds = {p.name: (p.low, p.high, p.integer, p.log) for p in EXPERIMENTS["mcmdp"].space}
    assert bounds == {
        "theta1": (16, 2048, True, True),
        "theta2": (8, 512, True, True),
        "theta3": (4, 256, True, True),
        "theta4": (2, 64, True, True),
        "theta5": (1.0, 10.0, False, True),
        "theta6": (0.05, 1.0, False, False),
    }


@pytest.mark.parametrize("value", [-3, 4, 0.5, float("nan")])
def test_values_that_are_not_allowed_are_named(value: float) -> None:
    with pytest.raises(InputError, match=r"whole: .* given, an integer from -2 to 3 allowed"):
        PARAMETERS[2].check(value)


@pytest.mark.parametrize(
    "bounds",
    [
        {"low": 1, "high": 1},
        {"low": 0, "high": float("inf")},
        {"low": 0, "high": 1, "log": True},
        {"low": 0.5, "high": 2, "integer": True},
    ],
)
def test_bounds_that_are_none_are_refused(bounds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="p: "):
        Parameter("p", **bounds)
