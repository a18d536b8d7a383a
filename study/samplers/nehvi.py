"""Noisy expected hypervolume improvement, as an optuna sampler for two objectives.

A trial's value is a noisy mean, and the model is told how noisy (:mod:`study.noise`); left to itself it
cannot tell luck from merit on so few trials. It never takes an observed value for a point of the front:
the front to be improved is drawn from what is believed of all points, finished **and** pending, some
dozens of times; given such a draw, the improvement that a candidate may bring has a closed form, and
their average is what is maximized. So trials in flight take part, and nobody waits for them.

The sampler knows nothing of games and serves any optuna study with two objectives:

>>> import optuna
>>> from study.observations import Objectives
>>> from study.samplers.nehvi import NoisyEHVISampler
>>> def noise(trials):  # the variances of both values, each trial; NaN: not known
...     return [[trial.user_attrs["variance"], float("nan")] for trial in trials]
>>> sampler = NoisyEHVISampler(seed=1, objectives=Objectives(noise=noise))
>>> study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial
from scipy.spatial.distance import cdist
from scipy.stats import qmc
from threadpoolctl import threadpool_limits

from study.cube import Cube
from study.improvement import Strips, expected_improvement, strips_of
from study.observations import Objectives, Observations, observe
from study.pareto import nondominated
from study.posterior import Posterior

__all__ = ["ModelSampler", "NoisyEHVISampler", "among", "perturb", "sobol_points"]

Floats = npt.NDArray[np.float64]

N_DRAWS = 32
N_SOBOL = 512
N_NEAR_FRONT = 256
N_REFINED = 4
N_NEIGHBOURS = 24
SCALES = (
    0.2,
    0.07,
    0.02,
    0.007,
)  # of perturbations, in the unit cube, one round of refinement each
P_ANYWHERE = 0.05  # that a perturbed parameter is drawn anew
SAME_POINT = 1e-9  # greatest distance along any coordinate


def sobol_points(cube: Cube, n: int, rng: np.random.Generator) -> Floats:
    """Spread points over the cube, shape (n, d); n is a power of two."""
    return cube.snap(qmc.Sobol(cube.n_coordinates, rng=rng).random(n))


def perturb(cube: Cube, points: Floats, scale: Floats, rng: np.random.Generator) -> Floats:
    """Move some coordinates of each point, by a normal of the given scale or to anywhere.

    The coordinates of a categorical parameter go anywhere together: alone, none of a uniform number
    would ever overtake the 1 of the present choice.
    """
    shape = points.shape
    widths = [columns.stop - columns.start for columns in cube.columns.values()]
    steps = scale * rng.standard_normal(shape)
    moved = points + np.where(rng.random(shape) < rng.uniform(0.2, 1.0, (shape[0], 1)), steps, 0.0)
    anywhere = np.repeat(rng.random((shape[0], len(widths))) < P_ANYWHERE, widths, axis=1)
    return cube.snap(np.where(anywhere, rng.random(shape), moved))


def among(points: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Return which points are among others, up to rounding; shape (len(points),)."""
    return np.asarray(cdist(points, others, "chebyshev").min(axis=1) <= SAME_POINT)


class ModelSampler(BaseSampler):
    """What samplers that learn from a study's two objectives have in common.

    Parameters
    ----------
    seed : int
        With the trial's number it names all random numbers: the same seed, number and trials make
        the same suggestion.
    objectives : Objectives
        Scales, reference point and noise.
    n_startup_trials : int
        Random draws until that many trials are complete.
    """

    def __init__(
        self, seed: int = 0, objectives: Objectives | None = None, n_startup_trials: int = 1
    ) -> None:
        self.seed = seed
        self.objectives = Objectives() if objectives is None else objectives
        self.n_startup_trials = max(1, n_startup_trials)
        self.search_space = IntersectionSearchSpace()

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the parameters that all complete trials have, apart from those of one value."""
        if len(study.directions) != 2:
            raise ValueError(
                f"{type(self).__name__} takes two objectives; this study has {len(study.directions)}"
            )
        found = self.search_space.calculate(study)
        return {name: each for name, each in found.items() if not each.single()}

    def sample_relative(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Suggest all parameters of ``search_space`` together."""
        if not search_space or set(search_space) <= set(trial.system_attrs.get("fixed_params", ())):
            return {}
        cube = Cube(search_space)
        others = [each for each in study.get_trials(deepcopy=False) if each.number != trial.number]
        observations = observe(others, cube, study.directions, self.objectives)
        if len(observations.points) < self.n_startup_trials:
            return {}
        rng = np.random.default_rng([self.seed, trial.number])
        # More threads make matrices this small slower, tenfold on a busy machine, and round differently.
        with threadpool_limits(1):
            point = self.propose(observations, cube, rng)
        return cube.decode(point)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw one parameter at random."""
        names = sorted(trial.params)
        rng = np.random.default_rng([self.seed, trial.number, len(names)])
        random = RandomSampler(seed=int(rng.integers(2**31)))
        return random.sample_independent(study, trial, param_name, param_distribution)

    def propose(self, observations: Observations, cube: Cube, rng: np.random.Generator) -> Floats:
        """Return the point, shape (d,), to be tried next."""
        raise NotImplementedError


class NoisyEHVISampler(ModelSampler):
    """Suggests where the noisy front is expected to gain most hypervolume.

    Parameters are those of :class:`ModelSampler`.
    """

    def propose(self, observations: Observations, cube: Cube, rng: np.random.Generator) -> Floats:
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
        self, posterior: Posterior, begun: Floats, cube: Cube, rng: np.random.Generator
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
