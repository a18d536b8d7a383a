"""How noisy a trial's mean score is.

Notation
--------
=====  ==============================================================================================
n      games of a trial
s²     their sample variance
s̄²     pooled sample variance of all trials, each weighted by its n − 1
κ      pseudo-games: how many games' worth of s̄² each trial is lent
=====  ==============================================================================================

Where no trial has two games, nothing is known of s̄², and one game's deviation is taken for 40% of the mean
of all, as it is in 2048: a model left to infer it would believe luck.

A few games say little about their own variance: three of them miss it by a factor of two and more, and
a model that believes them trusts whichever trial is alike by chance. So each trial's variance is shrunk
towards the pooled one, ((n − 1)·s² + κ·s̄²)/(n − 1 + κ), and divided by n for its mean. In simulated
studies, ten pseudo-games did better than the raw s²/n, and far better than to infer the noise.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["PSEUDO_GAMES", "TYPICAL_DEVIATION", "variances_of_means"]

PSEUDO_GAMES = 10.0
TYPICAL_DEVIATION = 0.4  # of one game, relative to the mean


def variances_of_means(
    samples: Sequence[npt.NDArray[np.float64]],
) -> npt.NDArray[np.float64]:
    """Return the variance of each sample's mean, shrunk towards what all samples have in common.

    Parameters
    ----------
    samples : sequence of float64 arrays, shapes (nᵢ,)
        One a trial.

    Returns
    -------
    float64, shape (len(samples),)
        NaN for an empty sample.
    """
    n = np.array([len(sample) for sample in samples], np.float64)
    freedom = np.maximum(n - 1.0, 0.0)
    squares = np.array([np.sum((s - np.mean(s)) ** 2) if len(s) else 0.0 for s in samples])
    if not freedom.sum():
        values = np.concatenate(samples) if len(samples) else np.empty(0)
        pooled = (TYPICAL_DEVIATION * float(np.mean(values))) ** 2 if len(values) else np.nan
    else:
        pooled = squares.sum() / freedom.sum()
    shrunk = (squares + PSEUDO_GAMES * pooled) / (freedom + PSEUDO_GAMES)
    return np.where(n > 0, shrunk / np.maximum(n, 1.0), np.nan)
