"""Estimates with 95% intervals: means, differences of means, medians, proportions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.study.shrinkage import NO_PRIOR, Moments, Prior, dispersion

Z95 = 1.959963984540054  # the normal's 97.5% point
N_RESAMPLES = 9999
BATCH = 1000  # resamples at a time, to limit memory
MIN_TO_RESAMPLE = 20
ROUNDING = 1e-12  # values that differ by no more, relative to the largest, are equal


@dataclass(frozen=True)
class Estimate:
    """A number, its 95% interval and its standard error; NaN where the data are too few."""

    value: float
    low: float = math.nan
    high: float = math.nan
    sem: float = math.nan

    def contains(self, other: float) -> bool:
        """Return whether a number lies in the interval."""
        return self.low <= other <= self.high


def t95(n: float) -> float:
    """Return half the width of the 95% interval of a mean of n values, in standard errors.

    NaN for 1. A prior of the variance counts as further values.
    """
    if n < 2:
        return math.nan
    from scipy.special import stdtrit  # noqa: PLC0415, slow; many commands do without

    return float(stdtrit(n - 1, 0.975))


def t_interval(
    values: Sequence[float] | npt.NDArray[np.float64], prior: Prior = NO_PRIOR
) -> Estimate:
    """Estimate a mean with Student's t interval, below 30 values with a prior of their variance.

    A single value gives none, nor do equal values without a prior.
    """
    sample = np.asarray(values, np.float64)
    if not len(sample):
        return Estimate(math.nan)
    mean = float(sample.mean())
    if len(sample) == 1:
        return Estimate(mean)
    are_equal = np.ptp(sample) <= ROUNDING * np.abs(sample).max()
    found = prior.given(len(sample), 0.0 if are_equal else float(sample.var(ddof=1)))
    if not found.variance:
        return Estimate(mean, sem=0.0)
    sem = math.sqrt(found.variance) / math.sqrt(len(sample))
    half = t95(found.freedom + 1.0) * sem
    return Estimate(mean, mean - half, mean + half, sem)


def mean(values: Sequence[float] | npt.NDArray[np.float64]) -> Estimate:
    """Estimate a mean by a BCa bootstrap (Efron 1987) of 9,999 resamples.

    Below 20 values, it is Student's t: for three bimodal scores, the bootstrap's interval covered
    the truth in 72 of 100 cases, for six in 88, for twenty in 95.
    """
    sample = np.asarray(values, np.float64)
    if np.ptp(sample) <= ROUNDING * np.abs(sample).max() and len(sample) > 1:
        value = float(sample.mean())
        return Estimate(value, value, value, 0.0)
    by_t = t_interval(sample)
    if len(sample) < MIN_TO_RESAMPLE:
        return by_t
    from scipy.stats import bootstrap  # noqa: PLC0415, takes half a second

    interval = bootstrap(
        (sample,),
        np.mean,
        n_resamples=N_RESAMPLES,
        batch=BATCH,
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Estimate(by_t.value, float(interval.low), float(interval.high), by_t.sem)


def difference(
    values: Sequence[float] | npt.NDArray[np.float64],
    others: Sequence[float] | npt.NDArray[np.float64],
) -> Estimate:
    """Estimate by how much the mean of ``values`` exceeds that of ``others``, paired by seed."""
    return mean(np.asarray(values, np.float64) - np.asarray(others, np.float64))


def median(values: Sequence[float] | npt.NDArray[np.float64]) -> Estimate:
    """Estimate a median.

    Its interval, between two values of the sample, holds for any distribution.

    The number of values below the median is binomial, so the median lies between the l-th smallest
    and the l-th largest value with a probability of at least 95%, where l is the largest number
    with P(fewer than l below) ≤ 2.5%. Below six values there is none.
    """
    sample = np.sort(np.asarray(values, np.float64))
    if not len(sample):
        return Estimate(math.nan)
    from scipy.stats import binom  # noqa: PLC0415, takes half a second

    tail = int(binom.ppf(0.025, len(sample), 0.5))
    value = float(np.median(sample))
    if tail == 0:
        return Estimate(value)
    return Estimate(value, float(sample[tail - 1]), float(sample[-tail]))


def bounded_mean(
    values: Sequence[float] | npt.NDArray[np.float64],
    low: float = 0.0,
    high: float = 1.0,
    prior: Prior = NO_PRIOR,
) -> Estimate:
    """Estimate the mean of values that lie between two bounds.

    Scaled to 0 and 1, one value has the variance φ·x·(1 − x), φ ≤ 1, x the mean. φ is 1 if all
    values are at a bound, and less if some are draws, say. So n values are worth as much as n/φ
    wins and losses, whose interval is Wilson's (:func:`share`). φ is estimated as if one more value
    had been seen at each bound, since equal values do not show that others are impossible. Values
    that are all close to each other are treated as a continuum: the two added values then weigh
    less, by twice the smallest difference of two values, and Student's quantile replaces the normal
    one; below 30 values, a prior of φ counts there.

    In simulations with n of 4, 10, 40 and 400 the interval held the mean in 93% of cases or more:
    for wins, draws and losses, Beta(½, ½), and values that are all the same except for a few. For
    wins and losses alone it is Wilson's, which is too short for some means of few games (87% at ½
    with n = 4, 91% at 0.99 with n = 10); for strongly skewed values it held the mean in 88%
    (Beta(0.2, 2), n = 10).
    """
    sample = np.sort((np.asarray(values, np.float64) - low) / (high - low))
    if not len(sample):
        return Estimate(math.nan)
    x, steps = float(np.clip(sample.mean(), 0.0, 1.0)), np.diff(sample)
    step = min(1.0, 2.0 * float(np.min(steps[steps > ROUNDING], initial=1.0)))
    phi, z = dispersion([Moments.from_sample(sample)], step), Z95
    if step < 1.0:
        phi, freedom = prior.given(len(sample), phi)
        z = math.sqrt(step * Z95**2 + (1.0 - step) * t95(freedom + 1.0) ** 2)
    n = len(sample) / phi
    found = share(n * x, n, z)
    mean, least, most = (low + (high - low) * each for each in (x, found.low, found.high))
    return Estimate(mean, least, most, (high - low) * found.sem)


def share(n_successes: float, n: float, z: float = Z95) -> Estimate:
    """Estimate a proportion.

    The interval is Wilson's (1927): all p that are no farther from k/n than z·√(p(1 − p)/n); see
    Brown, Cai, DasGupta (2001), §3.1.1. The standard error is the standard deviation of Jeffreys'
    posterior, Beta(k + ½, n − k + ½), which is never 0.
    """
    if not n:
        return Estimate(math.nan)
    rate = n_successes / n
    centre = (n_successes + z**2 / 2.0) / (n + z**2)
    half = z / (n + z**2) * math.sqrt(n * rate * (1.0 - rate) + z**2 / 4.0)
    a, b = n_successes + 0.5, n - n_successes + 0.5
    return Estimate(
        rate,
        0.0 if n_successes == 0 else centre - half,
        1.0 if n_successes == n else centre + half,
        math.sqrt(a * b / (a + b + 1.0)) / (a + b),
    )
