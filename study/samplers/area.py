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
from thetafront.study.scale import Form, Scale

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
    side: float  # the sign of heights on a scale with bounds
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
        scale, side = posterior.scales[0], posterior.sign * posterior.scales[0].side
        return cls(points, first, variance, extents, scale, side, float(reference[0]))

    def gains(self, steps: Floats, own: Floats, places: Integers) -> Floats:
        """Return each trial's expected gain in area, shape (m,), see :func:`expected_gains`.

        The columns of ``own`` are m, K[c, c], s and e of the candidate itself, and what is left of
        the e of the point before it.
        """
        height, variance, step, extent, rest = own.T
        now, after = self.spread(variance), self.spread(variance - step * step)
        return expected_gains(
            self.heights,
            self.spread(self.variances),
            self.extents,
            self.reference,
            self.scale.form,
            self.side,
            steps,
            self.spread(self.variances - steps * steps),
            np.column_stack([height, now, step, after, extent, rest]),
            places,
            NODES,
            WEIGHTS,
        )

    def spread(self, variances: Floats) -> Floats:
        """Return what :func:`worth` needs of variances. It is computed once, because it is slow."""
        if self.scale.form == Form.ANGLE:
            return np.exp(-2.0 * variances)
        return (1.0 - self.side) * variances


@inlined
def worth(height: float, spread: float, form: int, side: float) -> float:
    """Return w of a normal height, plus 1 for a negative angle; in gains, constants cancel."""
    if form == ROOT:
        return side * (height * height + spread)
    if form == ANGLE:
        return 0.5 * spread * (1.0 - side * math.cos(2.0 * height))
    return height


@kernel
def expected_gains(
    heights: Floats,
    spreads: Floats,
    extents: Floats,
    reference: float,
    form: int,
    side: float,
    steps: Floats,
    spreads_after: Floats,
    own: Floats,
    places: Integers,
    nodes: Floats,
    weights: Floats,
) -> Floats:
    """Return the expected gain in area by a trial at each candidate, shape (m,).

    The candidate itself is added to the list of points.

    Parameters
    ----------
    heights, spreads, extents : float64, shape (J,)
        m, the spreads of :func:`worth`, and e.
    reference : float
        r.
    form, side : int, float
        The :class:`~study.scale.Form` of the heights' scale, and :attr:`Area.side`.
    steps, spreads_after : float64, shape (m, J)
        s of each candidate's trial, and the spreads after this trial.
    own : float64, shape (m, 6)
        m, spread, s, spread after the trial, and e of the candidate itself, and what is left of the
        e of the point before it.
    places : int64, shape (m,)
        How many points come before the candidate.
    nodes, weights : float64, shape (k,)
        Values of z for the quadrature, and their weights; the last weight is −1, for the present
        area, and the sum of the weights is 0.
    """
    gains = np.zeros(len(steps))
    lowest = worth(reference, 1.0 if form == ANGLE else 0.0, form, side)  # r has no variance
    for i in range(len(steps)):
        for z in range(len(nodes)):
            is_present = weights[z] < 0.0
            best, value, area = reference, lowest, 0.0
            for j in range(len(heights) + 1):
                if j == places[i]:
                    height, step, extent = own[i, 0], own[i, 2], own[i, 4]
                    spread = own[i, 1] if is_present else own[i, 3]
                else:
                    k = j if j < places[i] else j - 1
                    height, step = heights[k], steps[i, k]
                    extent = own[i, 5] if j == places[i] - 1 else extents[k]
                    spread = spreads[k] if is_present else spreads_after[i, k]
                moved = height + nodes[z] * step
                if not moved <= best:  # not `moved > best`, so that NaN is kept
                    best, value = moved, worth(moved, spread, form, side)
                area += extent * value
            # w(r) cancels, because the sum of the weights is 0.
            gains[i] += weights[z] * area
    return gains
