"""What a study's noisy trials let one believe of its two objectives: a Gaussian process each.

The objectives are modelled as independent, on the scale of :mod:`study.samplers.observations`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from study.samplers.gaussian_process import GaussianProcess, Hyperparameters, fit_hyperparameters
from study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]


@lru_cache(maxsize=64)
def remembered_fit(
    shape: tuple[int, int], points: bytes, values: bytes, noise: bytes, owners: bytes
) -> Hyperparameters:
    """Find hyperparameters, or remember those of the very same data."""
    return fit_hyperparameters(
        np.frombuffer(points).reshape(shape),
        np.frombuffer(values),
        np.frombuffer(noise),
        np.frombuffer(owners, np.int64),
    )


@dataclass(frozen=True)
class Posterior:
    """Both objectives, to be maximized, after some observations.

    Attributes
    ----------
    processes : pair of GaussianProcess
        One an objective.
    """

    processes: Sequence[GaussianProcess]

    @classmethod
    def of(cls, observations: Observations) -> "Posterior":
        """Learn from observations, of which there must be one at least."""
        points = observations.points
        m = len(observations.first_noise)
        processes = []
        for k in range(2):
            values = np.ascontiguousarray(observations.values[:, k])
            noise = np.ascontiguousarray(observations.noise[:, k])
            hyper = remembered_fit(
                (m, points.shape[1]),
                np.ascontiguousarray(points[:m]).tobytes(),
                values[:m].tobytes(),
                np.ascontiguousarray(observations.first_noise[:, k]).tobytes(),
                observations.owners.astype(np.int64).tobytes(),
            )
            processes.append(GaussianProcess.condition(hyper, points, values, noise))
        return cls(processes)

    def mean(self, points: Floats) -> Floats:
        """Return the expected objectives at some points, shape (m, 2)."""
        return np.stack([process.predict(points)[0] for process in self.processes], axis=-1)

    def deviation(self, points: Floats) -> Floats:
        """Return the standard deviations of the objectives at some points, shape (m, 2)."""
        variances = [process.predict(points)[1] for process in self.processes]
        return np.sqrt(np.stack(variances, axis=-1))

    def draw(self, points: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw the objectives at some points together, shape (n_draws, m, 2)."""
        draws = [
            process.draw(points, rng.standard_normal((len(points), n_draws))).T
            for process in self.processes
        ]
        return np.stack(draws, axis=-1)

    def given(self, points: Floats, draws: Floats) -> "Posterior":
        """Return what one would believe if ``draws``, shape (n_draws, m, 2), were the truth."""
        return Posterior(
            [process.given(points, draws[..., k].T) for k, process in enumerate(self.processes)]
        )
