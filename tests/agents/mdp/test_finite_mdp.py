"""Finite MDPs: queries, errors, and backups against plain Python."""

import pickle
import re
from typing import Any

import numpy as np
import pytest

from tests.agents.mdp.cases import CHAIN, actions_of, mdp_of
from tests.oracles import finite_mdp as oracle
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import NO_ACTION

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
    assert (states.tolist(), probabilities.tolist()) == ([0, 1], [0.25, 0.75])


def test_backups_by_hand() -> None:
    """Q(0) = 1 + ½(¼·4 + ¾·8) = 4.5, Q(1) = 0 + ½·0, Q(2) = -2 + ½·0."""
    mdp = small()
    values, policy = mdp.greedy([4, 8, 0])
    assert values.tolist() == [4.5, -2, 0]
    assert policy.tolist() == [0, 2, NO_ACTION]
    assert mdp.greedy([0, -2, 0])[1][0] == 0  # 0.25 against 0
    values, policy = mdp.greedy([0, -8 / 3, 0])
    assert (values[0], policy[0]) == (0.0, 0)  # the first one in a tie


@pytest.mark.parametrize("seed", range(20))
def test_backups_are_those_of_the_description(seed: int) -> None:
    description = oracle.random_description(seed)
    mdp = mdp_of(description, 0.9)
    values = dict(zip(description, np.random.default_rng(seed).normal(size=8), strict=True))
    backed_up, policy = mdp.greedy(list(values.values()))
    best = [
        oracle.greedy(description, values, 0.9, state) if actions else (None, 0)
        for state, actions in description.items()
    ]
    assert actions_of(description, policy) == [action for action, _ in best]
    assert backed_up.tolist() == pytest.approx([value for _, value in best], rel=1e-12)


def test_the_chain_by_hand() -> None:
    """The values derived beside the description are a fixed point of the backup."""
    backed_up, policy = CHAIN.greedy(oracle.CHAIN_VALUES)
    assert backed_up.tolist() == pytest.approx(oracle.CHAIN_VALUES, rel=1e-12)
    assert actions_of(oracle.CHAIN, policy) == oracle.CHAIN_ACTIONS


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
    assert copy.greedy([4, 8, 0])[0].tolist() == mdp.greedy([4, 8, 0])[0].tolist()


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"discount": 0}, "discount must be above 0"),
        ({"discount": 1.01}, "discount must be above 0"),
        ({"discount": float("nan")}, "discount must be above 0"),
        ({"first_action": [0]}, "first_action must have two or more entries (got 1)"),
        ({"first_action": [1, 2, 3, 3]}, "first_action must rise from 0 to 3 in steps of 0"),
        ({"first_action": [0, 2, 3, 4]}, "first_action must rise from 0 to 3 in steps of 0"),
        ({"first_action": [0, 3, 2, 3]}, "first_action must rise from 0 to 3 in steps of 0"),
        ({"first_action": [0.0, 2.0, 3.0, 3.0]}, "first_action must be a one-dimensional array of"),
        ({"first_action": [[0, 2, 3, 3]]}, "of integers (got shape (1, 4) of type int64)"),
        ({"first_outcome": [0, 2, 4]}, "first_outcome must have 4 entries (got 3)"),
        ({"first_outcome": [0, 2, 2, 4]}, "first_outcome must rise from 0 to 4 in steps of 1"),
        ({"first_outcome": [0, 2, 3, 5]}, "first_outcome must rise from 0 to 4 in steps of 1"),
        ({"probability": [0.25, 0.75, 1.0]}, "probability must have 4 entries (got 3)"),
        ({"outcome": [0, 1, 3, 2]}, "outcome must be a state, 0 to 2 (got 3)"),
        ({"outcome": [-1, 1, 2, 2]}, "outcome must be a state, 0 to 2 (got -1)"),
        ({"probability": [0.0, 1.0, 1.0, 1.0]}, "probability must be above 0 (got 0.0)"),
        ({"probability": [-0.5, 1.5, 1.0, 1.0]}, "probability must be above 0 (got -0.5)"),
        (
            {"probability": [0.25, 0.75, 1.0, 2.0]},
            "probability must sum to 1 for action 2 of state 1 (got 2.0)",
        ),
        ({"probability": [0.25, 0.25, 1.0, 1.0]}, "sum to 1 for action 0 of state 0 (got 0.5)"),
        *(
            ({"reward": bad}, "reward must be a one-dimensional array of finite numbers")
            for bad in (
                1.0,
                [1.0, float("inf"), 0.0],
                [1.0, [2.0], 3.0],
                ["much", 0.0, 0.0],
            )
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
        mdp.greedy([0, 0])
    with pytest.raises(
        ValueError, match=r"values must be a one-dimensional array of finite numbers"
    ):
        mdp.greedy([0, float("nan"), 0])


def test_all_states_may_be_terminal() -> None:
    mdp = mdp_of({"end": {}}, 1.0)
    assert (mdp.n_states, mdp.n_actions, mdp.n_outcomes) == (1, 0, 0)
    assert [found.tolist() for found in mdp.greedy([0])] == [[0.0], [NO_ACTION]]
