"""What is maximized: the counterpart of :mod:`study.experiments.cost`.

Notation
--------
======  ==============================================================================================
n, k    games of a θ, and how many of them were won
x̄, s    mean and standard deviation of its games' samples
z       the normal's 97.5% point
======  ==============================================================================================

A goal takes one number from each game, its *sample*, and is the mean of these over all games there could be. It
says how well some games tell that mean: to people by a 95% interval, to a sampler by a variance.

*   A **mean score** has the interval x̄ ± t·s/√n (Student's t), and variances shrunk towards what all trials have
    in common (:func:`study.shrinkage.variances_of_means`).
*   A **win rate** has Wilson's interval, all p that are no farther from k/n than z·√(p(1 − p)/n) (Wilson 1927; Brown,
    Cai, DasGupta 2001, §3.1.1), which 0 of 4 does not make a point; as standard error the deviation of Jeffreys'
    posterior Beta(k + ½, n − k + ½), which is never 0; and variances by :func:`study.shrinkage.variances_of_rates`. A
    model takes it on its raw scale, where its posterior may reach a little beyond 0 or 1.
*   An **exact score** is known from one game, and without noise: variance 0, an interval that is a point.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from agents.agent import Game
from study.errors import InputError
from study.shrinkage import TYPICAL_DEVIATION, Moments, variances_of_means, variances_of_rates

Floats = npt.NDArray[np.float64]

Z95 = 1.959964


def t95(n: int) -> float:
    """Return how many standard errors of n games' mean make half of its 95% interval; NaN for one."""
    return float(stdtrit(n - 1, 0.975)) if n > 1 else math.nan


class Estimate(NamedTuple):
    """A mean, its standard error, and its 95% interval; NaN where the games do not tell."""

    mean: float
    sem: float
    low: float
    high: float


NOTHING = Estimate(math.nan, math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Goal(ABC):
    """One way to say how well a θ plays.

    Attributes
    ----------
    name : str
        Stem of its columns, and its option on the command line.
    label : str
        For people, in a sentence.
    axis_label : str
        For axes.
    unit : str
        What follows its numbers, if something does; columns end in it, too.
    area : str
        The unit of an area under a front, of which the other side is decades of cost.
    standard_error : float
        How well a validated point is to be known unless told otherwise; 0 where each game tells all.
    limits : (float or None, float or None)
        Ends of its axis; None where the data decide.
    whole : bool
        Whether it is a matter of many points, of which parts do not count.
    has_spread : bool
        Whether a picture of single games' scores shows how its samples spread.
    replicates : int
        Games a trial unless told otherwise.
    fewest_to_pick : int
        Games that a point must have to be picked.
    """

    name: str
    label: str
    axis_label: str
    unit: str
    area: str
    standard_error: float
    limits: tuple[float | None, float | None] = (0.0, None)
    whole: bool = False
    has_spread: bool = False
    replicates: int = 4
    fewest_to_pick: int = 4

    @abstractmethod
    def samples(self, games: Sequence[Game]) -> Floats:
        """Return the number of each game, shape (n_games,)."""

    @abstractmethod
    def estimate(self, samples: Floats) -> Estimate:
        """Return what some samples tell of their mean; all NaN if there are none."""

    @abstractmethod
    def variances(self, samples: Sequence[Moments]) -> Floats:
        """Return the variance of each trial's mean, for a sampler; NaN for a trial without games."""

    @abstractmethod
    def typical_variance(self, samples: Floats) -> float:
        """Guess the variance of a sample from a few of them, one at least."""

    @abstractmethod
    def show(self, value: float) -> str:
        """Write a value for people, without its unit."""

    def tick(self, value: float) -> str:
        """Write a value at an axis."""
        return self.show(value)

    @abstractmethod
    def show_area(self, value: float) -> str:
        """Write an area under a front for people, without its unit."""

    @property
    def is_exact(self) -> bool:
        """Whether one game tells all."""
        return self.standard_error == 0.0

    def mean(self, games: Sequence[Game]) -> float:
        """Return the mean of some games' samples; there must be one at least."""
        return float(self.samples(games).mean())

    def reaches(self, value: float, wanted: float) -> bool:
        """Whether a value is as high as one that is wanted; an exact one also if it is shown alike."""
        return value >= wanted or (self.is_exact and self.show(value) == self.show(wanted))

    def check_wanted(self, value: float) -> None:
        """Refuse, by InputError, a value that nobody can want."""
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"pick: {value:g} given, a number above 0 allowed")

    def halves(self, games: Sequence[Game]) -> tuple[Sequence[Game], Sequence[Game]]:
        """Deal games into two halves, every second one to each: one may choose, the other judge."""
        return games[::2], games[1::2]

    def phrase(self, value: float) -> str:
        """Write a value for people, with its unit."""
        return f"{self.show(value)} {self.unit}".rstrip()

    def show_interval(self, mean: float, low: float, high: float) -> str:
        """Write a mean with its 95% interval, or a model's band, for people, without its unit."""
        half = (high - low) / 2
        return f"{self.show(mean)} ± {self.show(half) if math.isfinite(half) else '?'}"

    def phrase_interval(self, mean: float, low: float, high: float) -> str:
        """Write a mean with its 95% interval for people, with its unit."""
        return f"{self.show_interval(mean, low, high)} {self.unit}".rstrip()

    @property
    def option(self) -> str:
        """The command line's option for a value that is wanted."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def ending(self) -> str:
        """What its columns end in."""
        return f"_{self.unit}" if self.unit else ""

    def column(self, what: str) -> str:
        """Name a column of observed values: ``score_mean_points``."""
        return f"{self.name}_{what}{self.ending}"

    def believed(self, what: str) -> str:
        """Name a column of a model's values: ``posterior_mean_points``."""
        return f"posterior_{what}{self.ending}"

    @property
    def columns(self) -> tuple[str, ...]:
        """What tables say of some games' goal; see :meth:`amount`."""
        return (self.column("mean"), self.column("sem"))

    def amount(self, games: Sequence[Game]) -> dict[str, Any]:
        """Return what some games, one at least, amount to, by column."""
        found = self.estimate(self.samples(games))
        return {self.column("mean"): found.mean, self.column("sem"): found.sem}


