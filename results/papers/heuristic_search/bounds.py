"""Upper bounds of the optimal values: where heuristic search begins.

An upper bound U has U ≥ V*, the optimal values, in every state. Three need no knowledge of the
game; R⁺ is the largest reward of any action, at least 0, and the rest is notation of
:mod:`agents.mdp.kernels`:

- If no state can be reached twice: *best luck*, what a player would earn who chose the outcomes
  too. L(s) = max over a of R(a) + γ·max over s′ of L(s′); 0 if s is terminal.
- Otherwise, if γ < 1: R⁺/(1 − γ).
- Otherwise, if no reward is positive: 0.

In all other cases the user has to give a bound. All three are *consistent*: no backup raises them.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7, asks for a bound
and leaves it to the user; these three are ours.
"""

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Tables
from thetafront.engine.jit import kernel


@kernel
def best_luck(tables: Tables) -> tuple[Floats, bool]:
    """Return L, shape (n_states,), and whether it is valid: whether the MDP has no cycle.

    Kahn's topological order puts each state before all its successors; L is computed backwards.
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


def upper_bound(mdp: FiniteMDP) -> Floats:
    """Compute a consistent upper bound, shape (n_states,), at the cost of about one sweep.

    Raises
    ------
    ValueError
        If γ = 1, a state can be reached twice and some reward is positive; or if the sum of rewards
        is not finite.
    """
    bound, acyclic = best_luck(mdp.tables)
    highest = float(mdp.reward.max(initial=0.0))
    if not acyclic:
        if mdp.discount == 1 and highest > 0:
            raise ValueError(
                "upper_bound: none given, and none can be computed with discount 1, a reward of "
                f"{highest:g} and a cycle of states; one value for each state expected"
            )
        most = highest / (1 - mdp.discount) if highest > 0 else 0.0
        bound = np.where(mdp.terminal, 0.0, most)
    if not np.isfinite(bound).all():
        largest = float(np.abs(mdp.reward).max())
        raise ValueError(
            f"upper_bound: rewards as large as {largest:g} given, whose sum is not finite; smaller "
            "numbers expected"
        )
    return bound


def initial_values(mdp: FiniteMDP, given: npt.ArrayLike | None) -> Floats:
    """Return the initial U, 0 in terminal states: a copy of a given bound, or :func:`upper_bound`.

    Raises
    ------
    ValueError
        If the bound is not one finite number for each state, if it is negative in a terminal state,
        or if none is given and none can be computed.
    """
    if given is None:
        return upper_bound(mdp)
    values = mdp.checked_values(given, "upper_bound")
    terminal = mdp.terminal
    wrong = np.flatnonzero(terminal & (values < 0))
    if len(wrong):
        raise ValueError(
            f"upper_bound: {values[wrong[0]]:g} given for terminal state "
            f"{mdp.state_name(int(wrong[0]))}, 0 or more expected"
        )
    return np.where(terminal, 0.0, values)
