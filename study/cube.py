"""The unit cube: parameters as optuna describes them, as coordinates in [0, 1].

Notation
--------
=========  ==========================================================================================
u          a coordinate in [0, 1]
low, high  a numeric parameter's bounds, both allowed
step       distance of neighbouring values of a parameter on a grid; 0 for a continuous one
=========  ==========================================================================================

A parameter on a grid (an integer, say) is spread over [low − step/2, high + step/2] before it is rounded,
so that its end values are met as often as the others. Whatever comes out of a transformation is
rounded and clipped *after* it: exp(log 10) is above 10, and optuna draws another point at random,
silently, for a relative suggestion out of bounds. A categorical parameter has one coordinate a choice
(one-hot): all choices are equally far from one another, √2, where the ends of a numeric one are 1 apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

__all__ = ["Axis", "Cube"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """One numeric parameter's way to [0, 1] and back.

    Parameters
    ----------
    low, high : float
        Bounds, both allowed.
    step : float
        0 if continuous.
    log : bool
        Whether equal ratios, rather than equal differences, are equally far.
    """

    low: float
    high: float
    step: float = 0.0
    log: bool = False

    @classmethod
    def of(cls, distribution: FloatDistribution | IntDistribution) -> "Axis":
        """Return the axis of an optuna distribution."""
        step = float(distribution.step or 0.0)
        return cls(float(distribution.low), float(distribution.high), step, distribution.log)

    def ends(self) -> tuple[float, float]:
        """Return the interval that [0, 1] is stretched over, logarithms for ``log``."""
        low, high = self.low - 0.5 * self.step, self.high + 0.5 * self.step
        return (float(np.log(low)), float(np.log(high))) if self.log else (low, high)

    def snap(self, values: Floats) -> Floats:
        """Bring values onto the grid, and into bounds."""
        if self.step:
            values = self.low + self.step * np.round((values - self.low) / self.step)
        return np.clip(values, self.low, self.high)

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


class Cube:
    """A search space as the unit cube.

    Parameters
    ----------
    distributions : mapping of str to optuna.distributions.BaseDistribution
        The parameters, in order.

    Attributes
    ----------
    n_coordinates : int
        One a numeric parameter, and as many as there are choices for a categorical one.
    widths : int64, shape (n_parameters,)
        How many coordinates each parameter has.
    owners : int64, shape (n_coordinates,)
        Which parameter, by number, each coordinate belongs to.
    """

    def __init__(self, distributions: Mapping[str, BaseDistribution]) -> None:
        self.distributions = dict(distributions)
        self.columns: dict[str, slice] = {}
        begin = 0
        for name, each in self.distributions.items():
            width = len(each.choices) if isinstance(each, CategoricalDistribution) else 1
            self.columns[name] = slice(begin, begin + width)
            begin += width
        self.n_coordinates = begin
        self.widths = np.array([each.stop - each.start for each in self.columns.values()], np.int64)
        self.owners = np.repeat(np.arange(len(self.widths)), self.widths)

    def encode(self, params: Sequence[Mapping[str, Any]]) -> Floats:
        """Map parameter vectors to points, shape (n, n_coordinates)."""
        points = np.zeros((len(params), self.n_coordinates))
        for name, each in self.distributions.items():
            columns = self.columns[name]
            if isinstance(each, CategoricalDistribution):
                chosen = [each.to_internal_repr(values[name]) for values in params]
                points[np.arange(len(params)), columns.start + np.array(chosen, int)] = 1.0
            elif isinstance(each, FloatDistribution | IntDistribution):
                values = np.array([float(values[name]) for values in params])
                points[:, columns.start] = Axis.of(each).to_unit(values)
        return points

    def decode(self, point: Floats) -> dict[str, Any]:
        """Map a point to the parameter vector nearest to it."""
        params: dict[str, Any] = {}
        for name, each in self.distributions.items():
            columns = self.columns[name]
            if isinstance(each, CategoricalDistribution):
                params[name] = each.choices[int(np.argmax(point[columns]))]
            elif isinstance(each, FloatDistribution | IntDistribution):
                value = float(Axis.of(each).from_unit(point[columns])[0])
                params[name] = int(value) if isinstance(each, IntDistribution) else value
        return params

    def snap(self, points: Floats) -> Floats:
        """Move points, shape (n, n_coordinates), to the nearest ones that stand for a value."""
        snapped = np.clip(points, 0.0, 1.0)
        for name, each in self.distributions.items():
            columns = self.columns[name]
            if isinstance(each, CategoricalDistribution):
                choice = np.argmax(points[:, columns], axis=1)
                snapped[:, columns] = np.eye(columns.stop - columns.start)[choice]
            elif isinstance(each, FloatDistribution | IntDistribution):
                axis = Axis.of(each)
                if axis.step or axis.low == axis.high:
                    column = columns.start
                    snapped[:, column] = axis.to_unit(axis.from_unit(snapped[:, column]))
        return snapped