def extremes(games: Sequence[Game]) -> dict[str, float]:
    """Return the extremes of some games' scores, by column."""
    scores = [game.score for game in games]
    return {"score_min_points": min(scores), "score_max_points": max(scores)}


class Score(Goal):
    """The mean of a noisy score."""

    def samples(self, games: Sequence[Game]) -> Floats:
        """Return the scores, in points."""
        return np.array([game.score for game in games], np.float64)

    def estimate(self, samples: Floats) -> Estimate:
        """Return mean, standard error and Student's interval; of a single game the mean alone."""
        n = len(samples)
        if not n:
            return NOTHING
        mean = float(samples.mean())
        error = float(samples.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
        return Estimate(mean, error, mean - t95(n) * error, mean + t95(n) * error)

    def variances(self, samples: Sequence[Moments]) -> Floats:
        """Return sample variances over n, shrunk towards their pool."""
        return variances_of_means(samples)

    def typical_variance(self, samples: Floats) -> float:
        """Guess the deviation from the mean."""
        return (TYPICAL_DEVIATION * float(np.mean(samples))) ** 2

    def show(self, value: float) -> str:
        """Write whole points."""
        return f"{value:,.0f}"

    def show_area(self, value: float) -> str:
        """Write whole points, decades apart."""
        return f"{value:,.0f}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Mean, standard error and extremes."""
        return (*super().columns, self.column("min"), self.column("max"))

    def amount(self, games: Sequence[Game]) -> dict[str, Any]:
        """Return them."""
        return {**super().amount(games), **extremes(games)}


class WinRate(Goal):
    """The share of games that are won: the games have ``won``, true or false."""

    def samples(self, games: Sequence[Game]) -> Floats:
        """Return 1 for each game that was won, and 0 for each other."""
        return np.array([game.won for game in games], np.float64)  # type: ignore[attr-defined]

    def estimate(self, samples: Floats) -> Estimate:
        """Return share, deviation of Jeffreys' posterior, and Wilson's interval."""
        n = len(samples)
        if not n:
            return NOTHING
        wins = float(samples.sum())
        rate = wins / n
        a, b = wins + 0.5, n - wins + 0.5
        error = math.sqrt(a * b / (a + b + 1.0)) / (a + b)
        centre = (wins + Z95**2 / 2.0) / (n + Z95**2)
        half = Z95 / (n + Z95**2) * math.sqrt(n * rate * (1.0 - rate) + Z95**2 / 4.0)
        low = 0.0 if wins == 0 else centre - half
        return Estimate(rate, error, low, 1.0 if wins == n else centre + half)

    def variances(self, samples: Sequence[Moments]) -> Floats:
        """Return binomial variances, rates shrunk towards their pool."""
        return variances_of_rates(samples)

    def typical_variance(self, samples: Floats) -> float:
        """Guess by the middle of Jeffreys' posterior."""
        rate = (float(samples.sum()) + 0.5) / (len(samples) + 1.0)
        return rate * (1.0 - rate)

    def check_wanted(self, value: float) -> None:
        """Refuse, by InputError, what is no share: percents, say."""
        if not 0 < value <= 1:
            raise InputError(
                f"pick: {self.label} {value:g} given, a share above 0 and up to 1 allowed, such as 0.3 for 30%"
            )

    def show(self, value: float) -> str:
        """Write percents."""
        return f"{value:.1%}"

    def tick(self, value: float) -> str:
        """Write whole percents."""
        return f"{value:.0%}"

    def show_area(self, value: float) -> str:
        """Write a share times decades."""
        return f"{value:.3f}"

    def show_interval(self, mean: float, low: float, high: float) -> str:
        """Write the interval's ends, which are not equally far from the mean."""
        return f"{self.show(mean)} ({self.show(low)} to {self.show(high)})"

    @property
    def columns(self) -> tuple[str, ...]:
        """Rate and its error; and the mean score and its error, for whoever asks for points."""
        return (*super().columns, SCORE.column("mean"), SCORE.column("sem"))

    def amount(self, games: Sequence[Game]) -> dict[str, Any]:
        """Return them."""
        found = SCORE.estimate(SCORE.samples(games))
        scores = {SCORE.column("mean"): found.mean, SCORE.column("sem"): found.sem}
        return {**super().amount(games), **scores}


class ExactScore(Goal):
    """A score that a single replicate tells without noise: an expectation that the agent computes."""

    def samples(self, games: Sequence[Game]) -> Floats:
        """Return the scores, in points: as many as games, all the same."""
        return np.array([game.score for game in games], np.float64)

    def estimate(self, samples: Floats) -> Estimate:
        """Return the score: its interval is a point."""
        if not len(samples):
            return NOTHING
        mean = float(samples.mean())
        return Estimate(mean, 0.0, mean, mean)

    def variances(self, samples: Sequence[Moments]) -> Floats:
        """Return 0 for each."""
        return np.array([0.0 if sample.n else math.nan for sample in samples])

    def typical_variance(self, samples: Floats) -> float:
        """Return 0."""
        return 0.0

    def halves(self, games: Sequence[Game]) -> tuple[Sequence[Game], Sequence[Game]]:
        """Return all games twice: whoever has chosen judges no worse for it."""
        return games, games

    def show(self, value: float) -> str:
        """Write five decimals, as many as tell two policies apart."""
        return f"{value:,.5f}"

    def tick(self, value: float) -> str:
        """Write no more digits than there are."""
        return f"{value:,g}"

    def show_area(self, value: float) -> str:
        """Write five decimals."""
        return f"{value:,.5f}"

    def show_interval(self, mean: float, low: float, high: float) -> str:
        """Write a value alone if it is sure."""
        return self.show(mean) if low == high else super().show_interval(mean, low, high)


SCORE = Score(
    "score", "score", "mean score, points", "points", "points", 500.0, whole=True, has_spread=True
)
WIN_RATE = WinRate(
    "win_rate", "win rate", "win rate", "", "win rate", 0.015, (0.0, 1.0), replicates=10
)
EXACT_SCORE = ExactScore(
    "score",
    "score",
    "expected score, points",
    "points",
    "points",
    0.0,
    (None, None),
    replicates=1,
    fewest_to_pick=1,
)
