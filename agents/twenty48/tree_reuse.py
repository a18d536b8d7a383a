"""Reuse of a search tree: a part of it is kept from one move of a game to the next.

This part is the subtree of the :class:`~agents.twenty48.tree.Tree` whose root is the board after
the chosen action and the spawn.
"""

import numpy as np

from thetafront.agents.twenty48.tree import (
    LAST_ACTION,
    N_CHANCE,
    N_DECISION,
    N_SLOTS,
    ROOT,
    UNVISITED,
    Indices,
    Tree,
)
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.twenty48.board import N_ACTIONS


@kernel
def child_with(tree: Tree, board: np.uint64) -> Integer:
    """Return the node of a board among the states after the last action, or UNVISITED."""
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
    """Make a node the root, and drop all nodes that are not below it.

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
