"""The Monte Carlo MDP agent against equation 2 and Algorithms 2 and 3 in plain Python."""

import math
from functools import partial

import numpy as np
import pytest

from tests.agents.twenty48.scheduled import (
    boards_of_a_game,
    check_decisions,
    check_values,
    nodes_of,
    scheduled,
    values_by_definition,
)
from thetafront.agents.twenty48.expectation import sum_of_best
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
from thetafront.agents.twenty48.schedule import Theta
from thetafront.engine.twenty48 import Action, Rule, parse, playouts

SMALL = Theta(24, 12, 8, 6, 2.5).schedule


def decision_by_definition(
    board: int,
    stream: int,
    top_share: float,
    gamma: float = 1.0,
    reward_weight: float = 1.0,
    rule: Rule = Rule.COMMON,
) -> dict[int, float]:
    """Value of each legal action: nodes in order, and their playouts."""
    nodes = nodes_of(board, SMALL, rule)
    scores, _ = playouts([node[1] for node in nodes], [node[3] for node in nodes], stream, rule)
    drawn = iter(scores.tolist())
    return values_by_definition(board, SMALL, top_share, drawn, rule, gamma, reward_weight)


@pytest.mark.parametrize("top_share", [1.0, 0.75, 0.5, 0.07, 0.001])
def test_decisions_follow_the_definition(top_share: float) -> None:
    definition = partial(decision_by_definition, top_share=top_share)
    assert check_decisions(scheduled(SMALL, top_share), definition) > 50


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize(("gamma", "weight"), [(0.9, 1.9), (0.9, 1.0), (0.5, 1.5)])
def test_equation_3_by_definition_in_both_readings(gamma: float, weight: float, rule: Rule) -> None:
    """With V the whole score: R + γ·(R + what remains), the score before the action left out."""
    agent = scheduled(SMALL, 0.6, gamma, weight, rule is Rule.CASCADE)
    for stream, board in enumerate(boards_of_a_game(80)[::8]):
        expected = decision_by_definition(board, stream, 0.6, gamma, weight, rule)
        if len(expected) > 1:
            check_values(agent.act(board, stream), expected)


def test_table_1_has_its_own_schedule() -> None:
    agent = Table1(0.25, cascade=True)
    assert (agent.theta6, agent.rule) == (0.25, Rule.CASCADE)
    assert agent.settings.schedule[:, 1:].tolist() == [
        [500, 250, 125, 54, 36, 18, 18, 18, 9, 9, 9, 9, 9, 9, 9],
        [80, 40, 20, 7, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
    ]


def test_the_best_are_kept_whatever_their_order() -> None:
    rng = np.random.default_rng(4)
    for _ in range(3000):
        n = int(rng.integers(1, 60))
        scores = rng.integers(0, rng.integers(1, 200), n)  # often equal
        n_best = int(rng.integers(1, n + 1))
        expected = sum(sorted(scores.tolist(), reverse=True)[:n_best])
        assert sum_of_best(scores, n_best) == expected
    for scores in (np.arange(500), np.arange(500)[::-1], np.zeros(500, np.int64)):
        expected = sum(sorted(scores.tolist(), reverse=True)[:100])
        assert sum_of_best(scores, 100) == expected


def test_a_winning_merge_is_found() -> None:
    """1024 + 1024 beside a full board: only the merge leaves a way to go on."""
    board = parse("1024 1024 4 8 / 2 4 8 16 / 4 8 16 32 / 8 16 32 64")
    agent = MonteCarloMDP()
    assert agent.act(board, stream=0).action in (Action.LEFT, Action.RIGHT)


def test_a_finished_board_is_refused() -> None:
    with pytest.raises(ValueError, match="no action is legal"):
        scheduled(SMALL).act(0x1212_2121_1212_2121, 0)


@pytest.mark.slow
def test_the_authors_theta_scores_as_independent_programs_do() -> None:
    """400 games: independent programs gave means of 43 to 49 thousand, 45.2 ± 0.6 on a thousand."""
    agent = MonteCarloMDP()
    scores = np.array([agent.play(seed).score for seed in range(400)])
    error = scores.std(ddof=1) / math.sqrt(len(scores))
    assert abs(scores.mean() - 45_200) < 4 * math.hypot(error, 600)
