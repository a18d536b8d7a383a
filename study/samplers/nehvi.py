"""Noisy expected hypervolume improvement, as an optuna sampler for two objectives.

A trial's value is a noisy mean. The model knows the variance of this mean (:mod:`study.shrinkage`);
otherwise, it could not tell noise from merit after few trials. Observed values are not used as
points on the front. Instead, the front to improve is drawn 32 times from the posterior at all
finished **and** pending points. Given one of these draws, a candidate's expected improvement has a
closed form. The sampler maximizes the average over the draws. So it takes trials in flight into
account, and no worker waits for them.

The sampler does not depend on games. It can be used in any optuna study with two objectives:

>>> import optuna
>>> from thetafront.study.samplers.observations import Objectives
>>> from thetafront.study.samplers.nehvi import NoisyEHVISampler
>>> def noise(trials):  # the variances of both values of each trial; NaN if unknown
...     return [[trial.user_attrs["variance"], float("nan")] for trial in trials]
>>> sampler = NoisyEHVISampler(seed=1, objectives=Objectives(noise=noise))
>>> study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)

Notation
--------
==============  ====================================================================================
(y₁, y₂)        a point's two objectives, both to be maximized
r               the reference point
(aᵢ, bᵢ)        the front, a₁ < … < a_k, so b₁ > … > b_k; a₀ = r₁, a_{k+1} = ∞, b_{k+1} = r₂
ψ(c; μ, σ)      E[(Y − c)⁺] for Y ~ N(μ, σ²): σ φ(z) + (μ − c) Φ(z), z = (μ − c)/σ
==============  ====================================================================================

The region that a point y adds to the hypervolume is cut into strips along the first objective. The
region's area is Σᵢ (min(y₁, aᵢ₊₁) − aᵢ)⁺ · (y₂ − bᵢ₊₁)⁺, i = 0 … k. For independent normal
objectives, the expectation of each product is the product of the expectations, and the expectation
of the first factor is ψ(aᵢ) − ψ(aᵢ₊₁). So the expected hypervolume improvement (EHVI) is
Σᵢ (ψ(aᵢ; μ₁, σ₁) − ψ(aᵢ₊₁; μ₁, σ₁)) · ψ(bᵢ₊₁; μ₂, σ₂).

Sources: Emmerich, Yang, Deutz, Wang and Fonseca, *A multicriteria generalization of Bayesian global
optimization* (2016); average over posterior draws of the noisy front: Daulton, Balandat and Bakshy,
*Parallel Bayesian optimization of multiple noisy objectives with expected hypervolume improvement*
(2021).
"""

import numpy as np
from scipy.special import ndtr

from thetafront.study.arrays import Floats
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import feasible, is_among, perturb, sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import Posterior

Strips = tuple[Floats, Floats]
"""For drawn fronts: edges aᵢ, shape (n_draws, n + 2); floors bᵢ₊₁, shape (n_draws, n + 1)."""

N_DRAWS = 32
MAX_CONDITIONED = 384  # maximum number of observations in the model
N_SOBOL = 512
N_NEAR_FRONT = 256
N_REFINED = 4
N_NEIGHBOURS = 24
# Scales of perturbations in the unit cube, one for each round of refinement.
SCALES = (0.2, 0.07, 0.02, 0.007)
FAR = 1e100  # larger than any objective; stands for ∞, because ∞ times 0 is NaN
FAR_OUT = 40.0  # at this many standard deviations, a normal density is 0


