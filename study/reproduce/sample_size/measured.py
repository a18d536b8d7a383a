"""How many games make a trial, measured on games of one or two θ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives import SCORE, Goal
from thetafront.study.reproduce.sample_size.means import (
    N_RESAMPLES,
    SMALLEST_ERROR,
    check_errors,
    deviation_of,
    errors_frame,
    means_frame,
    resampled_sums,
    usual_errors,
)
from thetafront.study.reproduce.sample_size.order import Ranking, rank
from thetafront.study.reproduce.sample_size.sample import Sample


@dataclass(frozen=True)
class Measured:
    """Results for one or two θ; tables as in :mod:`study.reproduce.sample_size.means`."""

    samples: tuple[Sample, ...]
    deviations: dict[str, Estimate]  # by name: one game's standard deviation
    means: pd.DataFrame
    errors: pd.DataFrame
    ranking: Ranking | None  # of two θ

    @property
    def goal(self) -> Goal:
        """What the games are played for."""
        return self.samples[0].goal

    @property
    def is_2048(self) -> bool:
        """Whether the games are those of the paper."""
        return self.goal == SCORE

    @property
    def unit(self) -> str:
        """The goal's unit after a comma; empty without one."""
        return self.goal.format.unit and f", {self.goal.format.unit}"


def measure(samples: Sequence[Sample], standard_errors: Iterable[float] = ()) -> Measured:
    """Measure one or two θ; equal games give equal results.

    ``standard_errors``, in the goal's unit, extend the usual ones; InputError if one is not
    allowed.
    """
    wanted = sorted({*usual_errors(samples), *standard_errors})
    check_errors(wanted, SMALLEST_ERROR if samples[0].goal == SCORE else 0.0)
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
