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
def new_index(n: Integer) -> tuple[Boards, Indices]:
    """Return an empty hash table for up to n boards, as two arrays: keys and numbers."""
    size = 4
    while size < 2 * n:
        size *= 2
    return np.zeros(size, np.uint64), np.full(size, NOTHING)


@kernel
def find(keys: Boards, numbers: Indices, board: np.uint64, next_number: Integer) -> Integer:
    """Return the number of a board; a new board gets ``next_number``.

    The hash table uses open addressing and is never more than half full, so searches are short.
    """
    last = np.uint64(len(keys) - 1)
    slot = mix(board) & last
    while numbers[slot] != NOTHING and keys[slot] != board:
        slot = (slot + np.uint64(1)) & last
    if numbers[slot] == NOTHING:
        keys[slot] = board
        numbers[slot] = next_number
    return np.int64(numbers[slot])


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
    keys, numbers = new_index(n_spawns)
    states = np.empty(n_spawns, np.uint64)
    children = np.empty(n_spawns, np.int64)
    by_two = np.zeros(n_spawns, np.bool_)
    n_states = 0
    for i in range(n_spawns):
        child = find(keys, numbers, boards[i], n_states)
        if child == n_states:
            states[n_states] = boards[i]
            n_states += 1
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
    keys, numbers = new_index(most)
    afters = np.empty(most, np.uint64)
    children = np.full((len(states), N_ACTIONS), NOTHING)
    rewards = np.zeros((len(states), N_ACTIONS), np.int64)
    n_afters = 0
    for i in range(len(states)):
        for action in range(N_ACTIONS):
            after, reward = afterstate(states[i], action, None)
            if after == states[i]:
                continue
            child = find(keys, numbers, after, n_afters)
            if child == n_afters:
                afters[n_afters] = after
                n_afters += 1
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
def weight_of_rewards(depth: Integer, gamma: float, whole_score: bool) -> float:
    """Return w of the rewards in states that are ``depth`` spawns before the leaves."""
    return 1.0 + gamma**depth if whole_score else 1.0


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
    root = np.empty(1, np.uint64)
    root[0] = board
    afters, root_children, root_rewards = acted(root)
    states, first, spawns, by_two = spawned(afters)
    all_first, all_spawns = [first], [spawns]
    all_children, all_rewards = [root_children], [root_rewards]
    for _ in range(depth - 1):
        afters, children, rewards = acted(states)
        states, first, spawns, by_two = spawned(afters)
        all_children.append(children)
        all_rewards.append(rewards)
        all_first.append(first)
        all_spawns.append(spawns)

    counts = leaf_counts(by_two, n_playouts, two_to_four)
    scores, n_playout_moves = playouts(states, counts, stream, None)
    values = np.empty(len(states))
    offset = 0
    for leaf in range(len(states)):
        values[leaf] = mean_of_best(scores[offset : offset + counts[leaf]], top_share)
        offset += counts[leaf]

    for level in range(depth - 1, 0, -1):
        of_afters = expected(all_first[level], all_spawns[level], values)
        weight = weight_of_rewards(depth - level, gamma, whole_score)
        values = best_values(all_children[level], all_rewards[level], of_afters, weight, gamma)
    of_afters = expected(all_first[0], all_spawns[0], values)
    weight = weight_of_rewards(depth, gamma, whole_score)
    action_values = np.full(N_ACTIONS, np.nan)
    best = -1
    for action in range(N_ACTIONS):
        child = root_children[0, action]
        if child == NOTHING:
            continue
        action_values[action] = weight * root_rewards[0, action] + gamma * of_afters[child]
        if best < 0 or action_values[action] > action_values[best]:
            best = action
    return best, action_values, n_playout_moves, len(states)
