"""The Monte Carlo MDP agent: every spawn looked at, each valued by random games.

It chooses argmax over a of Σ P(s′|s, a)·V(s′), as :mod:`agents.value_function` has it, with the notation
and the readings of the source; or by equation 3, which discounts V and adds the action's reward.

Source: Ripstein (2023), §3.2 and §3.3, equations 2 and 3.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Progress, progress_of
from agents.schedule import AUTHORS_SCHEDULE, AUTHORS_THETA, Schedule
from agents.value_function import decide_by_expectation
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, SPAWN, stream
from engine.twenty48.board import afterstate, spawn
from engine.twenty48.rule import BuiltRule, Rule

__all__ = ["MonteCarloMDP"]

LARGEST_REWARD_WEIGHT = 1000.0


@kernel
def monte_carlo_mdp_moves(
    board: np.uint64,
    score: Integer,
    n_moves: int,
    n_playout_moves: Integer,
    schedule: npt.NDArray[np.int64],
    top_share: float,
    gamma: float,
    reward_weight: float,
    seed: np.uint64,
    max_moves: int,
    rule: BuiltRule,
) -> tuple[np.uint64, Integer, Integer, Integer]:
    """Play by :func:`~agents.value_function.decide_by_expectation` until the end, or ``max_moves``."""
    while n_moves < max_moves:
        decision = stream(seed, PLAYOUT, np.uint64(n_moves))
        action, _, n_random = decide_by_expectation(
            board, schedule, top_share, gamma, reward_weight, decision, rule
        )
        if action < 0:
            break
        after, reward = afterstate(board, action, rule)
        score += reward
        n_playout_moves += n_random
        board = spawn(after, stream(seed, SPAWN, np.uint64(n_moves)))
        n_moves += 1
    return board, score, n_moves, n_playout_moves


@dataclass(frozen=True)
class MonteCarloMDP(Agent):
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
        if not 0 < self.top_share <= 1:
            raise ValueError(
                f"theta6: {self.top_share:g} given, a share above 0 and up to 1 allowed"
            )
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

        See :meth:`agents.schedule.Schedule.from_theta` for θ₁ … θ₅ and ``min_playouts``.
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
    def table(self) -> npt.NDArray[np.int64]:
        """The schedule as kernels take it: int64, shape (2, 16), column e for e empty cells."""
        return self.schedule.table()

    @classmethod
    def warm_up(cls, rule: Rule) -> None:
        agent = cls(Schedule((1,) * 15, (1,) * 15), rule=rule)
        agent.advance(Progress(0x11, 0, 0, 0), seed=0, max_moves=1)
        agent.decide(0x11, stream=0)

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        board, score, n_moves, n_playout_moves = progress
        return progress_of(
            monte_carlo_mdp_moves(
                np.uint64(board),
                score,
                n_moves,
                n_playout_moves,
                self.table,
                float(self.top_share),
                float(self.gamma),
                float(self.reward_weight),
                np.uint64(seed),
                max_moves,
                self.rule.built,
            )
        )

    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        action, values, n_playout_moves = decide_by_expectation(
            np.uint64(board),
            self.table,
            float(self.top_share),
            float(self.gamma),
            float(self.reward_weight),
            np.uint64(stream),
            self.rule.built,
        )
        return int(action), values, int(n_playout_moves)
