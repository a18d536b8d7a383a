"""Agents with two errors of the paper's program, to measure their effect on its Table 1.

Apart from the merging rule, the published program of Ripstein (2023) differs from the paper's text
in two ways:

- Its pure Monte Carlo search spawns *one* tile after each action and plays all playouts from that
  board. So the mean over playouts is not a mean over spawns.
- Its Monte Carlo MDP agent places a 2 where it should place a 4. The playouts begin with this 2,
  but the node has the number of playouts and the probability of a 4.

These agents reproduce the errors; there is no other reason to play them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.parameters import flag, integer, real
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import CASCADE, Agent2048
from thetafront.agents.twenty48.expectation import (
    MAX_NODES,
    ExpectationSettings,
    choose,
    put_nodes,
)
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE, BEST_SHARE, MAX_COUNT
from thetafront.engine.jit import kernel
from thetafront.engine.rng import PLAYOUT, SPAWN, substream
from thetafront.engine.twenty48.board import N_ACTIONS, afterstate, spawn
from thetafront.engine.twenty48.playout import playouts
from thetafront.engine.twenty48.rule import BuiltRule


class OneSpawnSettings(NamedTuple):
    """Settings of :func:`decide_by_one_spawn`."""

    n_playouts: int  # per legal action


@decides(OneSpawnSettings)
@kernel
def decide_by_one_spawn(
    settings: OneSpawnSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide by Algorithm 1 with one spawn per action."""
    n_playouts = settings.n_playouts
    values = np.full(N_ACTIONS, np.nan)
    best = -1
    n_playout_moves = np.int64(0)
    count = np.array([n_playouts], np.int64)
    for action in range(N_ACTIONS):
        after, reward = afterstate(board, action, rule)
        if after == board:
            continue
        mine = substream(stream, np.uint64(action))
        start = np.array([spawn(after, substream(mine, SPAWN))], np.uint64)
        scores, n_moves = playouts(start, count, substream(mine, PLAYOUT), rule)
        n_playout_moves += n_moves.sum()
        values[action] = reward + scores.sum() / n_playouts
        if best < 0 or values[action] > values[best]:
            best = action
    return best, values, n_playout_moves


class TwosSettings(NamedTuple):
    """Settings of :func:`decide_by_twos`."""

    plain: ExpectationSettings  # without the error


@decides(TwosSettings)
@kernel
def decide_by_twos(
    settings: TwosSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide by equation 2, with a 2 instead of each spawned 4."""
    values = np.full(N_ACTIONS, np.nan)
    nodes = np.empty(MAX_NODES, np.uint64)
    counts = np.empty(MAX_NODES, np.int64)
    first_node = np.empty(N_ACTIONS + 1, np.int64)
    n_nodes, _, _ = put_nodes(settings.plain, board, rule, nodes, counts, first_node, 0)
    for node in range(1, n_nodes, 2):
        nodes[node] = nodes[node - 1]
    scores = np.empty(counts[:n_nodes].sum(), np.int64)
    n_playout_moves, offset = np.int64(0), 0
    for action in range(N_ACTIONS):
        begin, end = first_node[action], first_node[action + 1]
        mine = substream(stream, np.uint64(action))
        gained, n_moves = playouts(nodes[begin:end], counts[begin:end], mine, rule)
        scores[offset : offset + len(gained)] = gained
        n_playout_moves += n_moves.sum()
        offset += len(gained)
    best = choose(settings.plain, board, rule, counts, first_node, scores, values)
    return best, values, n_playout_moves


@register
@dataclass(frozen=True)
class OneSpawnADirection(Agent2048):
    """Pure Monte Carlo search in which all of an action's playouts begin with the same spawn."""

    name: ClassVar[str] = "pmcts_one_spawn"

    n_playouts: int = integer(100, 1, MAX_COUNT, "playouts per legal action")
    cascade: bool = flag(False, CASCADE)

    @cached_property
    def settings(self) -> OneSpawnSettings:
        return OneSpawnSettings(self.n_playouts)


@register
@dataclass(frozen=True)
class FoursExploredAsTwos(Agent2048):
    """The Monte Carlo MDP agent in Table 1, with a 2 instead of each spawned 4."""

    name: ClassVar[str] = "table1_twos"

    theta6: float = real(1.0, 0, 1, BEST_SHARE, open_low=True)
    cascade: bool = flag(False, CASCADE)

    @cached_property
    def settings(self) -> TwosSettings:
        return TwosSettings(ExpectationSettings(AUTHORS_SCHEDULE.table(), self.theta6))
