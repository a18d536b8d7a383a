"""Scales: transformations of an objective for a model, so that predictions stay within bounds.

Notation
--------
=====  =============================================================================================
y      a value in the objective's own unit
x      the position of y between two bounds, from 0 to 1
z      the value on the scale
m, s   posterior mean and standard deviation of z
=====  =============================================================================================

============  =====================================  ===============================================
scale         z                                      for
============  =====================================  ===============================================
LINEAR        y                                      values without bounds
LOG           log₁₀ y                                costs, which are compared by ratios
ROOT          √(y − low), or −√(high − y)            values with one bound
ANGLE         arcsin √x, 0 to π/2                    values with two bounds
============  =====================================  ===============================================

Larger scores of 2048 vary more. In real games of 256 θ of ``mcmdp``, 32 games each
(``results/reference/samplers/recorded.csv``), the log standard deviation grew with the log mean, at
a slope of 0.70 ± 0.05 (95% interval, least squares). So between means of 12,000 and 70,000 points,
the standard deviation of y differs by a factor of 3.4, but that of √y only by a factor of 1.4. The
table shows results of simulated studies, each with 80 trials of four games. The scores come from
the surfaces that the benchmark of samplers uses:

============================================  ============  ============
result                                        y             √y
============================================  ============  ============
root mean square error of predicted fronts    4,540 points  3,430 points
cases in which the 95% band covers the truth  70%           94%
============================================  ============  ============

A mean between two bounds has a variance of x·(1 − x) times a constant, so the variance of its angle
is a constant: 1/(4n) for a win rate of n games. Unlike a logit, an angle is finite at 0 and 1. In
60 simulated studies of 64 trials, with win rates of 0.02 to 0.98, predictions had these root mean
square errors. The share of 95% intervals that covered the truth is in brackets:

===============  ================  ===============
scale            10 games per trial  4 games per trial
===============  ================  ===============
ANGLE            0.077 (94%)       0.106 (94%)
LINEAR           0.080 (93%)       0.106 (92%)
empirical logit  0.092             0.135
===============  ================  ===============

The logit does worse because its estimated noise depends on the observed win rate, which is partly
luck.

Near 0 and 1, the angles of few games are biased, and neighbouring θ do not average this out. So a
second model is fitted to working responses (:meth:`Scale.working_response`). In simulated studies
with 60 trials of ten games, 95% intervals of untested θ contained the true win rate in these shares
of 2,000 cases (``python -m results.benchmarks.skewed``):

========================================  ===========  ==============
win rates                                 first model  refitted twice
========================================  ===========  ==============
2% to 98%                                 0.974        0.964
almost never: at most 5%                  0.542        0.934
almost always: 18% to 100%, most near 1   0.916        0.934
========================================  ===========  ==============

Source: McCullagh and Nelder, *Generalized Linear Models* (1989), §2.5, adjusted dependent variates.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.estimate import Z95

Function = Callable[[Floats], Floats]

# Maximum bias of √y, relative to √y: that of one game with a standard deviation of 40% of y.
MAX_BIAS = 0.02
BIAS_TAKEN_OFF = 0.5  # share of an angle's bias that is removed; `belief` removes about as much
RIGHT_ANGLE = math.pi / 2.0
ROUNDING = 1e-9
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


class Belief(NamedTuple):
    """A model's belief about values, in the objective's unit."""

    mean: Floats
    deviation: Floats
    low95: Floats
    high95: Floats


class Form(IntEnum):
    """The function of a scale, for values measured from :attr:`Scale.origin`, in its unit."""

    LINEAR = 0
    LOG = 1
    ROOT = 2
    ANGLE = 3


FUNCTIONS: dict[Form, tuple[Function, Function, Function]] = {
    Form.LINEAR: (np.asarray, np.asarray, np.ones_like),
    Form.LOG: (np.log10, lambda z: 10.0**z, lambda z: math.log(10.0) * 10.0**z),
    Form.ROOT: (np.sqrt, np.square, lambda z: 2.0 * z),
    Form.ANGLE: (
        lambda x: np.arcsin(np.sqrt(x)),
        lambda z: np.sin(z) ** 2,
        lambda z: np.sin(2.0 * z),
    ),
}
"""For each form: the function, its inverse, and the slope of the inverse."""
BOUNDED = {Form.ROOT: math.inf, Form.ANGLE: RIGHT_ANGLE}
"""The largest |z| on scales with a bound; the smallest is 0."""


@dataclass(frozen=True)
class Scale:
    """A scale; values that do not exist on it, such as the logarithm of 0, are NaN or infinite."""

    form: Form = Form.LINEAR  # the transformation
    # Bounds of values: one is finite for a root, both are finite for an angle.
    low: float = -math.inf
    high: float = math.inf

    LINEAR: ClassVar["Scale"]
    LOG: ClassVar["Scale"]
    ROOT: ClassVar["Scale"]

    @classmethod
    def within(cls, low: float | None, high: float | None) -> "Scale":
        """Return the scale for a mean with these bounds; None stands for no bound."""
        least, most = -math.inf if low is None else low, math.inf if high is None else high
        n_bounds = math.isfinite(least) + math.isfinite(most)
        return cls((Form.LINEAR, Form.ROOT, Form.ANGLE)[n_bounds], least, most)

    @property
    def origin(self) -> tuple[float, float]:
        """The value from which y is measured, and the unit: −1 if only an upper bound exists."""
        if self.form is Form.ANGLE:
            return self.low, self.high - self.low
        if self.form is Form.ROOT and not math.isfinite(self.low):
            return self.high, -1.0
        return (self.low, 1.0) if self.form is Form.ROOT else (0.0, 1.0)

    @property
    def side(self) -> float:
        """The sign of z, on scales on which all z have the same sign."""
        return math.copysign(1.0, self.origin[1])

    def clipped(self, scaled: Floats) -> Floats:
        """Return z times :attr:`side`, clipped to the ends of the scale."""
        if self.form not in BOUNDED:
            return scaled
        return np.clip(self.side * scaled, 0.0, BOUNDED[self.form])

    def transform(self, values: Floats) -> Floats:
        """Return z for y; a y that is beyond a bound by a rounding error counts as the bound."""
        inside = np.clip(values, self.low, self.high)
        values = np.where(np.isclose(values, inside, ROUNDING, 0.0), inside, values)
        start, unit = self.origin
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.side * FUNCTIONS[self.form][0]((values - start) / unit))

    def inverse(self, scaled: Floats) -> Floats:
        """Return y for z; a z beyond an end of the scale gives the bound."""
        start, unit = self.origin
        return np.asarray(start + unit * FUNCTIONS[self.form][1](self.clipped(scaled)))

    def slope(self, scaled: Floats) -> Floats:
        """Return dy/dz."""
        return np.asarray(abs(self.origin[1]) * FUNCTIONS[self.form][2](self.clipped(scaled)))

    def variances(self, values: Floats, variances: Floats) -> Floats:
        """Return the variances of z, given those of y, to first order.

        If a noisy mean is at a bound, the true mean may lie inside the bounds. So slopes are
        computed as if means were at least 0.7 standard errors from a bound. A win rate of 0 then
        has the right variance: 1/(4n).
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            square = self.slope(self.transform(values)) ** 2
            if self.form in BOUNDED:
                square = np.maximum(square, 4.0 * abs(self.origin[1]) * np.sqrt(variances / 2.0))
            return np.where(variances == 0.0, 0.0, variances / square)

    def unbiased(self, scaled: Floats, variances: Floats) -> Floats:
        """Remove the bias of a noisy mean's root or angle, which is towards the bound.

        E[√y] = √(E[y] − v), where v is the variance of √y. Values stay unchanged if v is unknown,
        and on scales that are neither roots nor angles.
        """
        if self.form is Form.ROOT:
            with np.errstate(divide="ignore", invalid="ignore"):
                bias = np.minimum(variances / (2.0 * np.abs(scaled)), MAX_BIAS * np.abs(scaled))
            return np.asarray(scaled + self.side * np.nan_to_num(bias))
        if self.form is Form.ANGLE:
            damped = np.exp(-2.0 * BIAS_TAKEN_OFF * np.nan_to_num(variances))
            return np.asarray(0.5 * np.arccos(damped * np.cos(2.0 * scaled)))
        return scaled

    def working_response(self, values: Floats, predicted: Floats, variances: Floats) -> Floats:
        """Return z for noisy means, to first order about what a model predicts for them.

        Only for angles. The bias of :meth:`transform` has the same sign in all samples, so a model
        would take it for part of the truth. A working response has no bias if the prediction is
        right, because it is linear in y. Slopes are computed as if predictions were at least half a
        standard deviation from an end of the scale, and a response is at most 45° beyond an end, so
        that a prediction that is far off cannot cause an extreme response.

        Parameters
        ----------
        values : float64, shape (n,)
            The means y.
        predicted, variances : float64, shape (n,)
            The predicted z, and the variances of means on the scale.
        """
        z = self.clipped(predicted)
        slopes = np.maximum(self.slope(z), self.slope(np.sqrt(variances) / 2.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = z + (values - self.inverse(z)) / slopes
        found = np.clip(found, -0.5 * RIGHT_ANGLE, 1.5 * RIGHT_ANGLE)
        return np.where(variances > 0.0, found, self.transform(values))

    def belief(self, mean: Floats, deviation: Floats) -> Belief:
        """Return the belief about y, with its 95% interval, from m and s of z.

        Mean and standard deviation of y are computed by quadrature for a normal z; a z beyond an
        end is reflected. On a logarithmic scale, the median of y replaces the mean.
        """
        mean = np.asarray(self.side * self.clipped(mean))
        low, high = (self.inverse(mean + z * deviation) for z in (-Z95, Z95))
        middle = self.inverse(mean)
        if self.form not in BOUNDED:
            return Belief(middle, self.slope(mean) * deviation, low, high)
        start, unit = self.origin
        z = mean[..., None] + np.asarray(deviation)[..., None] * NODES
        values = start + unit * FUNCTIONS[self.form][1](z)
        expected = values @ WEIGHTS
        spread = np.sqrt((values - expected[..., None]) ** 2 @ WEIGHTS)
        return Belief(expected, spread, low, high)


Scale.LINEAR = Scale()
Scale.LOG = Scale(Form.LOG, low=0.0)
Scale.ROOT = Scale.within(0.0, None)


def beyond_worst(raw: Floats, signs: Floats, scales: Sequence[Scale]) -> tuple[float, float]:
    """Return a reference point a little worse than all values, shape (n, 2), where n ≥ 1.

    ``signs`` are −1 for an objective that is minimized, else 1. The point, in the objectives' own
    units, lies a tenth of the range beyond the worst value, but not beyond a bound of values. On a
    logarithmic scale, range and distance are measured in decades.
    """
    logs = [scale.form is Form.LOG for scale in scales]
    scaled = [
        Scale.LOG.transform(each) if log else each for each, log in zip(raw.T, logs, strict=True)
    ]
    values = signs * np.column_stack(scaled)
    worst = values.min(axis=0)
    # If all values are equal, the point must still be worse than they are.
    least = 1e-9 * np.maximum(1.0, np.abs(worst))
    corner = signs * (worst - 0.1 * np.maximum(np.ptp(values, axis=0), least))
    corner = np.where(logs, 10.0 ** np.where(logs, corner, 0.0), corner)
    lows, highs = np.transpose([(each.low, each.high) for each in scales])
    first, second = np.clip(corner, lows, highs)
    return float(first), float(second)
