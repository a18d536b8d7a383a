"""The model of a study: fitted to its trials, with the fronts that it predicts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial
from threadpoolctl import threadpool_limits

from study.experiments.space import Space
from study.samplers.encoding import UnitCube
from study.samplers.observations import Objectives, Observations, observe
from study.samplers.posterior import Posterior
from study.samplers.predicted_front import PredictedFront, predicted_fronts

Floats = npt.NDArray[np.float64]
SHIFT_DEVIATION = 0.05  # of the prior of the shift, in decades: 1.4% to 14% were measured
LEAST_VARIANCE = 1e-12
MOST_CONDITIONED = 768  # trials: time and memory grow with cube and square of their number


@dataclass(frozen=True)
class FittedModel:
    """A model of both objectives, fitted to a study's trials.

    Attributes
    ----------
    cube, observations, posterior : UnitCube, Observations, Posterior
        The encoding of θ, the data, and the model conditioned on them.
    seed : int
        Of the search for its fronts.
    common_variance : float
        Variance of an error that all second objectives share, beyond the posterior's own: a
        validation is played on a machine that is faster or slower meanwhile.
    """

    cube: UnitCube
    observations: Observations
    posterior: Posterior
    seed: int
    common_variance: float = 0.0

    @cached_property
    def fronts(self) -> tuple[PredictedFront, PredictedFront]:
        """Its fronts, among the θ that it was fitted to and over the whole space."""
        rng = np.random.default_rng([self.seed, 1])
        with threadpool_limits(1):  # more threads are slower on matrices this small
            return predicted_fronts(self.posterior, self.observations, self.cube, rng)

    @property
    def trial_front(self) -> PredictedFront:
        """Its front among the θ that it was fitted to."""
        return self.fronts[0]

    @property
    def predicted_front(self) -> PredictedFront:
        """Its front over the whole space."""
        return self.fronts[1]

    def avoiding(self, points: Floats) -> "FittedModel":
        """Return the model that knows of more points, in the unit cube, that cannot be played."""
        if not len(points):
            return self
        failed = self.observations.failed.reshape(-1, points.shape[1])
        observations = replace(self.observations, failed=np.concatenate([failed, points]))
        return replace(self, observations=observations)

    def given(self, points: Floats, values: Floats, noise: Floats, *, timed: bool) -> "FittedModel":
        """Return the model conditioned on validated points, too; its hyperparameters are kept.

        Parameters
        ----------
        points : float64, shape (n, d)
            In the unit cube.
        values, noise : float64, shape (n, 2)
            Their means on the model's scale, and the variances; NaN where one must be inferred.
        timed : bool
            Whether the second objective is a time. A search times its games higher than a
            validation does, since a sampler and a storage are at work meanwhile: the shift is
            estimated, and taken off the trials' times. And the validated points, which are played
            in turns, share the errors of their times.
        """
        known, hypers = self.observations, [each.hyper for each in self.posterior.processes]
        shift = np.array([0.0, self.shift_of_times(points, values, noise) if timed else 0.0])
        combined = replace(
            known,
            points=np.concatenate([known.points, points]),
            values=np.concatenate([known.values - shift, values]),
            noise=np.concatenate([known.noise, noise]),
        )
        posterior = Posterior.condition(hypers, combined)
        common = float(np.mean(self.filled(noise))) if timed else 0.0
        return FittedModel(self.cube, combined, posterior, self.seed, common)

    def filled(self, noise: Floats) -> Floats:
        """Return variances of the second objective, the inferred one where they are NaN."""
        process = self.posterior.processes[1]
        inferred = process.hyper.noise * process.hyper.scale**2
        return np.where(np.isnan(noise[:, 1]), inferred, noise[:, 1])

    def shift_of_times(self, points: Floats, values: Floats, noise: Floats) -> float:
        """Return by how much trials' −log₁₀ times exceed those of validated points, on average.

        The difference of each point from its prediction has the predictions' covariance and its
        own noise; this is its posterior mean, by generalized least squares with a normal prior.
        """
        process = self.posterior.processes[1]
        covariance = process.covariance(points) + np.diag(self.filled(noise) + LEAST_VARIANCE)
        weights = np.linalg.solve(covariance, np.ones(len(points)))
        difference = process.mean(points) - values[:, 1]
        return float(weights @ difference / (weights.sum() + SHIFT_DEVIATION**-2))


def fit_model(
    trials: Sequence[FrozenTrial],
    directions: Sequence[StudyDirection],
    space: Space,
    objectives: Objectives,
    seed: int,
) -> FittedModel | None:
    """Fit the model to the complete ones of a study's trials; None if there are none."""
    cube = UnitCube.of(space)
    observations = observe(trials, cube, directions, objectives)
    if not len(observations.points):
        return None
    known, posterior = Posterior.of_some(observations, MOST_CONDITIONED)
    return FittedModel(cube, known, posterior, seed)
