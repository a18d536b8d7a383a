"""Values V(s′) of states from playouts, and decisions by the expectation of V over spawns.

Notation
--------
===========  =====================================================================================
s, a         the current board, and an action
s′           a *node*: the board after a and one spawn
R(s, a)      reward of the action, in points
m            number of empty cells after a
P(s′|s, a)   probability of the spawn: 0.9/m for a 2, and 0.1/m for a 4
n(s′)        number of playouts from s′, see :class:`~agents.twenty48.schedule.Schedule`
V(s′)        mean of the best ⌈θ₆·n⌉ of the scores of these playouts, counted from s′ on
γ, w         discount of V and weight of R: the value of a is w·R(s, a) + γ·Σ P(s′|s, a)·V(s′)
===========  =====================================================================================

Source: Ripstein (2023), §3.2 and §3.3, Algorithms 2 and 3, equations 2 and 3. Our readings:

- Algorithm 3 sorts the scores in *ascending* order and takes the first entries, but calls them
  "top". We keep the best scores. Algorithm 3 returns a list of scores, and V is their mean.
- The number of kept playouts is rounded up, so each node keeps at least one.
- Equation 2 has no R, but its playouts return the score of the whole game, which contains the
  action's reward once. So w = 1 and γ = 1. Points already won are the same for all actions, so we
  leave them out.
- Equation 3 adds R and discounts V. If V is the remaining score from s′ on, w = 1. If V is the
  score of the whole game, as Algorithm 3 returns it, γ·V contains γ·R as well. The V of the table
  above is counted from s′ on and lacks this γ·R, so we set w = 1 + γ.
- A single legal action is taken without playouts.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.twenty48.board import (
    EVERY_CELL,
    N_ACTIONS,
    P_FOUR,
    P_TWO,
    afterstate,
    empty_cells,
    n_empty,
)
from thetafront.engine.twenty48.playout import playouts
from thetafront.engine.twenty48.rule import BuiltRule

MAX_NODES = N_ACTIONS * 15 * 2


@kernel
def sum_of_best(scores: npt.NDArray[np.int64], n_best: Integer) -> np.int64:
    """Add the ``n_best`` largest scores.

    A threshold that separates them from the other scores is found by bisection. This is faster than
    partitioning for two reasons: the loop that counts the scores above a value has no branches and
    is vectorized, and often one of the first values tried has exactly ``n_best`` scores above it.
    """
    n = len(scores)
    if n_best == n:
        return np.int64(scores.sum())
    low = high = scores[0]
    for i in range(n):
        low = min(low, scores[i])
        high = max(high, scores[i])
    low -= 1
    while high - low > 1:  # at least n_best scores are above low, and fewer are above high
        middle = (low + high) >> 1
        n_above = np.int64(0)
        for i in range(n):
            n_above += np.int64(scores[i] > middle)
        if n_above == n_best:
            high = middle
            break
        if n_above > n_best:
            low = middle
        else:
            high = middle
    total = np.int64(0)
    n_above = np.int64(0)
    for i in range(n):
        above = np.int64(scores[i] > high)
        total += scores[i] & -above
        n_above += above
    # If fewer than n_best scores are above the threshold, the others are equal to it.
    return np.int64(total + (n_best - n_above) * high)


@kernel
def mean_of_best(scores: npt.NDArray[np.int64], top_share: float) -> float:
    """Return Algorithm 3's V: the mean of the best ⌈``top_share``·n⌉ of n scores."""
    n = len(scores)
    n_best: Integer = n
    if top_share < 1.0:
        # Without 1e-9, ceil would round up integers with a rounding error: 7.000000000000001 to 8.
        n_best = max(np.int64(1), np.int64(math.ceil(top_share * n - 1e-9)))
    return float(sum_of_best(scores, n_best) / n_best)


