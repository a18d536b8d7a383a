"""Statistics of a goal's samples, one per game: an estimate of their mean, and its variance.

With fewer than 30 samples, an interval also uses a *prior* of the variance, which is estimated from
the games of other θ.

The bounds of the samples determine the scale on which a model is fitted (:mod:`study.scale`), so
that its predictions stay within the bounds.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetafront.agents.parameters import without_numpy
from thetafront.study.arrays import Floats
from thetafront.study.estimate import Estimate, bounded_mean, t_interval
from thetafront.study.scale import Scale
from thetafront.study.shrinkage import (
    NO_PRIOR,
    TYPICAL_DEVIATION,
    Moments,
    Prior,
    bounded_variances,
    columns,
    dispersion,
    growing_variances,
    possible,
    relative_squares,
    variances_of_means,
)

N_PSEUDO = 100  # number of imagined samples from which a variance is guessed


@dataclass(frozen=True)
class Estimator(ABC):
    """Statistics of one kind of samples.

    ValueError if a bound is not finite, or if the lower one is not below the upper one.
    """

    # Bounds of samples; None if there is no such bound.
    low: float | None = None
    high: float | None = None

    is_exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, bound in (("low", self.low), ("high", self.high)):
            object.__setattr__(self, name, without_numpy(bound))
            if bound is not None and not math.isfinite(bound):
                raise ValueError(f"objective: {name} must be a finite number (got {bound:g})")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(
                f"objective: low must be below high (got {self.low:g} and {self.high:g})"
            )

    @property
    def scale(self) -> Scale:
        """The scale on which a model is fitted to the mean."""
        return Scale.within(self.low, self.high)

    @abstractmethod
    def estimate(self, samples: Floats, prior: Prior = NO_PRIOR) -> Estimate:
        """Estimate the mean; all NaN if there are no samples."""

    def prior(self, trials: Sequence[Moments]) -> Prior:
        """Return a prior of the variance of another θ's samples, from the samples of many θ."""
        n, mean, m2 = columns(trials)
        return Prior.from_squares(n - 1.0, self.squares(n, mean, m2))

    def squares(self, n: Floats, mean: Floats, m2: Floats) -> Floats:
        """Return sums of squared deviations in a unit in which they do not depend on the mean."""
        return m2

    @abstractmethod
    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return the variance of each trial's mean, for a model; NaN for a trial without games."""

    def typical_variance(self, samples: Floats) -> float:
        """Guess the variance of a single sample from a few samples, at least one."""
        return float(len(samples) * self.variances([Moments.from_sample(samples)])[0])

    def game_variances(self, means: Floats, trials: Sequence[Moments]) -> Floats:
        """Guess the variance of a single sample at each mean; subclasses may use the trials."""
        return np.array([self.typical_variance(np.full(N_PSEUDO, mean)) for mean in means])


@dataclass(frozen=True)
class NoisyMean(Estimator):
    """Samples of any distribution."""

    def estimate(self, samples: Floats, prior: Prior = NO_PRIOR) -> Estimate:
        """Return the mean with Student's t interval, cut off at the bounds."""
        found = t_interval(samples, prior)
        low, high = np.clip((found.low, found.high), self.scale.low, self.scale.high)
        return Estimate(found.value, float(low), float(high), found.sem)

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return sample variances (below 30 samples: shrunk towards the pooled one), over n."""
        return variances_of_means(trials)

    def game_variances(self, means: Floats, trials: Sequence[Moments]) -> Floats:
        """Return the trials' average variance for every mean: it does not depend on the mean."""
        n = np.array([trial.n for trial in trials])
        return np.full(len(means), float(np.nanmean(n * self.variances(trials))))


@dataclass(frozen=True)
class GrowingMean(Estimator):
    """Samples that are not negative, and that vary more if their mean is larger."""

    low: float | None = 0.0

    def estimate(self, samples: Floats, prior: Prior = NO_PRIOR) -> Estimate:
        """Return the mean with Student's t interval, which is symmetric."""
        mean = float(samples.mean()) if len(samples) else 0.0
        of_mean = Prior(mean * prior.variance, prior.freedom) if mean > 0.0 else NO_PRIOR
        return t_interval(samples, of_mean)

    def squares(self, n: Floats, mean: Floats, m2: Floats) -> Floats:
        """Return the sums of squared deviations, divided by the means."""
        return relative_squares(mean, m2)

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return sample variances, shrunk towards a multiple of the mean, and divided by n."""
        return growing_variances(trials)

    def typical_variance(self, samples: Floats) -> float:
        """Assume that the standard deviation is a fixed share of the mean."""
        return (TYPICAL_DEVIATION * float(np.mean(samples))) ** 2


@dataclass(frozen=True)
class Proportion(Estimator):
    """Samples between two bounds."""

    low: float = 0.0
    high: float = 1.0

    def estimate(self, samples: Floats, prior: Prior = NO_PRIOR) -> Estimate:
        """Return the mean and an interval within the bounds; Wilson's if samples are at bounds."""
        return bounded_mean(samples, self.low, self.high, prior)

    def squares(self, n: Floats, mean: Floats, m2: Floats) -> Floats:
        """Return the sums of squared deviations, each divided by a variance.

        The variance is that of samples that are all at a bound, and have the same mean.
        """
        unit = self.high - self.low
        most = possible(n, (mean - self.low) / unit, m2 / unit**2) / np.maximum(n - 1.0, 1.0)
        return np.divide(m2 / unit**2, most, out=np.zeros_like(m2), where=most > 0.0)

    def shares(self, trials: Sequence[Moments]) -> list[Moments]:
        """Return the moments of samples after the bounds are mapped to 0 and 1."""
        unit = self.high - self.low
        return [Moments(n, (mean - self.low) / unit, m2 / unit**2) for n, mean, m2 in trials]

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return the variances that :func:`study.shrinkage.bounded_variances` estimates."""
        return (self.high - self.low) ** 2 * bounded_variances(self.shares(trials))

    def game_variances(self, means: Floats, trials: Sequence[Moments]) -> Floats:
        """Return x·(1 − x) for each mean x, times the dispersion φ of all trials."""
        given = [Moments(N_PSEUDO, mean, 0.0) for mean in means]
        shares = np.array([(n * x + 0.5) / (n + 1.0) for n, x, _ in self.shares(given)])
        phi = dispersion(self.shares(trials))
        return np.asarray((self.high - self.low) ** 2 * phi * shares * (1.0 - shares))


@dataclass(frozen=True)
class ExactValue(Estimator):
    """Samples that are all the same, without noise: an expectation that the agent computes."""

    is_exact: ClassVar[bool] = True

    def estimate(self, samples: Floats, prior: Prior = NO_PRIOR) -> Estimate:
        """Return the value with an interval of width 0."""
        if not len(samples):
            return Estimate(math.nan)
        mean = float(samples.mean())
        return Estimate(mean, mean, mean, 0.0)

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return 0 for each trial with games."""
        return np.array([0.0 if trial.n else math.nan for trial in trials])
