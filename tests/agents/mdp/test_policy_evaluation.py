"""Policy evaluation against independent linear algebra, closed forms and simulated returns."""

import re
from typing import Any

import numpy as np
import pytest

from tests.agents.mdp.cases import CHAIN, mdp_of
from tests.oracles import finite_mdp as oracle
from thetafront.agents.mdp.policy_evaluation import evaluate


def random_policy(description: oracle.Description, seed: int) -> tuple[list[int], dict[Any, Any]]:
    chance = np.random.default_rng(seed)
    numbers, names, n_before = [], {}, 0
    for state, actions in description.items():
        if not actions:
            numbers.append(-1)
            continue
        k = int(chance.integers(len(actions)))
        numbers.append(n_before + k)
        names[state] = list(actions)[k]
        n_before += len(actions)
    return numbers, names


@pytest.mark.parametrize("discount", [0.3, 0.95, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_means_of_random_policies(seed: int, discount: float) -> None:
    description = oracle.that_ends(oracle.random_description(seed), 0.02)
    numbers, names = random_policy(description, seed)
    expected = list(oracle.worth(description, names, discount).values())
    mdp = mdp_of(description, discount)
    assert evaluate(mdp, numbers).mean.tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("p", "discount"), [(0.25, 1.0), (0.25, 0.8), (1.0, 1.0)])
def test_a_geometric_number_of_steps(p: float, discount: float) -> None:
    """One point for each of N geometric steps returns (1 − γᴺ)/(1 − γ).

    E[xᴺ] = p·x/(1 − (1 − p)·x).
    """
    outcomes = {"here": 1 - p, "there": p} if p < 1 else {"there": 1.0}
    mdp = mdp_of({"here": {"go": (1.0, outcomes)}, "there": {}}, discount)
    found = evaluate(mdp, [0, -1])

    def power(x: float) -> float:
        return p * x / (1 - (1 - p) * x)

    mean, variance = 1 / p, (1 - p) / p**2
    if discount < 1:
        mean = (1 - power(discount)) / (1 - discount)
        variance = (power(discount**2) - power(discount) ** 2) / (1 - discount) ** 2
    assert found.mean.tolist() == pytest.approx([mean, 0])
    assert found.variance.tolist() == pytest.approx([variance, 0], abs=1e-12)


def test_the_variance_is_that_of_games() -> None:
    """100,000 games of a random policy in plain numpy: within five standard errors."""
    description = oracle.that_ends(oracle.random_description(5), 0.1)
    numbers, names = random_policy(description, 1)
    found = evaluate(mdp_of(description, 1.0), numbers)
    chance = np.random.default_rng(9)
    n = 100_000
    states, totals = np.zeros(n, np.int64), np.zeros(n)
    while (playing := states < 7).any():
        now = states.copy()
        for state, action in names.items():
            here = playing & (now == state)
            reward, outcomes = description[state][action]
            totals[here] += reward
            states[here] = chance.choice(list(outcomes), here.sum(), p=list(outcomes.values()))
    assert abs(totals.mean() - found.mean[0]) < 5 * totals.std() / np.sqrt(n)
    squares = (totals - totals.mean()) ** 2
    assert abs(squares.mean() - found.variance[0]) < 5 * squares.std() / np.sqrt(n)


def test_an_endless_policy_is_refused_without_discount() -> None:
    description: oracle.Description = {
        "round": {"on": (-1.0, {"about": 1.0}), "out": (-1.0, {"end": 1.0})},
        "about": {"on": (-1.0, {"round": 1.0})},
        "end": {},
    }
    mdp = mdp_of(description, 1.0)
    assert evaluate(mdp, [1, 2, -1]).mean.tolist() == [-1, -2, 0]
    with pytest.raises(ValueError, match=r"policy must reach .* \(it never does from state 0\)"):
        evaluate(mdp, [0, 2, -1])
    half = mdp_of(description, 0.5)
    assert evaluate(half, [0, 2, -1]).mean.tolist() == pytest.approx([-2, -2, 0])


@pytest.mark.parametrize(
    ("policy", "part"),
    [
        ([1, 3, 5, 7, 9], "policy must have 6 actions (got 5)"),
        ([1, 3, 5, 7, 7, -1], "policy must be 8 to 9 in state 4 (got 7)"),
        ([1, 3, 5, 7, 9, 0], "policy must be -1 in state 5 (got 0)"),
        ([-1, 3, 5, 7, 9, -1], "policy must be 0 to 1 in state 0 (got -1)"),
        ([0.0, 3, 5, 7, 9, -1], "policy must be a one-dimensional array of integers"),
    ],
)
def test_bad_policies_are_named(policy: Any, part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        evaluate(CHAIN, policy)
