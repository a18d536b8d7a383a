"""Policy iteration: policies are evaluated by linear equations, and improved until none is better.

It works on the descriptions of :mod:`tests.oracles.finite_mdp`.
"""

from typing import Any

import numpy as np

from tests.oracles.finite_mdp import Description, q


def worth(description: Description, policy: dict[Any, Any], discount: float) -> dict[Any, float]:
    """Values of a policy: the solution of (1 - γP)·V = R."""
    states = list(description)
    number = {state: k for k, state in enumerate(states)}
    matrix, rewards = np.eye(len(states)), np.zeros(len(states))
    for state, action in policy.items():
        reward, outcomes = description[state][action]
        rewards[number[state]] = reward
        for after, p in outcomes.items():
            matrix[number[state], number[after]] -= discount * p
    return dict(zip(states, np.linalg.solve(matrix, rewards).tolist(), strict=True))


def solve(description: Description, discount: float) -> tuple[dict[Any, float], dict[Any, Any]]:
    """Optimal values, and an optimal policy; with discount 1 every policy has to end."""
    policy = {state: next(iter(actions)) for state, actions in description.items() if actions}
    while True:
        values = worth(description, policy, discount)
        changed = False
        for state, action in policy.items():
            by_action = {a: q(description, values, discount, state, a) for a in description[state]}
            best = max(by_action, key=lambda a: by_action[a])
            if by_action[best] > by_action[action] + 1e-10:
                policy[state], changed = best, True
        if not changed:
            return values, policy


def that_ends(description: Description, chance: float) -> Description:
    """The same, but every action leads to the last state with this probability or more."""
    end = list(description)[-1]
    assert not description[end]
    ended: Description = {}
    for state, actions in description.items():
        ended[state] = {}
        for action, (reward, outcomes) in actions.items():
            mixed = {after: (1 - chance) * p for after, p in outcomes.items()}
            mixed[end] = mixed.get(end, 0.0) + chance
            ended[state][action] = (reward, mixed)
    return ended
