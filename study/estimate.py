"""Estimates with 95% intervals: means, differences of means, medians, proportions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.shrinkage import NO_PRIOR, ROUNDING, Moments, Prior, are_equal, dispersion

Z95 = 1.959963984540054  # the normal's 97.5% point
N_RESAMPLES = 9999
BATCH = 1000  # resamples at a time, to limit memory
MIN_TO_RESAMPLE = 20


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

    NaN for a single value. If a prior for the variance counts as some number of values, n includes
    this number.
    """
    if n < 2:
        return math.nan
    from scipy.special import stdtrit  # noqa: PLC0415, slow; many commands do not need it

    return float(stdtrit(n - 1, 0.975))


def t_interval(values: Sequence[float] | Floats, prior: Prior = NO_PRIOR) -> Estimate:
    """Estimate a mean with Student's t interval.

    With fewer than 30 values, a prior for their variance is used. A single value has no interval.
    Equal values have an interval only if there is a prior.
    """
    sample = np.asarray(values, np.float64)
    if not len(sample):
        return Estimate(math.nan)
    mean = float(sample.mean())
    if len(sample) == 1:
        return Estimate(mean)
    variance = 0.0 if are_equal(sample) else float(sample.var(ddof=1))
    found = prior.given(len(sample), variance)
    if not found.variance:
        return Estimate(mean, sem=0.0)
    sem = math.sqrt(found.variance) / math.sqrt(len(sample))
    half = t95(found.freedom + 1.0) * sem
    return Estimate(mean, mean - half, mean + half, sem)


def mean(values: Sequence[float] | Floats) -> Estimate:
    """Estimate a mean by a BCa bootstrap (Efron 1987) of 9,999 resamples.

    With fewer than 20 values, Student's t interval is used: for samples of bimodal scores, the
    bootstrap's 95% interval covered the true mean in 72% of cases with three scores, in 88% with
    six, and in 95% with twenty.
    """
    sample = np.asarray(values, np.float64)
    if len(sample) > 1 and are_equal(sample):
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


def difference(values: Sequence[float] | Floats, others: Sequence[float] | Floats) -> Estimate:
    """Estimate by how much the mean of ``values`` exceeds that of ``others``, paired by seed."""
    return mean(np.asarray(values, np.float64) - np.asarray(others, np.float64))


def median(values: Sequence[float] | Floats) -> Estimate:
    """Estimate a median, with an interval that is valid for any distribution.

    The ends of the interval are two values of the sample. The number of values below the median is
    binomial. So the median lies between the l-th smallest and the l-th largest value with a
    probability of at least 95%, where l is the largest number with P(fewer than l below) ≤ 2.5%.
    With fewer than six values, there is no interval.
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
    values: Sequence[float] | Floats,
    low: float = 0.0,
    high: float = 1.0,
    prior: Prior = NO_PRIOR,
) -> Estimate:
    """Estimate the mean of values that lie between two bounds.

    Let the bounds be 0 and 1, and x the mean. Then one value has the variance φ·x·(1 − x), where φ
    ≤ 1. φ is 1 if all values are at a bound, and smaller if some games are draws, for example. So a
    mean of n values is as precise as a win rate of n/φ games, and has the same interval, Wilson's
    (:func:`share`). φ is estimated as if one more value had been seen at each bound, because n
    equal values do not show that other values are impossible.

    If two different values are less than ½ apart, values are treated as continuous. Each added
    value then has a weight of twice the smallest difference between two values, and Student's
    quantile replaces the normal one. With fewer than 30 values, a prior for φ is used as well.

    In simulations with 4, 10, 40 and 400 values, the 95% interval covered the mean in at least 93%
    of cases if values were wins, draws and losses, if they were drawn from Beta(½, ½), or if all
    except a few were equal. It covered the mean less often

    - for wins and losses without draws (Wilson's interval), if games were few: in 87% of cases for
      a mean of ½ with n = 4, in 91% for a mean of 0.99 with n = 10
    - for strongly skewed values: in 88% of cases for Beta(0.2, 2) with n = 10
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

    For k successes, the interval is Wilson's (1927): all p that are no farther from k/n than
    z·√(p(1 − p)/n); see Brown, Cai, DasGupta (2001), §3.1.1. The standard error is the standard
    deviation of Jeffreys' posterior, Beta(k + ½, n − k + ½), which is never 0.
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
