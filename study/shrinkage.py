"""The variance of a trial's mean, estimated from all trials together.

Notation
--------
=====  ==========================================================================
n      games of a trial
s²     their sample variance
s̄²     sample variance pooled over all trials, each weighted by its n − 1
κ      pseudo-games: s̄² counts as κ games when a trial's s² is shrunk towards it
=====  ==========================================================================

A few games estimate their variance poorly. With three games, the estimate is off by a factor of two
or more, and a model that trusts such an estimate favours trials whose games happen to agree. So the
variance is shrunk towards the pooled one, ((n − 1)·s² + κ·s̄²)/(n − 1 + κ), and divided by n. In
simulated studies, κ = 10 did better than the raw s²/n, and far better than a model that infers the
noise. From 30 games on, the variance is s²/n (unless all games are equal): if variances of θ differ
a lot, even a small share of s̄² can be many times s². (If many θ have so many games, a model also
uses their means, see :mod:`study.model.weights`.) With fewer games, κ is not estimated from the
trials. Among skewed games, a high score raises both the mean and s², so if κ is small, a model
trusts low means too much. In simulated trials of three to nine skewed games, with standard
deviations that differed by a factor of 4 or 55, κ was estimated as 0.9 to 3.3, and predictions had
errors 4% to 22% larger than with κ = 10.

If no trial has two games, s̄² is unknown. The standard deviation of one game is then assumed to be
40% of the mean, as in 2048; a model that had to infer it would mistake luck for merit.

Larger scores of 2048 vary more. So scores are modelled by their square root (:mod:`study.scale`),
which has about the same variance in all trials, and s²/mean is pooled, with κ = 100. In simulated
studies of four games per trial, the root mean square error of the predicted front was 3,010 points
with κ = 100, and 3,100 points with κ = 10.

A mean x of values between 0 and 1, such as a win rate, has the variance φ·x·(1 − x)/n. The
dispersion φ ≤ 1 is 1 for zeros and ones, and smaller if some games are draws. It is pooled over all
trials, with κ = 100, and is the sample's own from 30 games on. Half a win and half a loss are added
to each trial, because 0 wins in 4 games would otherwise seem to be free of noise. A model uses the
angle of such means (:mod:`study.scale`). The variance of an angle does not depend on x, so trials
with few wins do not seem less noisy than others.

An interval from a point's own games must be valid without a model. So for an interval, κ is not
fixed. It is estimated from how much more log s² varies than chance explains with so few games, and
is added to the degrees of freedom (:class:`Prior`). The more the variances of points differ, the
smaller is κ, and the less the prior counts.

Source: Smyth, *Linear models and empirical Bayes methods* (2004), §6.2, moderated t. Smyth's scale,
which is smaller than the pooled s̄², is replaced with s̄², because scores have lighter tails than
he assumes.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from thetafront.study.arrays import Floats

PSEUDO_GAMES, MANY_PSEUDO_GAMES = 10.0, 100.0  # κ
TYPICAL_DEVIATION = 0.4  # of one game, relative to the mean
WEIGHT = 0.01  # so small that many similar values, such as accuracies, do not seem noisy
ENOUGH = 30  # games from which a variance is estimated well enough without a prior
ROUNDING = 1e-12  # values are equal if they differ by at most this share of the largest value
FREEDOMS = np.geomspace(1000.0, 0.1, 400)  # degrees of freedom that a prior may count as


def are_equal(sample: Floats) -> bool:
    """Return whether all values are equal, apart from rounding errors."""
    return bool(np.ptp(sample) <= ROUNDING * np.abs(sample).max())


class Moments(NamedTuple):
    """Sufficient statistics of a sample: its size, mean and sum of squared deviations."""

    n: int
    mean: float
    m2: float

    @classmethod
    def from_sample(cls, sample: Floats) -> "Moments":
        """Return the moments of a sample; mean and sum are 0 if it is empty."""
        if not len(sample):
            return cls(0, 0.0, 0.0)
        mean = np.mean(sample)
        m2 = 0.0 if are_equal(sample) else float(np.sum((sample - mean) ** 2))
        return cls(len(sample), float(mean), m2)


class Prior(NamedTuple):
    """What the games of all θ say about the variance of a single game of one θ."""

    variance: float = 0.0
    freedom: float = 0.0  # degrees of freedom that it counts as

    @classmethod
    def from_squares(cls, freedom: Floats, squares: Floats) -> Self:
        """Estimate a prior from sums of squared deviations; samples of equal values are ignored."""
        known = (freedom > 0.0) & (squares > 0.0)
        if known.sum() < 2:
            return cls()
        from scipy.special import digamma, polygamma  # noqa: PLC0415, slow; few commands need it

        freedom, squares = freedom[known], squares[known]
        logs = np.log(squares / 2.0) - digamma(freedom / 2.0)
        excess = np.var(logs, ddof=1) - np.mean(polygamma(1, freedom / 2.0))
        worth = float(np.interp(excess, polygamma(1, FREEDOMS / 2.0), FREEDOMS))
        total = float(freedom.sum())
        return cls(float(squares.sum()) / total, min(worth, total))

    def given(self, n: int, variance: float) -> Self:
        """Update the prior with the sample variance of n > 1 games; if n ≥ 30, ignore the prior."""
        worth = self.freedom if n < ENOUGH else 0.0
        freedom = n - 1.0 + worth
        return type(self)(variance + (self.variance - variance) * worth / freedom, freedom)


NO_PRIOR = Prior()


def variances_of_means(samples: Sequence[Moments]) -> Floats:
    """Return the variance of each sample's mean; NaN for an empty sample."""
    n, mean, m2 = columns(samples)
    freedom = np.maximum(n - 1.0, 0.0)
    if freedom.sum():
        pooled = m2.sum() / freedom.sum()
    else:
        pooled = TYPICAL_DEVIATION**2 * np.mean(mean[n > 0] ** 2) if n.any() else np.nan
    kappa = pseudo_games(n, mean, m2, PSEUDO_GAMES)
    shrunk = (m2 + kappa * pooled) / (freedom + kappa)
    return np.where(n > 0, shrunk / np.maximum(n, 1.0), np.nan)


