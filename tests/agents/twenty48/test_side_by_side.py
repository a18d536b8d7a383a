"""Games side by side against a plain Python loop, and against games played alone."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ks_2samp

from tests.agents.twenty48.scheduled import nodes_of, scheduled, values_by_definition
from tests.oracles import twenty48 as oracle
from thetafront.agents.agent import Game, warm
from thetafront.agents.catalog import AGENTS
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
from thetafront.agents.twenty48.schedule import Theta
from thetafront.agents.twenty48.side_by_side import SideBySide2048
from thetafront.engine.rng import SIDE_BY_SIDE, SPAWN
from thetafront.engine.twenty48 import Rule, afterstate, initial, playouts, spawn, stream

SMALL = Theta(6, 4, 3, 2, 2.0, min_playouts=1).schedule
CHEAP = MonteCarloMDP(16, 8, 4, 2, 10.0)


def played_by_definition(
    first: int, n_games: int, top_share: float, rule: Rule
) -> tuple[list[tuple[int, int, int]], int]:
    """Play games side by side in plain Python.

    Return score, moves and last board of each, and the playout moves of all.
    """
    boards = [initial(first + k) for k in range(n_games)]
    scores, n_moves = [0] * n_games, [0] * n_games
    n_playout_moves = 0
    for step in range(10_000):
        slides = [oracle.slides(oracle.from_packed(board), rule) for board in boards]
        if not any(slides):
            break
        nodes = [
            node
            for board, slid in zip(boards, slides, strict=True)
            if len(slid) > 1
            for node in nodes_of(board, SMALL, rule)
        ]
        results, n_played = playouts(
            [node[1] for node in nodes],
            [node[3] for node in nodes],
            stream(first, int(SIDE_BY_SIDE), step),
            rule,
        )
        n_playout_moves += n_played
        drawn = iter(results.tolist())
        for k in range(n_games):
            values = dict.fromkeys(slides[k], 0.0)
            if len(values) > 1:
                values = values_by_definition(boards[k], SMALL, top_share, drawn, rule)
            if values:
                action = max(values, key=lambda each: values[each])
                after, reward = afterstate(boards[k], action, rule)
                boards[k] = spawn(after, stream(first + k, int(SPAWN), n_moves[k]))
                scores[k] += reward
                n_moves[k] += 1
    return list(zip(scores, n_moves, boards, strict=True)), n_playout_moves


@pytest.mark.parametrize(("rule", "top_share"), [(Rule.COMMON, 1.0), (Rule.CASCADE, 0.5)])
def test_games_follow_the_definition(rule: Rule, top_share: float) -> None:
    agent = scheduled(SMALL, top_share, cascade=rule is Rule.CASCADE)
    games = agent.play_side_by_side(range(40, 43))
    found = [(game.score, game.n_moves, game.end_board) for game in games]
    n_playout_moves = sum(game.n_playout_moves for game in games)
    assert (found, n_playout_moves) == played_by_definition(40, 3, top_share, rule)
    assert [game.seed for game in games] == [40, 41, 42]
    assert all(game.played_with == range(40, 43) and not game.is_timed for game in games)
    assert all(game.is_possible for game in games)


@pytest.mark.parametrize("n", [120, pytest.param(10_000, marks=pytest.mark.slow)])
def test_scores_are_distributed_as_those_of_games_alone(n: int) -> None:
    """Of a θ with few playouts: a Kolmogorov-Smirnov test at 0.1%, and 3.5 standard errors."""
    alone = [CHEAP.play(seed).score for seed in range(n)]
    together = [
        game.score
        for first in range(10_000, 10_000 + n, 8)
        for game in CHEAP.play_side_by_side(range(first, first + 8))
    ]
    assert ks_2samp(alone, together).pvalue > 1e-3
    error = np.hypot(np.std(alone), np.std(together)) / np.sqrt(n)
    assert abs(np.mean(together) - np.mean(alone)) < 3.5 * error


def test_they_are_the_same_again_and_others_with_other_companions() -> None:
    def scores(first: int, n: int) -> list[int]:
        return [game.score for game in CHEAP.play_side_by_side(range(first, first + n))]

    assert scores(0, 8) == scores(0, 8)
    assert scores(0, 8)[:4] != scores(0, 4)


def test_a_row_has_what_replays_the_game() -> None:
    game = CHEAP.play_side_by_side(range(5, 9))[2]
    assert Game.kinds["2048 side by side"] is SideBySide2048
    assert SideBySide2048.from_row(game.to_row()) == game
    assert game.to_row()["first_seed"] == 5
    assert game.to_row()["n_side_by_side"] == 4
    assert not replace(game, first_seed=8).is_possible
    assert not replace(game, n_side_by_side=1).is_possible


@pytest.mark.parametrize("seeds", [[3], [3, 5], [4, 3], [2**63 - 1, 2**63]])
def test_impossible_seeds_are_refused(seeds: list[int]) -> None:
    with pytest.raises(ValueError, match="seed"):
        Table1().play_side_by_side(seeds)


def test_other_agents_play_one_after_the_other() -> None:
    agent = AGENTS["random"]()
    assert agent.n_side_by_side == 1
    games = agent.play_side_by_side([4, 5])
    warm(agent)
    assert [game.score for game in games] == [agent.play(seed).score for seed in (4, 5)]
    assert all(game.is_timed for game in games)
