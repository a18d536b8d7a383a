"""When to stop validating: the standard error asked for, and how many games that takes."""

import math
from dataclasses import dataclass

from study.errors import InputError, check_range
from study.experiments.objectives import SCORE, Goal
from study.store.seeds import SEEDS_A_POINT

FEWEST_GAMES = 100  # before a sample's own standard deviation counts
DEFAULT_GAMES = 1000
MOST_GAMES_ALLOWED = 400_000
MOST_POINTS = 1000


@dataclass(frozen=True)
class Precision:
    """How precisely validated points must be known.

    Parameters
    ----------
    standard_error : float
        Wanted of each mean, in the goal's unit.
    most_games : int
        Limit on the games of a point. (Stopping by the standard error of what was played biases a
        mean by a twentieth of its standard error at most, in simulations.)
    n_points : int
        Budgets for each of which a proposal of the model is chosen.
    open_end : bool
        Whether to go on beyond the standard error and ``most_games``, until something else stops
        the validation, such as a deadline; at most 20,000 games a point, which the first 25 points
        have of seeds of their own.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    standard_error: float = SCORE.standard_error
    most_games: int = DEFAULT_GAMES
    n_points: int = 12
    open_end: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.standard_error) and self.standard_error > 0):
            raise InputError(
                f"standard error: {self.standard_error:g} given, a finite number above 0 allowed"
            )
        check_range("validation games", self.most_games, 2, MOST_GAMES_ALLOWED)
        check_range("validation points", self.n_points, 2, MOST_POINTS)

    @classmethod
    def of(
        cls,
        goal: Goal,
        standard_error: float | None,
        most_games: int,
        n_points: int,
        open_end: bool = False,
    ) -> "Precision":
        """Return a precision with the goal's own standard error if none is given."""
        if standard_error is not None:
            highest = goal.limits[1]
            if highest is not None and standard_error > highest:
                raise InputError(
                    f"standard error: {standard_error:g} given, of a {goal.label} a share above 0 "
                    f"and up to {highest:g} allowed, such as {goal.standard_error:g} for "
                    f"{goal.format.text(goal.standard_error)}"
                )
            return cls(standard_error, most_games, n_points, open_end)
        if goal.is_exact:  # one game a point is played, see study.run.validation
            return cls(most_games=most_games, n_points=n_points)
        return cls(goal.standard_error, most_games, n_points, open_end)

    def n_allowed(self, n_wanted: int) -> int:
        """Return how many games a point may have that wants that many."""
        return max(n_wanted, SEEDS_A_POINT) if self.open_end else n_wanted

    def n_wanted(self, n: int, variance: float) -> int:
        """Return how many games a point needs, by the sample variance of its ``n`` so far."""
        if n < min(FEWEST_GAMES, self.most_games):
            return min(FEWEST_GAMES, self.most_games)
        return min(self.most_games, max(n, self.n_for(variance)))

    def n_for(self, variance: float) -> int:
        """Return how many games of that variance give the standard error."""
        return max(FEWEST_GAMES, math.ceil(variance / self.standard_error**2))
