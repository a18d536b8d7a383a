"""When to stop validating: the requested standard error, and how many games it takes."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.agents.parameters import without_numpy
from thetafront.study.errors import InputError, check_range
from thetafront.study.experiments.objectives.formats import significant
from thetafront.study.experiments.objectives.goals import SCORE, Goal
from thetafront.study.log.seeds import SEEDS_A_POINT

MIN_GAMES = 100  # games of a point before its sample standard deviation is used
DEFAULT_GAMES = 1000
MAX_GAMES_ALLOWED = 400_000
MAX_POINTS = 1000
# Maximum number of games that a run with an open end adds to a point: 40 per second of the budget,
# but at least 1,000. If games take microseconds, storing and reading more games would take longer
# than playing them.
GAMES_A_SECOND, MIN_GAMES_OF_A_RUN = 40, 1000
GAMES_OF_EXACT = 3  # default games per point if scores are exact; they only measure times


@dataclass(frozen=True)
class RegretTarget:
    """The regret at which a sweep stops."""

    value: float  # in the goal's unit, or a share of the expected score at each budget
    is_share: bool = False  # whether the value is such a share

    @classmethod
    def from_text(cls, given: str) -> "RegretTarget":
        """Read ``"1000"`` or ``"2%"``; InputError unless the value is finite and above 0."""
        text = given.strip()
        is_share = text.endswith("%")
        try:
            value = float(text.removesuffix("%")) / (100.0 if is_share else 1.0)
        except ValueError:
            value = math.nan
        if not 0.0 < value < math.inf:
            raise InputError(
                f"until regret must be a number above 0 or a percentage such as 2% (got {text!r})"
            )
        return cls(value, is_share)

    def text_in(self, goal: Goal) -> str:
        """Write the target with its unit: ``2%``, ``2,000 points``, ``8 percentage points``."""
        if self.is_share:
            return f"{100.0 * self.value:g}%"
        return goal.of_size(significant((100.0 if goal.is_share else 1.0) * self.value))

    def allowed(self, expected: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the allowed regret, given the expected values."""
        unit = np.abs(expected) if self.is_share else np.ones_like(expected)
        return np.asarray(self.value * unit)


@dataclass(frozen=True)
class Precision:
    """How precisely validated points must be known; InputError if a number is out of range."""

    # Target for the standard error of each mean, in the goal's unit. Without a target, only
    # `most_games` counts. (In simulations, stopping by the standard error of the games so far
    # biased a mean by at most a twentieth of its standard error.)
    standard_error: float | None = SCORE.standard_error
    most_games: int = DEFAULT_GAMES  # limit on the games of a point
    n_points: int = 12  # how many points of the predicted front are chosen at first
    # Whether to continue beyond the standard error and `most_games`, until something else stops the
    # validation, such as the end of the budget. The limit is then 20,000 games per point; if there
    # are more than 25 points, those with more than 1,000 games share seeds with others.
    open_end: bool = False
    games_of_a_run: int = SEEDS_A_POINT  # with `open_end`, maximum that a run adds to a point

    def __post_init__(self) -> None:
        for name in ("standard_error", "most_games", "n_points"):
            object.__setattr__(self, name, without_numpy(getattr(self, name)))
        wanted = self.standard_error
        if wanted is not None and not (math.isfinite(wanted) and wanted > 0):
            raise InputError(f"standard error must be a finite number above 0 (got {wanted:g})")
        check_range("validation games", self.most_games, 2, MAX_GAMES_ALLOWED)
        check_range("validation points", self.n_points, 2, MAX_POINTS)

    @classmethod
    def from_options(
        cls,
        goal: Goal,
        standard_error: float | None,
        most_games: int | None,
        n_points: int,
        budget_seconds: float = math.inf,
    ) -> "Precision":
        """Return the precision that options ask for.

        If a budget is given, but neither a standard error nor a number of games, validation has an
        open end. If no standard error is given, the target is the goal's default.
        """
        if goal.is_exact:
            return cls(None, GAMES_OF_EXACT if most_games is None else most_games, n_points)
        open_end = math.isfinite(budget_seconds) and standard_error is None and most_games is None
        most_games = DEFAULT_GAMES if most_games is None else most_games
        of_a_run = int(min(SEEDS_A_POINT, max(MIN_GAMES_OF_A_RUN, GAMES_A_SECOND * budget_seconds)))
        if standard_error is not None:
            if goal.is_share and standard_error > 1:
                usual = goal.standard_error
                example = f", such as {usual:g} for {goal.format.text(usual)}" if usual else ""
                raise InputError(
                    f"standard error of a {goal.label} must be a share above 0 and up to 1 "
                    f"(got {standard_error:g}){example}"
                )
            return cls(standard_error, most_games, n_points)
        return cls(goal.standard_error, most_games, n_points, open_end, of_a_run)

    def n_allowed(self, n_wanted: int, n_before: int = 0) -> int:
        """Return how many games a point may have in all, if ``n_wanted`` games are enough.

        ``n_before`` is the number of its games from earlier runs.
        """
        if not self.open_end:
            return n_wanted
        return max(n_wanted, min(n_before + self.games_of_a_run, SEEDS_A_POINT))

    def n_wanted(self, n: int, variance: float) -> int:
        """Return how many games a point needs, given the sample variance of its ``n`` games."""
        if n < min(MIN_GAMES, self.most_games):
            return min(MIN_GAMES, self.most_games)
        return min(self.most_games, max(n, self.n_for(variance)))

    def n_for(self, variance: float) -> int:
        """Return how many games give the target standard error, if a game has this variance."""
        if self.standard_error is None:
            return self.most_games
        square = self.standard_error**2
        if variance >= square * MAX_GAMES_ALLOWED:  # avoids a division by 0
            return MAX_GAMES_ALLOWED
        return max(MIN_GAMES, math.ceil(variance / square))
