"""The error of a ratio of two sums over games, by batch means.

Notation
--------
======  ============================================================================================
R       sum of the counts of all games, divided by the sum of their divisors
B       number of blocks of consecutive games
e_b     relative error of block b: its count minus R times its divisor, divided by the mean count of
        the sample's blocks
P       number of samples with B blocks
c_b     mean e_b of these P samples: the error that all games of block b share
s²      Σ e_b²/(B − 1), the relative variance of a block's ratio. For times, e_b − c_b replaces e_b,
        and the sum is multiplied by P/(P − 1)
s̄²      s² pooled over all samples, each weighted by its B − 1
s_c²    Σ e_b²/(B − 1), averaged over the P samples: the relative variance that they may share
κ       pseudo-blocks: s̄² counts as κ blocks when a sample's s² is shrunk towards it
======  ============================================================================================

A machine's speed drifts. In a default sweep of ``mcmdp``, 12 points took turns. The correlation
between the times of games in two turns was 0.79 for successive turns, 0.46 for turns that were 20
apart, and 0.18 for turns that were 100 apart. So the mean time of 1,000 games has a standard error
of 1.7%; if games were independent, it would be 0.25%. Blocks are few and long, so that they
correlate little. If they were independent, s²/B would not depend on B, but in that sweep each
halving of B multiplied s²/B by 1.8. So for times, we take the relative variance of R to be 2s²/B.
For other counts, each game is a block, and the relative variance of R is s²/B. With fewer than 30
blocks, s² is shrunk as in :mod:`study.shrinkage`.

Samples that take turns are slowed down together, even if their blocks do not cover the same
minutes. So the samples have a common error, with a variance that is taken to be 2s_c²/B. A sample
that varies far more than the others has noise of its own, so in this average no sample counts more
than eight times the median. The variance is estimated from only B blocks, so it is multiplied by
(t/z)², where t and z are the 97.5% quantiles of Student's t and of the normal distribution. With
few blocks, s_c² may be small by chance. So if s_c² has fewer than four degrees of freedom, it gets
four: for each one that is missing, the square of a typical deviation, 3%, is added to the sum of
squares.

Only samples that take turns show the common error. If most samples have few blocks, those with many
may have been timed in one stretch each, for example by ``pick``, which shows the drift of seconds
only. So there are two estimates. One takes as B the largest number of blocks of a sample, the other
the number that at least half of the samples have (and at least two of several); samples with more
blocks have them merged into B. Of each variance, the larger estimate is used.

A comparison of the costs of two samples depends only on their own errors, which they do not share.
The variance of a sample's own error is 2s²/B. A sample with only b < B blocks was timed during only
a part of the run, so its variance is 2s²/b + 2s_c²·(1/b − 1/B). A variance is at least what it
would be if games were independent, because few blocks, shrunk towards those of all samples, hardly
tell which sample has noisy games. If all games do the same work, each game can be a block. Such
games are timed at different times, so the samples have no common error.

Source: Law, *Simulation Modeling and Analysis* (2015), §9.5.3, batch means; Searle, Casella and
McCulloch, *Variance Components* (1992), §4.3, for shared errors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetafront.study.arrays import Floats, Integers
from thetafront.study.estimate import Z95, t95
from thetafront.study.shrinkage import pseudo_games

PSEUDO_BLOCKS = 10.0
MAX_BLOCKS = 5
MIN_FREEDOM, TYPICAL_DEVIATION = 4, 0.03  # of times
MAX_RATIO = 8.0  # of squares of times to their median, in their average
CORRELATED = 2.0  # factor by which correlation of neighbouring blocks raises a mean's variance


@dataclass(frozen=True)
class LogVariances:
    """Variances of the errors of log₁₀ R, for several samples."""

    own: Floats  # (n,): variance of each sample's own error; NaN if unknown
    shared: float = 0.0  # variance of the error that all samples have in common

    @property
    def total(self) -> Floats:
        """Variance of each sample's total error."""
        return self.own + self.shared


def variances_of_log_ratios(
    samples: Sequence[tuple[Floats, Floats]], block: int, drifts: bool = True
) -> LogVariances:
    """Return the variances of the samples' log₁₀ R, to first order.

    Parameters
    ----------
    samples : sequence of pairs of float64, shape (n_games,)
        The count and the divisor of each game; n_games may be 0.
    block : int
        Minimum number of games per block.
    drifts : bool
        Whether neighbouring blocks are correlated, as blocks of times are; if so, a sample has at
        most five blocks.
    """
    n_blocks = np.array([count_blocks(len(each), block, drifts) for each, _ in samples])
    if not n_blocks.any():
        return LogVariances(np.full(len(samples), np.nan))
    if drifts:
        found = time_variances(samples, n_blocks)
        own, shared = found.own, found.shared
        if block == 1:
            own, shared = own + shared, 0.0
        else:
            if (most := blocks_of_most(n_blocks)) < n_blocks.max():
                other = time_variances(samples, np.minimum(n_blocks, most))
                own, shared = np.maximum(own, other.own), max(shared, other.shared)
            own = np.maximum(own, independent_variances(samples))
    else:
        own, shared = independent_variances(samples), 0.0
    decades = np.log(10.0) ** 2
    return LogVariances(np.where(n_blocks > 0, own / decades, np.nan), shared / decades)


