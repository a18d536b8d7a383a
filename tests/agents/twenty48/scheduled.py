"""The Monte Carlo MDP agent with any schedule, its nodes in plain Python, and boards of a game."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.agent import Agent2048, Decision2048
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
    nodes = []
    for action, (after, _) in oracle.slides(oracle.from_packed(board), rule).items():
        children = oracle.spawns(after)
        counts = [n[len(children) // 2 - 1] for n in (schedule.n_twos, schedule.n_fours)]
        for k, (child, p) in enumerate(children):
            nodes.append((action, oracle.to_packed(child), p, counts[k % 2]))
    return nodes


@dataclass(frozen=True)
class Equation4:
    """Equation 4 word for word: V(s) = max over a of Σ P·(R + γ·V(s′)).

    ``leaf`` says what remains to be won, on average, from a board at the last level. With
    ``whole_score``, V of a leaf adds the points ``won`` since the root, and a game that has ended
    is carried on to that level.
    """

    leaf: Callable[[oracle.Board], float]
    gamma: float = 1.0
    whole_score: bool = False

    def values(self, board: oracle.Board, depth: int, won: int = 0) -> dict[int, float]:
        """The sum over all spawns after each action."""
        return {
            action: sum(
                p * (reward + self.gamma * self.value(child, depth - 1, won + reward))
                for child, p in oracle.spawns(after)
            )
            for action, (after, reward) in oracle.slides(board).items()
        }

    def value(self, board: oracle.Board, depth: int, won: int = 0) -> float:
        """V of a state."""
        counted = won if self.whole_score else 0
        if depth == 0:
            return counted + self.leaf(board)
        return max(self.values(board, depth, won).values(), default=self.gamma**depth * counted)


def mean_of_best(scores: list[int], top_share: float) -> float:
    """The mean of a share of the scores, the best ones, rounded up."""
    best = sorted(scores, reverse=True)[: math.ceil(round(top_share * len(scores), 9))]
    return sum(best) / len(best)


def values_by_definition(
    board: int,
    schedule: Schedule,
    top_share: float,
    scores: Iterator[int],
    rule: Rule,
    gamma: float = 1.0,
    reward_weight: float = 1.0,
) -> dict[int, float]:
    """The value of each legal action: the mean of the best scores of each node, which come next."""
    slides = oracle.slides(oracle.from_packed(board), rule)
    values = {action: float(reward_weight * reward) for action, (_, reward) in slides.items()}
    for action, _, probability, n in nodes_of(board, schedule, rule):
        best = mean_of_best([next(scores) for _ in range(n)], top_share)
        values[action] += gamma * probability * best
    return values


def check_values(decision: Decision2048, expected: dict[int, float]) -> None:
    """Assert that a decision has these values, and takes the first of the largest."""
    for action in Action:
        value = decision.values[action]
        if action in expected:
            assert value == pytest.approx(expected[action], rel=1e-12)
        else:
            assert math.isnan(value)
    assert decision.action == max(expected, key=lambda action: expected[action])


def check_decisions(agent: Agent2048, by_definition: Callable[[int, int], dict[int, float]]) -> int:
    """Compare decisions in a game with their definition; return how many there were to make."""
    n_compared = 0
    for stream, board in enumerate(boards_of_a_game(150)):
        expected = by_definition(board, stream)
        decision = agent.act(board, stream)
        if len(expected) == 1:
            assert [decision.action] == list(expected)
            assert decision.n_playout_moves == 0
            continue
        check_values(decision, expected)
        n_compared += 1
    return n_compared
