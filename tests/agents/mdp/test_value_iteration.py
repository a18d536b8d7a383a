"""Value iteration against policy iteration by linear algebra, and sweeps against plain Python."""

import re
from typing import Any

import numpy as np
import pytest

from tests.agents.mdp.cases import CHAIN, actions_of, mdp_of
from tests.oracles import finite_mdp as oracle
from thetafront.agents.mdp.value_iteration import ValueIteration

SWEEPS = [True, False]


def solvable(seed: int, discount: float) -> oracle.Description:
    description = oracle.random_description(seed, n_states=12)
    if discount == 1:
        description = oracle.that_ends(description, 0.05)
    return description


@pytest.mark.parametrize("gauss_seidel", SWEEPS)
@pytest.mark.parametrize("discount", [0.5, 0.9, 0.99, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_linear_algebra(seed: int, discount: float, gauss_seidel: bool) -> None:
    description = solvable(seed, discount)
    best, policy = oracle.solve(description, discount)
    mdp = mdp_of(description, discount)
    solved = ValueIteration(1e-12, gauss_seidel=gauss_seidel).solve(mdp)
    assert solved.converged
    assert solved.residual <= 1e-12
    assert solved.values.tolist() == pytest.approx(list(best.values()), abs=1e-9)
    assert actions_of(description, solved.policy) == [*policy.values(), None]


@pytest.mark.parametrize("seed", range(8))
def test_both_kinds_of_sweep_are_those_of_the_book(seed: int) -> None:
    """Three sweeps in plain Python give the same values and residual."""
    description = solvable(seed, 0.9)
    mdp = mdp_of(description, 0.9)
    begin = np.random.default_rng(seed).normal(size=12)
    for gauss_seidel in SWEEPS:
        values = dict(enumerate(begin.tolist()))
        values[11] = 0.0
        for _ in range(3):
            before = dict(values)
            for state, actions in description.items():
                if actions:
                    seen = values if gauss_seidel else before
                    values[state] = oracle.greedy(description, seen, 0.9, state)[1]
            residual = max(abs(values[state] - before[state]) for state in values)
        solved = ValueIteration(0, 3, gauss_seidel).solve(mdp, begin)
        assert (solved.n_sweeps, solved.converged) == (3, False)
        assert solved.values.tolist() == pytest.approx(list(values.values()), abs=1e-12)
        assert solved.residual == pytest.approx(residual, abs=1e-12)


@pytest.mark.parametrize("gauss_seidel", SWEEPS)
@pytest.mark.parametrize("seed", range(8))
def test_the_residual_bounds_the_error(seed: int, gauss_seidel: bool) -> None:
    description = solvable(seed, 0.9)
    best = np.array(list(oracle.solve(description, 0.9)[0].values()))
    mdp = mdp_of(description, 0.9)
    begin = np.random.default_rng(seed).normal(0, 20, 12)
    for tolerance in (10.0, 1.0, 0.1, 1e-3):
        solved = ValueIteration(tolerance, gauss_seidel=gauss_seidel).solve(mdp, begin)
        assert solved.converged
        assert solved.residual <= tolerance
        assert np.abs(solved.values - best).max() <= 0.9 / 0.1 * solved.residual + 1e-12
        fewer = ValueIteration(tolerance, solved.n_sweeps - 1 or 1, gauss_seidel).solve(mdp, begin)
        assert fewer.converged is (solved.n_sweeps == 1), "no sweep more than needed"


def test_the_chain_without_discount() -> None:
    """It converges although some policies never end and cost without bound."""
    for gauss_seidel in SWEEPS:
        solved = ValueIteration(1e-13, gauss_seidel=gauss_seidel).solve(CHAIN, [50.0] * 6)
        assert solved.values.tolist() == pytest.approx(oracle.CHAIN_VALUES, abs=1e-11)
        assert actions_of(oracle.CHAIN, solved.policy) == oracle.CHAIN_ACTIONS


def test_unbounded_values_do_not_converge() -> None:
    """One point per step for ever, without discount: U grows by one per sweep."""
    mdp = mdp_of({"a": {"stay": (1.0, {"a": 1.0})}}, 1.0)
    solved = ValueIteration(1e-3, 700).solve(mdp)
    assert (solved.n_sweeps, solved.residual, solved.converged) == (700, 1.0, False)
    assert solved.values.tolist() == [700.0]


def test_terminal_values_are_zero() -> None:
    mdp = mdp_of({"a": {"go": (1.0, {"b": 1.0})}, "b": {}}, 1.0)
    for gauss_seidel in SWEEPS:
        solved = ValueIteration(0, 5, gauss_seidel).solve(mdp, [3.0, 7.0])
        assert solved.values.tolist() == [1.0, 0.0]
        assert (solved.n_sweeps, solved.residual, solved.converged) == (2, 0.0, True)
    only_ends = mdp_of({"b": {}}, 1.0)
    assert ValueIteration().solve(only_ends).values.tolist() == [0.0]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"tolerance": -1e-9}, "tolerance must be a finite number of 0 or more (got -1e-09)"),
        ({"tolerance": float("nan")}, "tolerance must be "),
        ({"tolerance": float("inf")}, "tolerance must be "),
        ({"max_sweeps": 0}, "max_sweeps must be an integer of 1 or more (got 0)"),
        ({"max_sweeps": 1.5}, "max_sweeps must be an integer of 1 or more (got 1.5)"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        ValueIteration(**arguments)


def test_bad_initial_values_are_named() -> None:
    with pytest.raises(
        ValueError, match=r"initial_values must have 6 values, one per state \(got 2\)"
    ):
        ValueIteration().solve(CHAIN, [0, 0])
    with pytest.raises(
        ValueError, match=r"initial_values must be a one-dimensional array of finite"
    ):
        ValueIteration().solve(CHAIN, [0, 0, 0, 0, 0, np.inf])
