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
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from study.axis import Axis

Floats = npt.NDArray[np.float64]


def axis_of(distribution: FloatDistribution | IntDistribution) -> Axis:
    """Return the axis of an optuna distribution."""
    step = float(distribution.step or 0.0)
    return Axis(float(distribution.low), float(distribution.high), step, distribution.log)


class UnitCube:
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
                points[:, columns.start] = axis_of(each).to_unit(values)
        return points

    def decode(self, point: Floats) -> dict[str, Any]:
        """Map a point to the parameter vector nearest to it."""
        params: dict[str, Any] = {}
        for name, each in self.distributions.items():
            columns = self.columns[name]
            if isinstance(each, CategoricalDistribution):
                params[name] = each.choices[int(np.argmax(point[columns]))]
            elif isinstance(each, FloatDistribution | IntDistribution):
                value = float(axis_of(each).from_unit(point[columns])[0])
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
                axis = axis_of(each)
                if axis.step or axis.low == axis.high:
                    column = columns.start
                    snapped[:, column] = axis.to_unit(axis.from_unit(snapped[:, column]))
        return snapped
