"""The Monte Carlo MDP agent with any schedule, its nodes in plain Python, and boards of a game."""

import math
from dataclasses import dataclass

import pytest

from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.agent import Decision2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE, Schedule
from thetafront.engine.twenty48 import Action, Rule, afterstate, initial, legal_actions, spawn


@dataclass(frozen=True)
class Scheduled(MonteCarloMDP):
    table: Schedule = AUTHORS_SCHEDULE

    @property
    def schedule(self) -> Schedule:
        return self.table


def scheduled(
    table: Schedule,
    theta6: float = 1.0,
    gamma: float = 1.0,
    reward_weight: float = 1.0,
    cascade: bool = False,
) -> Scheduled:
    return Scheduled(
        theta6=theta6, gamma=gamma, reward_weight=reward_weight, cascade=cascade, table=table
    )


def boards_of_a_game(n: int) -> list[int]:
    """Boards from a game played by turns, and the crowded ones towards its end."""
    boards = []
    board = initial(3)
    for move in range(n):
        legal = legal_actions(board)
        if not legal:
            break
        boards.append(board)
        board = spawn(afterstate(board, legal[move % len(legal)])[0], move)
    return boards


def nodes_of(board: int, schedule: Schedule, rule: Rule) -> list[tuple[int, int, float, int]]:
    """The nodes of a decision: action, packed board, probability, playouts."""
    faces = oracle.from_packed(board)
    nodes = []
    for action in oracle.legal_actions(faces):
        after, _ = oracle.slide(faces, action, rule)
        empty = oracle.empty_cells(after)
        for cell in empty:
            for tile, p, table in ((2, 0.9, schedule.n_twos), (4, 0.1, schedule.n_fours)):
                node = oracle.to_packed(oracle.put(after, cell, tile))
                nodes.append((action, node, p / len(empty), table[len(empty) - 1]))
    return nodes


def mean_of_best(scores: list[int], top_share: float) -> float:
    """The mean of a share of the scores, the best ones, rounded up."""
    best = sorted(scores, reverse=True)[: math.ceil(round(top_share * len(scores), 9))]
    return sum(best) / len(best)


def check_values(decision: Decision2048, expected: dict[int, float]) -> None:
    """Assert that a decision has these values, and takes the first of the largest."""
    for action in Action:
        value = decision.values[action]
        if action in expected:
            assert value == pytest.approx(expected[action], rel=1e-12)
        else:
            assert math.isnan(value)
    assert decision.action == max(expected, key=lambda action: expected[action])
