"""A θ that is played: a trial of the search, or a point of validation."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.study.experiments.failures import counting
from thetafront.study.experiments.objectives import Cost, Goal
from thetafront.study.log.tables import VALIDATION
from thetafront.study.shrinkage import Moments

DESIGN = "design"
"""The origin of trials whose θ is of the initial design."""
COMPLETE, FAIL, RUNNING = "complete", "fail", "running"


@dataclass(frozen=True)
class Point:
    """A θ that is played."""

    params: Mapping[str, Any]  # θ
    # For a trial, `design` or the sampler that proposed it; for a point of validation, `trial 12`,
    # `proposal`, or a baseline's name.
    origin: str = ""
    phase: str = VALIDATION  # `search` or `validation`
    number: int = -1  # in its phase; determines its seeds; −1 before it has one
    games: dict[int, Game] = field(default_factory=dict)  # games that count, by replicate
    failures: dict[int, FailedGame] = field(default_factory=dict)  # games that failed, by replicate
    error: str = ""  # why it failed or was left out; else empty
    n_games: int = 1  # how many counting games a complete trial has
    # What its sampler stores with it (NSGA-II: its generation).
    notes: Mapping[str, Any] = field(default_factory=dict)
    # Seconds since 1970 when it began, and when its last game was written; 0 if unknown.
    began: float = 0.0
    ended: float = 0.0
    values: tuple[float, ...] | None = None  # both objectives of a complete trial, the goal first

    @property
    def state(self) -> str:
        """A trial's state: ``fail`` (it has an error), ``complete`` (has values) or ``running``."""
        return FAIL if self.error else RUNNING if self.values is None else COMPLETE

    @cached_property
    def key(self) -> str:
        """The name of its θ."""
        return theta_key(self.params)

    @property
    def outcomes(self) -> dict[int, Outcome]:
        """All games that were played, including those that failed, by replicate."""
        found: dict[int, Outcome] = {**self.games, **self.failures}
        return dict(sorted(found.items()))

    @property
    def in_order(self) -> list[Game]:
        """Games that count, by replicate."""
        return [self.games[replicate] for replicate in sorted(self.games)]

    @property
    def scores(self) -> list[float]:
        """Scores, by replicate."""
        return [game.score for game in self.in_order]

    @property
    def n_ended(self) -> int:
        """How many of its games have ended."""
        return sum(game.has_ended for game in self.games.values())

    def moments(self, goal: Goal) -> Moments:
        """Return the moments of a goal's samples."""
        return Moments.from_sample(goal.samples(self.in_order))

    def objectives(self, goal: Goal, cost: Cost) -> tuple[float, float]:
        """Return both objectives of the games so far."""
        return goal.estimate(self.in_order).value, cost.value(self.in_order)

    def n_replicates(self, penalty: float | None) -> int:
        """Return how many games a trial plays: failed games that do not count are replaced."""
        return self.n_games + (len(self.failures) if penalty is None else 0)

    def missing(self, penalty: float | None) -> list[int]:
        """Return the replicates that a trial lacks."""
        wanted = range(self.n_replicates(penalty))
        return [each for each in wanted if each not in self.games and each not in self.failures]

    def add(self, replicate: int, outcome: Outcome, penalty: float | None) -> Game | None:
        """Add a finished game; return the game that counts, or None if it does not count."""
        if isinstance(outcome, FailedGame):
            self.failures[replicate] = outcome
        if (counts := counting(outcome, penalty)) is not None:
            self.games[replicate] = counts
        return counts


def theta_key(params: Mapping[str, Any]) -> str:
    """Name a θ: ten hexadecimal digits, the same for the same values."""
    plain = {
        name: value if isinstance(value, str | bool) else float(value)
        for name, value in sorted(params.items())
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:10]
