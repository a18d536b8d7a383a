"""Optuna's samplers on spaces where some θ are not allowed, or some parameters inactive."""

from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial

from thetafront.study.experiments.space import Space
from thetafront.study.samplers.candidates import nearest_feasible
from thetafront.study.samplers.encoding import UnitCube

MAX_TRIES, MAX_TRIES_TOGETHER = 1000, 8  # of parameters one by one, which is quick, or together


class RejectionSampler(BaseSampler):
    """Asks another sampler until θ is feasible, and only for active parameters.

    After too many tries θ is moved to a feasible one nearby.

    Parameters
    ----------
    asked : BaseSampler
        Any sampler.
    space : Space
        The search space.
    seed : int
        Of the moves.
    """

    def __init__(self, asked: BaseSampler, space: Space, seed: int) -> None:
        self.asked, self.space, self.seed = asked, space, seed

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return all parameters: whether a value is allowed depends on the others."""
        return self.space.distributions()

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the first θ that is feasible, of several that the sampler proposes."""
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
        """Return one parameter of a trial whose others are given."""
        return self.asked.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Let the sampler prepare."""
        self.asked.before_trial(study, trial)
