"""The tree of Monte Carlo tree search on 2048, in preallocated arrays.

Notation
--------
===========  =====================================================================================
s            a state, a *decision node*: the player is to move
w            an afterstate, a *chance node*: a tile is to be spawned; it belongs to one action of s
N(s)         number of visits of s in which an action was taken: Σ N(s, a)
N(s, a)      number of visits of action a in s, and so of its chance node
Q(s, a)      mean return of these visits
slot         number of a spawn: 2·i for a 2 in empty cell i, and 2·i + 1 for a 4; empty cells are
             numbered from 0 in reading order
k, α         parameters of progressive widening, which limits the actions: see :func:`select`
k′, α′       parameters of double progressive widening, which also limits the states after an
             action: see :func:`follow`
===========  =====================================================================================

Nodes are rows of arrays. A node has a smaller number than the nodes below it. If the same state is
reached on two paths, it has two nodes.

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6. Our readings:

- UCB1 adds an exploration bonus to Q, and the bonus of an unvisited action is infinite. So several
  unvisited actions are tied, and so are actions with equal sums Q + bonus. The source does not say
  how ties are broken. Here, the tied action with the lowest number is taken. If ties are random,
  one of the tied actions is drawn instead, all equally likely.
- Progressive widening opens actions "in random order": the next action to be opened is drawn
  uniformly from those that are not open. An action is opened, and then taken, if the number of open
  actions is at most k·N(s)^α.
- Double progressive widening samples a state while the number of distinct states is *below*
  k′·N(s, a)^α′, where N does not include this visit. The first visit always samples a state. The
  sampled state may be one that was sampled before.
- **k = 0 turns widening of actions off**: all legal actions are open. **k′ = 0 turns widening of
  states off**: every visit samples a state.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.rng import below, next_word
from thetafront.engine.twenty48.board import (
    N_ACTIONS,
    afterstate,
    is_four,
    legal_actions,
    n_empty,
    spawn_from_word,
)

Indices = npt.NDArray[np.int64]

ROOT = 0
UNVISITED = -1
N_SLOTS = 30  # an action leaves at most 15 empty cells, and each may get one of two tiles

# Indices of Tree.header.
N_DECISION, N_CHANCE, LAST_ACTION = range(3)


class SimulationSettings(NamedTuple):
    """The parameters of :class:`~agents.twenty48.uct.UCT` in the form that kernels take."""

    n_simulations: int
    depth: int
    exploration: float
    leaf_code: int
    weights: npt.NDArray[np.float64]
    k_action: float
    alpha_action: float
    k_state: float
    alpha_state: float
    reuse: bool
    random_ties: bool
    full_rollouts: bool


class Tree(NamedTuple):
    """The arrays of a tree with room for n nodes of each kind."""

    header: Indices  # (3,): numbers of decision nodes and chance nodes; last action of the game
    path: Indices  # (depth, 2): work array for the decision nodes and actions of a simulation

    # Decision nodes.
    boards: npt.NDArray[np.uint64]  # (n,): the states
    legal: Indices  # (n,): bit a is set if action a is legal
    n_visits: Indices  # (n,): number of visits; N(s) + 1, since the first one takes no action
    action_visits: Indices  # (n, 4): N(s, a)
    action_values: npt.NDArray[np.float64]  # (n, 4): Q(s, a); 0 without a visit
    chance: Indices  # (n, 4): the chance node of each action, or UNVISITED

    # Chance nodes.
    afterstates: npt.NDArray[np.uint64]  # (n,)
    rewards: Indices  # (n,): reward of the action that leads to the chance node
    n_successors: Indices  # (n,): number of distinct states sampled after it so far
    successors: npt.NDArray[np.int32]  # (n, 30): the decision node of each slot, or UNVISITED
    spawn_visits: npt.NDArray[np.int32]  # (n, 30): visits of each slot; their sum is N(s, a)

    new_number: Indices  # (2, n): work array of `keep_subtree`, by kind of node


def new_tree(n_nodes: int, depth: int) -> Tree:
    """Allocate an empty tree. Rows beyond the nodes in use are never read."""
    return Tree(
        header=np.zeros(3, np.int64),
        path=np.empty((depth, 2), np.int64),
        boards=np.empty(n_nodes, np.uint64),
        legal=np.empty(n_nodes, np.int64),
        n_visits=np.empty(n_nodes, np.int64),
        action_visits=np.empty((n_nodes, N_ACTIONS), np.int64),
        action_values=np.empty((n_nodes, N_ACTIONS), np.float64),
        chance=np.empty((n_nodes, N_ACTIONS), np.int64),
        afterstates=np.empty(n_nodes, np.uint64),
        rewards=np.empty(n_nodes, np.int64),
        n_successors=np.empty(n_nodes, np.int64),
        successors=np.empty((n_nodes, N_SLOTS), np.int32),
        spawn_visits=np.empty((n_nodes, N_SLOTS), np.int32),
        new_number=np.empty((2, n_nodes), np.int64),
    )


@inlined
def add_decision_node(tree: Tree, board: np.uint64) -> Integer:
    """Append a decision node for a state; return its number."""
    node = tree.header[N_DECISION]
    tree.header[N_DECISION] = node + 1
    tree.boards[node] = board
    tree.legal[node] = legal_actions(board)
    tree.n_visits[node] = 0
    for action in range(N_ACTIONS):
        tree.action_visits[node, action] = 0
        tree.action_values[node, action] = 0.0
        tree.chance[node, action] = UNVISITED
    return np.int64(node)


@inlined
def add_chance_node(tree: Tree, node: Integer, action: Integer) -> Integer:
    """Append a chance node for the afterstate of an unvisited action; return its number."""
    chance = tree.header[N_CHANCE]
    tree.header[N_CHANCE] = chance + 1
    tree.chance[node, action] = chance
    after, reward = afterstate(tree.boards[node], action, None)
    tree.afterstates[chance] = after
    tree.rewards[chance] = reward
    tree.n_successors[chance] = 0
    for slot in range(N_SLOTS):
        tree.successors[chance, slot] = UNVISITED
        tree.spawn_visits[chance, slot] = 0
    return np.int64(chance)


@kernel
def clear(tree: Tree, board: np.uint64) -> None:
    """Remove all nodes, and add a root for the board."""
    tree.header[N_DECISION] = 0
    tree.header[N_CHANCE] = 0
    add_decision_node(tree, board)


@inlined
def wins_tie(word: np.uint64, action: Integer, other: Integer) -> bool:
    """Return whether ``action`` has a larger random number in ``word`` than ``other``.

    The number of action a is in bits 16·a to 16·a + 15. Tied actions are equally likely to have the
    largest number, unless two numbers are equal, which happens in 1 of 65,536 cases. If the word is
    0, no action wins.
    """
    mine = word >> np.uint64(16 * action) & np.uint64(0xFFFF)
    return bool(mine > word >> np.uint64(16 * other) & np.uint64(0xFFFF))


@inlined
def select(
    tree: Tree, node: Integer, settings: SimulationSettings, stream: np.uint64
) -> tuple[Integer, np.uint64]:
    """Choose a legal action by UCB1: the largest Q(s, a) + c·√(ln N(s) / N(s, a)).

    If k > 0 and at most k·N(s)^α actions are open, another action is opened and chosen; this takes
    one word of the stream. Otherwise UCB1 chooses among the open actions; this takes one word if
    ``random_ties`` is true. At least one action must be legal. Return the action and the advanced
    stream.
    """
    legal = tree.legal[node]
    n_node = tree.n_visits[node] - 1
    k_action, random_ties = settings.k_action, settings.random_ties
    if k_action > 0.0:
        n_open = n_shut = 0
        for action in range(N_ACTIONS):
            if legal >> action & 1:
                if tree.action_visits[node, action] > 0:
                    n_open += 1
                else:
                    n_shut += 1
        if n_shut > 0 and n_open <= k_action * float(n_node) ** settings.alpha_action:
            word, stream = next_word(stream)
            to_skip = np.int64(below(word, np.uint64(n_shut)))
            for action in range(N_ACTIONS):
                if legal >> action & 1 and tree.action_visits[node, action] == 0:
                    if to_skip == 0:
                        return action, stream
                    to_skip -= 1

    word = np.uint64(0)
    if random_ties:
        word, stream = next_word(stream)
    log_n = math.log(float(max(n_node, 1)))
    best = UNVISITED
    best_bound = -np.inf
    for action in range(N_ACTIONS):
        if legal >> action & 1:
            n = tree.action_visits[node, action]
            bound = np.inf
            if n > 0:
                bound = tree.action_values[node, action] + settings.exploration * math.sqrt(
                    log_n / n
                )
            elif k_action > 0.0:
                continue
            elif not random_ties:
                return action, stream
            if bound > best_bound or (bound == best_bound and wins_tie(word, action, best)):
                best_bound = bound
                best = action
    return best, stream


@inlined
def follow(
    tree: Tree, node: Integer, action: Integer, settings: SimulationSettings, stream: np.uint64
) -> tuple[Integer, np.uint64]:
    """Take an action in the tree and spawn a tile; add the nodes that are missing.

    If k′ > 0 and there are at least k′·N(s, a)^α′ distinct states, one of them is drawn with a
    probability proportional to its visits. Otherwise a tile spawns by the rules of the game. Both
    take one word of the stream. Return the node of the next state and the advanced stream.
    :func:`update` counts the visit later.
    """
    chance = tree.chance[node, action]
    if chance == UNVISITED:
        chance = add_chance_node(tree, node, action)
    word, stream = next_word(stream)
    n = tree.action_visits[node, action]
    n_successors = tree.n_successors[chance]
    slot = np.int64(0)
    k_state = settings.k_state
    if (
        k_state > 0.0
        and n_successors > 0
        and n_successors >= k_state * float(n) ** settings.alpha_state
    ):
        to_skip = np.int64(below(word, np.uint64(n)))
        while to_skip >= tree.spawn_visits[chance, slot]:
            to_skip -= tree.spawn_visits[chance, slot]
            slot += 1
    else:
        after = tree.afterstates[chance]
        cell = np.int64(below(word, np.uint64(n_empty(after))))
        slot = 2 * cell + np.int64(is_four(word))
        if tree.successors[chance, slot] == UNVISITED:
            child = add_decision_node(tree, spawn_from_word(after, word))
            tree.successors[chance, slot] = child
            tree.n_successors[chance] += 1
    tree.spawn_visits[chance, slot] += 1
    return np.int64(tree.successors[chance, slot]), stream


@inlined
def update(tree: Tree, node: Integer, action: Integer, value: float) -> None:
    """Count a visit of an action, and update its mean return: Q ← Q + (value − Q)/N."""
    tree.action_visits[node, action] += 1
    q = tree.action_values[node, action]
    tree.action_values[node, action] = q + (value - q) / tree.action_visits[node, action]


@inlined
def back_up(tree: Tree, n_steps: Integer, value: float) -> None:
    """Back up the value of a leaf along the path of ``n_steps`` actions, the last one first.

    The return of an action is its reward plus the return of the next action, or the leaf's value.
    """
    for step in range(n_steps - 1, -1, -1):
        node = tree.path[step, 0]
        action = tree.path[step, 1]
        value += tree.rewards[tree.chance[node, action]]
        update(tree, node, action, value)


@kernel
def child_with(tree: Tree, board: np.uint64) -> Integer:
    """Return the node of a board among the states after the game's last action, or UNVISITED."""
    if tree.header[N_DECISION] == 0:
        return UNVISITED
    chance = tree.chance[ROOT, tree.header[LAST_ACTION]]
    if chance == UNVISITED:
        return UNVISITED
    for slot in range(N_SLOTS):
        child = tree.successors[chance, slot]
        if child != UNVISITED and tree.boards[child] == board:
            return np.int64(child)
    return UNVISITED


