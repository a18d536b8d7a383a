"""Values that no policy can exceed: where heuristic search begins.

Notation
--------
That of :mod:`agents.mdp.kernels`, and

===========  =======================================================================================
V*           the optimal values
U            an *upper bound*: U ≥ V* in every state
R⁺           the largest reward of any action, 0 at least
best luck    L(s) = max over a of R(a) + γ·max over s′ of L(s′); 0 where s is terminal
===========  =======================================================================================

Three bounds that need no knowledge of the process:

- Where no state can be met again, best luck: what could be won if the player chose the outcomes, too.
- Else, if γ < 1: R⁺/(1 − γ).
- Else, if no reward is positive: 0.

A process without discount in which a state can be met again and some reward is positive has no bound that can be
read off its arrays, and its user has to give one.

Each of them is *consistent*: a backup nowhere raises it.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7, asks for a bound and leaves
it to the user; these three are ours.
"""

import numpy as np
import numpy.typing as npt

from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.kernels import Tables
from engine.jit import kernel


@kernel
def best_luck(tables: Tables) -> tuple[npt.NDArray[np.float64], bool]:
    """Return L, shape (n_states,), and whether it is right: whether no state can be met again.

    States are taken in an order in which each comes before all it may lead to (Kahn's), and L backwards.
    """
    n_states = len(tables.first_action) - 1
    n_ways = np.zeros(n_states, np.int64)
    for state in tables.outcome:
        n_ways[state] += 1
    order = np.empty(n_states, np.int64)
    n_known = 0
    for state in range(n_states):
        if n_ways[state] == 0:
            order[n_known] = state
            n_known += 1
    n_done = 0
    while n_done < n_known:
        state = order[n_done]
        n_done += 1
        begin = tables.first_outcome[tables.first_action[state]]
        for i in range(begin, tables.first_outcome[tables.first_action[state + 1]]):
            child = tables.outcome[i]
            n_ways[child] -= 1
            if n_ways[child] == 0:
                order[n_known] = child
                n_known += 1
    luck = np.zeros(n_states)
    for k in range(n_known - 1, -1, -1):
        state = order[k]
        best = 0.0
        for action in range(tables.first_action[state], tables.first_action[state + 1]):
            luckiest = -np.inf
            for i in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
                luckiest = max(luckiest, luck[tables.outcome[i]])
            value = tables.reward[action] + tables.discount * luckiest
            if action == tables.first_action[state] or value > best:
                best = value
        luck[state] = best
    return luck, n_known == n_states


def upper_bound(mdp: FiniteMDP) -> npt.NDArray[np.float64]:
    """Compute an upper bound of the optimal values.

    Parameters
    ----------
    mdp : FiniteMDP
        The process.

    Returns
    -------
    float64, shape (n_states,)
        U, consistent; 0 in terminal states.

    Raises
    ------
    ValueError
        If it has no discount, a state can be met again, and some reward is positive; or if rewards are so large
        that their sum is not finite.

    Notes
    -----
    Best luck takes as long as one sweep of value iteration.
    """
    bound, acyclic = best_luck(mdp.tables)
    highest = float(mdp.reward.max(initial=0.0))
    if not acyclic:
        if mdp.discount == 1 and highest > 0:
            raise ValueError(
                f"upper_bound: none given for discount 1, a state that can be met again, and a reward of {highest:g}: "
                "there is no safe one, give one value for each state"
            )
        most = highest / (1 - mdp.discount) if highest > 0 else 0.0
        bound = np.where(mdp.terminal, 0.0, most)
    if not np.isfinite(bound).all():
        largest = float(np.abs(mdp.reward).max())
        raise ValueError(
            f"upper_bound: none given for rewards as large as {largest:g}, whose sum is no finite number: "
            "count them in a larger unit"
        )
    return bound


def initial_values(mdp: FiniteMDP, given: npt.ArrayLike | None) -> npt.NDArray[np.float64]:
    """Return U to begin with, an array of its own: a bound that is given, or :func:`upper_bound`.

    Terminal states get 0, which is their value.

    Raises
    ------
    ValueError
        If the bound is not one finite number for each state, is negative in a terminal state, or none is given
        where one is needed.
    """
    if given is None:
        return upper_bound(mdp)
    values = mdp.values_of(given, "upper_bound")
    terminal = mdp.terminal
    wrong = np.flatnonzero(terminal & (values < 0))
    if len(wrong):
        raise ValueError(
            f"upper_bound: {values[wrong[0]]:g} given for state {mdp.state_name(int(wrong[0]))}, which is terminal: "
            "its value is 0, and no bound may be below"
        )
    return np.where(terminal, 0.0, values)
