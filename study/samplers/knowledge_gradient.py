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
r, u   reference value of the first objective; u(z) is :meth:`study.scale.Scale.raised`, such as
       z |z| for a square root
e      distance along the second objective from each point to the next, times p
p      for each point: probability that it or a later point has the best first objective
c, v   a candidate; the noise variance of a trial at c
z      a standard normal number
=====  =============================================================================================

The area is Σⱼ eⱼ (u(max(m₁, …, mⱼ, r)) − u(r)). The function u converts heights back to the
objective's own unit. Without it, high scores on a square-root scale would count too little. A trial
at c will move the mean to m + s z, with s = K[:, c] / √(K[c, c] + v). The expectation over z is
computed by a quadrature with nine nodes. So the gain is exact except for three approximations: the
quadrature; the list of points; and the second objective, which stays at its posterior mean because
costs are known far better than scores.

We assume that users have budgets up to the cost of the best score, but no larger ones. So the
distance from a point to the next, more expensive point is multiplied by p, the probability that the
best score lies at the first of these two points or at a more expensive one. p is estimated from
joint draws of the posterior. If all distances up to a distant reference point counted fully, the
most expensive θ would be worth as much as the rest of the front, and most trials would be spent on
them.

Trials in flight are assumed to return their posterior means. This assumption changes no mean, but
reduces the variance that a new trial can still remove. A new trial is assumed to have the noise of
trials with about the same posterior mean.

Sources: Frazier, Powell and Dayanik, *The knowledge-gradient policy for correlated normal beliefs*
(2009); Daulton, Balandat and Bakshy, *Hypervolume knowledge gradient: a lookahead approach for
multi-objective Bayesian optimization with partial information* (2023).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.samplers.area import Area
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import feasible, perturb, perturb_some, sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.greedy import Greedy, total_variance
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import climb

N_SOBOL = 256
N_NEAR_FRONT = 256
N_ROUNDS, N_NEAR = 6, 128  # rounds of the search for the front, and perturbations per round
MAX_ON_FRONT = 64
MAX_CONDITIONED = 384  # maximum number of observations in the model


class Refinement(NamedTuple):
    """How the best candidates are refined, in one round for each of ``scales``.

    In a round, each of the ``n_refined`` best candidates gets ``n_neighbours`` perturbations of
    that scale, in the unit cube.
    """

    n_refined: int
    n_neighbours: int
    scales: tuple[float, ...]


OF_ONE = Refinement(4, 24, (0.2, 0.07, 0.02))
OF_MANY = Refinement(2, 16, (0.2, 0.07, 0.02))
OF_MORE = Refinement(1, 8, (0.1, 0.03))  # for over 32 proposals; short, because workers wait for it
MANY = 32


class KnowledgeGradientSampler(ModelSampler):
    """Proposes the point at which a trial is expected to improve the recommended front most.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the candidate with the largest expected gain."""
        posterior, process, noise, feasibility, candidates, area = prepare(observations, cube, rng)
        tried = observations.tried

        def worth(candidates: Floats, area: Area) -> Floats:
            mean, variance = process.predict(candidates)
            total = total_variance(candidates, variance, noise(mean), tried)
            steps = process.covariance(candidates, area.points) / np.sqrt(total)[:, None]
            return feasibility.probability(candidates) * area.gains(steps)

        gains = worth(candidates, area)
        if not gains.max() > 0.0:
            chances = feasibility.probability(candidates)
            return np.asarray(candidates[np.argmax(chances * process.predict(candidates)[1])])
        for scale in OF_ONE.scales:
            best = np.argsort(-gains, kind="stable")[: OF_ONE.n_refined]
            near = np.repeat(candidates[best], OF_ONE.n_neighbours, axis=0)
            candidates = np.concatenate(
                [candidates[best], perturb(cube, near, np.array(scale), rng)]
            )
            points = np.concatenate([area.points, candidates])
            area = Area.under(points, posterior, process, observations.reference, rng)
            gains = worth(candidates, area)
        return np.asarray(candidates[np.argmax(gains)])

    def propose_many(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator, q: int
    ) -> Floats:
        """Return q candidates with the largest expected gains, chosen one by one, shape (q, d).

        When a candidate is chosen, those chosen before it count as in flight. All choices share the
        model, the area and the initial candidates (:mod:`study.samplers.greedy`). For each choice,
        the best candidates are refined separately.
        """
        if q == 1:
            return self.propose(observations, cube, rng)[None]
        posterior, process, noise, feasibility, candidates, area = prepare(observations, cube, rng)
        greedy = Greedy(process, posterior.processes[1], area, noise, observations, feasibility)
        pool = greedy.pool(candidates)
        n_refined, n_neighbours, scales = OF_MANY if q <= MANY else OF_MORE
        chosen = []
        for _ in range(q):
            best = greedy.best(pool, n_refined)
            found, gains = pool.points[best], pool.gains[best]
            if not gains.max() > 0.0:
                found = pool.points[[np.argmax(pool.chances * pool.variance)]]
            else:
                for scale in scales:
                    near = np.repeat(found, n_neighbours, axis=0)
                    near = perturb(cube, near, np.array(scale), rng)
                    found = np.concatenate([found, near])
                    gains = np.concatenate([gains, greedy.pool(near).gains])
                    best = np.argsort(-gains, kind="stable")[:n_refined]
                    found, gains = found[best], gains[best]
            chosen.append(found[0])
            greedy.add(found[0], pool)
        return np.array(chosen)


Noise = Callable[[Floats], Floats]
"""A function that estimates the noise variances of trials from their posterior means."""


def prepare(
    observations: Observations, cube: UnitCube, rng: np.random.Generator
) -> tuple[Posterior, GaussianProcess, Noise, Feasibility, Floats, Area]:
    """Return what proposals are made of: the model, candidates, and the area under the front.

    The process is that of the first objective, with its covariance reduced by trials in flight. The
    candidates are points over the whole cube and near the predicted front.
    """
    known, posterior = Posterior.from_subset(observations, MAX_CONDITIONED)
    noise = noise_of_new_trials(posterior.processes[0], known)
    process = posterior.processes[0]
    process = process.awaiting(known.pending, noise(process.mean(known.pending)))
    feasibility = Feasibility.learned_from(observations)
    allowed, spread = feasibility.allowed, sobol_points(cube, N_SOBOL, rng)
    points = np.unique(np.concatenate([feasible(cube, known.points), spread]), axis=0)
    front = posterior.front(allowed(points))
    front = climb(front, posterior, cube, rng, N_ROUNDS, N_NEAR, allowed)
    near = perturb_some(cube, front, N_NEAR_FRONT, (-2.0, -0.5), rng)
    candidates = np.concatenate([spread, near])
    some = np.linspace(0, len(front) - 1, min(len(front), MAX_ON_FRONT)).astype(int)
    points = np.concatenate([front[some], allowed(candidates)])
    area = Area.under(points, posterior, process, observations.reference, rng)
    return posterior, process, noise, feasibility, candidates, area


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