def block_errors(samples: Sequence[tuple[Floats, Floats]], n_blocks: Integers) -> list[Floats]:
    """Return e_b of each sample, shape (its number of blocks,)."""
    return [deviations(*each, n) for each, n in zip(samples, n_blocks.tolist(), strict=True)]


def blocks_of_most(n_blocks: Integers) -> int:
    """Return how many blocks at least half of the timed samples have, and at least two of several.

    ``n_blocks`` must have a timed sample.
    """
    found = np.sort(n_blocks[n_blocks > 0])[::-1]
    return int(found[max((len(found) - 1) // 2, min(1, len(found) - 1))])


def time_variances(samples: Sequence[tuple[Floats, Floats]], n_blocks: Integers) -> LogVariances:
    """Return the relative variances of each sample's own error and of the shared error of times."""
    errors, most = block_errors(samples, n_blocks), int(n_blocks.max())
    is_longest = n_blocks == most
    n_longest = int(is_longest.sum())
    alike = np.array([e for e, is_it in zip(errors, is_longest, strict=True) if is_it])
    together, squares = alike.mean(axis=0), np.sum(alike**2, axis=1)
    known = float(np.mean(np.minimum(squares, MAX_RATIO * np.median(squares))))
    apart = np.sqrt(n_longest / max(n_longest - 1, 1))
    errors = [
        apart * (e - together) if is_it else e for e, is_it in zip(errors, is_longest, strict=True)
    ]
    freedom = np.where(is_longest & (n_longest > 1), most - 1.0, 0.0)
    square = np.nan_to_num(shrunk(sums_of_squares(errors), freedom))  # NaN if there is one sample
    missing = max(MIN_FREEDOM - (most - 1), 0)
    n = most - 1 + missing
    shared = (known + missing * TYPICAL_DEVIATION**2) / n
    blocks = np.maximum(n_blocks, 1)
    own = CORRELATED * (square / blocks + shared * (1.0 / blocks - 1.0 / most))
    return LogVariances(own, CORRELATED * shared / most * (t95(n + 1) / Z95) ** 2)


def sums_of_squares(errors: Sequence[Floats]) -> Floats:
    """Return Σ e_b² of each sample."""
    return np.array([float(e @ e) for e in errors])


def shrunk(squares: Floats, freedom: Floats) -> Floats:
    """Return each sample's s², shrunk towards s̄²; NaN if no sample has a degree of freedom."""
    known = np.maximum(freedom, 0.0)
    squares = squares * (known > 0)
    pooled = squares.sum() / known.sum() if known.any() else np.nan
    kappa = pseudo_games(known + 1.0, np.array(1.0), squares, PSEUDO_BLOCKS)
    return np.asarray((squares + kappa * pooled) / (known + kappa))


def game_errors(samples: Sequence[tuple[Floats, Floats]]) -> list[Floats]:
    """Return the e_b of each sample if each game is a block, shape (its number of games,)."""
    return [deviations(*each, len(each[0])) for each in samples]


def independent_variances(samples: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Return the relative variances of all R if games were independent; NaN if unknown."""
    errors = game_errors(samples)
    return relative_variances(np.array([*map(len, errors)], np.float64), sums_of_squares(errors))


def relative_variances(n: Floats, squares: Floats) -> Floats:
    """Return the relative variances of R, given Σ e_b² of n independent games; NaN if unknown."""
    return np.asarray(shrunk(squares, n - 1.0) / np.maximum(n, 1.0))


def count_blocks(n_games: int, block: int, drifts: bool) -> int:
    """Return the number of blocks into which games are divided."""
    if not drifts:
        return n_games
    return min(MAX_BLOCKS, max(n_games // block, min(n_games, 1)))


def deviations(counted: Floats, divisor: Floats, n_blocks: int) -> Floats:
    """Return e_b, shape (n_blocks,)."""
    total = counted.sum()
    if n_blocks < 2 or total <= 0.0:
        return np.zeros(n_blocks)
    edges = np.linspace(0, len(counted), n_blocks + 1).round().astype(int)[:-1]
    sums, divisors = np.add.reduceat(counted, edges), np.add.reduceat(divisor, edges)
    errors = sums - total / divisors.sum() * divisors
    return np.asarray(errors * n_blocks / total)
