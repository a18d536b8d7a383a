"""The game loop of 2048, with every agent of the catalog; dispatch on settings, and its cache."""

from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from tests.agents.conformance import small, small_variants
from tests.oracles import twenty48 as oracle
from tests.processes import python
from thetafront.agents.catalog import AGENTS
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import Agent2048, Progress
from thetafront.agents.twenty48.loop import decide, play_on
from thetafront.agents.twenty48.published_program import OneSpawnADirection
from thetafront.engine.rng import SPAWN
from thetafront.engine.twenty48 import Action, afterstate, initial, legal_actions, spawn, stream

PLAYERS = [name for name, each in AGENTS.items() if issubclass(each, Agent2048)]
VARIANTS = [agent for name in PLAYERS for agent in small_variants(name)]
START = Progress(initial(12), 0, 0, 0)


def in_parts(agent: Agent2048, n: int, n_moves: int) -> Progress:
    """Play the first moves of game 12, n at a time."""
    player, now, target = agent.in_game(), START, 0
    while now.n_moves == target < n_moves:
        target += n
        now = player.advance(now, 12, target)
    return now


@pytest.mark.parametrize("agent", VARIANTS)
def test_moves_are_the_same_at_once_in_parts_and_decision_by_decision(agent: Agent2048) -> None:
    now = in_parts(agent, 60, 60)
    assert in_parts(agent, 1, 60) == in_parts(agent, 12, 60) == now
    board, score, n_playout_moves = initial(12), 0, 0
    for number, move in enumerate(islice(agent.moves(12), 60)):
        assert (move.board, move.score, move.n_moves) == (board, score, number)
        legal = legal_actions(board)
        assert move.decision.action in legal
        assert all(np.isnan(move.decision.values[action]) for action in set(Action) - set(legal))
        after, reward = afterstate(board, move.decision.action, agent.rule)
        board = spawn(after, stream(12, int(SPAWN), number))
        score += reward
        n_playout_moves += move.decision.n_playout_moves
    assert (board, score, 60, n_playout_moves) == now


@pytest.mark.parametrize("name", PLAYERS)
def test_two_32768_tiles_stay_two_in_a_game(name: str) -> None:
    """They neither merge nor vanish, and the score is what the oracle makes of each action."""
    start = oracle.to_packed([[32768, 32768, 2, 4], [2, 4, 8, 2], [4, 0, 0, 0], [0, 0, 0, 0]])
    agent, total = small(name), 0
    player, now = agent.in_game(), Progress(start, 0, 0, 0)
    for n_moves in range(1, 61):
        before, now = now, player.advance(now, 12, n_moves)
        if now.n_moves < n_moves:
            break
        afterwards = {
            oracle.to_packed(child): reward
            for after, reward in oracle.slides(oracle.from_packed(before.board)).values()
            for child, _ in oracle.spawns(after)
        }
        total += afterwards[now.board]
        assert sum(row.count(32768) for row in oracle.from_packed(now.board)) == 2
    assert now.score == total > 0


@pytest.mark.parametrize("name", PLAYERS)
def test_a_game_ends_where_no_action_is_legal(name: str) -> None:
    agent = small(name)
    game, now = agent.play(12), in_parts(agent, 10**6, 10**6)
    assert now == (game.end_board, game.score, game.n_moves, game.n_playout_moves)
    assert not legal_actions(game.end_board)


@pytest.mark.parametrize("agent", VARIANTS)
def test_nothing_happens_where_no_action_is_legal(agent: Agent2048) -> None:
    over = Progress(0x1212_2121_1212_2121, 5, 6, 7)
    assert agent.in_game().advance(over, 0, 100) == over
    assert agent.decide(over.board, 0)[0] == -1


class Unknown(NamedTuple):
    n: int


def test_settings_that_nobody_decides_by_are_refused() -> None:
    """Even of the shape of an agent's: only the class selects the kernel."""
    assert tuple(Unknown(1)) == tuple(OneSpawnADirection(1).settings)
    board, zero = np.uint64(0x11), np.uint64(0)
    line = r"no kernel decides for settings of class Unknown; register one with @decides\(Unknown\)"
    with pytest.raises(KeyError, match=line):
        decide(Unknown(1), board, zero, None)
    with pytest.raises(TypingError, match="Unknown"):
        play_on(Unknown(1), zero, board, 0, 0, 0, zero, 1, None)


def test_settings_of_a_name_that_is_taken_are_refused() -> None:
    class UCTSettings(NamedTuple):
        n: int

    with pytest.raises(ValueError, match="unused class name"):
        decides(UCTSettings)


COUNT = """
from thetafront.agents.twenty48.loop import play_on
from thetafront.agents.twenty48.random import RandomAgent, random_decision
RandomAgent().play(1)
print(*(sum(each.stats.cache_misses.values()) for each in (play_on, random_decision)))
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    misses = [python(COUNT, env={"THETAFRONT_CACHE_DIR": str(tmp_path)}) for _ in range(2)]
    assert misses == ["1 1\n", "0 0\n"]
