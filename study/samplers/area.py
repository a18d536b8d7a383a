"""The area under the front that a study recommends, and how much a trial is expected to add to it.

The notation is that of :mod:`study.samplers.knowledge_gradient`.
"""

import math
from dataclasses import dataclass

import numpy as np

from thetafront.engine.jit import inlined, kernel
from thetafront.study.arrays import Floats, Integers
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.scale import RIGHT_ANGLE, Form, Scale

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
# The last node stands for the present area, which is subtracted.
NODES, WEIGHTS = np.append(NODES, 0.0), np.append(WEIGHTS / WEIGHTS.sum(), -1.0)
# Compiled code takes these as constants.
ROOT, ANGLE = int(Form.ROOT), int(Form.ANGLE)

N_DRAWS = 64  # posterior draws of where the best score lies
MAX_DRAWN = 192  # maximum number of points in a draw
PLAUSIBLE = 3.0  # standard deviations; points farther below the front are left out


@dataclass(frozen=True)
class Area:
    """The area under the recommended front."""

    points: Floats  # (J, d): in the unit cube, in descending order of the second objective
    heights: Floats  # (J,): m
    extents: Floats  # (J,): e
    scale: Scale  # of the heights
    reference: float  # r

    @classmethod
    def under(
        cls,
        points: Floats,
        posterior: Posterior,
        process: GaussianProcess,
        reference: Floats,
        rng: np.random.Generator,
    ) -> "Area":
        """Return the area under the posterior means of those points that may be on the front.

        ``process`` is the process of the first objective, with trials in flight.
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
            some = rng.permutation(len(points))[:MAX_DRAWN]
            draws = process.draw(points[some], rng.standard_normal((len(some), N_DRAWS)))
            best = second[some[np.argmax(draws, axis=0)]]
            extents = extents * np.mean(best <= second[:, None], axis=1)
        return cls(points, first, extents, posterior.scales[0], float(reference[0]))

    def gains(self, steps: Floats, own: Floats, places: Integers) -> Floats:
        """Return each trial's expected gain in area, shape (m,), see :func:`expected_gains`."""
        known = (self.heights, self.extents, self.reference, self.scale.form)
        return expected_gains(*known, steps, own, places, NODES, WEIGHTS)


@inlined
def raised(height: float, form: int) -> float:
    """Return u of a height, like :meth:`study.scale.Scale.raised`, but not for the scale LOG."""
    if form == ROOT:
        return height * abs(height)
    if form == ANGLE:
        sine = math.sin(min(max(height, -RIGHT_ANGLE), RIGHT_ANGLE))
        return sine * abs(sine)
    return height


@kernel
def expected_gains(
    heights: Floats,
    extents: Floats,
    reference: float,
    form: int,
    steps: Floats,
    own: Floats,
    places: Integers,
    nodes: Floats,
    weights: Floats,
) -> Floats:
    """Return the expected gain in area by a trial at each candidate, shape (m,).

    The candidate itself is added to the list of points.

    Parameters
    ----------
    heights, extents : float64, shape (J,)
        m and e.
    reference : float
        r.
    form : int
        The :class:`~study.scale.Form` of the heights' scale.
    steps : float64, shape (m, J)
        s of each candidate's trial.
    own : float64, shape (m, 4)
        m, s and e of the candidate itself, and what is left of the e of the point before it.
    places : int64, shape (m,)
        How many points come before the candidate.
    nodes, weights : float64, shape (k,)
        Values of z for the quadrature, and their weights; the sum of the weights is 0.
    """
    gains = np.zeros(len(steps))
    for i in range(len(steps)):
        for z in range(len(nodes)):
            best, value, area = reference, raised(reference, form), 0.0
            for j in range(len(heights) + 1):
                if j == places[i]:
                    height, step, extent = own[i, 0], own[i, 1], own[i, 2]
                else:
                    k = j if j < places[i] else j - 1
                    height, step, extent = heights[k], steps[i, k], extents[k]
                    if j == places[i] - 1:
                        extent = own[i, 3]
                moved = height + nodes[z] * step
                if not moved <= best:  # not `moved > best`, so that NaN is kept
                    best, value = moved, raised(moved, form)
                area += extent * value
            # u(r) cancels out, because the sum of the weights is 0.
            gains[i] += weights[z] * area
    return gains