@inlined
def count_off(numbers: Indices) -> Integer:
    """Give numbers from 0 on to the nodes that are not UNVISITED; return how many there are."""
    n = 0
    for node in range(len(numbers)):
        if numbers[node] != UNVISITED:
            numbers[node] = n
            n += 1
    return n


@kernel
def keep_subtree(tree: Tree, new_root: Integer) -> None:
    """Make a node the root, and drop all nodes that are not below it, for the next move of a game.

    The remaining nodes keep their order. So no node gets a larger number than before, and the
    arrays can be changed in place.
    """
    n_decision, n_chance = tree.header[N_DECISION], tree.header[N_CHANCE]
    decision_number, chance_number = tree.new_number[0], tree.new_number[1]
    for node in range(n_decision):
        decision_number[node] = UNVISITED
    for chance in range(n_chance):
        chance_number[chance] = UNVISITED

    # A node has a larger number than its parent, so one pass marks all nodes to keep.
    decision_number[new_root] = ROOT
    for node in range(new_root, n_decision):
        if decision_number[node] == UNVISITED:
            continue
        for action in range(N_ACTIONS):
            chance = tree.chance[node, action]
            if chance == UNVISITED:
                continue
            chance_number[chance] = 0
            for slot in range(N_SLOTS):
                if tree.successors[chance, slot] != UNVISITED:
                    decision_number[tree.successors[chance, slot]] = 0

    tree.header[N_DECISION] = count_off(decision_number[:n_decision])
    tree.header[N_CHANCE] = count_off(chance_number[:n_chance])

    for old in range(new_root, n_decision):
        new = decision_number[old]
        if new == UNVISITED:
            continue
        tree.boards[new] = tree.boards[old]
        tree.legal[new] = tree.legal[old]
        tree.n_visits[new] = tree.n_visits[old]
        tree.action_visits[new] = tree.action_visits[old]
        tree.action_values[new] = tree.action_values[old]
        for action in range(N_ACTIONS):
            chance = tree.chance[old, action]
            tree.chance[new, action] = UNVISITED if chance == UNVISITED else chance_number[chance]
    for old in range(n_chance):
        new = chance_number[old]
        if new == UNVISITED:
            continue
        tree.afterstates[new] = tree.afterstates[old]
        tree.rewards[new] = tree.rewards[old]
        tree.n_successors[new] = tree.n_successors[old]
        tree.spawn_visits[new] = tree.spawn_visits[old]
        for slot in range(N_SLOTS):
            child = tree.successors[old, slot]
            tree.successors[new, slot] = UNVISITED if child == UNVISITED else decision_number[child]
