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
    variances: Floats  # (J,): the diagonal of K
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
        points, first, second, variance = (each[kept] for each in (points, first, second, variance))
        extents = -np.diff(second, append=reference[1])
        if len(points):
            some = rng.permutation(len(points))[:MAX_DRAWN]
            draws = process.draw(points[some], rng.standard_normal((len(some), N_DRAWS)))
            best = second[some[np.argmax(draws, axis=0)]]
            extents = extents * np.mean(best <= second[:, None], axis=1)
        return cls(points, first, variance, extents, posterior.scales[0], float(reference[0]))

    @property
    def side(self) -> float:
        """1.0, or −1.0 if heights are at most 0, on a scale whose bound is the best value."""
        return -1.0 if self.heights.sum() < 0.0 else 1.0

    def gains(self, steps: Floats, own: Floats, places: Integers) -> Floats:
        """Return each trial's expected gain in area, shape (m,), see :func:`expected_gains`."""
        known = (self.heights, self.variances, self.extents, self.reference)
        unit = (self.scale.form, self.side)
        return expected_gains(*known, *unit, steps, own, places, NODES, WEIGHTS)


@inlined
def expected_value(height: float, variance: float, form: int, side: float) -> float:
    """Return E[u(h)], where h is normal; a mean beyond an end of the scale counts as the end."""
    size = max(side * height, 0.0)
    if form == ROOT:
        return side * (size * size + variance)
    if form == ANGLE:
        size = min(size, RIGHT_ANGLE)
        return side * 0.5 * (1.0 - math.exp(-2.0 * variance) * math.cos(2.0 * size))
    return height


@kernel
def expected_gains(
    heights: Floats,
    variances: Floats,
    extents: Floats,
    reference: float,
    form: int,
    side: float,
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
    heights, variances, extents : float64, shape (J,)
        m, the diagonal of K, and e.
    reference : float
        r.
    form, side : int, float
        The :class:`~study.scale.Form` of the heights' scale, and :attr:`Area.side`.
    steps : float64, shape (m, J)
        s of each candidate's trial.
    own : float64, shape (m, 5)
        m, K[c, c], s and e of the candidate itself, and what is left of the e of the point before
        it.
    places : int64, shape (m,)
        How many points come before the candidate.
    nodes, weights : float64, shape (k,)
        Values of z for the quadrature, and their weights; the last weight is −1, for the present
        area, and the sum of the weights is 0.
    """
    gains = np.zeros(len(steps))
    lowest = expected_value(reference, 0.0, form, side)
    for i in range(len(steps)):
        for z in range(len(nodes)):
            best, value, area = reference, lowest, 0.0
            for j in range(len(heights) + 1):
                if j == places[i]:
                    height, variance, step, extent = own[i, 0], own[i, 1], own[i, 2], own[i, 3]
                else:
                    k = j if j < places[i] else j - 1
                    height, variance, step, extent = (
                        heights[k],
                        variances[k],
                        steps[i, k],
                        extents[k],
                    )
                    if j == places[i] - 1:
                        extent = own[i, 4]
                moved = height + nodes[z] * step
                if not moved <= best:  # not `moved > best`, so that NaN is kept
                    known = step * step if weights[z] > 0.0 else 0.0  # by the trial
                    best, value = moved, expected_value(moved, variance - known, form, side)
                area += extent * value
            # u(r) cancels out, because the sum of the weights is 0.
            gains[i] += weights[z] * area
    return gains
