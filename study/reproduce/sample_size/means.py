"""The distribution of the mean of n games, by resampling real games, and its standard error.

Notation
--------
==========  ========================================================================================
n           games a trial; a trial's score is their mean, whose standard error is s/√n
s           standard deviation of one game's score, in points
R           resamples: trials of n games, drawn from a θ's N real scores with replacement
==========  ========================================================================================

Source: Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), §13.3, for s.
"""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from study.errors import InputError
from study.estimate import Estimate
from study.reproduce.sample_size.sample import Integers, Sample

MOST_GAMES_A_TRIAL = 100
SMALLEST_ERROR = 0.01  # points
N_RESAMPLES = 20_000
N_DEVIATIONS = 2_000
QUANTILES = {"low95": 0.025, "low50": 0.25, "median": 0.5, "high50": 0.75, "high95": 0.975}
ENDS = (QUANTILES["low95"], QUANTILES["high95"])


def drawn(scores: Integers, shape: int | tuple[int, int], rng: np.random.Generator) -> Integers:
    """Draw from scores with replacement."""
    return scores[rng.integers(len(scores), size=shape)]


def resampled_sums(
    scores: Integers, n_resamples: int, rng: np.random.Generator, n_most: int = MOST_GAMES_A_TRIAL
) -> Integers:
    """Draw trials from scores with replacement, for all numbers of games at once.

    Column n − 1, of shape (n_resamples,), has the sums of the trials' first n games, in points.
    """
    return np.cumsum(drawn(scores, (n_resamples, n_most), rng), axis=1)


def deviation_of(scores: Integers, rng: np.random.Generator) -> Estimate:
    """Estimate one game's standard deviation, in points, with a percentile bootstrap interval."""
    deviations = [drawn(scores, len(scores), rng).std(ddof=1) for _ in range(N_DEVIATIONS)]
    low, high = np.quantile(deviations, ENDS)
    return Estimate(float(scores.std(ddof=1)), float(low), float(high))


def means_frame(sample: Sample, sums: Integers, deviation: Estimate) -> pd.DataFrame:
    """Return the distribution of the mean of n games, one row an n.

    ``mean_low95_points`` to ``mean_high95_points`` contains 95% of the means, ``50`` half of them;
    ``standard_error_points`` is s/√n, with its 95% interval.
    """
    n = np.arange(1, sums.shape[1] + 1)
    quantiles = np.quantile(sums, list(QUANTILES.values()), axis=0) / n
    return pd.DataFrame(
        {
            "theta": sample.name,
            "n_games": n,
            "n_real_games": sample.n_games,
            **{f"mean_{k}_points": row for k, row in zip(QUANTILES, quantiles, strict=True)},
            "standard_error_points": deviation.value / np.sqrt(n),
            "standard_error_low95_points": deviation.low / np.sqrt(n),
            "standard_error_high95_points": deviation.high / np.sqrt(n),
        }
    )


def games_for_error(deviation: float, standard_error: float) -> int:
    """Return the fewest games with a standard error, (s/SE)² rounded up."""
    # 1e-9 keeps quotients that are whole except for rounding.
    return max(1, math.ceil((deviation / standard_error) ** 2 - 1e-9))


def errors_frame(
    sample: Sample, deviation: Estimate, standard_errors: Iterable[float]
) -> pd.DataFrame:
    """Return the number of games for each standard error, with its 95% interval."""
    rows = [
        {
            "theta": sample.name,
            "standard_error_points": error,
            "n_games": games_for_error(deviation.value, error),
            "n_games_low95": games_for_error(deviation.low, error),
            "n_games_high95": games_for_error(deviation.high, error),
            "n_real_games": sample.n_games,
        }
        for error in standard_errors
    ]
    return pd.DataFrame(rows)


def check_errors(standard_errors: Iterable[float]) -> None:
    """Refuse a standard error that no feasible number of games gives."""
    for error in standard_errors:
        if not (math.isfinite(error) and error >= SMALLEST_ERROR):
            raise InputError(
                f"standard error: {error:g} given, a finite number of {SMALLEST_ERROR:g} or more "
                "allowed"
            )
