"""A θ that is played: a trial of the search, or a point of validation."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.study.experiments.failures import counting
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.tables import VALIDATION
from thetafront.study.shrinkage import Moments

DESIGN = "design"
"""The origin of trials whose θ is part of the initial design."""
COMPLETE, FAIL, RUNNING = "complete", "fail", "running"


@dataclass(frozen=True)
class Point:
    """A θ that is played."""

    params: Mapping[str, Any]  # θ
    # For a trial, `design` or the sampler that proposed it; for a point of validation, `trial 12`,
    # `proposal`, or a baseline's name.
    origin: str = ""
    phase: str = VALIDATION  # `search` or `validation`
    number: int = -1  # its number in the phase, which determines its seeds; −1 if it has none yet
    games: dict[int, Game] = field(default_factory=dict)  # games that count, by replicate
    failures: dict[int, FailedGame] = field(default_factory=dict)  # games that failed, by replicate
    error: str = ""  # why it failed or was left out; otherwise empty
    n_games: int = 1  # for a trial, how many games must count before it is complete
    # What the sampler stores with the trial; NSGA-II stores its generation.
    notes: Mapping[str, Any] = field(default_factory=dict)
    # When it began, and when its last game was written, in seconds since 1970; 0 if unknown.
    began: float = 0.0
    ended: float = 0.0
    values: tuple[float, ...] | None = None  # both objectives of a complete trial, the goal first

    @property
    def state(self) -> str:
        """A trial's state: ``fail`` with an error, ``complete`` with values, or ``running``."""
        return FAIL if self.error else RUNNING if self.values is None else COMPLETE

    @cached_property
    def key(self) -> str:
        """The key of its θ (:func:`theta_key`)."""
        return theta_key(self.params)

    @property
    def outcomes(self) -> dict[int, Outcome]:
        """All games that were played, including those that failed, by replicate."""
        found: dict[int, Outcome] = {**self.games, **self.failures}
        return dict(sorted(found.items()))

    @property
    def in_order(self) -> list[Game]:
        """Games that count, in the order of replicates."""
        return [self.games[replicate] for replicate in sorted(self.games)]

    @property
    def n_ended(self) -> int:
        """How many of its games were played to their end."""
        return sum(game.has_ended for game in self.games.values())

    def moments(self, goal: Goal) -> Moments:
        """Return the moments of the goal's samples in the games that count."""
        return Moments.from_sample(goal.samples(self.in_order))

    def objectives(self, goal: Goal, cost: Cost) -> tuple[float, float]:
        """Return both objectives, estimated from the games so far."""
        return goal.estimate(self.in_order).value, cost.value(self.in_order)

    def n_replicates(self, penalty: float | None) -> int:
        """Return how many games a trial plays; without a penalty, failed games are replaced."""
        return self.n_games + (len(self.failures) if penalty is None else 0)

    def missing(self, penalty: float | None) -> list[int]:
        """Return the replicates that a trial has not played yet."""
        wanted = range(self.n_replicates(penalty))
        return [each for each in wanted if each not in self.games and each not in self.failures]

    def add(self, replicate: int, outcome: Outcome, penalty: float | None) -> Game | None:
        """Add a finished game; return the game that counts, None if it failed without counting."""
        if isinstance(outcome, FailedGame):
            self.failures[replicate] = outcome
        if (counts := counting(outcome, penalty)) is not None:
            self.games[replicate] = counts
        return counts


def theta_key(params: Mapping[str, Any]) -> str:
    """Return the key of a θ: ten hexadecimal digits, which are the same for equal values."""
    plain = {
        name: value if isinstance(value, str | bool) else float(value)
        for name, value in sorted(params.items())
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:10]
