"""One dimension of a search space: a parameter, numeric or categorical.

Notation
--------
=========  ================================================
u          a coordinate in [0, 1]
low, high  a numeric parameter's bounds, inclusive
n          number of a categorical parameter's choices
=========  ================================================

The coordinate of a numeric parameter is described in :mod:`study.axis`. A categorical parameter has
**one coordinate** in an initial design: [0, 1] is split into n equal parts, one per choice. In a
model, it has n coordinates (one-hot, see :class:`study.samplers.encoding.UnitCube`), because the
order of its choices has no meaning.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from thetafront.agents.parameters import (
    Categories,
    Parameter,
    Tuned,
    Value,
    is_real,
    without_numpy,
)
from thetafront.study.arrays import Floats
from thetafront.study.axis import ParameterAxis
from thetafront.study.errors import InputError
from thetafront.study.experiments.constraints import CONDITION, NUMBER, TEXT

# Optuna is slow to import, and every worker that loads a user's definition imports this module.
if TYPE_CHECKING:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

SIGNIFICANT_DIGITS = 3
MIN_CHOICES = 2
MIN_WITH_DECIMALS = 0.1
TOLERANCE = 1e-9  # of a step
ABSENT = "–"  # how an inactive parameter is written
TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def is_absent(value: Any) -> bool:
    """Return whether a value is missing: None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def written(value: Value) -> str:
    """Write a choice as TOML and JSON do, but without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def when_text(when: Mapping[str, Sequence[Value]]) -> str:
    """Write a parameter's conditions, such as `` when solver is sgd or adam``, if it has any."""
    texts = [f"{parent} is {' or '.join(map(written, of))}" for parent, of in when.items()]
    return f" when {' and '.join(texts)}" if texts else ""


class Described(ABC):
    """What numeric and categorical parameters have in common."""

    name: str
    symbol: str
    when: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.when, Mapping):
            raise ValueError(
                f"{self.name}: when must be {{parameter = [values]}} (got {self.when!r})"
            )
        conditions = {
            parent: tuple(
                map(without_numpy, values if isinstance(values, list | tuple) else [values])
            )
            for parent, values in self.when.items()
        }
        if empty := [parent for parent, values in conditions.items() if not values]:
            raise ValueError(
                f"{self.name}: when.{empty[0]} must have at least one value (got none)"
            )
        object.__setattr__(self, "when", conditions)

    @property
    def label(self) -> str:
        """The symbol, or the name if there is no symbol."""
        return self.symbol or self.name

    @abstractmethod
    def at(self, u: Floats) -> npt.NDArray[Any]:
        """Map coordinates in [0, 1] to values in bounds, or to choices."""

    def from_unit(self, u: float) -> Any:
        """Map a coordinate in [0, 1] to a value in bounds, or to a choice."""
        return self.plain(self.at(np.array([u]))[0])

    def plain(self, value: Any) -> Any:
        """Convert an element of an array to this parameter's type."""
        return value

    def text(self, value: Any, n_digits: int = 6) -> str:
        """Write a value, a real number with so many digits; a dash if there is none."""
        return ABSENT if is_absent(value) else written(value)

    def cell(self, value: Any) -> str:
        """Write a value for a table."""
        return self.text(value)

    def as_record(self) -> dict[str, Any]:
        """Return the parameter as plain data.

        Fields that the first version of thetafront did not store are left out if they are not used.
        """
        record = vars(self) | {"when": {each: list(of) for each, of in self.when.items()}}
        del record["description"]
        usual = {"step": 0.0, "least": -math.inf, "most": math.inf, "when": {}}
        kept = {key: each for key, each in record.items() if usual.get(key) != each}
        return {key: list(each) if isinstance(each, tuple) else each for key, each in kept.items()}


