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
import numpy.typing as npt

from thetafront.agents.agent import register
from thetafront.agents.parameters import flag, integer, real
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import CASCADE, Agent2048
from thetafront.agents.twenty48.expectation import mean_of_best, put_spawns
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE, BEST_SHARE, MAX_COUNT
from thetafront.engine.jit import kernel
from thetafront.engine.rng import PLAYOUT, SPAWN, substream
from thetafront.engine.twenty48.board import N_ACTIONS, P_FOUR, P_TWO, afterstate, n_empty, spawn
from thetafront.engine.twenty48.playout import playouts
from thetafront.engine.twenty48.rule import BuiltRule

MAX_NODES = 30


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
        scores, n_random = playouts(start, count, substream(mine, PLAYOUT), rule)
        n_playout_moves += n_random
        values[action] = reward + scores.sum() / n_playouts
        if best < 0 or values[action] > values[best]:
            best = action
    return best, values, n_playout_moves


class TwosSettings(NamedTuple):
    """Settings of :func:`decide_by_twos`."""

    schedule: npt.NDArray[np.int64]  # (2, 16), see `Schedule.table`
    top_share: float  # θ₆


@decides(TwosSettings)
@kernel
def decide_by_twos(
    settings: TwosSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide by equation 2, with a 2 instead of each spawned 4."""
    schedule, top_share = settings
    values = np.full(N_ACTIONS, np.nan)
    nodes = np.empty(MAX_NODES, np.uint64)
    counts = np.empty(MAX_NODES, np.int64)
    best = -1
    n_playout_moves = np.int64(0)
    for action in range(N_ACTIONS):
        after, reward = afterstate(board, action, rule)
        if after == board:
            continue
        m = n_empty(after)
        n_nodes = put_spawns(after, nodes, 0)
        for node in range(n_nodes):
            counts[node] = schedule[node % 2, m]
            nodes[node] = nodes[node - node % 2]
        mine = substream(stream, np.uint64(action))
        scores, n_random = playouts(nodes[:n_nodes], counts[:n_nodes], mine, rule)
        n_playout_moves += n_random
        value = np.float64(reward)
        offset = 0
        for node in range(n_nodes):
            p = (P_TWO if node % 2 == 0 else P_FOUR) / m
            value += p * mean_of_best(scores[offset : offset + counts[node]], top_share)
            offset += counts[node]
        values[action] = value
        if best < 0 or value > values[best]:
            best = action
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
        return TwosSettings(AUTHORS_SCHEDULE.table(), self.theta6)
