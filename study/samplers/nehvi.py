"""Noisy expected hypervolume improvement, as an optuna sampler for two objectives.

A trial's value is a noisy mean, and the model knows its variance (:mod:`study.shrinkage`); it
cannot tell noise from merit on so few trials otherwise. No observed value counts as a point of the
front: the front to improve is drawn from the posterior at all points, finished **and** pending,
some dozens of times. Given one such draw, a candidate's expected improvement has a closed form, and
the average over the draws is maximized. So trials in flight take part, and no worker waits for
them.

The sampler knows nothing of games and serves any optuna study with two objectives:

>>> import optuna
>>> from thetafront.study.samplers.observations import Objectives
>>> from thetafront.study.samplers.nehvi import NoisyEHVISampler
>>> def noise(trials):  # the variances of both values of each trial; NaN if unknown
...     return [[trial.user_attrs["variance"], float("nan")] for trial in trials]
>>> sampler = NoisyEHVISampler(seed=1, objectives=Objectives(noise=noise))
>>> study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
"""

import numpy as np
import numpy.typing as npt

from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import feasible, is_among, perturb, sobol_points
from thetafront.study.samplers.ehvi import Strips, expected_improvement, strips_of
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import Posterior

Floats = npt.NDArray[np.float64]

N_DRAWS = 32
MOST_CONDITIONED = 384  # observations
N_SOBOL = 512
N_NEAR_FRONT = 256
N_REFINED = 4
N_NEIGHBOURS = 24
# Of perturbations, in the unit cube, one a round of refinement.
SCALES = (0.2, 0.07, 0.02, 0.007)


class NoisyEHVISampler(ModelSampler):
    """Proposes the point of the largest noisy expected hypervolume improvement.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the candidate of the largest noisy expected hypervolume improvement."""
        known, posterior = Posterior.of_some(observations, MOST_CONDITIONED)
        tried = known.tried
        draws = posterior.draw(tried, N_DRAWS, rng)
        strips = strips_of(draws, observations.reference)
        given_draws = posterior.given(tried, draws)

        feasibility = Feasibility.learned_from(observations)

        def improvement(points: Floats) -> Floats:
            gains = expected_improvement(strips, *given_draws.predict(points))
            # Tried points are known up to the jitter, which must not count as a chance to improve.
            is_known = is_among(points, observations.tried)
            return np.where(is_known, 0.0, feasibility.probability(points) * gains)

        candidates = self.candidates(posterior, tried, cube, rng)
        gains = improvement(candidates)
        if not gains.max() > 0.0:
            return self.least_known(posterior, strips, feasibility.allowed(candidates))
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

    def least_known(self, posterior: Posterior, strips: Strips, candidates: Floats) -> Floats:
        """Return, where nothing new promises a gain, the point most worth a second trial."""
        mean, deviation = posterior.predict(candidates)
        mean = np.repeat(mean[:, None], len(strips[0]), axis=1)
        gains = expected_improvement(strips, mean, deviation)
        return np.asarray(candidates[np.argmax(gains)])
