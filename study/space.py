"""Search spaces: named parameters with bounds and scales, and their map to the unit cube.

Notation
--------
=========  ==========================================================================================
u          a coordinate in [0, 1]
low, high  a parameter's bounds, both allowed
=========  ==========================================================================================

An integer parameter is spread over [low − ½, high + ½] before it is rounded, so that its end values
are met as often as the others. Whatever comes out of a transformation is rounded and clipped *after*
it: exp(log 10) is above 10, and optuna draws another point at random, silently, for a relative
suggestion out of bounds.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

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

    def scaled_bounds(self) -> tuple[float, float]:
        """Return the ends of the interval that [0, 1] is stretched over, logarithms for ``log``."""
        margin = 0.5 if self.integer else 0.0
        low, high = self.low - margin, self.high + margin
        return (math.log(low), math.log(high)) if self.log else (low, high)

    def clip(self, value: float) -> float:
        """Round if whole numbers are asked for, and bring into bounds."""
        if self.integer:
            return int(min(max(round(value), int(self.low)), int(self.high)))
        return min(max(float(value), self.low), self.high)

    def from_unit(self, u: float) -> float:
        """Map a coordinate in [0, 1] to a value in bounds."""
        low, high = self.scaled_bounds()
        value = low + u * (high - low)
        return self.clip(math.exp(value) if self.log else value)

    def to_unit(self, value: float) -> float:
        """Map a value in bounds to a coordinate in [0, 1]; the inverse of :meth:`from_unit`."""
        low, high = self.scaled_bounds()
        scaled = math.log(value) if self.log else value
        return min(max((scaled - low) / (high - low), 0.0), 1.0)

    def distribution(self) -> BaseDistribution:
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
