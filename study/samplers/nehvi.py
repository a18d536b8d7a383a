"""Noisy expected hypervolume improvement, as an optuna sampler for two objectives.

A trial's value is a noisy mean, and the model is told how noisy (:mod:`study.shrinkage`); left to itself it
cannot tell luck from merit on so few trials. It never takes an observed value for a point of the front:
the front to be improved is drawn from what is believed of all points, finished **and** pending, some
dozens of times; given such a draw, the improvement that a candidate may bring has a closed form, and
their average is what is maximized. So trials in flight take part, and nobody waits for them.

The sampler knows nothing of games and serves any optuna study with two objectives:

>>> import optuna
>>> from study.samplers.observations import Objectives
>>> from study.samplers.nehvi import NoisyEHVISampler
>>> def noise(trials):  # the variances of both values, each trial; NaN: not known
...     return [[trial.user_attrs["variance"], float("nan")] for trial in trials]
>>> sampler = NoisyEHVISampler(seed=1, objectives=Objectives(noise=noise))
>>> study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
"""

import numpy as np
import numpy.typing as npt

from study.pareto import nondominated
from study.samplers.base import ModelSampler
from study.samplers.candidates import among, perturb, sobol_points
from study.samplers.ehvi import Strips, expected_improvement, strips_of
from study.samplers.encoding import UnitCube
from study.samplers.observations import Observations
from study.samplers.posterior import Posterior

Floats = npt.NDArray[np.float64]

N_DRAWS = 32
N_SOBOL = 512
N_NEAR_FRONT = 256
N_REFINED = 4
N_NEIGHBOURS = 24
# Of perturbations, in the unit cube: a round of refinement each.
SCALES = (0.2, 0.07, 0.02, 0.007)


class NoisyEHVISampler(ModelSampler):
    """Suggests where the noisy front is expected to gain most hypervolume.

    Parameters are those of :class:`ModelSampler`.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the candidate of the largest noisy expected hypervolume improvement."""
        posterior = Posterior.of(observations)
        begun = np.unique(np.concatenate([observations.points, observations.pending]), axis=0)
        draws = posterior.draw(begun, N_DRAWS, rng)
        strips = strips_of(draws, observations.reference)
        worlds = posterior.given(begun, draws)

        def improvement(points: Floats) -> Floats:
            gains = expected_improvement(strips, worlds.mean(points), worlds.deviation(points))
            # A world knows them but for the jitter, which must not pass for a chance to improve.
            return np.where(among(points, begun), 0.0, gains)

        candidates = self.candidates(posterior, begun, cube, rng)
        gains = improvement(candidates)
        if not gains.max() > 0.0:
            return self.least_known(posterior, strips, candidates)
        for scale in SCALES:
            best = np.argsort(-gains, kind="stable")[:N_REFINED]
            near = np.repeat(candidates[best], N_NEIGHBOURS, axis=0)
            near = perturb(cube, near, np.array(scale), rng)
            candidates = np.concatenate([candidates[best], near])
            gains = np.concatenate([gains[best], improvement(near)])
        return np.asarray(candidates[np.argmax(gains)])

    def candidates(
        self, posterior: Posterior, begun: Floats, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return points over the whole cube, and points near the front that is believed in."""
        mean = posterior.mean(begun)
        front = begun[nondominated(mean[:, 0], -mean[:, 1])]
        chosen = front[rng.integers(len(front), size=N_NEAR_FRONT)]
        scales = 10.0 ** rng.uniform(-2.0, -0.5, (N_NEAR_FRONT, 1))
        return np.concatenate(
            [sobol_points(cube, N_SOBOL, rng), perturb(cube, chosen, scales, rng)]
        )

    def least_known(self, posterior: Posterior, strips: Strips, candidates: Floats) -> Floats:
        """Return, where nothing new is left to try, what is worth trying once more."""
        n_draws = len(strips[0])
        mean = np.repeat(posterior.mean(candidates)[:, None], n_draws, axis=1)
        gains = expected_improvement(strips, mean, posterior.deviation(candidates))
        return np.asarray(candidates[np.argmax(gains)])
