"""The Monte Carlo MDP agent: maximizes the scores of playouts in expectation over all spawns.

By equation 2, the agent takes the action a with the largest Σ P(s′|s, a)·V(s′). Equation 3 also
discounts V, and adds the reward of the action. :mod:`agents.twenty48.expectation` has the notation
and our readings of the source.

Source: Ripstein (2023), §3.2 and §3.3, equations 2 and 3.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from thetafront.agents.agent import register, warm
from thetafront.agents.parameters import flag, real
from thetafront.agents.twenty48.agent import CASCADE, Agent2048
from thetafront.agents.twenty48.expectation import ExpectationSettings
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE, BEST_SHARE, Schedule, Theta
from thetafront.agents.twenty48.side_by_side import (
    SideBySide2048,
    play_on_side_by_side,
    play_side_by_side,
)

MAX_REWARD_WEIGHT = 1000.0
GAMMA = "discount of the playouts' scores (γ of equation 3)"
REWARD_WEIGHT = "weight of the move's own points"


class ScheduledAgent(Agent2048):
    """Decides by equation 2 or 3, with the numbers of playouts from a schedule."""

    n_side_by_side: ClassVar[int] = 8

    theta6: float
    gamma: float
    reward_weight: float

    def warm_up(self) -> None:
        super().warm_up()
        seeds, counters = np.zeros(2, np.uint64), np.zeros((3, 2), np.int64)
        play_on_side_by_side(self.settings, seeds, seeds.copy(), counters, 0, 1, self.rule.built)

    def play_side_by_side(self, seeds: Sequence[int]) -> tuple[SideBySide2048, ...]:
        warm(self)
        return play_side_by_side(self.settings, seeds, self.rule)

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """Numbers of playouts, by number of empty cells and by spawned tile."""

    @cached_property
    def settings(self) -> ExpectationSettings:
        return ExpectationSettings(
            self.schedule.table(), self.theta6, self.gamma, self.reward_weight
        )


@register
@dataclass(frozen=True)
class MonteCarloMDP(Theta, ScheduledAgent):
    """Takes the action whose best playouts have the highest mean score, averaged over all spawns.

    Source: Ripstein (2023), §3.2. The defaults are the author's untuned θ.

    ``reward_weight`` is 1 for equation 2, whose V contains the reward. For equation 3, it is 1 if
    V is read as the remaining score, and 1 + γ if V is read as the score of the whole game
    (:mod:`agents.twenty48.expectation`).
    """

    name: ClassVar[str] = "mcmdp"

    gamma: float = real(1.0, 0, 1, GAMMA, open_low=True)
    reward_weight: float = real(1.0, 0, MAX_REWARD_WEIGHT, REWARD_WEIGHT)
    cascade: bool = flag(False, CASCADE)


@register
@dataclass(frozen=True)
class Table1(ScheduledAgent):
    """The agent in the paper's Table 1: the author's explicit schedule replaces θ₁ to θ₅.

    Its parameters have the same meaning as in :class:`MonteCarloMDP`.
    """

    name: ClassVar[str] = "table1"

    theta6: float = real(1.0, 0, 1, BEST_SHARE, open_low=True)
    gamma: float = real(1.0, 0, 1, GAMMA, open_low=True)
    reward_weight: float = real(1.0, 0, MAX_REWARD_WEIGHT, REWARD_WEIGHT)
    cascade: bool = flag(False, CASCADE)

    @property
    def schedule(self) -> Schedule:
        return AUTHORS_SCHEDULE
