"""The encoding of parameter vectors as points of the unit cube.

A numeric parameter has one coordinate (:mod:`study.axis`). A categorical parameter has one
coordinate per choice (one-hot). So the distance between any two choices is √2, and the distance
between the ends of a numeric parameter is 1. Parameters are described by Optuna's distributions.
The coordinates of an inactive parameter are 1/2, so that each θ has exactly one point.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from thetafront.study.arrays import Booleans, Floats
from thetafront.study.axis import ParameterAxis
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.space import Space


def make_axis(distribution: BaseDistribution) -> ParameterAxis:
    """Return the axis of a numeric parameter."""
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    step = float(distribution.step or 0.0)
    return ParameterAxis(float(distribution.low), float(distribution.high), step, distribution.log)


class UnitCube:
    """Encodes the θ of a search space as points of the unit cube.

    ``distributions`` are the parameters, in order. ``space`` says which parameters are active and
    which points are feasible; by default, all are.
    """

    def __init__(
        self, distributions: Mapping[str, BaseDistribution], space: Space | None = None
    ) -> None:
        self.distributions = dict(distributions)
        self.space = None if space is None or space.is_box else space
        self.categorical = {
            name: each
            for name, each in distributions.items()
            if isinstance(each, CategoricalDistribution)
        }
        # Optuna may not know the step of a parameter of the space.
        known = {each.name: each.axis for each in space or () if isinstance(each, NumericParameter)}
        self.axes = {
            name: known.get(name) or make_axis(each)
            for name, each in distributions.items()
            if name not in self.categorical
        }
        self.columns: dict[str, slice] = {}
        begin = 0
        for name in self.distributions:
            width = len(self.categorical[name].choices) if name in self.categorical else 1
            self.columns[name] = slice(begin, begin + width)
            begin += width
        # One for each numeric parameter, and one for each choice of a categorical parameter.
        self.n_coordinates = begin
        # (n_parameters,): how many coordinates each parameter has; (n_coordinates,): the index of
        # the parameter to which each coordinate belongs.
        self.widths = np.array([each.stop - each.start for each in self.columns.values()], np.int64)
        self.owners = np.repeat(np.arange(len(self.widths)), self.widths)

    @classmethod
    def from_space(cls, space: Space) -> "UnitCube":
        """Return the encoding of a search space."""
        return cls(space.distributions(), space)

    def encode(self, params: Sequence[Mapping[str, Any]]) -> Floats:
        """Map parameter vectors to points, shape (n, n_coordinates)."""
        if self.space is not None:
            usual = self.space.values_at([0.5] * len(self.space))
            params = [{**usual, **self.space.present(each)} for each in params]
        points = np.zeros((len(params), self.n_coordinates))
        for name, axis in self.axes.items():
            values = np.array([values[name] for values in params], np.float64)
            points[:, self.columns[name].start] = axis.to_unit(values)
        for name, each in self.categorical.items():
            chosen = [each.to_internal_repr(values[name]) for values in params]
            points[np.arange(len(params)), self.columns[name].start + np.array(chosen, int)] = 1.0
        return self.neutral(points)

    def decode(self, point: Floats) -> dict[str, Any]:
        """Map a point to the parameter vector nearest to it."""
        values = self.values(point[None])
        params: dict[str, Any] = {}
        for name, each in self.distributions.items():
            (value,) = values[name].tolist()
            params[name] = int(value) if isinstance(each, IntDistribution) else value
        return params if self.space is None else self.space.active(params)

    def snap(self, points: Floats) -> Floats:
        """Move points, shape (n, n_coordinates), to the nearest points that represent values."""
        snapped = np.clip(points, 0.0, 1.0)
        for name, axis in self.axes.items():
            if axis.step or axis.low == axis.high:
                column = self.columns[name].start
                snapped[:, column] = axis.to_unit(axis.from_unit(snapped[:, column]))
        for name, each in self.categorical.items():
            columns = self.columns[name]
            snapped[:, columns] = np.eye(len(each.choices))[np.argmax(points[:, columns], axis=1)]
        return self.neutral(snapped)

    def is_whole(self, params: Mapping[str, Any]) -> bool:
        """Return whether a parameter vector has all active parameters."""
        if self.space is not None:
            return self.space.is_whole(params)
        return set(self.distributions) <= set(params)

    def values(self, points: Floats) -> dict[str, npt.NDArray[Any]]:
        """Return the values that points represent, by parameter."""
        found: dict[str, npt.NDArray[Any]] = {
            name: axis.from_unit(points[:, self.columns[name].start])
            for name, axis in self.axes.items()
        }
        for name, each in self.categorical.items():
            chosen = np.argmax(points[:, self.columns[name]], axis=1)
            found[name] = np.array(each.choices, object)[chosen]
        return found

    def neutral(self, points: Floats) -> Floats:
        """Move the coordinates of inactive parameters to 1/2, in place."""
        if self.space is not None and self.space.is_conditional:
            for name, active in self.space.activity(self.values(points)).items():
                points[~active, self.columns[name]] = 0.5
        return points

    def is_feasible(self, points: Floats) -> Booleans:
        """Return which points satisfy the constraints of the space, shape (len(points),)."""
        if self.space is None or not self.space.constraints:
            return np.ones(len(points), np.bool_)
        return self.space.satisfied(self.values(points))

    @cached_property
    def feasible_points(self) -> Floats:
        """Some feasible points of the space; an empty array without constraints."""
        if self.space is None or not self.space.constraints:
            return np.empty((0, self.n_coordinates))
        return self.encode([self.space.from_unit(u) for u in self.space.feasible_points.tolist()])
