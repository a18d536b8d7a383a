"""Expectimax against equation 4 as a recursion over lists of face values, for every γ."""

import math

import numpy as np
import pytest

from tests.agents.twenty48.scheduled import Equation4, check_values, mean_of_best
from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.agent import Decision2048
from thetafront.agents.twenty48.playout_expectimax import (
    acted,
    decide_by_expectimax,
    leaf_counts,
    spawned,
)
from thetafront.engine.twenty48 import parse, playouts

CROWDED = [
    "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 2 2 64 128",
    "2 2 4 8 / 16 4 8 16 / 32 2 4 2 / 64 128 2 .",
    "1024 1024 4 8 / 2 4 8 16 / 4 8 16 32 / 8 16 32 64",
    "2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 4",
    "512 256 128 64 / 4 8 16 32 / 2 4 2 . / 4 2 . .",
    "2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 8 8",  # one empty cell after the only merge: games end
]


def leaves_in_order(board: oracle.Board, depth: int) -> dict[int, bool]:
    """All distinct leaves, level by level, and whether a 2 leads there."""
    states = {board: True}
    for _ in range(depth):
        afters = {after: None for state in states for after, _ in oracle.slides(state).values()}
        states = {}
        for after in afters:
            for k, (child, _) in enumerate(oracle.spawns(after)):
                states[child] = states.get(child, False) or k % 2 == 0
    return {oracle.to_packed(state): by_two for state, by_two in states.items()}


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
        state: mean_of_best(part.tolist(), top_share)
        for state, part in zip(leaves, np.split(scores, ends[:-1]), strict=True)
    }
    *decided, n_leaves = decide_by_expectimax(
        np.uint64(board),
        depth,
        n_playouts,
        ratio,
        top_share,
        gamma,
        whole_score,
        np.uint64(stream),
    )
    decision = Decision2048(*decided)
    assert n_leaves == len(leaves) == n_expectimax_leaves(board, depth)
    assert decision.n_playout_moves == n_moves
    equation = Equation4(lambda board: leaf[oracle.to_packed(board)], gamma, whole_score)
    check_values(decision, equation.values(faces, depth))


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


def test_every_leaf_gets_a_playout_and_none_is_given_away() -> None:
    by_two = np.array([True] * 7 + [False] * 5)
    assert leaf_counts(by_two, 1, 4.0).tolist() == [1] * 12
    for n_playouts in (12, 50, 333):
        counts = leaf_counts(by_two, n_playouts, 4.0)
        n = counts[0]
        assert counts.tolist() == [n] * 7 + [math.ceil(n / 4)] * 5
        assert n * (7 + 5 / 4) <= n_playouts < (n + 1) * (7 + 5 / 4)
