"""The base of samplers that model a study's two objectives."""

from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial
from threadpoolctl import threadpool_limits

from study.samplers.encoding import UnitCube
from study.samplers.observations import Objectives, Observations, observe

Floats = npt.NDArray[np.float64]
ONE_AT_A_TIME = Lock()


class ModelSampler(BaseSampler):
    """Proposes all parameters together, by a model of the trials.

    Parameters
    ----------
    seed : int
        The same seed, trial number and trials give the same proposal.
    objectives : Objectives
        Scales, reference point and noise.
    n_startup_trials : int
        Draw at random until that many trials are complete.
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
        """Return the parameters that all complete trials share, except those of a single value."""
        if len(study.directions) != 2:
            raise ValueError(
                f"{type(self).__name__}: {len(study.directions)} objectives given, two allowed"
            )
        found = self.search_space.calculate(study)
        return {name: each for name, each in found.items() if not each.single()}

    def sample_relative(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Propose all parameters of ``search_space`` together."""
        if not search_space or set(search_space) <= set(trial.system_attrs.get("fixed_params", ())):
            return {}
        cube = UnitCube(search_space)
        others = [each for each in study.get_trials(deepcopy=False) if each.number != trial.number]
        rng = np.random.default_rng([self.seed, trial.number])
        # More threads make matrices this small slower, tenfold on a busy machine, and round
        # differently. The limit holds for the process: without the lock, a second thread would take
        # the first one's limit for the original one, and restore it.
        with ONE_AT_A_TIME, threadpool_limits(1):
            observations = observe(others, cube, study.directions, self.objectives)
            if len(observations.points) < self.n_startup_trials:
                return {}
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
        rng = np.random.default_rng([self.seed, trial.number, len(trial.params)])
        random = RandomSampler(seed=int(rng.integers(2**31)))
        return random.sample_independent(study, trial, param_name, param_distribution)

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return the point, shape (d,), to be tried next."""
        raise NotImplementedError
