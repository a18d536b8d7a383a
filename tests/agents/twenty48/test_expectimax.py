"""Expectimax against equation 4 as a recursion over lists of face values, for every γ."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.expectation import mean_of_best
from thetafront.agents.twenty48.expectimax import acted, decide_by_expectimax, leaf_counts, spawned
from thetafront.engine.twenty48 import parse, playouts

CROWDED = [
    "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 2 2 64 128",
    "2 2 4 8 / 16 4 8 16 / 32 2 4 2 / 64 128 2 .",
    "1024 1024 4 8 / 2 4 8 16 / 4 8 16 32 / 8 16 32 64",
    "2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 4",
    "512 256 128 64 / 4 8 16 32 / 2 4 2 . / 4 2 . .",
]


@dataclass(frozen=True)
class Equation4:
    """Equation 4 word for word: V(s) = max over a of Σ P·(R + γ·V(s′)).

    ``leaf`` has what remains to be won, on average, from each board at the last level. With
    ``whole_score``, V of a leaf adds the points ``won`` since the root, and a game that has ended
    is carried on to that level.
    """

    leaf: dict[int, float]
    gamma: float = 1.0
    whole_score: bool = False

    def value(self, board: oracle.Board, depth: int, won: int = 0) -> float:
        """V of a state."""
        counted = won if self.whole_score else 0
        if depth == 0:
            return counted + self.leaf[oracle.to_packed(board)]
        values = [
            self.action_value(after, reward, depth, won)
            for after, reward in (oracle.slide(board, action) for action in range(4))
            if after != board
        ]
        return max(values, default=self.gamma**depth * counted)

    def action_value(self, after: oracle.Board, reward: int, depth: int, won: int = 0) -> float:
        """The sum over all spawns on an afterstate."""
        empty = oracle.empty_cells(after)
        total = 0.0
        for cell in empty:
            for tile, p in ((2, 0.9), (4, 0.1)):
                child = self.value(oracle.put(after, cell, tile), depth - 1, won + reward)
                total += p / len(empty) * (reward + self.gamma * child)
        return total


def leaves_in_order(board: oracle.Board, depth: int) -> dict[int, bool]:
    """All distinct leaves, level by level, and whether a 2 leads there."""
    states = {oracle.to_packed(board): True}
    for _ in range(depth):
        afters: dict[int, oracle.Board] = {}
        for state in map(oracle.from_packed, states):
            for action in oracle.legal_actions(state):
                after, _ = oracle.slide(state, action)
                afters.setdefault(oracle.to_packed(after), after)
        states = {}
        for after in afters.values():
            for cell in oracle.empty_cells(after):
                for tile in (2, 4):
                    child = oracle.to_packed(oracle.put(after, cell, tile))
                    states[child] = states.get(child, False) or tile == 2
    return states


@pytest.mark.parametrize("text", CROWDED)
@pytest.mark.parametrize(
    ("depth", "top_share", "gamma", "whole_score"),
    [
        (1, 1.0, 1.0, False),
        (2, 1.0, 1.0, False),
        (2, 0.4, 0.9, False),
        (3, 1.0, 1.0, False),
        (3, 1.0, 0.5, False),
        (1, 1.0, 0.9, True),
        (2, 1.0, 1.0, True),
        (3, 0.4, 0.7, True),
    ],
)
def test_values_are_those_of_equation_4(
    text: str, depth: int, top_share: float, gamma: float, whole_score: bool
) -> None:
    board = parse(text)
    faces = oracle.from_packed(board)
    leaves = leaves_in_order(faces, depth)
    if len(leaves) > 6000:
        pytest.skip("too many leaves for plain Python")
    ratio, stream = 2.5, 77
    n_twos = sum(leaves.values())
    n_playouts = 5 * n_twos + 2 * (len(leaves) - n_twos)
    counts = [5 if by_two else 2 for by_two in leaves.values()]
    assert leaf_counts(np.array(list(leaves.values())), n_playouts, ratio).tolist() == counts
    scores, n_moves = playouts(list(leaves), counts, stream)
    ends = np.cumsum(counts)
    leaf = {
        state: sum(sorted(part.tolist(), reverse=True)[: math.ceil(top_share * len(part) - 1e-9)])
        / math.ceil(top_share * len(part) - 1e-9)
        for state, part in zip(leaves, np.split(scores, ends[:-1]), strict=True)
    }
    action, values, n_playout_moves, n_leaves = decide_by_expectimax(
        np.uint64(board),
        depth,
        n_playouts,
        ratio,
        top_share,
        gamma,
        whole_score,
        np.uint64(stream),
    )
    assert n_leaves == len(leaves) == n_expectimax_leaves(board, depth)
    assert n_playout_moves == n_moves
    equation = Equation4(leaf, gamma, whole_score)
    expected = {}
    for each in oracle.legal_actions(faces):
        after, reward = oracle.slide(faces, each)
        expected[each] = equation.action_value(after, reward, depth)
    for each in range(4):
        if each in expected:
            assert values[each] == pytest.approx(expected[each], rel=1e-12)
        else:
            assert math.isnan(values[each])
    assert action == max(expected, key=lambda each: expected[each])


def n_expectimax_leaves(board: int, depth: int) -> int:
    """Count the distinct leaves of a decision, level by level."""
    states = np.array([board], np.uint64)
    for _ in range(depth):
        afters, _, _ = acted(states)
        states, _, _, _ = spawned(afters)
    return len(states)


def test_equal_states_are_one() -> None:
    """A state that two ways lead to, and the ways themselves, by a plain set."""
    board = parse("2 . . . / . . . . / . . . . / . . . 2")
    for depth in (1, 2):
        leaves = leaves_in_order(oracle.from_packed(board), depth)
        assert n_expectimax_leaves(board, depth) == len(leaves)
    afters, children, _ = acted(np.array([board], np.uint64))
    states, first, spawns, by_two = spawned(afters)
    assert len(set(states.tolist())) == len(states) == len(by_two)
    assert first[-1] == len(spawns)
    assert (children[0] >= 0).all()


def test_a_state_without_an_action_is_worth_nothing() -> None:
    """One empty cell after the only merge; what dies there counts with 0, whatever else lives."""
    board = parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 8 8")
    n_leaves = n_expectimax_leaves(board, 2)
    action, values, _, _ = decide_by_expectimax(
        np.uint64(board), 2, 3 * n_leaves, 1.0, 1.0, 1.0, False, np.uint64(1)
    )

    @cache
    def leaf() -> dict[int, float]:
        states = leaves_in_order(oracle.from_packed(board), 2)
        scores, _ = playouts(list(states), [3] * len(states), 1)
        return {
            state: float(mean_of_best(scores[3 * k : 3 * k + 3], 1.0))
            for k, state in enumerate(states)
        }

    after, reward = oracle.slide(oracle.from_packed(board), action)
    expected = Equation4(leaf()).action_value(after, reward, 2)
    assert values[action] == pytest.approx(expected)


def test_every_leaf_gets_a_playout_and_none_is_given_away() -> None:
    by_two = np.array([True] * 7 + [False] * 5)
    assert leaf_counts(by_two, 1, 4.0).tolist() == [1] * 12
    for n_playouts in (12, 50, 333):
        counts = leaf_counts(by_two, n_playouts, 4.0)
        n = counts[0]
        assert counts.tolist() == [n] * 7 + [math.ceil(n / 4)] * 5
        assert n * (7 + 5 / 4) <= n_playouts < (n + 1) * (7 + 5 / 4)
