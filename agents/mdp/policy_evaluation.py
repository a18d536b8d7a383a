"""Exact policy evaluation: mean and variance of a policy's return, by linear equations.

The notation is that of :mod:`agents.mdp.kernels`; a policy π has an action number for each state:

===========  ===================================================================================
P            P(s, s′) = T(s′|π(s)); 0 if s is terminal
V            mean of the discounted return from each state: V = R + γ·P·V
W            variance of this return: W = γ²·(P·(W + V²) − (P·V)²), if the reward of each action is
             certain
===========  ===================================================================================

With γ = 1, the equations have a unique solution if and only if the policy reaches a terminal state
from every state.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.2; for the
variance, Sobel, *The variance of discounted Markov decision processes*, Journal of Applied
Probability 19 (1982).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.finite_mdp import FiniteMDP, whole_numbers
from thetafront.agents.mdp.kernels import NO_ACTION, Floats, Indices


@dataclass(frozen=True, eq=False)
class PolicyValue:
    """Mean and variance of a policy's return, shape (n_states,); 0 in terminal states.

    The variance is computed as if the reward of each action were certain.
    """

    mean: Floats
    variance: Floats


def check_policy(mdp: FiniteMDP, given: npt.ArrayLike) -> Indices:
    """Return a policy, shape (n_states,); ValueError if it is invalid."""
    policy = whole_numbers("policy", given)
    if len(policy) != mdp.n_states:
        raise ValueError(f"policy must have {mdp.n_states} actions (got {len(policy)})")
    first, end = mdp.first_action[:-1], mdp.first_action[1:]
    right = np.where(mdp.terminal, policy == NO_ACTION, (policy >= first) & (policy < end))
    for state in np.flatnonzero(~right):
        allowed = f"{first[state]} to {end[state] - 1}" if end[state] > first[state] else NO_ACTION
        raise ValueError(f"policy must be {allowed} in state {state} (got {policy[state]})")
    return policy


def transition_matrix(mdp: FiniteMDP, policy: Indices) -> Floats:
    """Return P, shape (n_states, n_states)."""
    matrix = np.zeros((mdp.n_states, mdp.n_states))
    for state in np.flatnonzero(~mdp.terminal):
        np.add.at(matrix[state], *mdp.outcomes(int(policy[state])))
    return matrix


def check_end(mdp: FiniteMDP, matrix: Floats) -> None:
    """Raise ValueError if, from some state, a policy never reaches a terminal state."""
    possible = matrix > 0
    ends = mdp.terminal
    while (more := ends | possible[:, ends].any(axis=1)).sum() > ends.sum():
        ends = more
    for state in np.flatnonzero(~ends):
        raise ValueError(
            "policy must reach a terminal state if the discount is 1 (it never does from state "
            f"{state})"
        )


def evaluate(mdp: FiniteMDP, policy: npt.ArrayLike) -> PolicyValue:
    """Evaluate a policy: an action number for each state, -1 for a terminal state.

    The transition matrix is dense, which limits the MDP to a few thousand states. ValueError if the
    policy is invalid, or if the discount is 1 and, from some state, the policy never ends.
    """
    gamma = mdp.discount
    actions = check_policy(mdp, policy)
    matrix = transition_matrix(mdp, actions)
    if gamma == 1:
        check_end(mdp, matrix)
    playing = ~mdp.terminal
    rewards = np.zeros(mdp.n_states)
    rewards[playing] = mdp.reward[actions[playing]]
    one = np.eye(mdp.n_states)
    mean = np.linalg.solve(one - gamma * matrix, rewards)
    after = matrix @ mean
    spread = gamma**2 * (matrix @ mean**2 - after**2)
    variance = np.linalg.solve(one - gamma**2 * matrix, np.maximum(spread, 0.0))
    return PolicyValue(mean.astype(np.float64), variance.astype(np.float64))
