"""The Monte Carlo MDP agent: every spawn looked at, each valued by random games.

It chooses argmax over a of Σ P(s′|s, a)·V(s′), as :mod:`agents.twenty48.expectation` has it, with the notation
and the readings of the source; or by equation 3, which discounts V and adds the action's reward.

Source: Ripstein (2023), §3.2 and §3.3, equations 2 and 3.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.twenty48.agent import Agent2048
from agents.twenty48.expectation import ExpectationSettings, check_top_share
from agents.twenty48.schedule import AUTHORS_SCHEDULE, AUTHORS_THETA, Schedule
from engine.twenty48.rule import Rule

LARGEST_REWARD_WEIGHT = 1000.0


@dataclass(frozen=True)
class MonteCarloMDP(Agent2048):
    """Maximizes the expected mean of the best playouts over every spawn (Ripstein 2023, §3.2).

    Parameters
    ----------
    schedule : Schedule
        Playouts by empty cells and tile spawned.
    top_share : float
        θ₆, in (0, 1]: the share of a node's playouts, best first, whose mean is its value.
    gamma : float
        γ of equation 3, in (0, 1]; 1 is equation 2.
    reward_weight : float
        How often the action's own reward counts, 0 to 1000: 1 in equation 2, and in equation 3 where V is what
        remains to be won; 1 + γ in equation 3 where V is the score of the whole game.
    rule : Rule
        How tiles merge, in the game and in the playouts.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    schedule: Schedule
    top_share: float = 1.0
    gamma: float = 1.0
    reward_weight: float = 1.0
    rule: Rule = Rule.COMMON

    def __post_init__(self) -> None:
        check_top_share(self.top_share)
        if not 0 < self.gamma <= 1:
            raise ValueError(f"gamma: {self.gamma:g} given, a number above 0 and up to 1 allowed")
        if not (
            math.isfinite(self.reward_weight) and 0 <= self.reward_weight <= LARGEST_REWARD_WEIGHT
        ):
            raise ValueError(
                f"reward_weight: {self.reward_weight:g} given, 0 to {LARGEST_REWARD_WEIGHT:g} allowed"
            )

    @classmethod
    def from_theta(
        cls,
        theta1: float = AUTHORS_THETA[0],
        theta2: float = AUTHORS_THETA[1],
        theta3: float = AUTHORS_THETA[2],
        theta4: float = AUTHORS_THETA[3],
        theta5: float = AUTHORS_THETA[4],
        theta6: float = AUTHORS_THETA[5],
        min_playouts: int = 3,
        gamma: float = 1.0,
        reward_weight: float = 1.0,
        cascade: bool = False,
    ) -> "MonteCarloMDP":
        """Make the agent of the paper's six parameters; the author's untuned ones by default.

        See :meth:`agents.twenty48.schedule.Schedule.from_theta` for θ₁ … θ₅ and ``min_playouts``.
        """
        theta: Sequence[float] = (theta1, theta2, theta3, theta4, theta5)
        rule = Rule.CASCADE if cascade else Rule.COMMON
        schedule = Schedule.from_theta(theta, min_playouts)
        return cls(schedule, theta6, gamma, reward_weight, rule)

    @classmethod
    def of_table1(cls, theta6: float = 1.0, cascade: bool = False) -> "MonteCarloMDP":
        """Make the agent of the paper's Table 1, with its author's explicit schedule in place of θ₁ … θ₅."""
        return cls(AUTHORS_SCHEDULE, theta6, rule=Rule.CASCADE if cascade else Rule.COMMON)

    @cached_property
    def settings(self) -> ExpectationSettings:
        return ExpectationSettings(
            self.schedule.table(),
            float(self.top_share),
            float(self.gamma),
            float(self.reward_weight),
        )
