"""Games of 2048 recorded: two characters a move."""

from thetafront.agents.agent import warm
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.twenty48 import Action, afterstate, stream, unpack
from thetafront.study.page.replays.recording import Recording
from thetafront.study.terminal.position import Position

SPAWNS = "0123456789abcdefghijklmnopqrstuv"
"""A spawn: twice its cell in reading order, and one more for a 4."""


def record_2048(agent: Agent2048, seed: int) -> Recording:
    """Play the game of ``agent.play(seed)`` move by move.

    The data are ``rule``; ``start``, a hexadecimal exponent for each cell in reading order;
    ``actions``, a digit for each move (up, right, down, left); and ``spawns``, a character of
    :data:`SPAWNS` for each.
    """
    warm(agent)
    player = agent.in_game()
    position = Position.first(seed, agent.rule)
    start = "".join(f"{exponent:x}" for exponent in unpack(position.board).ravel())
    actions, spawns = [], []
    while position.legal:
        decided = stream(seed, agent.purpose, position.n_moves)
        action, _, _ = player.decide(position.board, decided)
        slid, _ = afterstate(position.board, action, agent.rule)
        position = position.after(Action(action))
        spawned = position.board ^ slid
        cell = (spawned.bit_length() - 1) // 4
        actions.append(str(action))
        spawns.append(SPAWNS[2 * cell + (spawned >> 4 * cell) - 1])
    data = {
        "game": "2048",
        "rule": agent.rule.value,
        "start": start,
        "actions": "".join(actions),
        "spawns": "".join(spawns),
    }
    return Recording(data, position.score, position.n_moves)
