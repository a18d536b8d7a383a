"""The area under the front that a study recommends, and what trials are expected to add to it.

The notation is that of :mod:`study.samplers.knowledge_gradient`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from study.samplers.gaussian_process import GaussianProcess
from study.samplers.posterior import Posterior
from study.scale import Scale

Floats = npt.NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS = WEIGHTS / WEIGHTS.sum()

N_DRAWS = 64  # of where the best score lies
MOST_DRAWN = 192  # points
PLAUSIBLE = 3.0  # standard deviations: points that are farther below the front do not count


@dataclass(frozen=True)
class Area:
    """The area under the recommended front.

    Attributes
    ----------
    points : float64, shape (J, d)
        In the unit cube, sorted by the second objective, the largest first.
    heights : float64, shape (J,)
        m.
    extents : float64, shape (J,)
        e.
    scale : Scale
        Of the heights.
    reference : float
        r.
    """

    points: Floats
    heights: Floats
    extents: Floats
    scale: Scale
    reference: float

    @classmethod
    def under(
        cls,
        points: Floats,
        posterior: Posterior,
        process: GaussianProcess,
        reference: Floats,
        rng: np.random.Generator,
    ) -> "Area":
        """Take those of some points that may come to the front, at their posterior means.

        ``process`` is the first objective's, with trials in flight.
        """
        second = posterior.processes[1].mean(points)
        order = np.argsort(-second, kind="stable")
        order = order[second[order] > reference[1]]
        points, second = points[order], second[order]
        first, variance = process.predict(points)
        kept = first + PLAUSIBLE * np.sqrt(variance) >= np.maximum.accumulate(first)
        points, first, second = points[kept], first[kept], second[kept]
        extents = -np.diff(second, append=reference[1])
        if len(points):
            some = rng.permutation(len(points))[:MOST_DRAWN]
            draws = process.draw(points[some], rng.standard_normal((len(some), N_DRAWS)))
            best = second[some[np.argmax(draws, axis=0)]]
            extents = extents * np.mean(best <= second[:, None], axis=1)
        return cls(points, first, extents, posterior.scales[0], float(reference[0]))

    def gains(self, steps: Floats) -> Floats:
        """Return the expected gain in area, shape (n,), by steps s of the heights, shape (n, J)."""
        area = np.zeros(len(steps))
        moved = np.empty_like(steps)
        for z, weight in zip(NODES, WEIGHTS, strict=True):
            np.multiply(steps, z, out=moved)
            moved += self.heights
            np.maximum.accumulate(moved, axis=1, out=moved)
            area += weight * (self.above(moved) @ self.extents)
        present = self.above(np.maximum.accumulate(self.heights)) @ self.extents
        return np.asarray(area - present)

    def above(self, heights: Floats) -> Floats:
        """Return u(max(m, r)) − u(r)."""
        raised = self.scale.raised(np.maximum(heights, self.reference))
        return np.asarray(raised - self.scale.raised(np.array(self.reference)))
