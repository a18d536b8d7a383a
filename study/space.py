"""Search spaces: named parameters with bounds and scales, and their map to the unit cube.

Notation
--------
=========  ==========================================================================================
u          a coordinate in [0, 1]
low, high  a parameter's bounds, both allowed
=========  ==========================================================================================

How a value becomes a coordinate, and a coordinate an allowed value, is said in :mod:`study.cube`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

from study.cube import Axis
from study.errors import InputError

__all__ = ["Parameter", "Space"]


@dataclass(frozen=True)
class Parameter:
    """One dimension of a search space.

    Parameters
    ----------
    name : str
        As the agent calls it.
    low, high : float
        Bounds, both allowed.
    integer : bool
        Whether only whole numbers count.
    log : bool
        Whether equal ratios, rather than equal differences, are equally far.
    symbol : str
        For tables and axes; ``name`` if empty.

    Raises
    ------
    ValueError
        If the bounds are no proper interval, not whole for an integer, or not positive for a
        logarithmic scale.
    """

    name: str
    low: float
    high: float
    integer: bool = False
    log: bool = False
    symbol: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are no interval")
        if self.integer and (self.low != int(self.low) or self.high != int(self.high)):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are not whole")
        if self.log and self.low <= 0:
            raise ValueError(f"{self.name}: a log scale needs a bound above 0, not {self.low}")

    @property
    def label(self) -> str:
        """The symbol, or the name where there is none."""
        return self.symbol or self.name

    @property
    def axis(self) -> Axis:
        """The parameter's way to the unit interval and back."""
        return Axis(float(self.low), float(self.high), 1.0 if self.integer else 0.0, self.log)

    def clip(self, value: float) -> float:
        """Round if whole numbers are asked for, and bring into bounds."""
        return self.number(self.axis.snap(np.array([float(value)])))

    def from_unit(self, u: float) -> float:
        """Map a coordinate in [0, 1] to a value in bounds."""
        return self.number(self.axis.from_unit(np.array([u])))

    def to_unit(self, value: float) -> float:
        """Map a value in bounds to a coordinate in [0, 1]; the inverse of :meth:`from_unit`."""
        return float(self.axis.to_unit(np.array([float(value)]))[0])

    def number(self, values: npt.NDArray[np.float64]) -> float:
        """Return the one value of an array as a number of this parameter's kind."""
        value = float(values[0])
        return int(value) if self.integer else value

    def distribution(self) -> FloatDistribution | IntDistribution:
        """Return optuna's word for this parameter."""
        if self.integer:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(float(self.low), float(self.high), log=self.log)

    def suggest(self, trial: optuna.Trial) -> float:
        """Have a trial draw this parameter, or return what it has drawn already."""
        if self.integer:
            return trial.suggest_int(self.name, int(self.low), int(self.high), log=self.log)
        return trial.suggest_float(self.name, float(self.low), float(self.high), log=self.log)

    def check(self, value: float) -> float:
        """Return ``value`` if it is allowed; InputError otherwise."""
        whole = "an integer from " if self.integer else ""
        if not self.low <= value <= self.high or self.clip(value) != value:
            raise InputError(
                f"{self.name}: {value:g} given, {whole}{self.low:g} to {self.high:g} allowed"
            )
        return value


@dataclass(frozen=True)
class Space:
    """A search space: some parameters, in order."""

    parameters: tuple[Parameter, ...]

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    def from_unit(self, point: Sequence[float]) -> dict[str, float]:
        """Map a point of the unit cube to named values in bounds."""
        return {p.name: p.from_unit(u) for p, u in zip(self.parameters, point, strict=True)}

    def to_unit(self, values: Mapping[str, float]) -> list[float]:
        """Map named values to a point of the unit cube."""
        return [parameter.to_unit(values[parameter.name]) for parameter in self.parameters]

    def distributions(self) -> dict[str, BaseDistribution]:
        """Return optuna's word for the space."""
        return {parameter.name: parameter.distribution() for parameter in self.parameters}

    def as_records(self) -> list[dict[str, Any]]:
        """Return the space as plain data: what a study remembers of it."""
        return [asdict(parameter) for parameter in self.parameters]
