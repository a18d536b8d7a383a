"""Upper bounds by hand, and against optimal values in plain Python."""

from typing import Any

import numpy as np
import pytest

from results.papers.heuristic_search.bounds import initial_values, upper_bound
from tests.oracles import finite_mdp as oracle
from tests.papers.heuristic_search.cases import CHAIN
from thetafront.agents.mdp.finite_mdp import FiniteMDP


def test_best_luck_by_hand() -> None:
    """L(b) = -3, and L(a) = max(2 + ½·4, 1 + ½·(-3)), where luck prefers c to b."""
    mdp = FiniteMDP.from_description(
        {
            "end": {},
            "a": {"dare": (2, {"b": 0.9, "c": 0.1}), "wait": (1, {"b": 1})},
            "b": {"pay": (-3, {"end": 1})},
            "c": {"win": (4, {"end": 0.5, "b": 0.5})},
        },
        0.5,
    )
    assert upper_bound(mdp).tolist() == [0, 4, -3, 4]


def test_cycles() -> None:
    loop = [{"stay": (3, {0: 1}), "go": (1, {1: 1})}, {}]
    assert upper_bound(FiniteMDP.from_description(loop, 0.75)).tolist() == [12, 0]
    with pytest.raises(
        ValueError, match=r"upper_bound: none given, .* with discount 1, a reward of 3"
    ):
        upper_bound(FiniteMDP.from_description(loop, 1.0))
    assert upper_bound(CHAIN).tolist() == [0] * 6
    assert upper_bound(FiniteMDP.from_description(oracle.CHAIN, 0.5)).tolist() == [0] * 6


@pytest.mark.parametrize(
    "description",
    [
        [{"stay": (1e308, {0: 1})}],
        [{"go": (1e308, {1: 1})}, {"go": (1e308, {2: 1})}, {}],
        [{"go": (-1e308, {1: 1})}, {"go": (-1e308, {2: 1})}, {}],
    ],
)
def test_infinite_sums_of_rewards_are_refused(description: list[Any]) -> None:
    mdp = FiniteMDP.from_description(description, 0.99)
    with pytest.raises(ValueError, match=r"upper_bound: rewards as large as 1e\+308 given"):
        upper_bound(mdp)


def test_the_bound_without_actions_is_zero() -> None:
    assert upper_bound(FiniteMDP.from_description([{}, {}], 1.0)).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("discount", [0.5, 0.95])
def test_they_are_bounds_and_consistent(seed: int, discount: float) -> None:
    description = oracle.random_description(seed)
    mdp = FiniteMDP.from_description(description, discount)
    bound = upper_bound(mdp)
    best = oracle.optimal_values(description, discount)
    assert (bound >= np.array(list(best.values())) - 1e-9).all()
    assert (mdp.greedy(bound)[0] <= bound + 1e-12).all()


def test_given_bounds() -> None:
    given = np.arange(6.0)
    values = initial_values(CHAIN, given)
    assert values.tolist() == [0, 1, 2, 3, 4, 0]  # a terminal state has value 0
    values[0] = 99
    assert given[0] == 0
    for bad, message in (
        ([0.0] * 5, r"upper_bound: 5 given for 6 states"),
        ([0.0] * 5 + [np.nan], r"upper_bound: nan given at index 5"),
        ([0.0] * 5 + [-1.0], r"upper_bound: -1 given for terminal state 5, 0 or more"),
    ):
        with pytest.raises(ValueError, match=message):
            initial_values(CHAIN, bad)
