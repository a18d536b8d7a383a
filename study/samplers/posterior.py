"""The model: an independent Gaussian process for each of the two objectives.

Objectives are on the scale of :mod:`study.samplers.observations`, both to be maximized.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thetafront.study.pareto import n_dominating_layers, nondominated
from thetafront.study.samplers.covariance import Hyperparameters
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import draw_hyperparameters, fit_hyperparameters
from thetafront.study.scale import Belief, Scale

if TYPE_CHECKING:
    from thetafront.study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]


@lru_cache(maxsize=64)
def cached_fit(shape: tuple[int, int], *data: bytes) -> Hyperparameters:
    """Find hyperparameters, once for the same data, by :func:`fit_once`."""
    points, values, noise = (np.frombuffer(each) for each in data[:3])
    return fit_hyperparameters(
        points.reshape(shape), values, noise, np.frombuffer(data[3], np.int64)
    )


def fit_once(*data: npt.NDArray[Any]) -> Hyperparameters:
    """Find the hyperparameters of points, values, noise and owners, once for the same data."""
    return cached_fit(data[0].shape, *(each.tobytes() for each in data))


@dataclass(frozen=True)
class Posterior:
    """Both objectives after some observations."""

    processes: Sequence[GaussianProcess]  # one an objective
    scales: tuple[Scale, Scale] = (Scale.LINEAR, Scale.LINEAR)  # on which they are
    # Of the first objective: −1 if less of it is better, so that its process is of its negative.
    sign: float = 1.0

    @classmethod
    def fit(cls, observations: "Observations", given: "Observations | None" = None) -> "Posterior":
        """Fit the model to observations, at least one, and condition it on them or on others."""
        hypers = [fit_once(*observations.to_fit(k)) for k in range(2)]
        return cls.condition(hypers, observations if given is None else given)

    @classmethod
    def from_subset(
        cls, observations: "Observations", most: int
    ) -> "tuple[Observations, Posterior]":
        """Fit the model, and condition it on a limited number of observations.

        Return these as well.

        Two thirds of them are spread over the second objective. The model conditioned on these
        chooses the others: those that it predicts to be the least dominated. So none is chosen for
        its own value, whose noise would make the front look too good.
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
    def condition(
        cls, hypers: Sequence[Hyperparameters], observations: "Observations"
    ) -> "Posterior":
        """Condition processes with these hyperparameters, one per objective, on observations."""
        return cls(
            [
                GaussianProcess.condition(
                    hyper,
                    observations.points,
                    np.ascontiguousarray(observations.values[:, k]),
                    np.ascontiguousarray(observations.noise[:, k]),
                )
                for k, hyper in enumerate(hypers)
            ],
            observations.scales,
            observations.sign,
        )

    def draws_of_hyperparameters(
        self, observations: "Observations", n: int, rng: np.random.Generator
    ) -> "list[Posterior]":
        """Return n posteriors, given the same observations, for probable hyperparameters."""
        hypers = [
            draw_hyperparameters(process.hyper, *observations.to_fit(k), n, rng)
            for k, process in enumerate(self.processes)
        ]
        return [self.condition(both, observations) for both in zip(*hypers, strict=True)]

    @property
    def prior_deviations(self) -> Floats:
        """Standard deviations of both objectives before anything was observed, shape (2,)."""
        hypers = [process.hyper for process in self.processes]
        return np.array([hyper.scale * math.sqrt(hyper.total) for hyper in hypers])

    def mean(self, points: Floats) -> Floats:
        """Return the posterior mean at some points, shape (m, 2)."""
        return np.stack([process.mean(points) for process in self.processes], axis=-1)

    def goal(self, points: Floats) -> Belief:
        """Return the belief about the first objective, in its own unit."""
        mean, variance = self.processes[0].predict(points)
        return self.goal_of(mean, np.sqrt(variance))

    def goal_of(self, mean: Floats, deviation: Floats) -> Belief:
        """Return the belief about the first objective, given mean and deviation on the scale."""
        return self.scales[0].belief(self.sign * mean, deviation)

    def cost(self, points: Floats) -> Floats:
        """Return the posterior median of the second objective, which is minimized, in its unit."""
        mean = -self.processes[1].mean(points)
        return self.scales[1].belief(mean, np.zeros_like(mean)).mean

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Return posterior means and standard deviations at some points, each of shape (m, 2)."""
        means, variances = zip(*(each.predict(points) for each in self.processes), strict=True)
        return np.stack(means, axis=-1), np.sqrt(np.stack(variances, axis=-1))

    def front(self, points: Floats) -> Floats:
        """Return the points that no other dominates in posterior mean, the cheapest first."""
        mean = self.mean(points)
        return points[nondominated(mean[:, 0], -mean[:, 1])]

    def draw(self, points: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw both objectives at some points jointly, shape (n_draws, m, 2)."""
        draws = [
            process.draw(points, rng.standard_normal((len(points), n_draws))).T
            for process in self.processes
        ]
        return np.stack(draws, axis=-1)

    def given(self, points: Floats, draws: Floats) -> "Posterior":
        """Return the posterior conditioned on each of ``draws``, shape (n_draws, m, 2)."""
        return Posterior(
            [process.given(points, draws[..., k].T) for k, process in enumerate(self.processes)],
            self.scales,
            self.sign,
        )