@dataclass(frozen=True)
class NumericParameter(Described):
    """One numeric dimension of a search space.

    Parameters
    ----------
    name : str
        The parameter's name in the agent.
    low, high : float
        Bounds, inclusive.
    integer : bool
        Whether values are integers.
    log : bool
        Whether the scale is logarithmic.
    symbol : str
        Its symbol in tables and on axes; if empty, ``name`` is shown.
    step : float
        Distance between allowed values, which start at ``low``; only on a linear scale. With 0, all
        values between the bounds are allowed.
    least, most : float
        How far a study may move the bounds. If the agent itself declares an allowed range, that
        range is used instead.
    when : mapping of str to tuple
        Other parameters, each with the value or values for which this parameter is active; empty if
        this parameter is always active.
    description : str
        Its description, in one line; it is not stored with a study.

    Raises
    ------
    ValueError
        If the bounds are not an interval; if they are below ``least`` or above ``most``; if they
        are not integers although ``integer`` is true; if they are not positive although ``log`` is
        true; or if the distance between them is not a whole number of steps.
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
    when: Mapping[str, Any] = field(default_factory=dict, hash=False)
    description: str = field(default="", compare=False)

    kind: ClassVar[str] = NUMBER  # kind of its values in a constraint

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("low", "high", "step", "least", "most"):
            object.__setattr__(self, name, without_numpy(getattr(self, name)))
        if not (self.low < self.high and math.isfinite(self.high - self.low)):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are not an interval")
        if not self.least <= self.low:
            raise ValueError(f"{self.name}: low is {self.low}, but must be at least {self.least:g}")
        if not self.high <= self.most:
            raise ValueError(f"{self.name}: high is {self.high}, but must be at most {self.most:g}")
        if self.integer and (self.low != int(self.low) or self.high != int(self.high)):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are not whole numbers")
        if self.integer:
            object.__setattr__(self, "low", int(self.low))
            object.__setattr__(self, "high", int(self.high))
        if self.log and self.low <= 0:
            raise ValueError(f"{self.name}: a log scale needs bounds above 0, not {self.low}")
        if self.step and self.log:
            raise ValueError(f"{self.name}: steps need a linear scale")
        if self.integer and not float(self.step).is_integer():
            raise ValueError(f"{self.name}: steps of {self.step} are not whole numbers")
        if not (math.isfinite(self.step) and 0.0 <= self.step <= self.high - self.low):
            raise ValueError(f"{self.name}: steps of {self.step} do not fit into the bounds")
        n_steps = (self.high - self.low) / self.step if self.step else 0.0
        if abs(n_steps - round(n_steps)) > TOLERANCE:
            raise ValueError(
                f"{self.name}: bounds {self.low} to {self.high} are not a whole number of steps of "
                f"{self.step} apart"
            )

    @property
    def axis(self) -> ParameterAxis:
        """The parameter's map to the unit interval and back."""
        return ParameterAxis(float(self.low), float(self.high), self.grid, self.log)

    @property
    def grid(self) -> float:
        """The distance between neighbouring values; 0 if all values are allowed."""
        return self.step or (1.0 if self.integer else 0.0)

    def clip(self, value: Value) -> float:
        """Clip a value to the bounds; round it to the grid, if there is one."""
        return self.plain(self.axis.snap(np.array([float(value)]))[0])

    def tidy(self, value: Value) -> float:
        """Round a value to three significant digits, within bounds; integers are not rounded.

        There are more digits if the range is narrow compared with its values.
        """
        if self.integer:
            return self.clip(value)
        ratio = max(abs(self.low), abs(self.high)) / (self.high - self.low)
        n_digits = SIGNIFICANT_DIGITS + max(0, round(math.log10(ratio)))
        return self.clip(float(f"{float(value):.{n_digits}g}"))

    def at(self, u: Floats) -> Floats:
        """Map coordinates in [0, 1] to values in bounds."""
        return self.axis.from_unit(u)

    def to_unit(self, value: Value) -> float:
        """Map a value in bounds to a coordinate in [0, 1]; the inverse of :meth:`from_unit`."""
        return float(self.axis.to_unit(np.array([float(value)]))[0])

    def plain(self, value: float) -> float:
        """Convert a number to this parameter's type."""
        return int(value) if self.integer else float(value)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds; an agent that allows both also allows all values between them."""
        return self.low, self.high

    def distribution(self) -> "FloatDistribution | IntDistribution":
        """Return Optuna's form of this parameter."""
        from optuna.distributions import FloatDistribution, IntDistribution  # noqa: PLC0415

        if self.integer:
            return IntDistribution(int(self.low), int(self.high), log=self.log, step=int(self.grid))
        low, high = float(self.low), float(self.high)
        return FloatDistribution(low, high, log=self.log, step=self.step_of_optuna)

    @property
    def step_of_optuna(self) -> float | None:
        """The step in Optuna's form; None without steps, or if Optuna would not allow all values.

        Optuna leaves out the upper bound if the decimals as written are not a whole number of steps
        apart, and compares values with a tolerance of 1e-8 steps.
        """
        low, high, step = (Decimal(str(float(each))) for each in (self.low, self.high, self.step))
        if not step or (high - low) % step:
            return None
        resolution = math.ulp(max(abs(self.low), abs(self.high)))
        return self.step if resolution < TOLERANCE * self.step else None

    def check(self, value: Value) -> float:
        """Return ``value`` if it is allowed; InputError otherwise."""
        whole = "an integer from " if self.integer else "between "
        steps = f" in steps of {self.step:g}" if self.step else ""
        between = f"{whole}{self.low:g} {'to' if self.integer else 'and'} {self.high:g}{steps}"
        if not is_real(value) or isinstance(value, str):
            raise InputError(f"{self.name} must be {between} (got {value!r})")
        error = 0.0 if self.integer else TOLERANCE * self.step  # 0.1 + 2·0.1 is not exactly 0.3
        if not self.low <= value <= self.high or abs(self.clip(value) - value) > error:
            raise InputError(f"{self.name} must be {between} (got {value:g})")
        return value

    def read(self, word: str) -> float:
        """Read a number back from text; InputError if it is none, or must be an integer."""
        with suppress(ValueError):
            number = float(word)
            if not (self.integer and number % 1.0):
                return self.plain(number)
        whole = "an integer" if self.integer else "a number"
        raise InputError(f"{self.name} must be {whole} (got {word!r})")

    def text(self, value: Any, n_digits: int = 6) -> str:
        """Write a value, a real number with so many digits; a dash if there is none."""
        if is_absent(value):
            return ABSENT
        return str(int(value)) if self.integer else f"{float(f'{value:.{n_digits}g}'):g}"

    def cell(self, value: Any) -> str:
        """Write a value for a table, with as many decimals as are useful there."""
        if self.integer or is_absent(value):
            return self.text(value)
        if self.log and abs(value) < MIN_WITH_DECIMALS:
            return f"{value:.2g}"
        usual = 0 if abs(value) >= 100.0 else 2
        needed = 0 if self.log else 1 - math.floor(math.log10(self.high - self.low))
        return f"{float(value):.{max(usual, needed)}f}"


