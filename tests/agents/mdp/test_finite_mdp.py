"""Finite MDPs: queries, errors, and backups against plain Python."""

import pickle
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.agents.mdp.cases import CHAIN
from tests.oracles import finite_mdp as oracle
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import NO_ACTION, Tables, draw_outcome
from thetafront.engine.jit import kernel

# State 0 has two actions, of two outcomes and of one; state 1 has one; state 2 is terminal.
GOOD: dict[str, Any] = {
    "first_action": [0, 2, 3, 3],
    "reward": [1.0, 0.0, -2.0],
    "first_outcome": [0, 2, 3, 4],
    "outcome": [0, 1, 2, 2],
    "probability": [0.25, 0.75, 1.0, 1.0],
    "discount": 0.5,
}


def small(**changes: Any) -> FiniteMDP:
    return FiniteMDP(**(GOOD | changes))


def test_queries() -> None:
    mdp = small()
    assert (mdp.n_states, mdp.n_actions, mdp.n_outcomes) == (3, 3, 4)
    assert mdp.terminal.tolist() == [False, False, True]
    assert [list(mdp.actions(state)) for state in range(3)] == [[0, 1], [2], []]
    states, probabilities = mdp.outcomes(0)
    assert states.tolist() == [0, 1]
    assert probabilities.tolist() == [0.25, 0.75]
    assert [mdp.successors(state).tolist() for state in range(3)] == [[0, 1, 2], [2], []]
    assert mdp.state(1) == mdp.state_name(1) == 1


def test_backups_by_hand() -> None:
    """Q(0) = 1 + ½(¼·4 + ¾·8) = 4.5, Q(1) = 0 + ½·0, Q(2) = -2 + ½·0."""
    mdp = small()
    assert mdp.backup([4, 8, 0], 0) == (4.5, 0)
    assert mdp.backup([4, 8, 0], 1) == (-2.0, 2)
    assert mdp.backup([4, 8, 0], 2) == (0.0, NO_ACTION)
    values, policy = mdp.greedy([4, 8, 0])
    assert values.tolist() == [4.5, -2, 0]
    assert policy.tolist() == [0, 2, NO_ACTION]
    assert mdp.backup([0, -2, 0], 0)[1] == 0  # 0.25 against 0
    assert mdp.backup([0, -8 / 3, 0], 0) == (0.0, 0)  # the first one in a tie


@pytest.mark.parametrize("seed", range(20))
def test_backups_are_those_of_the_description(seed: int) -> None:
    description = oracle.random_description(seed)
    mdp = FiniteMDP.from_description(description, 0.9)
    values = dict(zip(description, np.random.default_rng(seed).normal(size=8), strict=True))
    backed_up, policy = mdp.greedy(list(values.values()))
    for state, actions in description.items():
        if not actions:
            assert (backed_up[state], policy[state]) == (0, NO_ACTION)
            continue
        action, value = oracle.greedy(description, values, 0.9, state)
        assert backed_up[state] == pytest.approx(value, rel=1e-12)
        assert mdp.action_name(policy[state]) == action
        afters = {after for _, outcomes in actions.values() for after in outcomes}
        assert mdp.successors(state).tolist() == sorted(afters)


def test_the_chain_by_hand_and_by_fractions() -> None:
    """The values derived beside the description are an exact fixed point of the backup."""
    chain = oracle.exactly(oracle.CHAIN)
    values = [Fraction(v).limit_denominator(1000) for v in oracle.CHAIN_VALUES]
    backed_up, policy = CHAIN.greedy(oracle.CHAIN_VALUES)
    assert backed_up.tolist() == pytest.approx(oracle.CHAIN_VALUES, rel=1e-12)
    for state in range(5):
        action, value = oracle.greedy(chain, values, 1, state)
        assert (action, value) == (oracle.CHAIN_ACTIONS[state], values[state])
        assert CHAIN.action_name(policy[state]) == action


def test_names() -> None:
    mdp = FiniteMDP.from_description({"a": {"go": (1, {"b": 1})}, "b": {}}, 1.0)
    assert mdp.state("b") == 1
    assert mdp.state_name(0) == "a"
    assert mdp.action_name(0) == "go"
    by_position = FiniteMDP.from_description([{"go": (1, {1: 1})}, {}], 1.0)
    assert by_position.state(1) == 1
    with pytest.raises(ValueError, match=r"state must be the name of a state"):
        mdp.state("c")
    with pytest.raises(ValueError, match=r"state must be the name of a state"):
        small().state(3)


def test_arrays_are_its_own() -> None:
    rewards = np.array([1.0, 0.0, -2.0])
    mdp = small(reward=rewards)
    rewards[0] = 99
    assert mdp.reward[0] == 1
    for array in (mdp.first_action, mdp.reward, mdp.first_outcome, mdp.outcome, mdp.probability):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_copy_in_another_process_is_the_same_to_kernels() -> None:
    mdp = small()
    copy = pickle.loads(pickle.dumps(mdp))
    assert [a.flags.writeable for a in copy.tables[:-1]] == [False] * 5
    assert copy.backup([4, 8, 0], 0) == mdp.backup([4, 8, 0], 0)


@kernel
def count_draws(tables: Tables, action: int, n: int, stream: np.uint64) -> Any:
    counts = np.zeros(len(tables.first_action) - 1, np.int64)
    for _ in range(n):
        state, stream = draw_outcome(tables, action, stream)
        counts[state] += 1
    return counts


