"""Games of 2048 recorded: a board after each move and its spawn."""

from typing import Any

from thetafront.agents.agent import warm
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.twenty48 import Action, afterstate, stream, unpack
from thetafront.study.page.replays.recording import Recording
from thetafront.study.terminal.position import Position

NONE = -1


def record_2048(agent: Agent2048, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` move by move.

    The steps are ``cells``, a hexadecimal exponent for each cell in reading order; ``score``;
    ``action``, that led to them (up, right, down, left); and ``spawned``, the cell of the new tile.
    """
    warm(agent)
    player = agent.in_game()
    position = Position.first(seed, agent.rule)
    steps: dict[str, list[Any]] = {"cells": [], "score": [], "action": [], "spawned": []}

    def see(action: int, spawned: int) -> None:
        cells = "".join(f"{exponent:x}" for exponent in unpack(position.board).ravel())
        seen = (cells, position.score, action, spawned)
        for column, value in zip(steps.values(), seen, strict=True):
            column.append(value)

    see(NONE, NONE)
    while position.legal:
        decided = stream(seed, agent.purpose, position.n_moves)
        action, _, _ = player.decide(position.board, decided)
        slid, _ = afterstate(position.board, action, agent.rule)
        position = position.after(Action(action))
        see(int(action), ((position.board ^ slid).bit_length() - 1) // 4)
    return Recording({"game": "2048", "steps": steps}, position.score, position.n_moves)
