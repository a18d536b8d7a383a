"""Search spaces: named parameters, numeric or categorical, and their map to the unit cube.

Notation
--------
=========  ================================================
u          a coordinate in [0, 1]
low, high  a numeric parameter's bounds, both allowed
n          choices of a categorical parameter
=========  ================================================

For numeric parameters see :mod:`study.axis`. A categorical parameter has **one coordinate here**,
for an initial design: [0, 1] is split into n equal parts, one a choice, in their order. The order
has no meaning and no model sees it: to a model a categorical parameter is n coordinates (one-hot,
see :class:`study.samplers.encoding.UnitCube`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from agents.parameters import Value, is_real
from study.axis import Axis
from study.errors import InputError

# Workers import a user's definition, and optuna is slow to import.
if TYPE_CHECKING:
    from optuna.distributions import (
        BaseDistribution,
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

SIGNIFICANT_DIGITS = 3
LEAST_CHOICES = 2
LEAST_WITH_DECIMALS = 0.1
TOLERANCE = 1e-9  # of a step


@dataclass(frozen=True)
class NumericParameter:
    """One numeric dimension of a search space.

    Parameters
    ----------
    name : str
        The agent's name of it.
    low, high : float
        Bounds, both allowed.
    integer : bool
        Whether values are integers.
    log : bool
        Whether the scale is logarithmic.
    symbol : str
        For tables and axes; ``name`` if empty.
    step : float
        Values are ``low`` and so many steps more, on a linear scale; 0 for all between the bounds.
    least, most : float
        How far the bounds may be moved, if the agent does not say.

    Raises
    ------
    ValueError
        If the bounds are no interval, or beyond ``least`` and ``most``, not integers for an
        integer, not positive for a logarithmic scale, or no whole number of steps apart.
    """

    name: str
    low: float
    high: float
    integer: bool = False
    log: bool = False
    symbol: str = ""
    step: float = 0.0
    least: float = -math.inf
    most: float = math.inf

    def __post_init__(self) -> None:
        if not self.least <= self.low <= self.high <= self.most and self.low <= self.high:
            allowed = f"{self.least:g} to {self.most:g}"
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are beyond {allowed}")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are no interval")
        if self.integer and (self.low != int(self.low) or self.high != int(self.high)):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are not whole")
        if self.log and self.low <= 0:
            raise ValueError(f"{self.name}: a log scale needs a bound above 0, not {self.low}")
        if self.step and self.log:
            raise ValueError(f"{self.name}: steps are for a linear scale")
        if self.integer and not float(self.step).is_integer():
            raise ValueError(f"{self.name}: steps of {self.step} are not whole")
        if not (math.isfinite(self.step) and 0.0 <= self.step <= self.high - self.low):
            raise ValueError(f"{self.name}: steps of {self.step} do not fit into the bounds")
        n_steps = (self.high - self.low) / self.step if self.step else 0.0
        if abs(n_steps - round(n_steps)) > TOLERANCE:
            raise ValueError(
                f"{self.name}: bounds {self.low} to {self.high} are no whole number of steps of "
                f"{self.step} apart"
            )

    @property
    def label(self) -> str:
        """The symbol, or the name where there is none."""
        return self.symbol or self.name

    @property
    def axis(self) -> Axis:
        """The parameter's map to the unit interval and back."""
        return Axis(float(self.low), float(self.high), self.grid, self.log)

    @property
    def grid(self) -> float:
        """The distance between neighbouring values; 0 if there is none."""
        return self.step or (1.0 if self.integer else 0.0)

    def clip(self, value: Value) -> float:
        """Clip a value to the bounds; round it if the parameter is an integer."""
        return self.number(self.axis.snap(np.array([float(value)])))

    def tidy(self, value: Value) -> float:
        """Round a value to three significant digits, within bounds; integers stay."""
        return self.clip(value if self.integer else float(f"{float(value):.{SIGNIFICANT_DIGITS}g}"))

    def from_unit(self, u: float) -> float:
        """Map a coordinate in [0, 1] to a value in bounds."""
        return self.number(self.axis.from_unit(np.array([u])))

    def to_unit(self, value: Value) -> float:
        """Map a value in bounds to a coordinate in [0, 1]; the inverse of :meth:`from_unit`."""
        return float(self.axis.to_unit(np.array([float(value)]))[0])

    def number(self, values: npt.NDArray[np.float64]) -> float:
        """Return the one value of an array as a number of this parameter's kind."""
        value = float(values[0])
        return int(value) if self.integer else value

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds; if the agent allows them, it allows all between."""
        return self.low, self.high

    def distribution(self) -> "FloatDistribution | IntDistribution":
        """Return optuna's form of this parameter."""
        from optuna.distributions import FloatDistribution, IntDistribution  # noqa: PLC0415

        if self.integer:
            return IntDistribution(int(self.low), int(self.high), log=self.log, step=int(self.grid))
        step = self.step or None
        return FloatDistribution(float(self.low), float(self.high), log=self.log, step=step)

    def check(self, value: Value) -> float:
        """Return ``value`` if it is allowed; InputError otherwise."""
        whole = "an integer from " if self.integer else ""
        steps = f" in steps of {self.step:g}" if self.step else ""
        allowed = f"{whole}{self.low:g} to {self.high:g}{steps} allowed"
        if not is_real(value) or isinstance(value, str):
            raise InputError(f"{self.name}: {value!r} given, {allowed}")
        if not self.low <= value <= self.high or self.clip(value) != value:
            raise InputError(f"{self.name}: {value:g} given, {allowed}")
        return value

    def text(self, value: Value) -> str:
        """Write a value."""
        return f"{float(value):g}"

    def cell(self, value: Value) -> str:
        """Write a value for a table, with as many decimals as are useful there."""
        if self.log and abs(float(value)) < LEAST_WITH_DECIMALS:
            return f"{float(value):.2g}"
        whole = self.integer or abs(float(value)) >= 100.0
        return f"{float(value):.0f}" if whole else f"{float(value):.2f}"

    def as_record(self) -> dict[str, Any]:
        """Return the parameter as plain data; without what is as it was before it was known."""
        record = asdict(self)
        usual = {"step": 0.0, "least": -math.inf, "most": math.inf}
        return {key: each for key, each in record.items() if usual.get(key) != each}


