"""The model: a Gaussian process for each of the two objectives.

Objectives are on the scale of :mod:`study.samplers.observations`, both to be maximized.

In the model of the trials, the two processes are independent. In the combined model, which is also
fitted to validated points, the first process may *see the cost*. Its points then have one more
coordinate, the posterior mean of the second process, with a separate length scale. The first
process sees the cost if the model with this coordinate is more probable than the one without.

Often a limit (such as the number of leaves of a tree) decides how much work a program does, so
score and cost jump at the same θ. Without the coordinate, the front of the model consists of θ on
such a step, with scores from the upper side and costs from the lower side. With the coordinate, an
error in the predicted cost also causes an error in the predicted score: the error of the cost times
the slope of the mean score as a function of the cost.

The coordinate was tested in simulated studies. In ten studies with steps in their scores, it raised
the log density by 11 to 50 with 60 trials, and changed it by −1 to 16 with 16 trials. On four
surfaces without steps, it lowered the log density by 0.2 to 2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thetafront.study.arrays import Floats, Integers
from thetafront.study.pareto import n_dominating_layers, nondominated
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.covariance import Hyperparameters
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import draw_hyperparameters, fit_hyperparameters
from thetafront.study.scale import Belief, Scale

if TYPE_CHECKING:
    from thetafront.study.samplers.observations import Observations

FitData = tuple[Floats, Floats, Floats, Integers]  # points, values, noise, owners
UNIFORM_DEVIATION = math.sqrt(1.0 / 12.0)
TINY = 1e-300


@lru_cache(maxsize=64)
def cached_fit(shape: tuple[int, int], *data: bytes) -> Hyperparameters:
    """Find hyperparameters for :func:`fit_once`."""
    points, values, noise = (np.frombuffer(each) for each in data[:3])
    return fit_hyperparameters(
        points.reshape(shape), values, noise, np.frombuffer(data[3], np.int64)
    )


def fit_once(*data: npt.NDArray[Any]) -> Hyperparameters:
    """Return the hyperparameters for points, values, noise and owners; results are cached."""
    return cached_fit(data[0].shape, *(each.tobytes() for each in data))


def with_cost(points: Floats, process: GaussianProcess, costs: Floats) -> Floats:
    """Return points with their costs as an additional last coordinate, shape (m, d + 1).

    The costs are scaled to the standard deviation of a uniform coordinate of the unit cube.
    """
    scaled = UNIFORM_DEVIATION * (costs - process.hyper.centre) / process.hyper.scale
    return np.column_stack([points, scaled])


def to_fit_with_cost(observations: "Observations", process: GaussianProcess) -> FitData:
    """Return the data for fitting the first process if it sees costs predicted by ``process``."""
    points, values, noise, owners = observations.to_fit(0)
    owners = np.append(owners, owners.max(initial=-1) + 1)
    return with_cost(points, process, process.mean(points)), values, noise, owners


@dataclass(frozen=True)
class Posterior:
    """The posterior of both objectives, given some observations."""

    processes: Sequence[GaussianProcess]  # one per objective
    scales: tuple[Scale, Scale] = (Scale.LINEAR, Scale.LINEAR)  # scales of the objectives
    # −1 if the first objective is minimized: its process then models the negated objective.
    sign: float = 1.0
    sees_cost: bool = False  # whether the first process sees the cost

    @classmethod
    def fit(cls, observations: "Observations", given: "Observations | None" = None) -> "Posterior":
        """Fit the model to observations (at least one); condition it on them, or on ``given``."""
        hypers = [fit_once(*observations.to_fit(k)) for k in range(2)]
        return cls.condition(hypers, observations if given is None else given)

    @classmethod
    def from_subset(
        cls, observations: "Observations", most: int
    ) -> "tuple[Observations, Posterior]":
        """Fit the model, and condition it on ``most`` observations or fewer; also return these.

        Two thirds of these observations are spread over the second objective. A model conditioned
        on these two thirds chooses the rest: the observations that it predicts to be the least
        dominated. So no observation is chosen because of its observed value; otherwise noise would
        make the front look too good.
        """
        n = len(observations.points)
        if n <= most:
            return observations, cls.fit(observations)
        order = np.argsort(observations.values[:, 1], kind="stable")
        spread = order[np.linspace(0, n - 1, most - most // 3).round().astype(int)]
        others = np.setdiff1d(np.arange(n), spread)
        predicted = cls.fit(observations, observations.some(spread)).mean(
            observations.points[others]
        )
        least = np.lexsort((-predicted[:, 1], n_dominating_layers(predicted)))
        near = others[least[: most // 3]]
        known = observations.some(np.concatenate([spread, near]))
        return known, cls.fit(observations, known)

    @classmethod
    def fit_either(cls, observations: "Observations") -> "Posterior":
        """Fit the first process with and without the cost; condition the more probable model."""
        plain, second = (fit_once(*observations.to_fit(k)) for k in range(2))
        process = GaussianProcess.condition(second, *observations.column(1))
        seeing = fit_once(*to_fit_with_cost(observations, process))
        sees_cost = seeing.log_density > plain.log_density
        first = seeing if sees_cost else plain
        return cls.condition([first, second], observations, sees_cost=sees_cost)

    @classmethod
    def condition(
        cls,
        hypers: Sequence[Hyperparameters],
        observations: "Observations",
        *,
        sees_cost: bool = False,
    ) -> "Posterior":
        """Condition one process per objective, with these hyperparameters, on observations."""
        second = GaussianProcess.condition(hypers[1], *observations.column(1))
        points, values, noise = observations.column(0)
        if sees_cost:
            points = with_cost(points, second, second.mean(points))
        first = GaussianProcess.condition(hypers[0], points, values, noise)
        return cls([first, second], observations.scales, observations.sign, sees_cost)

    def inputs(self, points: Floats, costs: Floats) -> Floats:
        """Return the inputs of the first process at points whose costs are ``costs``."""
        return with_cost(points, self.processes[1], costs) if self.sees_cost else points

    def draws_of_hyperparameters(
        self, observations: "Observations", n: int, rng: np.random.Generator
    ) -> "list[Posterior]":
        """Return n posteriors for the same observations, each with drawn hyperparameters."""
        first, second = self.processes
        known = observations.to_fit(0)
        if self.sees_cost:
            known = to_fit_with_cost(observations, second)
        hypers = zip(
            draw_hyperparameters(first.hyper, *known, n, rng),
            draw_hyperparameters(second.hyper, *observations.to_fit(1), n, rng),
            strict=True,
        )
        return [self.condition(both, observations, sees_cost=self.sees_cost) for both in hypers]

    @property
    def prior_deviations(self) -> Floats:
        """Prior standard deviations of both objectives, shape (2,)."""
        hypers = [process.hyper for process in self.processes]
        return np.array([hyper.scale * math.sqrt(hyper.total) for hyper in hypers])

    def mean(self, points: Floats) -> Floats:
        """Return the posterior mean at some points, shape (m, 2)."""
        second = self.processes[1].mean(points)
        return np.stack([self.processes[0].mean(self.inputs(points, second)), second], axis=-1)

    def goal(self, points: Floats) -> Belief:
        """Return the belief about the first objective, in its own unit."""
        mean, deviation = self.predict(points)
        return self.goal_of(mean[..., 0], deviation[..., 0])

    def goal_of(self, mean: Floats, deviation: Floats) -> Belief:
        """Return the belief about the first objective, from its mean and deviation on the scale."""
        return self.scales[0].belief(self.sign * mean, deviation)

    def cost(self, points: Floats) -> Floats:
        """Return the posterior median of the second objective, in its own unit."""
        mean = -self.processes[1].mean(points)
        return self.scales[1].belief(mean, np.zeros_like(mean)).mean

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Return posterior means and standard deviations at some points, each of shape (m, 2)."""
        second, of_second = self.processes[1].predict(points)
        first, of_first = self.processes[0].predict(self.inputs(points, second))
        deviations = np.sqrt(np.stack([of_first, of_second], axis=-1))
        if self.sees_cost:
            slopes = self.slopes(points, second, deviations[:, 1])
            deviations[:, 0] = np.hypot(deviations[:, 0], slopes * deviations[:, 1])
        return np.stack([first, second], axis=-1), deviations

    def slopes(self, points: Floats, costs: Floats, deviations: Floats) -> Floats:
        """Return the slope of the first objective's mean, shape (m,).

        The mean is a function of the second objective. Its slope is measured between one standard
        deviation below and one above the second objective's mean, so that it is finite at a step.
        The slope is 0 at points with games, because their scores are known directly.
        """
        ends = (self.inputs(points, costs + side * deviations) for side in (1.0, -1.0))
        upper, lower = (self.processes[0].mean(each) for each in ends)
        slopes = 0.5 * (upper - lower) / np.maximum(deviations, TINY)
        return np.where(is_among(points, self.processes[1].points), 0.0, slopes)

    def covariance(self, points: Floats, others: Floats) -> Floats:
        """Return the covariance of the first objective at points and at others, shape (m, m′)."""
        first, second = self.processes
        sides = [(each, *second.predict(each)) for each in (points, others)]
        found = first.covariance(*(self.inputs(each, costs) for each, costs, _ in sides))
        if not self.sees_cost:
            return found
        left, right = (self.slopes(each, costs, np.sqrt(v)) for each, costs, v in sides)
        return found + np.outer(left, right) * second.covariance(points, others)

    def front(self, points: Floats) -> Floats:
        """Return the points that no other dominates in posterior mean, the cheapest first."""
        mean = self.mean(points)
        return points[nondominated(mean[:, 0], -mean[:, 1])]

    def draw(self, points: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw both objectives at some points jointly, shape (n_draws, m, 2)."""
        first, second = self.processes
        costs = second.mean(points)
        draws = first.draw(self.inputs(points, costs), rng.standard_normal((len(points), n_draws)))
        of_costs = second.draw(points, rng.standard_normal((len(points), n_draws)))
        if self.sees_cost:
            slopes = self.slopes(points, costs, np.sqrt(second.predict(points)[1]))
            draws = draws + slopes[:, None] * (of_costs - costs[:, None])
        return np.stack([draws.T, of_costs.T], axis=-1)

    def given(self, points: Floats, draws: Floats) -> "Posterior":
        """Return the posterior conditioned on each of ``draws``, shape (n_draws, m, 2).

        Valid only if the first process does not see the cost, as in a search.
        """
        found = [process.given(points, draws[..., k].T) for k, process in enumerate(self.processes)]
        return replace(self, processes=found)
