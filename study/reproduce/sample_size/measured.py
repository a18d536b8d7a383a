"""How many games make a trial, measured on games of one or two θ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from study.estimate import Estimate
from study.reproduce.sample_size.means import (
    N_RESAMPLES,
    check_errors,
    deviation_of,
    errors_frame,
    means_frame,
    resampled_sums,
)
from study.reproduce.sample_size.order import Ranking, rank
from study.reproduce.sample_size.sample import Sample

STANDARD_ERRORS = (250.0, 500.0, 1_000.0, 2_000.0, 5_000.0)


@dataclass(frozen=True)
class Measured:
    """Results for one or two θ; tables as in :mod:`study.reproduce.sample_size.means`."""

    samples: tuple[Sample, ...]
    deviations: dict[str, Estimate]  # by name: one game's standard deviation, in points
    means: pd.DataFrame
    errors: pd.DataFrame
    ranking: Ranking | None  # of two θ


def measure(samples: Sequence[Sample], standard_errors: Iterable[float] = ()) -> Measured:
    """Measure one or two θ; equal games give equal results.

    ``standard_errors``, in points, extend the standard ones; InputError if one is not allowed.
    """
    wanted = sorted({*STANDARD_ERRORS, *standard_errors})
    check_errors(wanted)
    rng = np.random.default_rng(0)
    sums = [resampled_sums(each.scores, N_RESAMPLES, rng) for each in samples]
    deviations = {each.name: deviation_of(each.scores, rng) for each in samples}
    paired = list(zip(samples, sums, strict=True))
    return Measured(
        samples=tuple(samples),
        deviations=deviations,
        means=pd.concat([means_frame(each, s, deviations[each.name]) for each, s in paired]),
        errors=pd.concat([errors_frame(each, deviations[each.name], wanted) for each in samples]),
        ranking=rank(samples[0], samples[1], sums, rng) if len(samples) == 2 else None,
    )
