"""What a search's trials let one believe: the model fitted to them, and its fronts."""

from dataclasses import dataclass

import numpy as np
import optuna

from study.experiments.space import Space
from study.samplers.encoding import Cube
from study.samplers.observations import Objectives, Observations, observe
from study.samplers.posterior import Posterior
from study.samplers.predicted_front import ModelFront, believed_front


@dataclass(frozen=True)
class Belief:
    """What the search's trials let one believe.

    Attributes
    ----------
    cube, observations, posterior : Cube, Observations, Posterior
        The model.
    evaluated, anywhere : ModelFront
        Its fronts, among the trials and over the whole space.
    """

    cube: Cube
    observations: Observations
    posterior: Posterior
    evaluated: ModelFront
    anywhere: ModelFront


def belief_of(
    study: optuna.Study, space: Space, objectives: Objectives, seed: int
) -> Belief | None:
    """Fit the model to a study's complete trials; None if there are none."""
    cube = Cube(space.distributions())
    trials = study.get_trials(deepcopy=False)
    observations = observe(trials, cube, study.directions, objectives)
    if not len(observations.points):
        return None
    posterior = Posterior.of(observations)
    rng = np.random.default_rng([seed, 1])
    evaluated, anywhere = believed_front(posterior, observations, cube, rng)
    return Belief(cube, observations, posterior, evaluated, anywhere)
