"""Monte Carlo tree search against plain Python node by node, the book, and the exact optimum."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.agents.twenty48.scheduled import Equation4
from tests.engine.compiled import compiled, count_allocations
from tests.oracles import twenty48 as oracle
from tests.oracles import uct
from thetafront.agents.twenty48.leaf_value import WEIGHTS, LeafValue
from thetafront.agents.twenty48.tree import (
    N_CHANCE,
    N_DECISION,
    ROOT,
    UNVISITED,
    Tree,
    child_with,
    clear,
    keep_subtree,
    new_tree,
    select,
    update,
)
from thetafront.agents.twenty48.uct import (
    UCT,
    RolloutDepth,
    TieBreaking,
    UCTSettings,
    search,
    uct_decision,
)
from thetafront.engine.twenty48 import afterstate, initial, legal_actions, parse, spawn

BOARDS = [
    "2 8 . 2 / 4 16 8 . / 64 32 16 4 / 256 128 8 2",
    "2 2 4 8 / 16 4 8 16 / 32 2 4 2 / 64 128 2 .",
    "2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 8 8",
    "2 . . . / . . . . / . . . . / . . . 2",
]
LEAVES: dict[LeafValue, uct.Leaf] = {
    LeafValue.RANDOM: uct.random_leaf,
    LeafValue.LOOKAHEAD: uct.lookahead_leaf,
    LeafValue.WEIGHTS_A: uct.weights_leaf(WEIGHTS[LeafValue.WEIGHTS_A]),
    LeafValue.WEIGHTS_B: uct.weights_leaf(WEIGHTS[LeafValue.WEIGHTS_B]),
    LeafValue.SCORE: uct.score_leaf,
}
PLAIN: dict[str, Any] = {}
ACTIONS = {"k_action": 1.0, "alpha_action": 0.3}
BOTH = {"k_action": 0.8, "alpha_action": 0.4, "k_state": 1.5, "alpha_state": 0.4}
READINGS = {"tie_breaking": TieBreaking.RANDOM, "rollout_depth": RolloutDepth.FULL}


def book(agent: UCT) -> uct.Search:
    """The same search in plain Python."""
    return uct.Search(
        agent.depth,
        agent.exploration,
        LEAVES[agent.leaf_value],
        agent.k_action or None,
        agent.alpha_action,
        agent.k_state or None,
        agent.alpha_state,
        agent.tie_breaking is TieBreaking.RANDOM,
        agent.rollout_depth is RolloutDepth.FULL,
    )


def compare(tree: Tree, node: int, state: uct.State) -> tuple[int, int]:
    """Assert that two trees are equal; return how many decision and chance nodes they have."""
    assert int(tree.boards[node]) == oracle.to_packed(state.board)
    n_decision, n_chance = 1, 0
    for action in range(4):
        n = state.n.get(action, 0)
        assert tree.action_visits[node, action] == n
        assert tree.action_values[node, action] == state.q.get(action, 0.0)
        chance = int(tree.chance[node, action])
        assert (chance == UNVISITED) == (n == 0)
        if n == 0:
            continue
        n_chance += 1
        after, reward = oracle.slide(state.board, action)
        assert after != state.board, "an illegal action was tried"
        assert int(tree.afterstates[chance]) == oracle.to_packed(after)
        assert tree.rewards[chance] == reward
        following = state.following[action]
        keys = [(cell, tile) for cell in oracle.empty_cells(after) for tile in (2, 4)]
        assert tree.n_successors[chance] == len(following)
        for slot in range(30):
            child = int(tree.successors[chance, slot])
            known = slot < len(keys) and keys[slot] in following
            assert (child != UNVISITED) == known
            assert tree.spawn_visits[chance, slot] == (following[keys[slot]].visits if known else 0)
            if known:
                below = compare(tree, child, following[keys[slot]].state)
                n_decision, n_chance = n_decision + below[0], n_chance + below[1]
    return n_decision, n_chance


@pytest.mark.parametrize("leaf", LeafValue)
@pytest.mark.parametrize("widening", [PLAIN, ACTIONS, BOTH, READINGS, {**BOTH, **READINGS}])
def test_trees_are_those_of_plain_python(leaf: LeafValue, widening: dict[str, Any]) -> None:
    for stream, text in enumerate(BOARDS):
        for depth, m in ((10, 80), (2, 120), (1, 40)):
            agent = UCT(m, depth, 30.0, leaf, **widening)
            settings, board = agent.settings, parse(text)
            tree = settings.tree
            action, values, n_moves = uct_decision(
                settings, np.uint64(board), np.uint64(stream), None
            )
            searched, root = book(agent), uct.State(oracle.from_packed(board))
            searched.run(root, m, stream)
            sizes = compare(tree, ROOT, root)
            assert sizes == (tree.header[N_DECISION], tree.header[N_CHANCE])
            assert n_moves == searched.n_moves
            assert action == searched.decision(root, m, stream)
            for each in range(4):
                if each in root.q:
                    assert values[each] == root.q[each]
                else:
                    assert math.isnan(values[each])


def test_the_books_example() -> None:
    """Q of 72, 44, 36 and 88 after one visit each: up is next; a return of 44 makes its Q 66."""
    up, right, down, left = range(4)
    tree = new_tree(1, 10)
    clear(tree, np.uint64(parse(BOARDS[3])))
    for action, q in ((left, 72), (down, 44), (right, 36), (up, 88)):
        compiled(update)(tree, ROOT, action, float(q))
    tree.n_visits[ROOT] = 5
    action, _ = compiled(select)(tree, ROOT, UCT().simulation_settings, np.uint64(0))
    assert action == up
    compiled(update)(tree, ROOT, up, 44.0)
    assert tree.action_values[ROOT].tolist() == [66, 36, 44, 72]
    assert tree.action_visits[ROOT].tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(("k", "alpha"), [(1.0, 0.0), (0.5, 0.5), (1.0, 0.25), (2.0, 0.1)])
def test_widening_follows_its_formula(k: float, alpha: float) -> None:
    """Actions and states open after each simulation, counted by the formulas alone."""
    board = parse("2 . . 4 / . . . . / . 8 . . / 2 . . .")
    n_legal = len(legal_actions(board))
    n_open = 0
    for m in range(1, 120):
        if n_open < n_legal and n_open <= k * (m - 1) ** alpha:
            n_open += 1
        agent = UCT(m, 3, 20.0, LeafValue.SCORE, (), k, alpha, k, alpha)
        tree = agent.empty_tree()
        search(tree, np.uint64(board), agent.simulation_settings, np.uint64(9))
        assert (tree.action_visits[ROOT] > 0).sum() == n_open
        for chance in range(tree.header[N_CHANCE]):
            n = tree.spawn_visits[chance].sum()
            assert tree.n_successors[chance] == (tree.successors[chance] != UNVISITED).sum()
            assert tree.n_successors[chance] <= max(1, math.ceil(k * (n - 1) ** alpha))


def test_many_simulations_find_the_optimum() -> None:
    board, depth, leaf = parse(BOARDS[1]), 2, LeafValue.SCORE
    equation = Equation4(lambda faces: LEAVES[leaf](faces, 0, iter(()))[0])
    exact = equation.values(oracle.from_packed(board), depth)
    best = max(exact, key=lambda a: exact[a])
    # Returns reach from 0, for a lost game, to about the best value: so far is explored.
    decision = UCT(100_000, depth, max(10.0, exact[best] / 2), leaf).act(board, stream=3)
    assert decision.values[best] == pytest.approx(exact[best], rel=0.01)
    assert decision.action == best


@pytest.mark.parametrize("widening", [PLAIN, BOTH])
def test_reuse_keeps_exactly_the_subtree(widening: dict[str, Any]) -> None:
    """A game with reuse beside plain Python that keeps the node itself."""
    agent = UCT(80, 6, 30.0, LeafValue.RANDOM, reuse=True, **widening)
    settings, board = agent.settings, parse(BOARDS[1])
    tree = settings.tree
    root = uct.State(oracle.from_packed(board))
    n_kept = 0
    for move in range(25):
        if len(legal_actions(board)) < 2:
            break
        action, _, n_moves = uct_decision(settings, np.uint64(board), np.uint64(move), None)
        searched = book(agent)
        searched.run(root, 80, move)
        sizes = compare(tree, ROOT, root)
        assert sizes == (tree.header[N_DECISION], tree.header[N_CHANCE])
        assert n_moves == searched.n_moves
        board = spawn(afterstate(board, action)[0], move)
        states = [each.state for each in root.following[action].values()]
        same = [state for state in states if oracle.to_packed(state.board) == board]
        child = child_with(tree, np.uint64(board))
        assert (child != UNVISITED) == bool(same)
        root = same[0] if same else uct.State(oracle.from_packed(board))
        if same:
            # On a copy: the next search is to find and keep the subtree by itself.
            copy = Tree(*(array.copy() for array in tree))
            keep_subtree(copy, child)
            sizes = compare(copy, ROOT, root)
            assert sizes == (copy.header[N_DECISION], copy.header[N_CHANCE])
            n_kept += sizes[0]
    assert n_kept > 50


def test_reuse_begins_again_where_a_tree_has_no_room() -> None:
    """In arrays smaller than its own, some subtrees are too large to go on from."""
    agent = UCT(
        20, 30, 0.0, LeafValue.SCORE, k_action=0.1, alpha_action=0.0, k_state=1.0, reuse=True
    )
    room = 25
    tree = new_tree(room, agent.depth)
    settings = UCTSettings(agent.simulation_settings, tree)
    n_kept = n_full = 0
    for seed in range(10):
        board = initial(seed)
        for move in range(1000):
            legal = legal_actions(board)
            if not legal:
                break
            child = child_with(tree, np.uint64(board))
            action, _, _ = uct_decision(settings, np.uint64(board), np.uint64(move), None)
            assert tree.header[N_DECISION] <= room
            if child != UNVISITED and len(legal) > 1:
                began_again = tree.action_visits[ROOT].sum() == agent.n_simulations
                n_full += began_again
                n_kept += not began_again
            board = spawn(afterstate(board, action)[0], move)
    assert n_kept > 20
    assert n_full > 20


def test_a_single_legal_action_is_taken_without_a_search() -> None:
    board = parse("2 4 8 16 / . . . . / . . . . / . . . .")
    assert len(legal_actions(board)) == 1
    decision = UCT().act(board, 1)
    assert [decision.action] == list(legal_actions(board))
    assert decision.n_playout_moves == 0
    assert np.isnan(decision.values).all()


@pytest.mark.parametrize("widening", [PLAIN, BOTH])
def test_simulations_allocate_nothing(widening: dict[str, Any]) -> None:
    """As many allocations for a thousand simulations as for one."""
    board, tree = np.uint64(parse(BOARDS[0])), new_tree(2000, 10)
    counts = []
    for m in (1, 1, 1000):  # the first call may load the kernel
        settings = UCT(m, 10, 30.0, LeafValue.RANDOM, **widening).simulation_settings
        counts.append(count_allocations(partial(search, tree, board, settings, np.uint64(0))))
    assert counts[1] == counts[2]


def test_own_weights_decide() -> None:
    """All weight on the top row: up is better than down."""
    board = parse(". . . . / . 2 . . / . . . . / . . . .")
    top = (1.0,) * 4 + (0.0,) * 12
    values = UCT(400, 1, 10.0, LeafValue.WEIGHTS_B, top).act(board, 0).values
    assert values[0] > 2
    assert values[2] < 2


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"weights": (1.0,) * 16}, "weights must be left out with leaf_value random"),
        ({"weights": (1.0, 2.0)}, "weights must be none, or 16 numbers"),
        (
            {"weights": (1.0,), "leaf_value": LeafValue.WEIGHTS_A},
            "weights must be none, or 16 numbers",
        ),
        (
            {"weights": (math.inf,) * 16, "leaf_value": LeafValue.WEIGHTS_B},
            "weights must be none, or 16 numbers",
        ),
    ],
)
def test_what_is_not_allowed_is_named(values: dict[str, Any], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        UCT(**values)