def pseudo_games(n: Floats, mean: Floats, m2: Floats, kappa: float) -> Floats:
    """Return κ for each sample: 0 if its own games, 30 or more that differ, are enough."""
    differ = m2 > n * (ROUNDING * mean) ** 2
    return np.where((n >= ENOUGH) & differ, 0.0, kappa)


def growing_variances(samples: Sequence[Moments]) -> Floats:
    """Return the variance of each sample's mean, if variances are proportional to means.

    Values are not negative; NaN for an empty sample.
    """
    n, mean, m2 = columns(samples)
    freedom = np.maximum(n - 1.0, 0.0)
    relative = relative_squares(mean, m2)
    if freedom.sum():
        pooled = relative.sum() / freedom.sum()
    else:
        pooled = TYPICAL_DEVIATION**2 * np.mean(mean[n > 0]) if n.any() else np.nan
    kappa = pseudo_games(n, mean, m2, MANY_PSEUDO_GAMES)
    shrunk = (relative + kappa * pooled) / (freedom + kappa)
    return np.where(n > 0, mean * shrunk / np.maximum(n, 1.0), np.nan)


def relative_squares(mean: Floats, m2: Floats) -> Floats:
    """Return sums of squared deviations, divided by the mean; 0 if the mean is 0."""
    return np.divide(m2, mean, out=np.zeros_like(m2), where=mean > 0.0)


def dispersion(samples: Sequence[Moments], weight: float = WEIGHT) -> float:
    """Return the pooled φ of values between 0 and 1, after one value is added at each bound.

    The two added values have the given ``weight``.
    """
    n, mean, m2 = columns(samples)
    total = float(n @ mean / max(n.sum(), 1.0))
    added = weight * (total**2 + (1.0 - total) ** 2)
    return float(min(1.0, (m2.sum() + added) / (possible(n, mean, m2).sum() + added)))


def possible(n: Floats, mean: Floats, m2: Floats) -> Floats:
    """Estimate, without bias, the sum of squared deviations of n 0s and 1s with the same mean."""
    return np.asarray(np.maximum(n - 1.0, 0.0) * mean * (1.0 - mean) + m2 / np.maximum(n, 1.0))


def bounded_variances(samples: Sequence[Moments]) -> Floats:
    """Return the variance of each sample's mean; NaN for an empty sample.

    Values are between 0 and 1.
    """
    n, mean, m2 = columns(samples)
    share = (n * mean + 0.5) / (n + 1.0)
    largest = share * (1.0 - share)
    prior = pseudo_games(n, mean, m2, MANY_PSEUDO_GAMES) * largest
    phi = (m2 + dispersion(samples) * prior) / (possible(n, mean, m2) + prior)
    return np.where(n > 0, phi * largest / np.maximum(n, 1.0), np.nan)


def columns(samples: Sequence[Moments]) -> Floats:
    """Return n, mean and m2 of all samples, shape (3, len(samples))."""
    return np.ascontiguousarray(np.array(samples, np.float64).reshape(-1, 3).T)
