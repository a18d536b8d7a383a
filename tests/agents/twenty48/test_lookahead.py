"""Expectimax by plies against a recursion in plain Python, with tables of any size."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pytest

from tests.agents.twenty48.ntuple.networks import (
    FOUR_BY_FIVE,
    plain_value,
    random_boards,
    random_network,
)
from tests.oracles import twenty48 as oracle
from thetafront.agents.policy_dispatch import Settings
from thetafront.agents.twenty48.expectimax import BASE, Expectimax
from thetafront.agents.twenty48.lookahead import LookaheadAgent
from thetafront.agents.twenty48.ntuple.agent import NTuple

Value = Callable[[oracle.Board], float]
NETWORK = random_network(FOUR_BY_FIVE)


@dataclass(frozen=True)
class RandomNetwork(NTuple):
    """An agent with random weights, in no file."""

    name: ClassVar[str] = "random_network"

    @cached_property
    def knowledge(self) -> Settings:
        return NETWORK


def after_value(board: oracle.Board, plies: int, fours: int, value: Value, weight: float) -> float:
    """Q of the documentation."""
    if plies == 0:
        return value(board)
    empty = oracle.empty_cells(board)
    tiles = {2: 0.9, 4: 0.1} if fours else {2: 1.0}
    return sum(
        p
        / len(empty)
        * state_value(oracle.put(board, cell, tile), plies - 1, fours - (tile == 4), value, weight)
        for cell in empty
        for tile, p in tiles.items()
    )


def state_value(board: oracle.Board, plies: int, fours: int, value: Value, weight: float) -> float:
    return max(action_values(board, plies, fours, value, weight).values(), default=0.0)


def action_values(
    board: oracle.Board, plies: int, fours: int, value: Value, weight: float
) -> dict[int, float]:
    """What each legal action is worth, ``plies`` further moves looked ahead."""
    return {
        action: weight * reward + after_value(after, plies, fours, value, weight)
        for action, (after, reward) in oracle.slides(board).items()
    }


def network_value(board: oracle.Board) -> float:
    return plain_value(FOUR_BY_FIVE, NETWORK, oracle.to_packed(board))


def line_value(line: list[int], agent: Expectimax) -> float:
    """The heuristic's formula for one row or column."""
    exponents = [tile.bit_length() - 1 if tile else 0 for tile in line]
    powers = [e**agent.order_power for e in exponents]
    steps = [b - a for a, b in itertools.pairwise(powers)]
    tiles = [tile for tile in line if tile]
    equal = sum(a == b for a, b in itertools.pairwise(tiles))
    rises, falls = sum(max(s, 0) for s in steps), sum(max(-s, 0) for s in steps)
    sizes = sum(e**agent.tiles_power for e in exponents if e)
    return (
        BASE
        + agent.empty * line.count(0)
        + agent.merge * equal
        - agent.order * min(rises, falls)
        - agent.tiles * sizes
    )


def heuristic_value(agent: Expectimax) -> Value:
    def value(board: oracle.Board) -> float:
        return sum(line_value(line, agent) for line in [*board, *oracle.transposed(board)])

    return value


CASES = [
    (1, 0, 0, 20),
    (1, 6, 8, 20),  # one ply more where fewer than six cells are empty
    (2, 0, 8, 10),
    (2, 0, 0, 10),
    (3, 0, 1, 2),
]


@pytest.mark.parametrize(("depth", "deeper_below", "fours", "n"), CASES)
@pytest.mark.parametrize("kind", [RandomNetwork, Expectimax])
def test_decisions_are_those_of_the_recursion(
    kind: type[LookaheadAgent], depth: int, deeper_below: int, fours: int, n: int
) -> None:
    agent = kind(depth=depth, deeper_below=deeper_below, fours=fours)  # type: ignore[call-arg]
    value = heuristic_value(agent) if isinstance(agent, Expectimax) else network_value
    for packed in random_boards(n, seed=depth):
        board = oracle.from_packed(packed)
        plies = depth - 1 + (len(oracle.empty_cells(board)) < deeper_below)
        expected = action_values(board, plies, fours, value, agent.reward_weight)
        found = agent.act(packed, 0)
        worths = {k: float(each) for k, each in enumerate(found.values) if not np.isnan(each)}
        assert worths == pytest.approx(expected, rel=1e-5, abs=0.05)
        assert found.values[found.action] == max(worths.values())


@pytest.mark.parametrize("kind", [RandomNetwork, Expectimax])
def test_tables_of_any_size_change_no_bit(kind: type[LookaheadAgent]) -> None:
    """Small tables are full of other positions, large ones of those of earlier boards."""
    boards = list(random_boards(15, seed=9))
    sizes = [(0, 0), (1, 1), (6, 4), (16, 16)]
    found = []
    for position_bits, leaf_bits in sizes:
        agent = kind(depth=3, position_bits=position_bits, leaf_bits=leaf_bits)  # type: ignore[call-arg]
        values = [agent.act(board, 0).values for board in (*boards, *boards)]
        found.append(np.array(values))
    for each in found[1:]:
        assert np.array_equal(found[0], each, equal_nan=True)


def test_without_a_network_points_decide() -> None:
    agent = NTuple()
    for packed in random_boards(50):
        board, decision = oracle.from_packed(packed), agent.act(packed, 0)
        rewards = [reward for _, reward in oracle.slides(board).values()]
        assert decision.values[decision.action] == max(rewards)