@dataclass(frozen=True)
class CategoricalParameter:
    """One categorical dimension of a search space.

    Parameters
    ----------
    name : str
        The agent's name of it.
    choices : tuple of str
        Two or more. Their order decides which part of [0, 1] is whose, nothing else.
    symbol : str
        For tables and axes; ``name`` if empty.

    Raises
    ------
    ValueError
        If there are fewer than two choices, or one of them twice or empty.
    """

    name: str
    choices: tuple[str, ...]
    symbol: str = ""

    def __post_init__(self) -> None:
        distinct = len(set(self.choices)) == len(self.choices) and all(self.choices)
        if len(self.choices) < LEAST_CHOICES or not distinct:
            given = ", ".join(map(repr, self.choices)) or "none"
            raise ValueError(
                f"{self.name}: choices {given} given, two or more different ones allowed"
            )

    @property
    def label(self) -> str:
        """The symbol, or the name where there is none."""
        return self.symbol or self.name

    def clip(self, value: Value) -> str:
        """Return ``value`` if it is allowed; InputError otherwise."""
        return self.check(value)

    def tidy(self, value: Value) -> str:
        """Return ``value`` if it is allowed; InputError otherwise."""
        return self.check(value)

    def from_unit(self, u: float) -> str:
        """Return the choice in whose part of [0, 1] a coordinate lies."""
        return self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)]

    def to_unit(self, value: Value) -> float:
        """Return the middle of a choice's part of [0, 1]."""
        return (self.choices.index(self.check(value)) + 0.5) / len(self.choices)

    @property
    def ends(self) -> tuple[str, ...]:
        """All choices."""
        return self.choices

    def distribution(self) -> "CategoricalDistribution":
        """Return optuna's form of this parameter."""
        from optuna.distributions import CategoricalDistribution  # noqa: PLC0415

        return CategoricalDistribution(self.choices)

    def check(self, value: Value) -> str:
        """Return ``value`` if it is allowed; InputError otherwise."""
        if not isinstance(value, str) or value not in self.choices:
            raise InputError(
                f"{self.name}: {value!r} given, one of {', '.join(self.choices)} allowed"
            )
        return value

    def text(self, value: Value) -> str:
        """Write a value."""
        return str(value)

    def cell(self, value: Value) -> str:
        """Write a value for a table."""
        return str(value)

    def as_record(self) -> dict[str, Any]:
        """Return the parameter as plain data: JSON knows no tuples."""
        return {**asdict(self), "choices": list(self.choices)}


Dimension: TypeAlias = NumericParameter | CategoricalParameter
"""A parameter of either kind; both have the same methods."""


def range_of(record: Mapping[str, Any]) -> str:
    """Write what a parameter's record allows, of any version: ``depth 1 to 30``."""
    if "choices" in record:
        return f"{record['name']} {', '.join(map(str, record['choices']))}"
    steps = f" in steps of {record['step']:g}" if record.get("step") else ""
    return f"{record['name']} {record['low']:g} to {record['high']:g}{steps}"


@dataclass(frozen=True)
class Space:
    """A search space: some parameters, in order."""

    parameters: tuple[Dimension, ...]

    def __iter__(self) -> Iterator[Dimension]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    @classmethod
    def from_records(cls, records: Sequence[Mapping[str, Any]]) -> "Space":
        """Read what :meth:`as_records` returns; TypeError or ValueError if this version cannot."""
        return cls(
            tuple(
                CategoricalParameter(**{**each, "choices": tuple(each["choices"])})
                if "choices" in each
                else NumericParameter(**each)
                for each in records
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def categorical(self) -> tuple[CategoricalParameter, ...]:
        """The categorical parameters, in order."""
        return tuple(each for each in self.parameters if isinstance(each, CategoricalParameter))

    def from_unit(self, point: Sequence[float]) -> dict[str, Value]:
        """Map a point of the unit cube, a coordinate a parameter, to named values in bounds."""
        return {p.name: p.from_unit(u) for p, u in zip(self.parameters, point, strict=True)}

    def to_unit(self, values: Mapping[str, Value]) -> list[float]:
        """Map named values to a point of the unit cube, a coordinate a parameter."""
        return [parameter.to_unit(values[parameter.name]) for parameter in self.parameters]

    def clip(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Bring named values into bounds; InputError for a choice that is not allowed."""
        return {each.name: each.clip(values[each.name]) for each in self.parameters}

    def tidy(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Round named values to three significant digits, within bounds."""
        return {each.name: each.tidy(values[each.name]) for each in self.parameters}

    def distributions(self) -> "dict[str, BaseDistribution]":
        """Return optuna's form of the space."""
        return {parameter.name: parameter.distribution() for parameter in self.parameters}

    def as_records(self) -> list[dict[str, Any]]:
        """Return the space as plain data: what a study remembers of it."""
        return [parameter.as_record() for parameter in self.parameters]