@kernel
def put_spawns(after: np.uint64, nodes: npt.NDArray[np.uint64], n_nodes: Integer) -> Integer:
    """Write all boards after one spawn on an afterstate into ``nodes``, from index ``n_nodes`` on.

    The spawns are in reading order of their cells: in each cell first a 2, then a 4. Return the new
    number of nodes.
    """
    empty = empty_cells(after)
    for position in range(16):
        cell = (EVERY_CELL & np.uint64(15)) << (np.uint64(4) * np.uint64(position))
        if empty & cell:
            nodes[n_nodes] = after | cell
            nodes[n_nodes + 1] = after | (cell << np.uint64(1))
            n_nodes += 2
    return n_nodes


class ExpectationSettings(NamedTuple):
    """Settings of :func:`decide_by_expectation`."""

    schedule: npt.NDArray[np.int64]  # (2, 16), see `Schedule.table`
    top_share: float  # θ₆
    gamma: float = 1.0
    reward_weight: float = 1.0  # w


@kernel
def put_nodes(
    settings: ExpectationSettings,
    board: np.uint64,
    rule: BuiltRule,
    nodes: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.int64],
    first_node: npt.NDArray[np.int64],
    n_nodes: Integer,
) -> tuple[Integer, int, int]:
    """Write the nodes of a decision and their numbers of playouts, from index ``n_nodes`` on.

    ``first_node``, shape (5,), receives the index at which the nodes of each action begin. Its last
    entry is the index at which the nodes of the last action end. Return the new number of nodes,
    the number of legal actions, and the last legal action (-1 if there is none).
    """
    n_legal = 0
    last = -1
    for action in range(N_ACTIONS):
        first_node[action] = n_nodes
        after, _ = afterstate(board, action, rule)
        if after == board:
            continue
        n_legal += 1
        last = action
        m = n_empty(after)
        n_before = n_nodes
        n_nodes = put_spawns(after, nodes, n_nodes)
        for node in range(n_before, n_nodes):
            counts[node] = settings.schedule[(node - n_before) % 2, m]
    first_node[N_ACTIONS] = n_nodes
    return n_nodes, n_legal, last


@kernel
def choose(
    settings: ExpectationSettings,
    board: np.uint64,
    rule: BuiltRule,
    counts: npt.NDArray[np.int64],
    first_node: npt.NDArray[np.int64],
    scores: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
) -> int:
    """Return the action with the largest value; in a tie, the first of these actions.

    ``scores`` has the scores of the decision's playouts, node by node. ``values``, shape (4,),
    receives the values of legal actions.
    """
    _, top_share, gamma, reward_weight = settings
    best = -1
    best_value = -np.inf
    offset = 0
    for action in range(N_ACTIONS):
        after, reward = afterstate(board, action, rule)
        if after == board:
            continue
        m = n_empty(after)
        value = reward_weight * reward
        for node in range(first_node[action], first_node[action + 1]):
            n = counts[node]
            is_two = (node - first_node[action]) % 2 == 0
            p = (P_TWO if is_two else P_FOUR) / m
            value += gamma * p * mean_of_best(scores[offset : offset + n], top_share)
            offset += n
        values[action] = value
        if value > best_value:
            best_value = value
            best = action
    return best


@decides(ExpectationSettings)
@kernel
def decide_by_expectation(
    settings: ExpectationSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide by equation 2 (γ = w = 1) or 3.

    Parameters and results are those of :func:`agents.twenty48.loop.decide`. In a tie, the first of
    the best actions is taken. If only one action is legal, its value is NaN.
    """
    values = np.full(N_ACTIONS, np.nan)
    nodes = np.empty(MAX_NODES, np.uint64)
    counts = np.empty(MAX_NODES, np.int64)
    first_node = np.empty(N_ACTIONS + 1, np.int64)
    n_nodes, n_legal, only = put_nodes(settings, board, rule, nodes, counts, first_node, 0)
    if n_legal <= 1:
        return only, values, 0
    scores, n_moves = playouts(nodes[:n_nodes], counts[:n_nodes], stream, rule)
    best = choose(settings, board, rule, counts, first_node, scores, values)
    return best, values, n_moves.sum()
