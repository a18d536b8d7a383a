"""Hypervolume knowledge gradient, as an optuna sampler for two objectives.

A study recommends the front of the posterior mean over the whole space, including points that were
never tried. So the value of a trial is the area that it is expected to add under this front; the
expectation is over the possible results of the trial. The tried point itself need not be good. In
contrast, noisy expected hypervolume improvement (:mod:`study.samplers.nehvi`) improves the front of
the tried points.

Notation
--------
=====  =============================================================================================
m, K   posterior mean and covariance of the first objective at J points, in descending order of the
       posterior mean of the second objective
u(h)   a height h in the objective's own unit, from the bound on: h² for a square root, sin² h for
       an angle, otherwise h; −h² and −sin² h if heights are negative
w      what a height with mean m and variance K is worth, see below
r      reference value of the first objective
Wⱼ     w of the point with the highest of m₁, …, mⱼ; u(r) if r is higher
e      distance along the second objective from each point to the next, times p
p      for each point: probability that it or a later point has the best first objective
c, v   a candidate; the noise variance of a trial at c
z      a standard normal number
=====  =============================================================================================

The area is Σⱼ eⱼ (Wⱼ − u(r)). A trial at c will move the mean to m + s z, with s = K[:, c] /
√(K[c, c] + v), and reduce the variances by s². The expectation over z is computed by a quadrature
with nine nodes. So the gain is exact except for three approximations: the quadrature; the list of
points; and the second objective, which stays at its posterior mean because costs are known far
better than scores.

The worth of a height begins with E[u], the expected value in the objective's own unit. Without u,
high scores on a square-root scale would count too little. Users also lose if a score is not the one
they expect, so the height's variance K is subtracted; for an angle, this is ½ (1 − exp(−2K)), which
is about K. If heights are not transformed, nothing is subtracted. This gives

=====================  ================  ===================
scale                  positive heights  negative heights
=====================  ================  ===================
square root            m²                −m² − 2K
angle                  exp(−2K) sin² m   exp(−2K) cos² m − 1
=====================  ================  ===================

For square roots of scores that are maximized, w is u(m). Elsewhere, u(m) instead of w would make
doubt itself a gain where u is convex and a loss where u is concave: a gain at win rates below 50%,
a loss at win rates above 50% and for values that are minimized. In 20 simulated studies of one
parameter, whose win rate rises from 5% to 83% (80 trials of 16 games after the design), 98% of
these trials then had a win rate below 50%; with w, 51% did.

We assume that users have budgets up to the cost of the best score, but no larger ones. So the
distance from a point to the next, more expensive point is multiplied by p, the probability that the
best score lies at the first of these two points or at a more expensive one. p is estimated from
joint draws of the posterior. If all distances up to a distant reference point counted fully, the
most expensive θ would be worth as much as the rest of the front, and most trials would be spent on
them.

Trials in flight are assumed to return their posterior means. This assumption changes no mean, but
reduces the variance that a new trial can still remove. A new trial is assumed to have the noise of
trials with about the same posterior mean.

A trial at a candidate adds area mostly at the candidate itself. So the candidate is added to the
list of points when its gain is computed. Several proposals at a time are chosen one by one, and
each is in flight when the next is chosen. (On states of twelve simulated studies, eight proposals
at a time gained 0.75 times as much area as eight single proposals in a row if the candidate was not
added, and more candidates did not help.)

Sources: Frazier, Powell and Dayanik, *The knowledge-gradient policy for correlated normal beliefs*
(2009); Daulton, Balandat and Bakshy, *Hypervolume knowledge gradient: a lookahead approach for
multi-objective Bayesian optimization with partial information* (2023).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from thetafront.study.arrays import Booleans, Floats, Integers
from thetafront.study.samplers.area import Area
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import (
    feasible,
    is_among,
    perturb,
    perturb_some,
    sobol_points,
)
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import climb

N_SOBOL = 256
N_NEAR_FRONT = 256
N_ROUNDS, N_NEAR = 6, 128  # rounds of the search for the front, and perturbations per round
MAX_ON_FRONT = 64
MAX_CONDITIONED = 384  # maximum number of observations in the model
N_RENEWED = 32  # how many stale gains are recomputed at a time


class Refinement(NamedTuple):
    """How the best candidates are refined, in one round for each of ``scales``.

    In a round, each of the ``n_refined`` best candidates gets ``n_neighbours`` perturbations of
    that scale, in the unit cube.
    """

    n_refined: int
    n_neighbours: int
    scales: tuple[float, ...]


REFINEMENTS = (
    (1, Refinement(4, 24, (0.2, 0.07, 0.02))),
    (32, Refinement(2, 16, (0.2, 0.07, 0.02))),
    (math.inf, Refinement(1, 8, (0.1, 0.03))),  # short, because workers wait for many proposals
)
"""How candidates are refined for up to so many proposals at a time."""


class KnowledgeGradientSampler(ModelSampler):
    """Proposes the point at which a trial is expected to improve the recommended front most.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`.
    """

    def propose_many(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator, q: int
    ) -> Floats:
        """Return q candidates with the largest expected gains, chosen one by one, shape (q, d).

        When a candidate is chosen, those chosen before it count as in flight. All choices share the
        model, the area and the initial candidates. For each choice, the best candidates are refined
        separately.
        """
        gradient = KnowledgeGradient(observations, cube, rng)
        pool = gradient.pool(gradient.candidates)
        n_refined, n_neighbours, scales = next(each for most, each in REFINEMENTS if q <= most)
        chosen = []
        for _ in range(q):
            best = gradient.best(pool, n_refined)
            found, gains = pool.points[best], pool.gains[best]
            if not gains.max() > 0.0:
                found = pool.points[[np.argmax(pool.chances * pool.variance)]]
            else:
                for scale in scales:
                    near = np.repeat(found, n_neighbours, axis=0)
                    near = perturb(cube, near, np.array(scale), rng)
                    found = np.concatenate([found, near])
                    gains = np.concatenate([gains, gradient.pool(near).gains])
                    best = np.argsort(-gains, kind="stable")[:n_refined]
                    found, gains = found[best], gains[best]
            chosen.append(found[0])
            gradient.add(found[0], pool)
        return np.array(chosen)


@dataclass
class Pool:
    """Candidates and their data, updated while trials are put in flight."""

    points: Floats  # (m, d): in the unit cube
    explained: Floats  # (n, m): E, see :mod:`study.samplers.gaussian_process`
    # Each (m,): mean and variance of the noise-free value, and noise variance of a trial.
    mean: Floats
    variance: Floats
    noise: Floats
    covariance: Floats  # (m, J): covariance with the area's points
    extents: Floats  # (m, 2): e of the candidate, and the e left to the area's point before it
    places: Integers  # (m,): how many of the area's points come before it
    # (m,): expected gains; `stale` ones were computed before the latest trial was put in flight.
    gains: Floats
    stale: Booleans  # (m,)
    chances: Floats  # (m,): probability that a trial can be played; gains are multiplied by it


class KnowledgeGradient:
    """Candidates, the area under the front, and what a trial at a candidate is expected to add.

    The candidates are points over the whole cube and near the predicted front. Expected gains
    depend on the trials in flight, among them the points chosen so far. The area is that before any
    point is chosen; its heights do not change.
    """

    def __init__(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> None:
        known, posterior = Posterior.from_subset(observations, MAX_CONDITIONED)
        process, self.second = posterior.processes
        self.noise = noise_of_new_trials(process, known)
        # Of the first objective, with trials in flight.
        self.process = process.awaiting(known.pending, self.noise(process.mean(known.pending)))
        self.feasibility = Feasibility.learned_from(observations)
        self.tried = observations.tried
        allowed, spread = self.feasibility.allowed, sobol_points(cube, N_SOBOL, rng)
        points = np.unique(np.concatenate([feasible(cube, known.points), spread]), axis=0)
        front = climb(points, posterior, cube, rng, N_ROUNDS, N_NEAR, allowed)
        near = perturb_some(cube, front, N_NEAR_FRONT, (-2.0, -0.5), rng)
        self.candidates = np.concatenate([spread, near])
        some = np.linspace(0, len(front) - 1, min(len(front), MAX_ON_FRONT)).astype(int)
        points = np.concatenate([front[some], allowed(self.candidates)])
        self.area = Area.under(points, posterior, self.process, observations.reference, rng)
        _, self.explained = self.process.explain(self.area.points)
        self.edges = np.append(self.second.mean(self.area.points), observations.reference[1])
        widths = -np.diff(self.edges)
        # p of each point; 0 if the distance to the next point is 0.
        self.chances = np.divide(
            self.area.extents, widths, out=np.zeros_like(widths), where=widths > 0
        )

    def pool(self, points: Floats) -> Pool:
        """Return candidates with their current gains."""
        mean, explained = self.process.explain(points)
        second = self.second.mean(points)
        places = np.searchsorted(-self.edges[:-1], -second)
        pool = Pool(
            points,
            explained,
            mean,
            self.process.variance(explained),
            self.noise(mean),
            self.process.covariance_given(points, explained, self.area.points, self.explained),
            self.extents(second, places),
            places,
            np.empty(len(points)),
            np.ones(len(points), np.bool_),
            self.feasibility.probability(points),
        )
        self.renew(pool, np.arange(len(points)))
        return pool

    def extents(self, second: Floats, places: Integers) -> Floats:
        """Return e of candidates, and the e left to the points before them, shape (m, 2)."""
        if not len(self.chances):
            return np.column_stack([np.maximum(second - self.edges[-1], 0.0), second])
        before = np.maximum(places - 1, 0)
        own = self.chances[before] * np.maximum(second - self.edges[places], 0.0)
        return np.column_stack([own, self.area.extents[before] - own])

    def total_variance(self, points: Floats, variance: Floats, noise: Floats) -> Floats:
        """Return the variance of trials' values; infinite where a trial cannot add information.

        If a trial has no noise, it adds no information at a point that was tried: the value there
        is already known exactly, up to rounding.
        """
        total = variance + noise
        exact = noise == 0.0
        if exact.any():
            exact &= is_among(points, self.tried)
        total[exact | (total == 0.0)] = np.inf
        return total

    def renew(self, pool: Pool, some: Integers) -> None:
        """Compute the current gains of some candidates."""
        total = self.total_variance(pool.points[some], pool.variance[some], pool.noise[some])
        root = np.sqrt(total)
        steps = pool.covariance[some] / root[:, None]
        mean, variance = pool.mean[some], pool.variance[some]
        own = np.column_stack([mean, variance, variance / root, pool.extents[some]])
        gains = self.area.gains(steps, own, pool.places[some])
        pool.gains[some] = pool.chances[some] * gains
        pool.stale[some] = False

    def best(self, pool: Pool, n: int) -> Integers:
        """Return the n candidates with the largest gains, the largest first.

        Gains hardly ever grow when trials are put in flight, so stale gains serve as upper bounds.
        """
        while True:
            order = np.argsort(-pool.gains, kind="stable")
            if not pool.stale[order[:n]].any():
                return order[:n]
            self.renew(pool, order[:N_RENEWED][pool.stale[order[:N_RENEWED]]])

    def add(self, point: Floats, pool: Pool) -> None:
        """Put a trial at a point, shape (d,), in flight."""
        one = point[None]
        self.process = self.process.awaiting(one, self.noise(self.process.mean(one)))
        self.tried = np.concatenate([self.tried, one])
        self.explained = self.process.extended(self.area.points, self.explained)
        pool.explained = self.process.extended(pool.points, pool.explained)
        by_area, by_pool = (
            self.process.hyper.scale * each[-1] for each in (self.explained, pool.explained)
        )
        pool.covariance -= by_pool[:, None] * by_area
        pool.variance = np.maximum(pool.variance - by_pool * by_pool, 0.0)
        left = np.maximum(self.area.variances - by_area * by_area, 0.0)
        self.area = replace(self.area, variances=left)
        pool.stale[:] = True


Noise = Callable[[Floats], Floats]
"""A function that estimates the noise variances of trials from their posterior means."""


def noise_of_new_trials(process: GaussianProcess, observations: Observations) -> Noise:
    """Return a function that estimates the noise variance of a trial from its posterior mean.

    The function interpolates between the noise variances of earlier trials.
    """
    means = process.mean(observations.points)
    order = np.argsort(means, kind="stable")
    noise = observations.noise[:, 0]
    inferred = process.hyper.noise * process.hyper.scale**2
    noise = np.where(np.isnan(noise), inferred, noise)
    means, noise = means[order], noise[order]
    return lambda at: np.asarray(np.interp(at, means, noise))
