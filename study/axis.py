"""A numeric parameter's map to the unit interval and back.

A parameter on a grid (an integer, say) is spread over [low − step/2, high + step/2] before it is
rounded, so that its end values are as likely as the others. Values are rounded and clipped *after*
each transformation, because floating-point errors can move them out of bounds: exp(log 10) exceeds
10. If a suggestion is out of bounds, optuna silently uses a random value instead.
"""

import math
from dataclasses import dataclass

import numpy as np

from thetafront.study.arrays import Floats

N_DECIMALS = 10  # of values on a grid, in steps


def without_rounding_error(values: Floats, step: float) -> Floats:
    """Round values on a grid with steps of ``step``: to 0.3, and not 0.1 + 2·0.1."""
    if not step % 1.0:
        return values
    return np.round(values, N_DECIMALS - math.floor(math.log10(step)))


@dataclass(frozen=True)
class ParameterAxis:
    """A numeric parameter's map to [0, 1] and back."""

    # Bounds; both are allowed values.
    low: float
    high: float
    step: float = 0.0  # 0 if continuous
    log: bool = False  # whether the scale is logarithmic

    def ends(self) -> tuple[float, float]:
        """Return the values to which 0 and 1 are mapped, or their logarithms on a log scale."""
        low, high = self.low - 0.5 * self.step, self.high + 0.5 * self.step
        return (float(np.log(low)), float(np.log(high))) if self.log else (low, high)

    def snap(self, values: Floats) -> Floats:
        """Round values to the grid, and clip them to the bounds."""
        if not self.step:
            return np.clip(values, self.low, self.high)
        steps = np.round((values - self.low) / self.step)
        values = without_rounding_error(self.low + self.step * steps, self.step)
        at_high = steps >= round((self.high - self.low) / self.step)
        return np.where(steps <= 0, self.low, np.where(at_high, self.high, values))

    def from_unit(self, u: Floats) -> Floats:
        """Map coordinates in [0, 1] to values in bounds."""
        low, high = self.ends()
        scaled = low + u * (high - low)
        return self.snap(np.exp(scaled) if self.log else scaled)

    def to_unit(self, values: Floats) -> Floats:
        """Map values in bounds to coordinates in [0, 1]; the inverse of :meth:`from_unit`."""
        low, high = self.ends()
        if low == high:
            return np.full_like(values, 0.5)
        scaled = np.log(values) if self.log else values
        return np.clip((scaled - low) / (high - low), 0.0, 1.0)
