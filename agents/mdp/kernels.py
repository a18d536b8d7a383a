"""Bellman backups on a finite MDP in flat arrays: the kernels that all solvers share.

===========  ===================================================================================
s, s′        states, 0 … n − 1
a            an *action number*. The actions of all states are numbered consecutively; s has the
             actions ``first_action[s]`` … ``first_action[s + 1] − 1``. A terminal state has none
R(a)         expected reward of a. An action belongs to one state, so this is the book's R(s, a)
T(s′|a)      probability of s′ after a; a has the outcomes
             ``first_outcome[a]`` … ``first_outcome[a + 1] − 1``
γ            discount
U            the current value of each state
Q(a)         R(a) + γ·Σ T(s′|a)·U(s′)
BU(s)        the *backup* of s: the maximum of Q over its actions; 0 if s is terminal
===========  ===================================================================================

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.4 and §7.5. The
arrays are compressed sparse rows at two levels, actions and outcomes, so a sweep over all states
reads each of them from one end to the other.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import Integer, inlined, kernel

NO_ACTION = -1
"""The action number of a terminal state in a policy."""

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


class Tables(NamedTuple):
    """A finite MDP in the form that kernels take."""

    first_action: Indices  # (n_states + 1,)
    reward: Floats  # (n_actions,): R
    first_outcome: Indices  # (n_actions + 1,)
    outcome: Indices  # (n_outcomes,): s′
    probability: Floats  # (n_outcomes,): T(s′|a)
    discount: float  # γ


@inlined
def q_value(tables: Tables, values: Floats, action: Integer) -> float:
    """Return Q(a): the inlined form of :func:`action_value`, for loops over actions."""
    expected = 0.0
    for i in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
        expected += tables.probability[i] * values[tables.outcome[i]]
    return float(tables.reward[action] + tables.discount * expected)


@inlined
def best_action(tables: Tables, values: Floats, state: Integer) -> tuple[float, Integer]:
    """Return BU(s) and the best action: the inlined :func:`backup`, for loops over states."""
    best: Integer = NO_ACTION
    best_value = 0.0
    for action in range(tables.first_action[state], tables.first_action[state + 1]):
        value = q_value(tables, values, action)
        if best == NO_ACTION or value > best_value:
            best, best_value = action, value
    return best_value, best


@kernel
def action_value(tables: Tables, values: Floats, action: Integer) -> float:
    """Return Q(a), given U as ``values``, shape (n_states,)."""
    return q_value(tables, values, action)


@kernel
def backup(tables: Tables, values: Floats, state: Integer) -> tuple[float, Integer]:
    """Return BU(s) and the best action (the first in a tie; NO_ACTION if s is terminal)."""
    return best_action(tables, values, state)


@kernel
def greedy(tables: Tables, values: Floats) -> tuple[Floats, Indices]:
    """Back up all states from the same U; return BU and the greedy policy, (n_states,) each."""
    n_states = len(values)
    backed_up = np.empty(n_states)
    policy = np.empty(n_states, np.int64)
    for state in range(n_states):
        backed_up[state], policy[state] = backup(tables, values, state)
    return backed_up, policy
