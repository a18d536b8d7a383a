"""Statistics of a goal's samples, one sample a game: the estimate of their mean, and its variance.

*   A **noisy mean** has Student's t interval, and variances shrunk towards the pooled variance
    (:func:`study.shrinkage.variances_of_means`).
*   A **growing mean** is one of samples that are not negative and scatter more the larger they are.
    Its variances grow with it (:func:`study.shrinkage.growing_variances`), and a model takes its
    square root.
*   A **proportion** has Wilson's interval (:func:`study.estimate.share`), and variances by
    :func:`study.shrinkage.variances_of_rates`. A model takes it on its raw scale, where the
    posterior may reach a little beyond 0 or 1.
*   An **exact value** is known from one game: variance 0, and an interval of width 0.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from study.estimate import Estimate, share, t_interval
from study.scale import Scale
from study.shrinkage import (
    TYPICAL_DEVIATION,
    Moments,
    growing_variances,
    variances_of_means,
    variances_of_rates,
)

Floats = npt.NDArray[np.float64]
T = TypeVar("T")

N_PSEUDO = 100  # samples at a mean, from which a variance is guessed


@dataclass(frozen=True)
class Estimator(ABC):
    """Statistics of one kind of samples."""

    is_exact: ClassVar[bool] = False
    scale: ClassVar[Scale] = Scale.LINEAR  # on which a model takes the mean

    @abstractmethod
    def estimate(self, samples: Floats) -> Estimate:
        """Estimate the mean; all NaN if there are no samples."""

    @abstractmethod
    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return the variance of each trial's mean, for a model; NaN for a trial without games."""

    @abstractmethod
    def typical_variance(self, samples: Floats) -> float:
        """Guess the variance of one sample from a few of them, one at least."""

    def game_variances(self, means: Floats, trials: Sequence[Moments]) -> Floats:
        """Guess the variance of one sample where the mean is so much; a study's trials may tell."""
        return np.array([self.typical_variance(np.full(N_PSEUDO, mean)) for mean in means])

    def halves(self, items: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
        """Split in half, every second item to each: one half may choose, the other judge."""
        return items[::2], items[1::2]


@dataclass(frozen=True)
class NoisyMean(Estimator):
    """Samples of any distribution."""

    def estimate(self, samples: Floats) -> Estimate:
        """Return the mean with Student's t interval."""
        return t_interval(samples)

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return sample variances over n, shrunk towards the pooled one."""
        return variances_of_means(trials)

    def typical_variance(self, samples: Floats) -> float:
        """Return the sample variance; of a single one, guess from its size."""
        if len(samples) > 1:
            return float(np.var(samples, ddof=1))
        return (TYPICAL_DEVIATION * float(np.mean(samples))) ** 2

    def game_variances(self, means: Floats, trials: Sequence[Moments]) -> Floats:
        """Return the average of the trials, since the mean tells nothing."""
        n = np.array([trial.n for trial in trials])
        return np.full(len(means), float(np.nanmean(n * self.variances(trials))))


@dataclass(frozen=True)
class GrowingMean(NoisyMean):
    """Samples that are not negative and scatter more the larger they are."""

    scale: ClassVar[Scale] = Scale.ROOT

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return sample variances over n, shrunk towards what is pooled in proportion to means."""
        return growing_variances(trials)

    def typical_variance(self, samples: Floats) -> float:
        """Take the standard deviation to be a fixed share of the mean."""
        return (TYPICAL_DEVIATION * float(np.mean(samples))) ** 2

    def game_variances(self, means: Floats, trials: Sequence[Moments]) -> Floats:
        """Guess from the means alone."""
        return Estimator.game_variances(self, means, trials)


@dataclass(frozen=True)
class Proportion(Estimator):
    """Samples of zeros and ones."""

    def estimate(self, samples: Floats) -> Estimate:
        """Return the share of ones with Wilson's interval."""
        return share(round(float(samples.sum())), len(samples))

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return binomial variances, rates shrunk towards the pooled one."""
        return variances_of_rates(trials)

    def typical_variance(self, samples: Floats) -> float:
        """Return p·(1 − p) at the mean of Jeffreys' posterior."""
        rate = (float(samples.sum()) + 0.5) / (len(samples) + 1.0)
        return rate * (1.0 - rate)


@dataclass(frozen=True)
class ExactValue(Estimator):
    """Samples that are all the same, without noise: an expectation that the agent computes."""

    is_exact: ClassVar[bool] = True

    def estimate(self, samples: Floats) -> Estimate:
        """Return the value with an interval of width 0."""
        if not len(samples):
            return Estimate(math.nan)
        mean = float(samples.mean())
        return Estimate(mean, mean, mean, 0.0)

    def variances(self, trials: Sequence[Moments]) -> Floats:
        """Return 0 for each trial with games."""
        return np.array([0.0 if trial.n else math.nan for trial in trials])

    def typical_variance(self, samples: Floats) -> float:
        """Return 0."""
        return 0.0

    def halves(self, items: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
        """Return all items twice: without noise, choosing does not bias judging."""
        return items, items
