"""The probability that a θ can be played, learned from complete trials and from failed ones.

A Gaussian process is fitted to labels: 1 for a complete trial, −1 for a trial that was left out.
This is least-squares classification (Rasmussen and Williams 2006, §6.5). If the process has mean m
and variance v at a point, and the labels have noise variance n, the probability that a trial at
this point can be played is Φ(m / √(v + n)). Far from all trials, m is the mean of the labels or, if
that is negative, 0, because a point about which nothing is known is worth a trial.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.observations import Observations, n_to_fit
from thetafront.study.samplers.posterior import fit_once

MAX_LABELS = 128  # of each kind, from the latest trials
MIN_PROBABILITY = 0.5  # that a point on a predicted front can be played


@dataclass(frozen=True)
class Feasibility:
    """The probability that a trial at a point can be played."""

    # The process of the labels; None if no trial has failed, so that all points are allowed.
    process: GaussianProcess | None
    failed: Floats  # (n, d): where trials were left out

    @classmethod
    def learned_from(cls, observations: Observations) -> "Feasibility":
        """Learn from a study's complete and failed trials."""
        failed = observations.failed[-MAX_LABELS:]
        played = observations.points[-MAX_LABELS:]
        if not len(failed):
            return cls(None, failed)
        first = labelled(*(some[: n_to_fit(len(some))] for some in (played, failed)))
        hyper = fit_once(*first, observations.owners)
        hyper = replace(hyper, centre=max(hyper.centre, 0.0))
        process = GaussianProcess.condition(hyper, *labelled(played, failed))
        return cls(process, observations.failed)

    def probability(self, points: Floats) -> Floats:
        """Return the probability at each point, shape (m,)."""
        if self.process is None:
            return np.ones(len(points))
        from scipy.special import ndtr  # noqa: PLC0415, slow, and most studies do not need it

        mean, variance = self.process.predict(points)
        hyper = self.process.hyper
        return np.asarray(ndtr(mean / np.sqrt(variance + hyper.noise * hyper.scale**2)))

    def allowed(self, points: Floats) -> Floats:
        """Return the points that can probably be played; all points if there is no such point."""
        if self.process is None or not len(points):
            return points
        kept = (self.probability(points) >= MIN_PROBABILITY) & ~is_among(points, self.failed)
        return points[kept] if kept.any() else points


Allowed = Callable[[Floats], Floats]
"""A function that returns those of the given points that are allowed on a front."""


def labelled(played: Floats, failed: Floats) -> tuple[Floats, Floats, Floats]:
    """Return all points, their labels, and the labels' noise, which must be inferred."""
    labels = np.repeat([1.0, -1.0], [len(played), len(failed)])
    points = np.ascontiguousarray(np.concatenate([played, failed]))
    return points, labels, np.full(len(labels), np.nan)
