"""Recordings against the agents' own games, and played again by the slow rules of the oracles."""

from typing import Any

import pytest

from tests.oracles import dice as dice_oracle
from tests.oracles import twenty48 as oracle
from thetafront.agents.agent import Agent
from thetafront.agents.catalog import build
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.engine.twenty48 import Rule
from thetafront.study.page.replays.dice import record_dice
from thetafront.study.page.replays.pacman import record_pacman
from thetafront.study.page.replays.twenty48 import SPAWNS, record_2048

CHEAP: dict[str, Any] = {"theta1": 16, "theta2": 8, "theta3": 4, "theta4": 2, "theta5": 1.0}


@pytest.mark.parametrize(
    "agent", [RandomAgent(), MonteCarloMDP(**CHEAP), MonteCarloMDP(**CHEAP, cascade=True)]
)
@pytest.mark.parametrize("seed", [0, 2**62 + 11])
def test_a_game_of_2048_is_on_record_move_by_move(agent: Any, seed: int) -> None:
    recording, game = record_2048(agent, seed), agent.play(seed)
    assert (recording.score, recording.n_moves) == (game.score, game.n_moves)
    data, score = recording.data, 0
    exponents = [
        [int(digit, 16) for digit in data["start"][row : row + 4]] for row in (0, 4, 8, 12)
    ]
    board = oracle.to_faces(exponents)
    assert Rule(data["rule"]) is agent.rule
    for action, spawn in zip(data["actions"], data["spawns"], strict=True):
        board, reward = oracle.slide(board, int(action), agent.rule)
        score += reward
        cell, four = divmod(SPAWNS.index(spawn), 2)
        board = oracle.put(board, divmod(cell, 4), 4 if four else 2)
    assert score == game.score
    assert oracle.to_packed(board) == game.end_board
    assert not oracle.legal_actions(board)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("pacman_random", {"layout": "small"}),
        ("pacman_random", {"layout": "medium", "ghosts": "directional"}),
        ("pacman_random", {"layout": "medium", "most_steps": 30}),
    ],
)
def test_a_game_of_pacman_leads_to_the_engines_positions(name: str, values: dict[str, Any]) -> None:
    agent = build(name, values)
    assert isinstance(agent, PacmanAgent)
    outcomes = set()
    for seed in range(30):
        recording, game = record_pacman(agent, seed), agent.play(seed)
        assert (recording.score, recording.n_moves) == (game.score, game.n_moves)
        data, world = recording.data, agent.start(seed)
        outcomes.add(data["outcome"])
        assert data["outcome"] == game.outcome.name.lower()
        n_ghosts = len(world.ghosts)
        assert len(data["ghosts"]) == n_ghosts * game.n_moves
        for turn, (action, moved) in enumerate(zip(data["actions"], data["moves"], strict=True)):
            before, (x, y) = world.copy(), world.pacman
            world.step(int(action))
            east, north = [(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)][int(moved)]
            wall = bool(agent.layout.walls[x + east, y + north])
            assert world.pacman == ((x, y) if wall else (x + east, y + north))
            for i, (old, new) in enumerate(zip(before.ghosts, world.ghosts, strict=True)):
                direction = int(data["ghosts"][n_ghosts * turn + i])
                if new.direction is not None:
                    assert direction == new.direction
                elif world.outcome.name == "RUNNING" and (old.timer, old.direction) != (0, None):
                    # Eaten after its own move: it came within half a cell by that direction.
                    assert old.timer > 0
                    dx, dy = [(0, 0.5), (0.5, 0), (0, -0.5), (-0.5, 0)][direction]
                    pacman_x, pacman_y = world.pacman
                    assert abs(old.x + dx - pacman_x) + abs(old.y + dy - pacman_y) == 0.5
    assert outcomes >= ({"cut"} if "most_steps" in values else {"lost"})


@pytest.mark.parametrize(
    "agent", [DiceAgent(), DiceAgent(gamma=0.5), DiceAgent(n_dice=4, n_sides=8)]
)
def test_a_game_of_dice_is_on_record_roll_by_roll(agent: DiceAgent) -> None:
    lengths = set()
    for seed in range(40):
        recording, game = record_dice(agent, seed), agent.play(seed)
        assert (recording.score, recording.n_moves) == (game.score, game.n_moves)
        held: list[int] = []
        for rolled, holds in zip(recording.data["rolls"], recording.data["held"], strict=True):
            hand = tuple(sorted([*held, *rolled]))
            assert agent.act(hand).held == tuple(holds)
            held = holds
        assert hand == game.end_roll == tuple(held)
        n_rerolls = len(recording.data["rolls"]) - 1
        assert dice_oracle.final_score(hand, agent.n_sides) - n_rerolls == game.score
        lengths.add(n_rerolls)
    assert len(lengths) > 1


def test_a_game_has_the_same_record_each_time() -> None:
    agents: list[tuple[Any, Agent]] = [
        (record_2048, RandomAgent()),
        (record_pacman, build("pacman_random", {"layout": "small"})),
        (record_dice, DiceAgent()),
    ]
    for record, agent in agents:
        assert record(agent, 5) == record(agent, 5)
        assert record(agent, 5) != record(agent, 6)
