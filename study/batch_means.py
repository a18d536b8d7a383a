"""The error of a ratio of two sums over games, by batch means.

Notation
--------
======  ============================================================================================
R       sum of what was counted in all games, over the sum of what it is divided by
B       blocks of consecutive games
e_b     what was counted in block b less R times what divides it, over the mean of what was counted
s²      Σ e_b²/(B − 1), the relative variance of a block's ratio
s̄²      s² pooled over all samples, each weighted by its B − 1
κ       pseudo-blocks: the number of blocks by which a sample's s² is shrunk towards s̄²
======  ============================================================================================

A machine's speed drifts: in the published sweep of ``mcmdp`` the times of games that were played
together correlate by 0.79 with the next ones, by 0.46 after 20 games of each of 12 points, by 0.18
after 100. So the mean of 1,000 games is off by 1.7%, where independent games would give 0.25%.
Blocks are few and long, to drift apart; still, each halving of B multiplied s²/B by 1.8 there. So
the variance of R is 2s²/B for blocks of times, s²/B for single games; s² is shrunk as in
:mod:`study.shrinkage`, since all samples were timed on one machine. Two blocks alone may agree by
chance, and a few games of each point are no block, so where all samples have fewer than four
degrees of freedom together, s̄² of times is filled up to four with deviations of 5%, as blocks of a
search have. Samples of n < 20 games differ more: with the variance v of single games about their
samples' ratios, v·(1/n − 1/20) is added. Games that all do the same work, at different times, are
blocks of one.

Source: Law, *Simulation Modeling and Analysis* (2015), §9.5.3, batch means.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
PSEUDO_BLOCKS = 10.0
MOST_BLOCKS = 5
FEW_GAMES = 20
LEAST_FREEDOM, TYPICAL_DEVIATION = 4.0, 0.05  # of times
CORRELATED = 2.0  # by how much neighbouring blocks' likeness raises the variance of a mean


def variances_of_log_ratios(
    samples: Sequence[tuple[Floats, Floats]], block: int, drifts: bool = True
) -> Floats:
    """Return the variance of each sample's log₁₀ R, to first order; NaN where nothing tells.

    Parameters
    ----------
    samples : sequence of pairs of float64, shape (n_games,)
        What was counted in each game, and what divides it; n_games may be 0.
    block : int
        Least number of games of a block.
    drifts : bool
        Whether blocks that are neighbours are alike, as times are; then there are at most five.
    """
    n_games = np.array([len(counted) for counted, _ in samples])
    n_blocks = np.array([blocks_of(n, block, drifts) for n in n_games.tolist()])
    freedom = np.maximum(n_blocks - 1.0, 0.0)
    squares = np.array(
        [
            squared_deviations(*sample, n) if n > 1 else 0.0
            for sample, n in zip(samples, n_blocks, strict=True)
        ]
    )
    more = max(LEAST_FREEDOM - freedom.sum(), 0.0) if drifts else 0.0
    if not freedom.sum() + more:
        return np.full(len(samples), np.nan)
    pooled = (squares.sum() + more * TYPICAL_DEVIATION**2) / (freedom.sum() + more)
    shrunk = (squares + PSEUDO_BLOCKS * pooled) / (freedom + PSEUDO_BLOCKS)
    correlated = CORRELATED if drifts else 1.0
    found = correlated * shrunk / np.maximum(n_blocks, 1)
    short = np.maximum(1.0 / np.maximum(n_games, 1) - 1.0 / min(block, FEW_GAMES), 0.0)
    if short.any():
        found += short * of_single_games(samples)
    return np.where(n_blocks > 0, found / np.log(10.0) ** 2, np.nan)


def of_single_games(samples: Sequence[tuple[Floats, Floats]]) -> float:
    """Return the relative variance of single games, pooled; NaN if no sample has two."""
    several = [sample for sample in samples if len(sample[0]) > 1]
    freedom = sum(len(counted) - 1 for counted, _ in several)
    squares = sum(squared_deviations(*sample, len(sample[0])) for sample in several)
    return squares / freedom if freedom else np.nan


def blocks_of(n_games: int, block: int, drifts: bool) -> int:
    """Return into how many blocks some games are divided."""
    if not drifts:
        return n_games
    return min(MOST_BLOCKS, max(n_games // block, min(n_games, 1)))


def squared_deviations(counted: Floats, divisor: Floats, n_blocks: int) -> float:
    """Return Σ e_b²."""
    edges = np.linspace(0, len(counted), n_blocks + 1).round().astype(int)[:-1]
    sums, divisors = np.add.reduceat(counted, edges), np.add.reduceat(divisor, edges)
    total = sums.sum()
    if total <= 0.0:
        return 0.0
    errors = sums - total / divisors.sum() * divisors
    return float(np.sum((errors * n_blocks / total) ** 2))