def expected_excess(threshold: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Return ψ(threshold; mean, deviation), broadcast; a deviation of 0 is allowed."""
    gap = mean - threshold
    z = np.clip(gap / np.maximum(deviation, 1e-100), -FAR_OUT, FAR_OUT)
    density = np.exp(-0.5 * z * z) * (1.0 / np.sqrt(2.0 * np.pi))
    return np.asarray(np.maximum(deviation * density + gap * ndtr(z), 0.0))


def cut_strips(draws: Floats, reference: Floats) -> Strips:
    """Cut the region that no point dominates into strips, for several draws at once.

    ``draws`` are the points' objectives, to be maximized, shape (n_draws, n, 2). Points that are
    not above ``reference``, shape (2,), in both objectives do not count. Each draw has as many
    strips as the largest front needs; unneeded strips have no width.
    """
    n_draws = len(draws)
    inside = np.all(draws > reference, axis=2)
    first = np.where(inside, draws[..., 0], -FAR)
    order = np.argsort(-first, axis=1, kind="stable")  # from the largest y₁ down
    first = np.take_along_axis(first, order, axis=1)
    second = np.take_along_axis(np.where(inside, draws[..., 1], -FAR), order, axis=1)
    highest = np.maximum.accumulate(second, axis=1)
    before = np.concatenate([np.full((n_draws, 1), reference[1]), highest[:, :-1]], axis=1)
    on_front = second > before
    size = int(on_front.sum(axis=1).max(initial=0))
    edges = np.full((n_draws, size + 2), FAR)
    floors = np.full((n_draws, size + 1), reference[1])
    edges[:, 0] = reference[0]
    for draw in range(n_draws):
        front = np.flatnonzero(on_front[draw])[::-1]
        edges[draw, 1 : len(front) + 1] = first[draw, front]
        floors[draw, : len(front)] = second[draw, front]
    return edges, floors


def expected_improvement(strips: Strips, mean: Floats, deviation: Floats) -> Floats:
    """Return the expected hypervolume improvement of points, averaged over draws, shape (m,).

    ``mean`` has the expected objectives of each point given each draw, shape (m, n_draws, 2), or
    (m, 1, 2) if they do not depend on the draw. ``deviation`` has their standard deviations, which
    are the same for all draws, shape (m, 2). The two objectives are independent.
    """
    edges, floors = strips
    excess = expected_excess(edges[None], mean[:, :, None, 0], deviation[:, None, None, 0])
    widths = excess[..., :-1] - excess[..., 1:]
    heights = expected_excess(floors[None], mean[:, :, None, 1], deviation[:, None, None, 1])
    return np.asarray(np.einsum("mds,mds->m", widths, heights) / len(edges))


class NoisyEHVISampler(ModelSampler):
    """Proposes the point with the largest noisy expected hypervolume improvement.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the candidate with the largest noisy expected hypervolume improvement."""
        known, posterior = Posterior.from_subset(observations, MAX_CONDITIONED)
        tried = known.tried
        draws = posterior.draw(tried, N_DRAWS, rng)
        # Gains are measured over the front of θ that no constraint now forbids.
        allowed = cube.is_feasible(tried)[:, None]
        front = np.where(allowed, draws, observations.reference)
        strips = cut_strips(front, observations.reference)
        given_draws = posterior.given(tried, draws)

        feasibility = Feasibility.learned_from(observations)

        def improvement(points: Floats) -> Floats:
            gains = expected_improvement(strips, *given_draws.predict(points))
            # Because of jitter, tried points have a small variance, which must not count as a gain.
            is_known = is_among(points, observations.tried)
            return np.where(is_known, 0.0, feasibility.probability(points) * gains)

        candidates = self.candidates(posterior, tried, cube, rng)
        gains = improvement(candidates)
        if not gains.max() > 0.0:  # the point most worth a second trial
            candidates = feasibility.allowed(candidates)
            mean, deviation = posterior.predict(candidates)
            gains = expected_improvement(strips, mean[:, None], deviation)
            return np.asarray(candidates[np.argmax(gains)])
        for scale in SCALES:
            best = np.argsort(-gains, kind="stable")[:N_REFINED]
            near = np.repeat(candidates[best], N_NEIGHBOURS, axis=0)
            near = perturb(cube, near, np.array(scale), rng)
            candidates = np.concatenate([candidates[best], near])
            gains = np.concatenate([gains[best], improvement(near)])
        return np.asarray(candidates[np.argmax(gains)])

    def candidates(
        self, posterior: Posterior, tried: Floats, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return points over the whole cube, and points near the predicted front."""
        known = feasible(cube, tried)
        front = posterior.front(known if len(known) else cube.feasible_points)
        chosen = front[rng.integers(len(front), size=N_NEAR_FRONT)]
        scales = 10.0 ** rng.uniform(-2.0, -0.5, (N_NEAR_FRONT, 1))
        return np.concatenate(
            [sobol_points(cube, N_SOBOL, rng), perturb(cube, chosen, scales, rng)]
        )
