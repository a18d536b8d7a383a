"""How often n games each rank two θ wrongly.

Notation
--------
==========  ========================================================================================
N           real games of a θ; s is the standard deviation of their scores
n           games a trial
R           resamples: trials of n games, drawn from a θ's N scores with replacement
δ           by how much the better θ's mean score is better than the worse one's
W           bootstrap samples: N scores drawn from the N scores, in place of the real ones
z           standard normal quantile of one less the allowed probability
==========  ========================================================================================

The probability of the wrong order is near Φ(−δ·√n / √(s₁² + s₂²)), and below the allowed one from
n = (z·√(s₁² + s₂²)/δ)² on. Scores are bimodal, so for few games the probability is counted over
resamples, and its interval is taken over bootstrap samples (percentiles).

Source: Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), §13.3, for the intervals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm, pearsonr

from thetafront.study.estimate import Estimate, t95
from thetafront.study.reproduce.sample_size.means import ENDS, drawn, resampled_sums
from thetafront.study.reproduce.sample_size.sample import Floats, Sample

N_WORLDS = 500
N_RESAMPLES_A_WORLD = 2_000
ROUNDING = 1e-12  # of sums of the same scores in another order, relative to the largest
WRONG_LEVELS = (0.10, 0.05)
FEWEST_FOR_CORRELATION = 4  # Fisher's transform has standard error 1/√(n − 3)


def p_wrong_order(worse: Floats, better: Floats) -> Floats:
    """Return the share of resamples, by n, that rank the worse θ first; ties count half."""
    ahead = worse - better
    ahead[np.abs(ahead) <= ROUNDING * np.abs(worse).max()] = 0
    return np.asarray(0.5 + 0.5 * np.sign(ahead).mean(axis=0))


def first_below(probabilities: Floats, level: float) -> float:
    """Return the smallest n whose probability is below a level; infinite if there is none."""
    below = np.flatnonzero(probabilities < level)
    return float(below[0] + 1) if len(below) else math.inf


@dataclass(frozen=True)
class Ranking:
    """How reliably n games each rank two θ, ordered by the means of all their games.

    ``levels`` has the smallest n whose ``p_wrong`` lies below a level, counted over resamples
    (infinite: above the largest n examined), and by the normal approximation, with 95% intervals;
    NaN where δ's interval contains 0.
    """

    worse: Sample
    better: Sample
    difference: Estimate  # δ; Student's t on the smaller number of games less one
    correlation: Estimate  # of a seed's two scores (Fisher's transform); NaN for few seeds
    n_paired: int  # common seeds
    probabilities: pd.DataFrame  # by n: `p_wrong` with its 95% interval
    levels: pd.DataFrame

    @property
    def known(self) -> bool:
        """Whether the games show which θ is better."""
        return self.difference.low > 0


def difference_of(worse: Sample, better: Sample) -> Estimate:
    """Estimate δ from unpaired games."""
    value = better.goal.sign * (better.estimate.value - worse.estimate.value)
    sem = math.hypot(worse.estimate.sem, better.estimate.sem)
    half = t95(min(worse.n_games, better.n_games)) * sem
    return Estimate(value, value - half, value + half)


def correlation_of(first: Sample, second: Sample) -> tuple[Estimate, int]:
    """Correlate the scores of common seeds; return the number of seeds, too."""
    seeds, left, right = np.intersect1d(first.seeds, second.seeds, return_indices=True)
    x, y = first.scores[left], second.scores[right]
    n = len(seeds)
    if n < FEWEST_FOR_CORRELATION or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Estimate(math.nan), n
    result = pearsonr(x, y)
    interval = result.confidence_interval(0.95)
    return Estimate(float(result.statistic), float(interval.low), float(interval.high)), n


def p_wrong_in_worlds(
    worse: Floats, better: Floats, n_most: int, rng: np.random.Generator
) -> Floats:
    """Return the probability of the wrong order by bootstrap sample, shape (W, n_most)."""
    probabilities = np.empty((N_WORLDS, n_most))
    for row in probabilities:
        sums = [
            resampled_sums(drawn(scores, len(scores), rng), N_RESAMPLES_A_WORLD, rng, n_most)
            for scores in (worse, better)
        ]
        row[:] = p_wrong_order(*sums)
    return probabilities


def normal_games(first: Sample, second: Sample, difference: float, level: float) -> float:
    """Return n = (z·√(s₁² + s₂²)/δ)², rounded up; infinite without a positive δ."""
    if difference <= 0:
        return math.inf
    deviation = math.hypot(first.deviation, second.deviation)
    n = (float(norm.ppf(1.0 - level)) * deviation / difference) ** 2
    return float(max(1, math.ceil(n - 1e-9)))


def rank(
    first: Sample,
    second: Sample,
    sums: Sequence[Floats],
    rng: np.random.Generator,
    levels: Sequence[float] = WRONG_LEVELS,
) -> Ranking:
    """Rank two θ by their resampled trials, ``sums`` of shape (R, n_most) each."""
    worse, better, sign = first, second, first.goal.sign
    if sign * first.estimate.value > sign * second.estimate.value:
        worse, better, sums = second, first, sums[::-1]
    difference = difference_of(worse, better)
    gaps = (difference.value, difference.high, difference.low)
    probabilities = p_wrong_order(*(sign * each for each in sums))
    n_most = len(probabilities)
    worlds = p_wrong_in_worlds(sign * worse.scores, sign * better.scores, n_most, rng)
    low, high = np.quantile(worlds, ENDS, axis=0)
    rows = []
    for level in levels:
        # "inverted_cdf" returns an n of some sample; averaging might involve infinity.
        in_worlds = [first_below(world, level) for world in worlds]
        ends = np.quantile(in_worlds, ENDS, method="inverted_cdf")
        found = [first_below(probabilities, level), float(ends[0]), float(ends[1])]
        found += [normal_games(worse, better, gap, level) for gap in gaps]
        rows.append([level, *(found if difference.low > 0 else [math.nan] * len(found))])
    names = ("n_games", "n_games_low95", "n_games_high95")
    columns = ["p_wrong_below", *names, *(f"normal_{name}" for name in names)]
    by_n = pd.DataFrame(
        {
            "n_games": np.arange(1, len(probabilities) + 1),
            "p_wrong": probabilities,
            "p_wrong_low95": low,
            "p_wrong_high95": high,
            "n_real_games_worse": worse.n_games,
            "n_real_games_better": better.n_games,
        }
    )
    correlation, n_paired = correlation_of(worse, better)
    table = pd.DataFrame(rows, columns=columns)
    return Ranking(worse, better, difference, correlation, n_paired, by_n, table)
