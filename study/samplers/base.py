"""Samplers with Optuna's interface: a base class for ours, and an adapter for Optuna's samplers."""

from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial
from threadpoolctl import threadpool_limits

from thetafront.study.arrays import Floats
from thetafront.study.experiments.space import Space
from thetafront.study.samplers.candidates import nearest_feasible, sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Objectives, Observations, observe

ONE_AT_A_TIME = Lock()
N_AT_RANDOM = 1024
# Maximum number of tries if parameters are sampled one by one, and if they are sampled together,
# which is slow.
MAX_TRIES, MAX_TRIES_TOGETHER = 1000, 8


class ModelSampler(BaseSampler):
    """Proposes all parameters together, with a model of the trials.

    With the same seed, trial number and trials, the proposal is the same. Proposals are random
    until ``n_startup_trials`` trials are complete.
    """

    def __init__(
        self, seed: int = 0, objectives: Objectives | None = None, n_startup_trials: int = 1
    ) -> None:
        self.seed = seed
        self.objectives = Objectives() if objectives is None else objectives
        self.n_startup_trials = max(1, n_startup_trials)
        # The search space, needed if some θ are not allowed or some parameters may be inactive. By
        # default, it has the parameters that all trials have in common, and all points are
        # feasible.
        self.space: Space | None = None
        self.search_space = IntersectionSearchSpace()
        self.planned: dict[int, dict[str, Any]] = {}

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial | None = None
    ) -> dict[str, BaseDistribution]:
        """Return the parameters that all complete trials have, except those with a single value."""
        if len(study.directions) != 2:
            raise ValueError(
                f"{type(self).__name__} must have two objectives (got {len(study.directions)})"
            )
        if self.space is not None:
            return self.space.distributions()
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
        if trial.number not in self.planned:
            self.plan(study, trial.number, 1)
        return self.planned.pop(trial.number, {})

    def plan(self, study: optuna.Study, number: int, q: int) -> None:
        """Propose ``q`` trials from ``number`` on together, given all other trials.

        Each proposal is returned when optuna asks for its trial. The random numbers of all
        proposals are derived from ``number``. With too few complete trials, proposals are random.
        If there is also no ``space``, there are none.
        """
        search_space = self.infer_relative_search_space(study)
        if not search_space:
            return
        trials = [each for each in study.get_trials(deepcopy=False) if each.number != number]
        cube = UnitCube(search_space, self.space)
        rng = np.random.default_rng([self.seed, number])
        # With several threads, calculations with matrices this small take longer (ten times as long
        # on a busy machine), and round differently. The limit of one thread holds for the whole
        # process, and the original limit is restored afterwards. Without the lock, a second call at
        # the same time would mistake the limit of one thread for the original limit.
        with ONE_AT_A_TIME, threadpool_limits(1):
            observations = observe(trials, cube, study.directions, self.objectives)
            if len(observations.points) >= self.n_startup_trials:
                points = self.propose_many(observations, cube, rng, q)
            elif self.space is None:
                return
            else:
                points = rng.permutation(sobol_points(cube, N_AT_RANDOM, rng))[:q]
            points = nearest_feasible(cube, points, rng)
        self.planned.update(enumerate(map(cube.decode, points), number))

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
        """Return the point to try next, shape (d,)."""
        raise NotImplementedError

    def propose_many(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator, q: int
    ) -> Floats:
        """Return the points to try next, shape (q, d).

        When a point is chosen, the points chosen before it count as in flight. Subclasses define
        this method, or :meth:`propose` for one point after the other.
        """
        points = []
        for _ in range(q):
            points.append(self.propose(observations, cube, rng))
            pending = np.concatenate([observations.pending, points[-1][None]])
            observations = replace(observations, pending=pending)
        return np.array(points)


class RejectionSampler(BaseSampler):
    """Asks one of Optuna's samplers for the active parameters, until θ is feasible.

    After too many tries, θ is replaced by a feasible θ nearby, which is searched with ``seed``.
    """

    def __init__(self, asked: BaseSampler, space: Space, seed: int) -> None:
        self.asked, self.space, self.seed = asked, space, seed

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return all parameters: whether a value is allowed depends on all other values."""
        return self.space.distributions()

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the first feasible θ that the sampler proposes."""
        if trial.system_attrs.get("fixed_params"):
            return {}
        theta: dict[str, Any] = {}
        together = self.asked.infer_relative_search_space(study, trial)
        for _ in range(MAX_TRIES_TOGETHER if together else MAX_TRIES):
            found = self.asked.sample_relative(study, trial, together)
            theta = {}
            for each in self.space.in_order:
                name = each.name
                if self.space.is_active(each, theta):
                    theta[name] = (
                        found[name]
                        if name in found
                        else self.sample_independent(study, trial, name, search_space[name])
                    )
            if not self.space.broken_by(theta):
                return theta
        cube, rng = UnitCube.from_space(self.space), np.random.default_rng(self.seed)
        return cube.decode(nearest_feasible(cube, cube.encode([theta]), rng)[0])

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value of one parameter."""
        return self.asked.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Let the sampler prepare for a trial."""
        self.asked.before_trial(study, trial)
