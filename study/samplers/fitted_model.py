"""The model of a study, which is fitted to its trials, and the front that the model predicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from thetafront.study.arrays import Booleans, Floats
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.covariance import ROUGH, SMOOTH
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.posterior import TINY, Posterior
from thetafront.study.samplers.predicted_front import PredictedFront, predicted_front

# Standard deviation, in decades, of the prior of the shift between times measured in a search and
# in validation. The shifts measured so far were 1.4% to 14%.
SHIFT_DEVIATION = 0.05
MIN_VARIANCE = 1e-12
# Weights of the two priors of a check, as numbers of validated points. The first prior is that
# predictions are not too good; the second is that their standard deviations are right.
SHIFT_PRIOR, FACTOR_PRIOR = 4.0, 8.0
# Factors by which the spread of draws is increased at untested points, by smoothness ν. This was
# tested in 240 states of simulated studies (16 seeds; 16, 36 and 80 trials). On three smooth
# surfaces and one with steps, certificates held in 94% to 100% of cases with these factors, and in
# 44% to 100% without them.
CAUTION = {SMOOTH: 1.75, ROUGH: 3.0}
N_HYPER = 32  # sets of hyperparameters drawn for intervals and draws


@dataclass(frozen=True)
class FittedModel:
    """A model of both objectives, fitted to a study's trials."""

    cube: UnitCube  # the encoding of θ
    observations: Observations
    posterior: Posterior  # conditioned on the observations
    seed: int  # of the search for the model's front
    # Variance of an error that the second objectives of all points have in common, because the
    # machine may be faster or slower during a validation. It adds to the posterior variance.
    shared_variance: float = 0.0
    n_validated: int = 0  # how many observations are validated points; these precede the trials
    # (2,): for each objective, two numbers that compare predictions with measurements at the
    # validated points: the mean of measurement minus prediction, in standard deviations, which is
    # at most 0 (if it is below 0, predictions were too good); and the factor, at least 1, by which
    # the predicted standard deviations were too small.
    shifts: Floats = field(default_factory=lambda: np.zeros(2))
    factors: Floats = field(default_factory=lambda: np.ones(2))
    # (n_validated, 2): the factors without the point itself, so that the luck of a point's games
    # does not increase their own weight.
    factors_by_others: Floats = field(default_factory=lambda: np.ones((0, 2)))

    @cached_property
    def predicted_front(self) -> PredictedFront:
        """The model's front over the whole space."""
        rng = np.random.default_rng([self.seed, 1])
        with threadpool_limits(1):  # more threads are slower on matrices this small
            return predicted_front(self.posterior, self.observations, self.cube, rng)

    @cached_property
    def trial_front(self) -> Floats:
        """The model's front among the points that it was fitted to, the cheapest first."""
        with threadpool_limits(1):
            return self.posterior.front(np.unique(self.observations.points, axis=0))

    @cached_property
    def drawn_posteriors(self) -> list[Posterior]:
        """Posteriors for the same observations with drawn hyperparameters.

        One set of hyperparameters is not enough: even after 80 trials, length scales are uncertain
        by some 30%, which matters most in regions without trials.
        """
        rng = np.random.default_rng([self.seed, 3])
        with threadpool_limits(1):
            return self.posterior.draws_of_hyperparameters(self.observations, N_HYPER, rng)

    def expected_means(self, points: Floats) -> Floats:
        """Return the means of both objectives on the model's scale, shape (m, 2).

        The means are those of the most probable hyperparameters, so all tables and charts show the
        same mean. At points without validation games, they are corrected by :attr:`shifts`, and at
        points with such games by :meth:`weighed`.
        """
        mean, deviation = self.posterior.predict(points)
        weighed, _ = self.weighed(points, mean, deviation)
        return np.where(self.is_untested(points), mean + self.shifts * deviation, weighed)

    def expects(self, points: Floats) -> tuple[Floats, Floats]:
        """Return means and deviations of both objectives on the model's scale, shape (m, 2).

        The deviations also contain the uncertainty of the hyperparameters: they are deviations from
        the most probable mean under all :attr:`drawn_posteriors`. They are corrected like the means
        (:meth:`expected_means`).
        """
        mean, squares = self.posterior.mean(points), []
        for posterior in self.drawn_posteriors:
            other, own = posterior.predict(points)
            squares.append(own**2 + (other - mean) ** 2)
        deviation = np.sqrt(np.mean(squares, axis=0))
        doubtful = np.minimum(self.factors * deviation, self.posterior.prior_deviations)
        _, weighed = self.weighed(points, mean, deviation)
        widened = np.where(self.is_untested(points), np.maximum(doubtful, deviation), weighed)
        return self.expected_means(points), widened

    def weighed(self, points: Floats, mean: Floats, deviation: Floats) -> tuple[Floats, Floats]:
        """Return means and deviations with less weight for the model, if it has been too sure.

        At a point with validation games, the posterior combines what these games say with what the
        model predicts from all others. The deviation of this prediction is multiplied by the
        point's factor in :attr:`factors_by_others`. Other points are not changed. Shapes are
        (m, 2).
        """
        n = len(self.factors_by_others)
        if not n:
            return mean, deviation
        known, which = self.observations.points[:n], ~self.is_untested(points)[:, 0]
        nearest = np.abs(points[which, None] - known).max(axis=-1).argmin(axis=1)
        own = self.observations.values[nearest]
        noise = self.known_noise(self.observations.noise[nearest])
        squares = self.factors_by_others[nearest] ** 2
        least = MIN_VARIANCE * noise + TINY
        ratio = np.maximum(noise / np.maximum(deviation[which] ** 2, least), 1.0)
        mean, deviation = mean.copy(), deviation.copy()
        mean[which] += (own - mean[which]) * (squares - 1.0) / (squares + ratio - 1.0)
        deviation[which] *= np.sqrt(ratio * squares / (squares + ratio - 1.0))
        return mean, deviation

    def draw(self, points: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw both objectives at some points jointly from the posterior, shape (n_draws, m, 2).

        Draws come from :attr:`drawn_posteriors`, the same number from each. At points without
        validation games, draws have a larger spread than the posterior, because the model often
        errs at the point that seems best. The spread is at most that of the prior. At points with
        such games, draws are corrected by :meth:`weighed`.
        """
        untested = self.is_untested(points)
        found = []
        ends = np.linspace(0, n_draws, N_HYPER + 1).round().astype(int)
        for n, posterior in zip(np.diff(ends).tolist(), self.drawn_posteriors, strict=True):
            mean, deviation = posterior.predict(points)
            draws = posterior.draw(points, n, rng)
            caution = CAUTION[posterior.processes[0].hyper.smoothness], 1.0
            factors = np.maximum(caution, self.factors)
            most = posterior.prior_deviations / np.maximum(deviation, TINY)
            factors = np.where(untested, np.maximum(np.minimum(factors, most), 1.0), 1.0)
            weighed, wider = self.weighed(points, mean, factors * deviation)
            found.append(moved_and_widened(draws, mean, deviation, weighed, wider))
        return np.concatenate(found)

    def draw_most_probable(self, points: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw like :meth:`draw`, but from the most probable hyperparameters and without caution.

        So the draws say how certain differences between validated points are.
        """
        mean, deviation = self.posterior.predict(points)
        draws = self.posterior.draw(points, n_draws, rng)
        return moved_and_widened(draws, mean, deviation, *self.weighed(points, mean, deviation))

    def known_noise(self, noise: Floats) -> Floats:
        """Return variances of means, shape (n, 2), with the inferred variance in place of NaN."""
        hypers = [process.hyper for process in self.posterior.processes]
        return np.where(np.isnan(noise), [each.noise * each.scale**2 for each in hypers], noise)

    def is_untested(self, points: Floats) -> Booleans:
        """Return at which points no validation game was played, shape (m, 1)."""
        return ~is_among(points, self.observations.points[: self.n_validated])[:, None]

    def avoiding(self, thetas: Sequence[Mapping[str, Any]]) -> "FittedModel":
        """Return the model with these θ, whose games failed, added as points that failed."""
        points = self.cube.encode(thetas).reshape(-1, self.cube.n_coordinates)
        failed = self.observations.failed.reshape(-1, self.cube.n_coordinates)
        new = points[~is_among(points, failed)]
        if not len(new):
            return self
        observations = replace(self.observations, failed=np.concatenate([failed, new]))
        return replace(self, observations=observations)

    def given(
        self, points: Floats, values: Floats, noise: Floats, shared: float = 0.0, *, timed: bool
    ) -> "FittedModel":
        """Return a model that is fitted to validated points, too.

        Parameters
        ----------
        points : float64, shape (n, d)
            The validated points, in the unit cube.
        values, noise : float64, shape (n, 2)
            The means measured at these points, on the model's scale, and the variance of each
            mean's own error; NaN if this variance must be inferred.
        shared : float
            The variance of an error that the second objectives of all points have in common.
        timed : bool
            Whether the second objective is a time. Times measured in a search are longer than those
            measured in validation, since the sampler and the storage work at the same time. This
            shift is estimated, and subtracted from the trials' times.
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
        return FittedModel(self.cube, combined, posterior, self.seed, shared, len(points), *checks)

    def checked_by(
        self, points: Floats, values: Floats, noise: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Compare predictions at some points with what was measured there.

        Returns :attr:`shifts`, :attr:`factors` and :attr:`factors_by_others`.

        Like all points proposed later, the points were chosen because of their good predictions, so
        these predictions are often too good. The two numbers of a check are shrunk towards those of
        a correct model. Measurements that are better than predicted do not raise later predictions.
        """
        mean, deviation = self.posterior.predict(points)
        least = MIN_VARIANCE * self.posterior.prior_deviations**2
        z = (values - mean) / np.sqrt(deviation**2 + self.known_noise(noise) + least)
        total, squares = z.sum(axis=0), np.sum(z**2, axis=0)
        shifts, factors = shift_and_factor(len(z), total, squares)
        _, by_others = shift_and_factor(len(z) - 1, total - z, squares - z**2)
        return shifts, factors, by_others

    def shift_of_times(self, points: Floats, values: Floats, noise: Floats) -> float:
        """Return how much larger −log₁₀(time) is in trials than at validated points, on average.

        The covariance of the differences between predictions and measurements is that of the
        predictions plus the noise of the measurements. The shift is the posterior mean of a
        generalized least squares fit with a normal prior.
        """
        process, own = self.posterior.processes[1], self.known_noise(noise)[:, 1]
        covariance = process.covariance(points) + np.diag(own + MIN_VARIANCE)
        weights = np.linalg.solve(covariance, np.ones(len(points)))
        difference = process.mean(points) - values[:, 1]
        return float(weights @ difference / (weights.sum() + SHIFT_DEVIATION**-2))


def moved_and_widened(
    draws: Floats, mean: Floats, deviation: Floats, new_mean: Floats, new_deviation: Floats
) -> Floats:
    """Return draws with another mean and deviation, shape (n_draws, m, 2)."""
    return np.asarray(new_mean + new_deviation / np.maximum(deviation, TINY) * (draws - mean))


def shift_and_factor(n: int, total: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Return the two numbers of a check, given the sums of n errors z and of their squares."""
    shift = np.minimum(total / (SHIFT_PRIOR + n), 0.0)
    about_shift = squares - 2.0 * shift * total + n * shift**2
    return shift, np.sqrt(np.maximum((FACTOR_PRIOR + about_shift) / (FACTOR_PRIOR + n), 1.0))
