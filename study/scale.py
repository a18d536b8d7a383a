"""Scales on which a model takes an objective.

Notation
--------
=====  =============================================================================================
y      a value in the objective's own unit
z      the value on the scale: y, log₁₀ y or √y
m, s   posterior mean and standard deviation of z
=====  =============================================================================================

Seconds are compared by ratios, so log₁₀ suits them. Scores of 2048 scatter more the larger they
are: over 256 real θ of ``mcmdp``, log standard deviation grew with log mean by 0.70 ± 0.03, so that
of √y differs by a factor of 1.4 between 12,000 and 70,000 points, in place of 3.4. In simulated
studies of 80 trials of four games, on the surfaces of :mod:`study.bench.samplers`, predicted fronts
were off by 3,430 points in place of 4,540 (root mean square), and the 95% band held the truth in
94% of cases in place of 70%.
"""

from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from study.estimate import Z95

Floats = npt.NDArray[np.float64]

MOST_BIAS = 0.02  # of √y, relative: that of the mean of one game of deviation 40%


class Belief(NamedTuple):
    """What a model knows of values, in the objective's unit."""

    mean: Floats
    deviation: Floats
    low95: Floats
    high95: Floats


class Scale(Enum):
    """A scale; what a value cannot have on it, such as the logarithm of 0, is NaN or infinite."""

    LINEAR = "linear"
    LOG = "log"
    ROOT = "root"

    def of(self, values: Floats) -> Floats:
        """Return z for y."""
        with np.errstate(divide="ignore", invalid="ignore"):
            match self:
                case Scale.LOG:
                    return np.log10(values)
                case Scale.ROOT:
                    return np.sqrt(values)
                case _:
                    return values

    def variances(self, values: Floats, variances: Floats) -> Floats:
        """Return the variances of z, to first order, given those of y; NaN for the root of 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            match self:
                case Scale.LOG:
                    return np.asarray(variances / (values * np.log(10.0)) ** 2)
                case Scale.ROOT:
                    return np.where(values > 0.0, variances / (4.0 * values), np.nan)
                case _:
                    return variances

    def slope(self, scaled: Floats) -> Floats:
        """Return dy/dz."""
        match self:
            case Scale.LOG:
                return np.asarray(np.log(10.0) * 10.0**scaled)
            case Scale.ROOT:
                return 2.0 * np.fmax(scaled, 0.0)
            case _:
                return np.ones_like(scaled)

    def unbiased(self, scaled: Floats, variances: Floats) -> Floats:
        """Take off the bias of √y of a noisy y: E[√y] = √(E[y] − v), v the variance of √y.

        Where v is unknown, and on other scales, values stay as they are.
        """
        if self is not Scale.ROOT:
            return scaled
        with np.errstate(divide="ignore", invalid="ignore"):
            bias = np.minimum(variances / (2.0 * scaled), MOST_BIAS * scaled)
        return np.asarray(scaled + np.nan_to_num(bias))

    def belief(self, mean: Floats, deviation: Floats) -> Belief:
        """Return what m and s say of y, with its 95% interval; of a logarithm, the median of y."""
        low, high = mean - Z95 * deviation, mean + Z95 * deviation
        match self:
            case Scale.LOG:
                middle = 10.0**mean
                return Belief(middle, middle * np.log(10.0) * deviation, 10.0**low, 10.0**high)
            case Scale.ROOT:
                mean = np.fmax(mean, 0.0)
                spread = np.sqrt(4.0 * mean**2 + 2.0 * deviation**2) * deviation
                return Belief(mean**2 + deviation**2, spread, np.fmax(low, 0.0) ** 2, high**2)
            case _:
                return Belief(mean, deviation, low, high)