def test_outcomes_are_drawn_by_their_probabilities() -> None:
    probabilities = [0.5, 0.01, 0.09, 0.4]
    mdp = FiniteMDP([0, 1, 1, 1, 1], [0.0], [0, 4], [3, 1, 2, 0], probabilities, 1.0)
    n = 200_000
    counts = count_draws(mdp.tables, 0, n, np.uint64(5))[[3, 1, 2, 0]]
    expected = n * np.array(probabilities)
    assert ((counts - expected) ** 2 / expected).sum() < 16.3  # χ², 3 degrees, p = 0.001
    certain = small()
    assert count_draws(certain.tables, 2, 100, np.uint64(5)).tolist() == [0, 0, 100]


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"discount": 0}, "discount must be above 0"),
        ({"discount": 1.01}, "discount must be above 0"),
        ({"discount": float("nan")}, "discount must be above 0"),
        ({"first_action": [0]}, "first_action must have one state or more"),
        ({"first_action": [1, 2, 3, 3]}, "first_action must begin with 0 (got [1])"),
        (
            {"first_action": [0, 2, 3, 4]},
            "first_action must end with 3, one per action (got 4)",
        ),
        (
            {"first_action": [0, 3, 2, 3]},
            "first_action must be 3 or more at index 2, after 3 (got 2)",
        ),
        (
            {"first_action": [0.0, 2.0, 3.0, 3.0]},
            "first_action must be a one-dimensional array of integers (got shape (4,) of type "
            "float64)",
        ),
        ({"first_action": [[0, 2, 3, 3]]}, "(got shape (1, 4)"),
        (
            {"reward": [1.0, float("inf"), 0.0]},
            "reward must be finite numbers (got inf at index 1)",
        ),
        ({"reward": 1.0}, "reward must be a one-dimensional array of numbers (got shape ())"),
        ({"first_outcome": [0, 2, 4]}, "first_outcome must have 4 entries (got 3)"),
        (
            {"first_outcome": [0, 2, 2, 4]},
            "first_outcome must be 3 or more at index 2, after 2 (got 2)",
        ),
        ({"first_outcome": [0, 2, 3, 5]}, "first_outcome must end with 4, one per "),
        ({"probability": [0.25, 0.75, 1.0]}, "probability must have 4 entries (got 3)"),
        ({"outcome": [0, 1, 3, 2]}, "outcome must be between 0 and 2 (got 3 at index 2)"),
        ({"outcome": [-1, 1, 2, 2]}, "outcome must be between 0 and 2 (got -1 at index 0)"),
        (
            {"probability": [0.0, 1.0, 1.0, 1.0]},
            "probability must be above 0 and up to 1 (got 0.0 for action 0 of state 0)",
        ),
        ({"probability": [-0.5, 1.5, 1.0, 1.0]}, "(got -0.5 for action 0 of"),
        ({"probability": [0.25, 0.75, 1.0, 2.0]}, "(got 2.0 for action 2 of state 1)"),
        (
            {"probability": [0.25, 0.75, float("nan"), 1.0]},
            "probability must be finite numbers (got nan at index 2)",
        ),
        ({"reward": [1.0, [2.0], 3.0]}, "reward must be a one-dimensional array of numbers"),
        ({"reward": ["much", 0.0, 0.0]}, "reward must be a one-dimensional array of numbers"),
        (
            {"probability": [0.25, 0.75, 1.0, 0.9]},
            "must add up to 1 (got 0.9 for action 2 of state 1)",
        ),
        (
            {"probability": [0.25, 0.25, 1.0, 1.0]},
            "must add up to 1 (got 0.5 for action 0 of state 0",
        ),
        ({"state_names": ("a", "b")}, "state_names must have 3 entries (got 2)"),
        ({"state_names": ("a", "b", "a")}, "state_names must be unique"),
        ({"action_names": ("a",)}, "action_names must have 3 entries (got 1)"),
        (
            {"action_names": ("a",), "probability": [0.25, 0.75, 1.0, 0.9]},
            "action_names must have 3 entries (got 1)",
        ),
    ],
)
def test_bad_arrays_are_named(changes: dict[str, Any], part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        small(**changes)


def test_bad_calls_are_named() -> None:
    mdp = small()
    with pytest.raises(ValueError, match=r"state must be between 0 and 2 \(got 3\)"):
        mdp.actions(3)
    with pytest.raises(ValueError, match=r"action must be between 0 and 2 \(got 3\)"):
        mdp.outcomes(3)
    with pytest.raises(ValueError, match=r"values must have 3 values, one per state \(got 2\)"):
        mdp.backup([0, 0], 0)
    with pytest.raises(ValueError, match=r"values must be finite numbers \(got nan at index 1"):
        mdp.greedy([0, float("nan"), 0])


@pytest.mark.parametrize(
    ("action", "part"),
    [
        ((1, {"b": 1}), "action 'go' of state 'a' leads to 'b', which is not described"),
        ((1, {}), "must have a next state (got none for action 'go' of state 'a')"),
        (
            (float("nan"), {"a": 1}),
            "must have finite rewards (got nan for action 'go' of state 'a')",
        ),
        (
            (1, {"a": -1}),
            "probability must be above 0 and up to 1 (got -1.0 for action go of state a)",
        ),
        ((1, {"a": 0.5}), "probability must add up to 1 (got 0.5 for action go of state a)"),
    ],
)
def test_a_bad_description_is_named(action: Any, part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        FiniteMDP.from_description({"a": {"go": action}}, 1.0)


def test_all_states_may_be_terminal() -> None:
    mdp = FiniteMDP.from_description({"end": {}}, 1.0)
    assert (mdp.n_states, mdp.n_actions, mdp.n_outcomes) == (1, 0, 0)
    assert mdp.backup([0], 0) == (0.0, NO_ACTION)