@dataclass(frozen=True)
class CategoricalParameter(Described):
    """One categorical dimension of a search space.

    Parameters
    ----------
    name : str
        The parameter's name in the agent.
    choices : tuple of str, of bool, or of int and float
        Two or more choices of one kind. Their order matters only for the initial design.
    symbol : str
        Its symbol in tables and on axes; if empty, ``name`` is shown.
    when, description : mapping of str to tuple, str
        As for a :class:`NumericParameter`.

    Raises
    ------
    ValueError
        If there are fewer than two choices; if a choice is repeated or empty; or if the choices are
        of several kinds.
    """

    name: str
    choices: tuple[Value, ...]
    symbol: str = ""
    when: Mapping[str, Any] = field(default_factory=dict, hash=False)
    description: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "choices", tuple(map(without_numpy, self.choices)))
        given = ", ".join(map(repr, self.choices)) or "none"
        kinds = {self.kind_of(each) for each in self.choices}
        if len(kinds) > 1 or None in kinds:
            raise ValueError(
                f"{self.name}: choices must be all texts, all numbers, or true and false (got "
                f"{given})"
            )
        distinct = len(set(self.choices)) == len(self.choices) and "" not in self.choices
        if len(self.choices) < MIN_CHOICES or not distinct:
            raise ValueError(
                f"{self.name}: choices must be at least two different values (got {given})"
            )

    @staticmethod
    def kind_of(value: Any) -> str | None:
        """Return the kind that a value has in a constraint; None if it cannot be a choice."""
        if isinstance(value, bool | np.bool_):
            return CONDITION
        if is_real(value):
            return NUMBER if math.isfinite(value) else None
        return TEXT if isinstance(value, str) else None

    @property
    def kind(self) -> str:
        """The kind of its choices in a constraint."""
        return self.kind_of(self.choices[0]) or TEXT

    def at(self, u: Floats) -> npt.NDArray[Any]:
        """Return, for each coordinate, the choice whose part of [0, 1] contains it."""
        n = len(self.choices)
        return np.asarray(np.array(self.choices, object)[np.minimum((u * n).astype(int), n - 1)])

    def to_unit(self, value: Value) -> float:
        """Return the middle of a choice's part of [0, 1]."""
        return (self.choices.index(self.check(value)) + 0.5) / len(self.choices)

    @property
    def ends(self) -> tuple[Value, ...]:
        """All choices."""
        return self.choices

    def distribution(self) -> "CategoricalDistribution":
        """Return Optuna's form of this parameter."""
        from optuna.distributions import CategoricalDistribution  # noqa: PLC0415

        return CategoricalDistribution(self.choices)

    def check(self, value: Value) -> Value:
        """Return the choice that equals ``value``.

        InputError if there is none. Here, 1 equals neither True nor "1".
        """
        if self.kind_of(value) != self.kind or value not in self.choices:
            allowed = ", ".join(map(written, self.choices))
            raise InputError(f"{self.name} must be one of {allowed} (got {value!r})")
        return self.choices[self.choices.index(value)]

    clip = tidy = check

    def text(self, value: Any, n_digits: int = 6) -> str:
        """Write a choice, which a table may have as another type: 2.0 for 2."""
        return super().text(next((each for each in self.choices if each == value), value))

    def read(self, word: str) -> Value:
        """Read a choice back from text; InputError if it is invalid."""
        if self.kind == CONDITION:
            return self.check(TRUTHS.get(word.lower(), word))
        try:
            return self.check(word if self.kind == TEXT else float(word))
        except ValueError:
            return self.check(word)


