"""The model of a study: fitted to its trials, with the front that it predicts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial
from threadpoolctl import threadpool_limits

from thetafront.study.experiments.space import Space
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.covariance import ROUGH, SMOOTH
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Objectives, Observations, observe
from thetafront.study.samplers.posterior import TINY, Posterior
from thetafront.study.samplers.predicted_front import PredictedFront, predicted_front

Floats = npt.NDArray[np.float64]
SHIFT_DEVIATION = 0.05  # of the prior of the shift, in decades: 1.4% to 14% were measured
MIN_VARIANCE = 1e-12
# How many validated points the prior of a check is worth: that predictions are not too good, and
# that their intervals are right.
SHIFT_PRIOR, FACTOR_PRIOR = 4.0, 8.0
# By which draws where nobody has played differ more, by smoothness. In 240 states of simulated
# studies (16 seeds, 16, 36 and 80 trials) certificates then held in 94% to 100% on three smooth
# surfaces and one with steps; without it in 44% to 100%.
CAUTION = {SMOOTH: 1.75, ROUGH: 3.0}
N_HYPER = 32  # sets of hyperparameters that draws are made with
MAX_CONDITIONED = 768  # trials: time and memory grow with cube and square of their number


@dataclass(frozen=True)
class FittedModel:
    """A model of both objectives, fitted to a study's trials.

    Attributes
    ----------
    cube, observations, posterior : UnitCube, Observations, Posterior
        The encoding of θ, the data, and the model conditioned on them.
    seed : int
        Of the search for its front.
    shared_variance : float
        Variance of an error that all second objectives share, beyond the posterior's own: a
        validation is played on a machine that is faster or slower meanwhile.
    n_validated : int
        How many of its observations, the first ones, are validated points.
    checks : pair of pairs of float
        How what was predicted of each objective at these points turned out: by how many of their
        deviations predictions were too good, 0 or below, and by which factor deviations were too
        small, at least 1.
    """

    cube: UnitCube
    observations: Observations
    posterior: Posterior
    seed: int
    shared_variance: float = 0.0
    n_validated: int = 0
    checks: tuple[tuple[float, float], ...] = ((0.0, 1.0), (0.0, 1.0))

    @cached_property
    def predicted_front(self) -> PredictedFront:
        """Its front over the whole space."""
        rng = np.random.default_rng([self.seed, 1])
        with threadpool_limits(1):  # more threads are slower on matrices this small
            return predicted_front(self.posterior, self.observations, self.cube, rng)

    @cached_property
    def trial_front(self) -> Floats:
        """Its front among the points that it was fitted to, the cheapest first."""
        with threadpool_limits(1):
            return self.posterior.front(np.unique(self.observations.points, axis=0))

    def expects(self, points: Floats) -> tuple[Floats, Floats]:
        """Return means and deviations of both objectives on the model's scale, shape (m, 2).

        Where no validation game was played, they are as doubtful as the checks say.
        """
        mean, deviation = self.posterior.predict(points)
        shifts, factors = np.transpose(self.checks)
        untested = self.is_untested(points)
        doubtful = np.minimum(factors * deviation, self.posterior.prior_deviations)
        return (
            np.where(untested, mean + shifts * deviation, mean),
            np.where(untested, np.maximum(doubtful, deviation), deviation),
        )

    def draw(self, points: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw both objectives at some points jointly, shape (n_draws, m, 2), as it expects them.

        Each of several sets of hyperparameters has an equal share of the draws: 80 trials leave
        length scales uncertain by some 30%, and so the values of regions without trials. There,
        draws are more cautious still, since the best of a space lies where the model errs, but
        they vary no more than before anything was observed.
        """
        untested = self.is_untested(points)
        several = self.posterior.draws_of_hyperparameters(self.observations, N_HYPER, rng)
        found = []
        ends = np.linspace(0, n_draws, N_HYPER + 1).round().astype(int)
        for n, posterior in zip(np.diff(ends).tolist(), several, strict=True):
            mean, deviation = posterior.predict(points)
            draws = posterior.draw(points, n, rng)
            caution = CAUTION[posterior.processes[0].hyper.smoothness], 1.0
            factors = np.maximum(caution, np.transpose(self.checks)[1])
            most = posterior.prior_deviations / np.maximum(deviation, TINY)
            factors = np.where(untested, np.maximum(np.minimum(factors, most), 1.0), 1.0)
            found.append(mean + factors * (draws - mean))
        return np.concatenate(found)

    def is_untested(self, points: Floats) -> npt.NDArray[np.bool_]:
        """Tell at which points no validation game was played, shape (m, 1)."""
        return ~is_among(points, self.observations.points[: self.n_validated])[:, None]

    def avoiding(self, points: Floats) -> "FittedModel":
        """Return the model that knows of more points, in the unit cube, that cannot be played."""
        if not len(points):
            return self
        failed = self.observations.failed.reshape(-1, points.shape[1])
        observations = replace(self.observations, failed=np.concatenate([failed, points]))
        return replace(self, observations=observations)

    def given(
        self, points: Floats, values: Floats, noise: Floats, shared: float = 0.0, *, timed: bool
    ) -> "FittedModel":
        """Return the model fitted to validated points, too.

        Parameters
        ----------
        points : float64, shape (n, d)
            In the unit cube.
        values, noise : float64, shape (n, 2)
            Their means on the model's scale, and the variances of their own errors; NaN where one
            must be inferred.
        shared : float
            The variance of an error that all their second objectives have in common.
        timed : bool
            Whether the second objective is a time. A search times its games higher than a
            validation does, since a sampler and a storage are at work meanwhile: the shift is
            estimated, and taken off the trials' times.
        """
        known = self.observations
        shift = np.array([0.0, self.shift_of_times(points, values, noise) if timed else 0.0])
        combined = replace(
            known,
            points=np.concatenate([points, known.points]),
            values=np.concatenate([values, known.values - shift]),
            noise=np.concatenate([noise, known.noise]),
            first_values=np.concatenate([values, known.first_values - shift]),
            first_noise=np.concatenate([noise, known.first_noise]),
        )
        posterior = Posterior.fit_either(combined)
        checks = self.checked_by(points, values + shift, noise)
        return FittedModel(self.cube, combined, posterior, self.seed, shared, len(points), checks)

    def checked_by(
        self, points: Floats, values: Floats, noise: Floats
    ) -> tuple[tuple[float, float], ...]:
        """Hold what is predicted of some points against what was measured there.

        The points were chosen for what was predicted of them, like all that are proposed next: the
        best ones are where the model errs in their favour. Both numbers are drawn to a prior that
        the model is right; what turned out better than predicted raises no prediction.
        """
        mean, deviation = self.posterior.predict(points)
        found = []
        for z in ((values - mean) / np.sqrt(deviation**2 + np.nan_to_num(noise) + MIN_VARIANCE)).T:
            shift = min(float(z.sum()) / (SHIFT_PRIOR + len(z)), 0.0)
            square = FACTOR_PRIOR + float(np.sum((z - shift) ** 2))
            found.append((shift, max(1.0, math.sqrt(square / (FACTOR_PRIOR + len(z))))))
        return tuple(found)

    def shift_of_times(self, points: Floats, values: Floats, noise: Floats) -> float:
        """Return by how much trials' −log₁₀ times exceed those of validated points, on average.

        The difference of each point from its prediction has the predictions' covariance and its
        own noise; this is its posterior mean, by generalized least squares with a normal prior.
        """
        process = self.posterior.processes[1]
        inferred = process.hyper.noise * process.hyper.scale**2
        own = np.where(np.isnan(noise[:, 1]), inferred, noise[:, 1])
        covariance = process.covariance(points) + np.diag(own + MIN_VARIANCE)
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
    cube = UnitCube.from_space(space)
    observations = observe(trials, cube, directions, objectives)
    if not len(observations.points):
        return None
    known, posterior = Posterior.from_subset(observations, MAX_CONDITIONED)
    return FittedModel(cube, known, posterior, seed)
