"""Expectimax to a fixed depth, with values of leaves from playouts.

Notation
--------
===========  =====================================================================================
d            depth: number of spawns between the board and a leaf
s′           a *state*: the player is to move
W            an *afterstate*: a tile is to be spawned
γ            discount; 1 by default
R(s′, a)     reward of action a, in points
w            weight of R; 1 by default
V(s′)        max over a of w·R(s′, a) + γ·V(W), where W is the afterstate of a; at a leaf,
             Algorithm 3's estimate; 0 if no action is legal
V(W)         Σ P(s′|W)·V(s′); P is 0.9/m for a 2 in each of the m empty cells, and 0.1/m for a 4
===========  =====================================================================================

The tree is built level by level. Equal states on the same level are merged into one. The playouts
of all leaves form one batch.

Source: Ripstein (2023), §5.2, equation 4, and equation 3 at the root. Our readings:

- Equation 4 has no maximum over actions. We add it, because expectimax takes one. Every spawn
  counts with its probability.
- A reward after i spawns is multiplied by γⁱ, and the value of a leaf by γᵈ. The source does not
  say which value γ has in equation 4.
- Like equation 3 (:mod:`agents.twenty48.expectation`), equation 4 does not say what V of a leaf is.
  If V is the remaining score, w = 1. If V is the score of the whole game, as Algorithm 3 returns
  it, V contains the rewards on the path to the leaf once more: w = 1 + γᵈ⁻ⁱ for a reward after i
  spawns. The final score of a game that ends before depth d is then multiplied by γᵈ, too. Points
  won before the current board are the same for all actions and are left out.
"""

import math

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.kernels import Indices
from thetafront.agents.twenty48.expectation import mean_of_best, put_spawns
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.rng import mix
from thetafront.engine.twenty48.board import N_ACTIONS, P_FOUR, P_TWO, afterstate, n_empty
from thetafront.engine.twenty48.playout import playouts

NOTHING = -1

Boards = npt.NDArray[np.uint64]


@kernel
def new_table(n: Integer) -> Indices:
    """Return an empty hash table for the numbers of up to n boards."""
    size = 4
    while size < 2 * n:
        size *= 2
    return np.full(size, NOTHING)


@kernel
def find(table: Indices, boards: Boards, n_boards: Integer, board: np.uint64) -> Integer:
    """Return the number of a board among the first ``n_boards``; append it if it is new.

    The hash table uses open addressing and is never more than half full, so searches are short.
    """
    last = np.uint64(len(table) - 1)
    slot = mix(board) & last
    while table[slot] != NOTHING and boards[table[slot]] != board:
        slot = (slot + np.uint64(1)) & last
    if table[slot] == NOTHING:
        table[slot] = n_boards
        boards[n_boards] = board
    return np.int64(table[slot])


@kernel
def spawned(afters: Boards) -> tuple[Boards, Indices, Indices, npt.NDArray[np.bool_]]:
    """Apply every possible spawn to every afterstate of a level.

    Return four arrays:

    - the distinct states after a spawn, in the order of their first appearance;
    - the index of the first spawn of each afterstate, and the number of all spawns as last entry;
    - for each spawn, the number of the state after it; spawns are in the order of the cells, and in
      each cell a 2 comes before a 4;
    - for each state, whether a spawned 2 leads to it.
    """
    first = np.zeros(len(afters) + 1, np.int64)
    for i in range(len(afters)):
        first[i + 1] = first[i] + 2 * n_empty(afters[i])
    n_spawns = first[-1]
    boards = np.empty(n_spawns, np.uint64)
    for i in range(len(afters)):
        put_spawns(afters[i], boards, first[i])
    table = new_table(n_spawns)
    states = np.empty(n_spawns, np.uint64)
    children = np.empty(n_spawns, np.int64)
    by_two = np.zeros(n_spawns, np.bool_)
    n_states: Integer = 0
    for i in range(n_spawns):
        child = find(table, states, n_states, boards[i])
        n_states = max(n_states, child + 1)
        children[i] = child
        by_two[child] |= i % 2 == 0
    return states[:n_states], first, children, by_two[:n_states]


@kernel
def acted(states: Boards) -> tuple[Boards, Indices, Indices]:
    """Take every legal action in every state of a level.

    Return three arrays, the last two of shape (n_states, 4):

    - the distinct afterstates, in the order of their first appearance;
    - for each state and action, the number of the afterstate, or NOTHING if the action is illegal;
    - the points of each action.
    """
    most = N_ACTIONS * len(states)
    table = new_table(most)
    afters = np.empty(most, np.uint64)
    children = np.full((len(states), N_ACTIONS), NOTHING)
    rewards = np.zeros((len(states), N_ACTIONS), np.int64)
    n_afters: Integer = 0
    for i in range(len(states)):
        for action in range(N_ACTIONS):
            after, reward = afterstate(states[i], action, None)
            if after == states[i]:
                continue
            child = find(table, afters, n_afters, after)
            n_afters = max(n_afters, child + 1)
            children[i, action] = child
            rewards[i, action] = reward
    return afters[:n_afters], children, rewards