Dimension: TypeAlias = NumericParameter | CategoricalParameter
"""A numeric or categorical parameter; both have the same methods."""


def range_text(record: Mapping[str, Any]) -> str:
    """Write a parameter's range, such as ``depth 1 to 30``, from a record of any version."""
    when = when_text(record.get("when") or {})
    if "choices" in record:
        return f"{record['name']} {', '.join(map(written, record['choices']))}{when}"
    steps = f" in steps of {record['step']:g}" if record.get("step") else ""
    return f"{record['name']} {record['low']:g} to {record['high']:g}{steps}{when}"


def make_dimension(parameter: Parameter) -> Dimension:
    """Return the dimension for an agent's parameter, from the tuned range that it declares."""
    name, symbol, description = parameter.name, parameter.symbol, parameter.description
    tuned, domain = parameter.tuned, parameter.domain
    if isinstance(domain, Categories):
        choices = tuple(map(str, tuned if isinstance(tuned, tuple) else domain.members))
        return CategoricalParameter(name, choices, symbol, description=description)
    if not isinstance(tuned, Tuned):
        raise ValueError(f"{name} must be a Tuned range (got {tuned!r})")
    return NumericParameter(
        name,
        tuned.low,
        tuned.high,
        parameter.is_whole,
        tuned.log,
        symbol,
        tuned.step,
        description=description,
    )
