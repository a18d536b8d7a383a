"""Pure Monte Carlo search: the action whose playouts have the best mean.

Source: Ripstein (2023), §3.1, Algorithm 1 and equation 1. Each playout begins with the action and
draws its own spawn, so the mean is over spawns, too. The paper keeps all playouts:
it argues that dropping the worst, as Algorithm 3 does, would hide unlucky spawns here. In this
module, the share of playouts that are kept is a parameter.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.parameters import flag, integer, real
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import CASCADE, Agent2048
from thetafront.agents.twenty48.expectation import mean_of_best
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.agents.twenty48.schedule import BEST_SHARE, MAX_COUNT
from thetafront.engine.jit import kernel
from thetafront.engine.rng import PLAYOUT, SPAWN, substream
from thetafront.engine.twenty48.board import N_ACTIONS, afterstate, legal_actions, spawn
from thetafront.engine.twenty48.playout import playouts
from thetafront.engine.twenty48.rule import BuiltRule


class PureMonteCarloSettings(NamedTuple):
    """The parameters of :class:`PureMonteCarlo` in the form that kernels take."""

    n_playouts: int
    top_share: float


@decides(PureMonteCarloSettings)
@kernel
def pure_monte_carlo_decision(
    settings: PureMonteCarloSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide by Algorithm 1.

    Parameters and results are those of :func:`agents.twenty48.loop.decide`. The action with the
    largest mean is taken; in a tie, the first of these actions. A single legal action is taken
    without playouts, and its value is NaN.
    """
    n_playouts, top_share = settings
    values = np.full(N_ACTIONS, np.nan)
    actions = np.empty(N_ACTIONS, np.int64)
    n_legal = 0
    legal = legal_actions(board)
    for action in range(N_ACTIONS):
        if legal >> action & 1:
            actions[n_legal] = action
            n_legal += 1
    if n_legal == 0:
        return -1, values, 0
    if n_legal == 1:
        return actions[0], values, 0

    starts = np.empty(n_legal * n_playouts, np.uint64)
    spawns = substream(stream, SPAWN)
    for k in range(n_legal):
        after, _ = afterstate(board, actions[k], rule)
        for i in range(k * n_playouts, (k + 1) * n_playouts):
            starts[i] = spawn(after, substream(spawns, np.uint64(i)))
    once = np.ones(n_legal * n_playouts, np.int64)
    scores, n_moves = playouts(starts, once, substream(stream, PLAYOUT), rule)

    best = actions[0]
    for k in range(n_legal):
        _, reward = afterstate(board, actions[k], rule)
        mine = scores[k * n_playouts : (k + 1) * n_playouts]
        values[actions[k]] = reward + mean_of_best(mine, top_share)
        if values[actions[k]] > values[best]:
            best = actions[k]
    return best, values, n_moves.sum()


@register
@dataclass(frozen=True)
class PureMonteCarlo(Agent2048):
    """Takes the action whose playouts have the best mean (Ripstein 2023, §3.1).

    The paper has 100 playouts per action, and keeps all of them.
    """

    name: ClassVar[str] = "pmcts"

    n_playouts: int = integer(100, 1, MAX_COUNT, "playouts per legal action")
    cascade: bool = flag(False, CASCADE)
    top_share: float = real(1.0, 0, 1, BEST_SHARE, open_low=True, later=True)

    @cached_property
    def settings(self) -> PureMonteCarloSettings:
        return PureMonteCarloSettings(self.n_playouts, self.top_share)
