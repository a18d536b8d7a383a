"""The front that the model predicts, over the whole search space.

Notation
--------
===========  =======================================================================================
m(x)         posterior mean of both objectives at a point x of the unit cube, to be maximized
budget       the highest cost that is allowed
K            posterior covariance of the first objective over a front's points, in its own unit
w            each point's share of the front's extent along the second objective, Σ w = 1
===========  =======================================================================================

The points of a front share much of their error: if the model's score is too high at one point, it
is usually too high at all points. Let eᵢ be the error at point i. The mean error over the front, Σ
wᵢ eᵢ, has variance wᵀKw; this is the *common* part of the front's uncertainty band. The *local*
part at point i is eᵢ minus the mean error; its variance is Kᵢᵢ − 2 (Kw)ᵢ + wᵀKw. If variances are
averaged over the front with weights w, the two parts' variances add up to the band's variance.
"""

import math
from dataclasses import dataclass

import numpy as np

from thetafront.study.arrays import Floats, Integers
from thetafront.study.pareto import nondominated
from thetafront.study.samplers.candidates import feasible, perturb_some, sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Allowed, Feasibility
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import TINY, Posterior

N_SOBOL = 4096
N_ROUNDS = 30
N_NEAR = 1024
N_FOR_COMMON = 256
N_CAPS = 10  # rounds in which gaps are limited to the mean step, which becomes smaller
MAX_ON_FRONT = 8192  # maximum number of points; a larger front is thinned out evenly


@dataclass(frozen=True)
class PredictedFront:
    """Points that no other dominates in posterior mean, the cheapest first."""

    points: Floats  # (n, d): in the unit cube
    mean: Floats  # (n, 2): posterior means of both objectives, to be maximized
    common_deviation: float  # of the first objective's mean error over the front, in its unit
    local_deviation: Floats  # (n,): of each point's error minus that mean error

    @classmethod
    def at(cls, points: Floats, posterior: Posterior) -> "PredictedFront":
        """Return the front that consists of these points, the cheapest first."""
        mean, deviation = posterior.predict(points)
        # Only some points are used, because all pairs of thousands of points would fill the memory.
        some = spread(len(points), N_FOR_COMMON)
        weights = shares(mean[some, 1])
        slopes = posterior.scales[0].slope(posterior.sign * mean[:, 0])
        covariance = posterior.covariance(points, points[some])
        with_mean = slopes * (covariance @ (slopes[some] * weights))
        variance = float(weights @ with_mean[some])
        local = (slopes * deviation[:, 0]) ** 2 - 2.0 * with_mean + variance
        common = math.sqrt(max(variance, 0.0))
        return cls(points, mean, common, np.sqrt(np.maximum(local, 0.0)))

    def spread(self, most: int) -> Integers:
        """Return at most ``most`` indices of points, the ends included, evenly along the front.

        The search finds thousands of points at some costs and few at others. So points are spread
        by distances along the front, in shares of the objectives' ranges, and not by rank. A gap
        between two neighbours counts at most as one step.
        """
        if len(self.mean) <= most:
            return np.arange(len(self.mean))
        distances = np.abs(np.diff(self.mean, axis=0))
        steps = (distances / np.maximum(distances.sum(axis=0), TINY)).sum(axis=1)
        for _ in range(N_CAPS):
            steps = np.minimum(steps, steps.sum() / (most - 1))
        along = np.append(0.0, np.cumsum(steps))
        # A capped gap is one step, so points may lie where the steps end, apart from rounding.
        even = np.linspace(0.0, along[-1], most) - 1e-6 * along[-1] / most
        return np.unique([*np.searchsorted(along, even), len(along) - 1])


def spread(n: int, most: int) -> Integers:
    """Return at most ``most`` of n indices, evenly spread, including the first and the last."""
    return np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))


def shares(second: Floats) -> Floats:
    """Return the share of a front's extent that is nearest to each point; the front is sorted."""
    if np.ptp(second) == 0.0:
        return np.full(len(second), 1.0 / len(second))
    middles = 0.5 * (second[1:] + second[:-1])
    edges = np.concatenate([second[:1], middles, second[-1:]])
    return np.asarray(np.abs(np.diff(edges)) / np.ptp(second))


def predicted_front(
    posterior: Posterior, observations: Observations, cube: UnitCube, rng: np.random.Generator
) -> PredictedFront:
    """Find the front of the posterior mean over the whole space.

    The search is random. It starts from the front of the trials and a few thousand points over the
    whole cube, and improves the front in rounds of small perturbations. Points that are likely to
    fail are left out.
    """
    allowed = Feasibility.learned_from(observations).allowed
    of_trials = posterior.front(np.unique(observations.points, axis=0))
    known = feasible(cube, of_trials)  # constraint functions may have changed after the trials
    points = np.concatenate([known, sobol_points(cube, N_SOBOL, rng)])
    front = climb(points, posterior, cube, rng, N_ROUNDS, N_NEAR, allowed)
    return PredictedFront.at(front[spread(len(front), MAX_ON_FRONT)], posterior)


def climb(
    points: Floats,
    posterior: Posterior,
    cube: UnitCube,
    rng: np.random.Generator,
    n_rounds: int,
    n_near: int,
    allowed: Allowed,
) -> Floats:
    """Improve the front of some points by rounds of small perturbations, ``n_near`` per round."""
    front = posterior.front(allowed(points))
    mean = posterior.mean(front)
    for _ in range(n_rounds):
        near = allowed(perturb_some(cube, front, n_near, (-2.5, -0.7), rng))
        front, first = np.unique(np.concatenate([front, near]), axis=0, return_index=True)
        mean = np.concatenate([mean, posterior.mean(near)])[first]
        kept = nondominated(mean[:, 0], -mean[:, 1])
        front, mean = front[kept], mean[kept]
    return front
