"""The encoding of parameter vectors as points of the unit cube.

A numeric parameter is one coordinate (:mod:`study.axis`). A categorical one has a coordinate a
choice (one-hot): all choices are equally far from one another, √2, where the ends of a numeric one
are 1 apart. Parameters are described as optuna does.
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


def axis_of(distribution: BaseDistribution) -> Axis:
    """Return the axis of a numeric parameter."""
    assert isinstance(distribution, FloatDistribution | IntDistribution)
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
        self.categorical = {
            name: each
            for name, each in distributions.items()
            if isinstance(each, CategoricalDistribution)
        }
        self.axes = {
            name: axis_of(each)
            for name, each in distributions.items()
            if name not in self.categorical
        }
        self.columns: dict[str, slice] = {}
        begin = 0
        for name in self.distributions:
            width = len(self.categorical[name].choices) if name in self.categorical else 1
            self.columns[name] = slice(begin, begin + width)
            begin += width
        self.n_coordinates = begin
        self.widths = np.array([each.stop - each.start for each in self.columns.values()], np.int64)
        self.owners = np.repeat(np.arange(len(self.widths)), self.widths)

    def encode(self, params: Sequence[Mapping[str, Any]]) -> Floats:
        """Map parameter vectors to points, shape (n, n_coordinates)."""
        points = np.zeros((len(params), self.n_coordinates))
        for name, axis in self.axes.items():
            values = np.array([values[name] for values in params], np.float64)
            points[:, self.columns[name].start] = axis.to_unit(values)
        for name, each in self.categorical.items():
            chosen = [each.to_internal_repr(values[name]) for values in params]
            points[np.arange(len(params)), self.columns[name].start + np.array(chosen, int)] = 1.0
        return points

    def decode(self, point: Floats) -> dict[str, Any]:
        """Map a point to the parameter vector nearest to it."""
        params: dict[str, Any] = {}
        for name, each in self.distributions.items():
            coordinates = point[self.columns[name]]
            if name in self.categorical:
                params[name] = self.categorical[name].choices[int(np.argmax(coordinates))]
            else:
                value = float(self.axes[name].from_unit(coordinates)[0])
                params[name] = int(value) if isinstance(each, IntDistribution) else value
        return params

    def snap(self, points: Floats) -> Floats:
        """Move points, shape (n, n_coordinates), to the nearest ones that stand for a value."""
        snapped = np.clip(points, 0.0, 1.0)
        for name, axis in self.axes.items():
            if axis.step or axis.low == axis.high:
                column = self.columns[name].start
                snapped[:, column] = axis.to_unit(axis.from_unit(snapped[:, column]))
        for name, each in self.categorical.items():
            columns = self.columns[name]
            snapped[:, columns] = np.eye(len(each.choices))[np.argmax(points[:, columns], axis=1)]
        return snapped
