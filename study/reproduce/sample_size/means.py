"""The distribution of the mean of n games, by resampling real games, and its standard error.

Notation
--------
==========  ========================================================================================
n           games a trial; a trial's score is their mean, whose standard error is s/√n
s           standard deviation of one game's score, in the goal's unit
R           resamples: trials of n games, drawn from a θ's N real scores with replacement
==========  ========================================================================================

Source: Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), §13.3, for s.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives import SCORE
from thetafront.study.reproduce.sample_size.sample import Floats, Sample

MOST_GAMES_A_TRIAL = 100
SMALLEST_ERROR = 0.01  # points
STANDARD_ERRORS = (250.0, 500.0, 1_000.0, 2_000.0, 5_000.0)  # points
N_ERRORS = 5
N_RESAMPLES = 20_000
N_DEVIATIONS = 2_000
QUANTILES = {"low95": 0.025, "low50": 0.25, "median": 0.5, "high50": 0.75, "high95": 0.975}
ENDS = (QUANTILES["low95"], QUANTILES["high95"])


def drawn(scores: Floats, shape: int | tuple[int, int], rng: np.random.Generator) -> Floats:
    """Draw from scores with replacement."""
    return scores[rng.integers(len(scores), size=shape)]


def resampled_sums(
    scores: Floats, n_resamples: int, rng: np.random.Generator, n_most: int = MOST_GAMES_A_TRIAL
) -> Floats:
    """Draw trials from scores with replacement, for all numbers of games at once.

    Column n − 1, of shape (n_resamples,), has the sums of the trials' first n games.
    """
    return np.cumsum(drawn(scores, (n_resamples, n_most), rng), axis=1)


def deviation_of(scores: Floats, rng: np.random.Generator) -> Estimate:
    """Estimate one game's standard deviation, with a percentile bootstrap interval."""
    deviations = [drawn(scores, len(scores), rng).std(ddof=1) for _ in range(N_DEVIATIONS)]
    low, high = np.quantile(deviations, ENDS)
    return Estimate(float(scores.std(ddof=1)), float(low), float(high))


def means_frame(sample: Sample, sums: Floats, deviation: Estimate) -> pd.DataFrame:
    """Return the distribution of the mean of n games, one row an n.

    In points, ``mean_low95_points`` to ``mean_high95_points`` contains 95% of the means, ``50``
    half of them; ``standard_error_points`` is s/√n, with its 95% interval.
    """
    unit = sample.goal.column_unit
    n = np.arange(1, sums.shape[1] + 1)
    quantiles = np.quantile(sums, list(QUANTILES.values()), axis=0) / n
    return pd.DataFrame(
        {
            "theta": sample.name,
            "n_games": n,
            "n_real_games": sample.n_games,
            **{f"mean_{k}{unit}": row for k, row in zip(QUANTILES, quantiles, strict=True)},
            f"standard_error{unit}": deviation.value / np.sqrt(n),
            f"standard_error_low95{unit}": deviation.low / np.sqrt(n),
            f"standard_error_high95{unit}": deviation.high / np.sqrt(n),
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
            f"standard_error{sample.goal.column_unit}": error,
            "n_games": games_for_error(deviation.value, error),
            "n_games_low95": games_for_error(deviation.low, error),
            "n_games_high95": games_for_error(deviation.high, error),
            "n_real_games": sample.n_games,
        }
        for error in standard_errors
    ]
    return pd.DataFrame(rows)


def usual_errors(samples: Sequence[Sample]) -> tuple[float, ...]:
    """Return standard errors of interest: round ones below half of one game's deviation."""
    if samples[0].goal == SCORE:
        return STANDARD_ERRORS
    largest = max(each.deviation for each in samples) / 2 or 1.0
    power = math.floor(math.log10(largest))
    steps = [float(f"{step}e{power - down}") for down in range(3) for step in (5, 2, 1)]
    return tuple(sorted([each for each in steps if each <= largest][:N_ERRORS]))


def check_errors(standard_errors: Iterable[float], least: float = SMALLEST_ERROR) -> None:
    """Refuse a standard error that no feasible number of games gives; 0 is none anyway."""
    for error in standard_errors:
        if not (math.isfinite(error) and error >= least and error > 0):
            allowed = f"number of {least:g} or more" if least else "number above 0"
            raise InputError(f"standard error: {error:g} given, a finite {allowed} allowed")