@kernel
def expected(
    first: Indices, children: Indices, values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return V of each afterstate, computed from V of the states after it; shape (n_afters,)."""
    result = np.zeros(len(first) - 1)
    for i in range(len(first) - 1):
        m = (first[i + 1] - first[i]) // 2
        for spawn in range(first[i], first[i + 1], 2):
            result[i] += P_TWO / m * values[children[spawn]]
            result[i] += P_FOUR / m * values[children[spawn + 1]]
    return result


@kernel
def best_values(
    children: Indices,
    rewards: Indices,
    values: npt.NDArray[np.float64],
    weight: float,
    gamma: float,
) -> npt.NDArray[np.float64]:
    """Return V of each state, computed from V of its afterstates; shape (n_states,)."""
    result = np.zeros(len(children))
    for i in range(len(children)):
        best = -np.inf
        for action in range(N_ACTIONS):
            if children[i, action] != NOTHING:
                later = gamma * values[children[i, action]]
                best = max(best, weight * rewards[i, action] + later)
        if best > -np.inf:
            result[i] = best
    return result


@kernel
def leaf_counts(
    by_two: npt.NDArray[np.bool_], n_playouts: int, two_to_four: float
) -> npt.NDArray[np.int64]:
    """Divide the playouts among the leaves; each leaf gets at least one.

    A leaf to which a spawned 2 leads gets n playouts, and any other leaf gets ⌈n/θ₅⌉. With n₂ and
    n₄ leaves of the two kinds, n is the largest integer with n·n₂ + n·n₄/θ₅ ≤ ``n_playouts``.
    """
    n_twos = np.int64(by_two.sum())
    n_fours = len(by_two) - n_twos
    # 1e-9 keeps rounding errors from changing quotients that are integers.
    n = max(np.int64(1), np.int64(n_playouts / (n_twos + n_fours / two_to_four) + 1e-9))
    return np.where(by_two, n, np.int64(math.ceil(n / two_to_four - 1e-9)))


@kernel
def decide_by_expectimax(
    board: np.uint64,
    depth: int,
    n_playouts: int,
    two_to_four: float,
    top_share: float,
    gamma: float,
    whole_score: bool,
    stream: np.uint64,
) -> tuple[Integer, npt.NDArray[np.float64], Integer, Integer]:
    """Decide by equation 4, on a state with a legal action.

    ``depth`` is d, 1 or more. There are about ``n_playouts`` playouts, at least one per leaf.
    ``two_to_four`` is θ₅, the ratio in :func:`leaf_counts`. ``top_share`` is θ₆: only this share of
    a leaf's playouts, the best ones, is averaged. If ``whole_score`` is true, V of a leaf is the
    score of the whole game, and w = 1 + γᵈ⁻ⁱ.

    Return the three values of a :data:`~agents.twenty48.loop.DecisionTuple2048`, and the number of
    distinct leaves. In a tie, the first of the best actions is taken.
    """
    states = np.full(1, board)
    levels = []
    for _ in range(depth):
        afters, children, rewards = acted(states)
        states, first, spawns, by_two = spawned(afters)
        levels.append((children, rewards, first, spawns))

    counts = leaf_counts(by_two, n_playouts, two_to_four)
    scores, n_moves = playouts(states, counts, stream, None)
    values = np.empty(len(states))
    offset = 0
    for leaf in range(len(states)):
        values[leaf] = mean_of_best(scores[offset : offset + counts[leaf]], top_share)
        offset += counts[leaf]

    for level in range(depth - 1, -1, -1):
        children, rewards, first, spawns = levels[level]
        of_afters = expected(first, spawns, values)
        weight = 1.0 + gamma ** (depth - level) if whole_score else 1.0  # w of the rewards
        values = best_values(children, rewards, of_afters, weight, gamma)
    # The arrays of the last level are now those of the board itself.
    action_values = np.full(N_ACTIONS, np.nan)
    best = -1
    for action in range(N_ACTIONS):
        child = children[0, action]
        if child == NOTHING:
            continue
        action_values[action] = weight * rewards[0, action] + gamma * of_afters[child]
        if best < 0 or action_values[action] > action_values[best]:
            best = action
    return best, action_values, n_moves.sum(), len(states)
