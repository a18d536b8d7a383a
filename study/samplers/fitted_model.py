"""The model fitted to a study's trials, with the fronts that it predicts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from study.experiments.space import Space
from study.samplers.encoding import UnitCube
from study.samplers.observations import Objectives, Observations, observe
from study.samplers.posterior import Posterior
from study.samplers.predicted_front import PredictedFront, predicted_fronts


@dataclass(frozen=True)
class FittedModel:
    """A model of both objectives, fitted to a study's trials.

    Attributes
    ----------
    cube, observations, posterior : UnitCube, Observations, Posterior
        The encoding of θ, the data, and the model conditioned on them.
    trial_front, predicted_front : PredictedFront
        Its fronts, among the trials and over the whole space.
    """

    cube: UnitCube
    observations: Observations
    posterior: Posterior
    trial_front: PredictedFront
    predicted_front: PredictedFront


def fit_model(
    trials: Sequence[FrozenTrial],
    directions: Sequence[StudyDirection],
    space: Space,
    objectives: Objectives,
    seed: int,
) -> FittedModel | None:
    """Fit the model to the complete ones of a study's trials; None if there are none."""
    cube = UnitCube(space.distributions())
    observations = observe(trials, cube, directions, objectives)
    if not len(observations.points):
        return None
    posterior = Posterior.fit(observations)
    rng = np.random.default_rng([seed, 1])
    fronts = predicted_fronts(posterior, observations, cube, rng)
    return FittedModel(cube, observations, posterior, *fronts)
