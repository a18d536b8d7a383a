"""Bellman's backup on a finite MDP that lies in flat arrays: the kernels that its solvers share.

Notation
--------
===========  =======================================================================================
s, s′        states, 0 … n − 1
a            an *action number*: actions are counted through all states, and those of s are
             ``first_action[s]`` … ``first_action[s + 1] − 1``; a terminal state has none
R(a)         expected reward of a; as a belongs to one state, the book's R(s, a)
T(s′|a)      probability of s′ after a: outcomes ``first_outcome[a]`` … ``first_outcome[a + 1] − 1``
γ            discount
U            a value of each state, at hand or on the way
Q(a)         R(a) + γ·Σ T(s′|a)·U(s′)
BU(s)        the *backup*: max of Q over the actions of s; 0 where s is terminal
residual     of s: U(s) − BU(s), or 0 if the backup is higher
===========  =======================================================================================

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.4 and §7.5. Flat arrays are
ours: a sparse matrix by rows, twice, so that a backup reads memory from one end to the other.

The book takes the residual's absolute value, and puts BU(s) in the place of U(s) whichever is higher. Here values
are upper bounds, and the lower of two upper bounds is the better one. Where U is *consistent* (a backup nowhere
raises it) and stays so, the two readings are the same.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.jit import Integer, inlined, kernel
from engine.rng import next_word

NOTHING = -1
"""In the place of an action number: a terminal state's."""

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


class Tables(NamedTuple):
    """A finite MDP as kernels take it.

    Attributes
    ----------
    first_action : int64, shape (n_states + 1,)
        Where the actions of each state begin.
    reward : float64, shape (n_actions,)
        R(a).
    first_outcome : int64, shape (n_actions + 1,)
        Where the outcomes of each action begin.
    outcome : int64, shape (n_outcomes,)
        The state s′ of each outcome.
    probability : float64, shape (n_outcomes,)
        T(s′|a).
    discount : float
        γ.
    """

    first_action: Indices
    reward: Floats
    first_outcome: Indices
    outcome: Indices
    probability: Floats
    discount: float


@inlined
def q_value(tables: Tables, values: Floats, action: Integer) -> float:
    """Do what :func:`action_value` does, as a building block: a call for each action takes longer than its sum."""
    expected = 0.0
    for i in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
        expected += tables.probability[i] * values[tables.outcome[i]]
    return float(tables.reward[action] + tables.discount * expected)


@inlined
def best_action(tables: Tables, values: Floats, state: Integer) -> tuple[float, Integer]:
    """Do what :func:`backup` does, as a building block for loops over states."""
    best: Integer = NOTHING
    best_value = 0.0
    for action in range(tables.first_action[state], tables.first_action[state + 1]):
        value = q_value(tables, values, action)
        if best == NOTHING or value > best_value:
            best, best_value = action, value
    return best_value, best


@kernel
def action_value(tables: Tables, values: Floats, action: Integer) -> float:
    """Return Q(a) of an action number under ``values``, U of shape (n_states,)."""
    return q_value(tables, values, action)


@kernel
def backup(tables: Tables, values: Floats, state: Integer) -> tuple[float, Integer]:
    """Look at all actions of one state.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U; left as it is.
    state : int
        s.

    Returns
    -------
    value : float
        BU(s).
    action : int
        The number of the action of highest value, the first of equals; NOTHING if s is terminal.
    """
    return best_action(tables, values, state)


@kernel
def greedy(tables: Tables, values: Floats) -> tuple[Floats, Indices]:
    """Back up all states from the same values: BU and the greedy action numbers, shape (n_states,) each."""
    n_states = len(values)
    backed_up = np.empty(n_states)
    policy = np.empty(n_states, np.int64)
    for state in range(n_states):
        backed_up[state], policy[state] = backup(tables, values, state)
    return backed_up, policy


@kernel
def lower(tables: Tables, values: Floats, state: Integer) -> Integer:
    """Put BU(s) in the place of U(s), if it is lower; return the greedy action number, see :func:`backup`."""
    value, action = backup(tables, values, state)
    values[state] = min(values[state], value)
    return action


@inlined
def draw_outcome(tables: Tables, action: Integer, stream: np.uint64) -> tuple[Integer, np.uint64]:
    """Draw s′ after an action, by the next word of a stream; returns the stream after it, too."""
    word, stream = next_word(stream)
    left = np.float64(word >> np.uint64(11)) * 2.0**-53  # uniform, 0 to just below 1
    last = tables.first_outcome[action + 1] - 1
    # The last outcome takes what is left: rounded probabilities may add up to a little less than 1.
    for i in range(tables.first_outcome[action], last):
        left -= tables.probability[i]
        if left < 0.0:
            return tables.outcome[i], stream
    return tables.outcome[last], stream
