"""The one game loop: a settings' class chooses who decides, and what is compiled so is found in the cache again."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from agents.twenty48.agent import Agent2048 as Agent
from agents.twenty48.agent import Progress
from agents.twenty48.loop import decide, play_on
from agents.twenty48.pmcts import PureMonteCarlo
from agents.twenty48.published_program import OneSpawnADirection
from agents.twenty48.random import RandomAgent
from agents.twenty48.uct import UCT
from engine.rng import SPAWN
from engine.twenty48 import afterstate, initial, spawn, stream

AGENTS: list[Agent] = [
    RandomAgent(),
    PureMonteCarlo(1, cascade=True),
    OneSpawnADirection(1),
    UCT(3, 4, reuse=True),
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_a_game_is_the_same_at_once_in_parts_and_decision_by_decision(agent: Agent) -> None:
    game = agent.play(12)
    start = Progress(initial(12), 0, 0, 0)
    for n in (1, 7, 10**6):
        player, now, target = agent.in_game(), start, 0
        while now.n_moves == target:
            target += n
            now = player.advance(now, 12, target)
        assert now == (game.end_board, game.score, game.n_moves, game.n_playout_moves)
    board, score, n_playout_moves = initial(12), 0, 0
    for number, move in enumerate(agent.moves(12)):
        assert (move.board, move.score, move.n_moves) == (board, score, number)
        after, reward = afterstate(board, move.decision.action, agent.rule)
        board = spawn(after, stream(12, int(SPAWN), number))
        score += reward
        n_playout_moves += move.decision.n_playout_moves
    assert (board, score, n_playout_moves) == (game.end_board, game.score, game.n_playout_moves)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_nothing_happens_where_no_action_is_legal(agent: Agent) -> None:
    over = Progress(0x1212_2121_1212_2121, 5, 6, 7)
    assert agent.in_game().advance(over, 0, 100) == over
    assert agent.decide(over.board, 0)[0] == -1


def test_settings_of_one_shape_and_two_classes_are_two_agents() -> None:
    """Both hold one whole number and no more: only the class tells who decides."""
    pure, slip = PureMonteCarlo(3), OneSpawnADirection(3)
    assert tuple(pure.settings) == tuple(slip.settings)
    assert pure.play(4).end_board != slip.play(4).end_board
    assert replace(pure).play(4).end_board == pure.play(4).end_board


class Unknown(NamedTuple):
    n: int


def test_settings_that_nobody_decides_by_are_refused() -> None:
    board, zero = np.uint64(0x11), np.uint64(0)
    with pytest.raises(KeyError, match="Unknown"):
        decide(Unknown(1), board, zero, None)
    with pytest.raises(TypingError, match="Unknown"):
        play_on(Unknown(1), zero, board, 0, 0, 0, zero, 1, None)


COUNT = """
from agents.twenty48.loop import play_on
from agents.twenty48.random import RandomAgent, random_decision
RandomAgent().play(1)
print(*(sum(each.stats.cache_misses.values()) for each in (play_on, random_decision)))
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"THETAFRONT_CACHE_DIR": str(tmp_path)}
    misses = [
        subprocess.run(
            [sys.executable, "-c", COUNT], env=environment, check=True, capture_output=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert misses == [[b"1", b"1"], [b"0", b"0"]]
