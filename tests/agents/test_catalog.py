"""Agents by name."""

import pytest

from agents.catalog import build, from_theta, parameters, theta_names
from agents.mcmdp import MonteCarloMDP
from agents.pmcts import PureMonteCarlo


def test_agents_are_built_from_named_numbers() -> None:
    theta = from_theta("mcmdp", (500, 54, 18, 9, 6.25, 1))
    assert build("mcmdp", theta) == MonteCarloMDP.from_theta() == build("mcmdp", {})
    assert build("pmcts", {"n_playouts": 7.0}) == PureMonteCarlo(7)


def test_theta_is_what_is_called_so() -> None:
    assert theta_names("mcmdp") == tuple(f"theta{k}" for k in range(1, 7))
    assert theta_names("pmcts") == ("n_playouts",)
    assert parameters("random") == {}


@pytest.mark.parametrize(
    ("name", "values", "part"),
    [
        ("chess", {}, "'chess' given, one of mcmdp, pmcts, random, switching, table1 allowed"),
        ("mcmdp", {"theta7": 1.0}, "'theta7' given for mcmdp"),
        ("mcmdp", {"theta6": 2.0}, "theta6"),
        ("mcmdp", {"theta1": float("inf")}, "theta1: inf"),
        ("pmcts", {"n_playouts": 1.5}, "an integer allowed"),
        ("pmcts", {"cascade": 2.0}, "cascade: 2 given, 0 or 1 allowed"),
        ("mcmdp", {"gamma": 0.0}, "gamma: 0 given"),
        ("mcmdp", {"reward_weight": -1.0}, "reward_weight: -1 given"),
    ],
)
def test_what_is_not_allowed_is_named(name: str, values: dict[str, float], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        build(name, values)


def test_theta_of_the_wrong_length_is_named() -> None:
    with pytest.raises(ValueError, match="5 values given, 6 expected for mcmdp"):
        from_theta("mcmdp", (1, 2, 3, 4, 5))
