"""Parameters of agents: dataclass fields with an allowed range, a tuned range and a description.

The same declaration serves the catalog, the command line, its help, and search spaces:

>>> @dataclass(frozen=True)
... class Searcher(Agent):
...     name: ClassVar[str] = "searcher"
...     depth: int = integer(3, 1, 10, "actions looked ahead", "d", Tuned(1, 6))

An agent checks its parameters when it is built. An integer parameter does not accept 2.0 or True
from Python code, because a kernel that got such an argument would fail only later.
"""

import dataclasses
import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral, Real
from typing import Any

MAX_INTEGER = 2**53
"""Above this number, floats no longer distinguish all integers."""

LARGE = 1e9
TRUTHS = {"true": "1", "false": "0"}
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Value = float | str
"""A parameter's value in files and tables: a number, or text such as the name of a category."""


class Domain(ABC):
    """The allowed values of a parameter."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """The domain as shown in messages and help, such as ``1 to 10``."""

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Whether a value of the field's type is allowed."""

    def read(self, value: Any) -> Any:
        """Convert a value to the field's type; return it unchanged if it cannot be converted."""
        return value

    def plain(self, value: Any) -> Value:
        """Convert a value to a number or text: the inverse of :meth:`read`."""
        return value  # type: ignore[no-any-return]

    def check(self, name: str, value: Any) -> Any:
        """Return the converted value; ValueError, which says what is allowed, if it is invalid."""
        found = self.read(value)
        if not self.accepts(found):
            raise ValueError(f"{name} must be {self.allowed} (got {self.shown(value)})")
        return found

    def shown(self, value: Any) -> str:
        """Return a value's text in a message."""
        if not is_real(value):
            return repr(value)
        short = f"{value:g}"
        return short if float(short) == value else str(value)


@dataclass(frozen=True)
class IntegerRange(Domain):
    """Integers from ``low`` to ``high``; by default there is no upper end."""

    low: int
    high: float = math.inf

    @property
    def allowed(self) -> str:
        if self.high == math.inf:
            return f"an integer of {self.low} or more"
        if self.low == -MAX_INTEGER:
            return f"an integer of at most {bound(self.high)}"
        return f"an integer from {bound(self.low)} to {bound(self.high)}"

    def shown(self, value: Any) -> str:
        return repr(value) if isinstance(value, str) else str(value)

    def read(self, value: Any) -> Any:
        return int(value) if isinstance(value, Integral) and is_real(value) else value

    def accepts(self, value: Any) -> bool:
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True)
class RealRange(Domain):
    """Finite numbers from ``low`` to ``high``; ``open_low`` excludes ``low`` itself.

    If ``whole`` is true, only whole numbers are allowed, but their type is still float.
    """

    low: float
    high: float = math.inf
    open_low: bool = False
    whole: bool = False

    @property
    def allowed(self) -> str:
        if self.whole:
            return f"a whole number from {bound(self.low)} to {bound(self.high)}"
        if self.high == math.inf:
            return f"a finite number {'above' if self.open_low else 'of'} {bound(self.low)}" + (
                "" if self.open_low else " or more"
            )
        if self.open_low:
            return f"above {bound(self.low)} and up to {bound(self.high)}"
        if self.low == -sys.float_info.max:
            return f"a number of at most {bound(self.high)}"
        return f"between {bound(self.low)} and {bound(self.high)}"

    def read(self, value: Any) -> Any:
        return float(value) + 0.0 if is_real(value) else value  # -0.0 is 0.0

    def accepts(self, value: Any) -> bool:
        return (
            is_real(value)
            and math.isfinite(value)
            and self.low <= value <= self.high
            and not (self.open_low and value == self.low)
            and not (self.whole and value != value // 1)
        )


@dataclass(frozen=True)
class Flag(Domain):
    """True or false, written as 1 or 0 in tables and on the command line."""

    allowed = "0 or 1"

    def read(self, value: Any) -> Any:
        return bool(value) if isinstance(value, Real) and value in {0, 1} else value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)

    def plain(self, value: Any) -> Value:
        return int(value)


@dataclass(frozen=True)
class Categories(Domain):
    """The members of an enumeration; the name of a member is converted to the member."""

    members: type[StrEnum]

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(self.members)}"

    def read(self, value: Any) -> Any:
        return self.members(value) if value in list(self.members) else value

    def accepts(self, value: Any) -> bool:
        return isinstance(value, self.members)

    def plain(self, value: Any) -> Value:
        return str(value)


@dataclass(frozen=True)
class Label(Domain):
    """The name of something that is stored elsewhere, such as a trained network."""

    allowed = "a name of letters, digits, ., _ and -"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and LABEL.fullmatch(value) is not None


@dataclass(frozen=True)
class Tuned:
    """The range in which an experiment tunes a parameter; both ends belong to it."""

    low: float
    high: float
    log: bool = False  # whether the scale is logarithmic
    step: float = 0.0  # distance between adjacent values of a grid from ``low``; 0: no grid


def integer(default: int, low: int, high: float = math.inf, *more: Any, **others: Any) -> Any:
    """Declare a field that holds an integer; further arguments are as in :func:`parameter`."""
    return parameter(default, IntegerRange(low, high), *more, **others)


def real(
    default: float,
    low: float,
    high: float = math.inf,
    *more: Any,
    open_low: bool = False,
    whole: bool = False,
    **others: Any,
) -> Any:
    """Declare a field that holds a finite number; further arguments are as in :func:`parameter`."""
    return parameter(default, RealRange(low, high, open_low, whole), *more, **others)


def flag(default: bool = False, *more: Any, **others: Any) -> Any:
    """Declare a field that is true or false; further arguments are as in :func:`parameter`."""
    return parameter(default, Flag(), *more, **others)


def categorical(default: StrEnum, *more: Any, **others: Any) -> Any:
    """Declare a field that holds a member of the default's enumeration.

    Further arguments are as in :func:`parameter`. With ``tuned=True``, experiments tune over all
    members; with a tuple, they tune over the members in it.
    """
    return parameter(default, Categories(type(default)), *more, **others)


def parameter(default: Any, domain: Domain, *more: Any, **others: Any) -> Any:
    """Declare a field that holds a value of a domain.

    Further arguments are the attributes of :class:`Parameter` from ``description`` on, in order.
    """
    return declared(Parameter("", default, domain, *more, **others))


def inherited(agent: type[Any], name: str, default: Any) -> Any:
    """Declare a field of the base class ``agent`` again, with another default."""
    return declared(dataclasses.replace(declared_parameters(agent)[name], default=default))


def declared(made: "Parameter") -> Any:
    """Return the dataclass field of a parameter."""
    return dataclasses.field(default=made.default, metadata={"parameter": made})


@dataclass(frozen=True)
class Parameter:
    """One parameter of a class of agents: a dataclass field."""

    name: str
    default: Any
    domain: Domain  # the allowed values
    description: str = ""  # what it is, in one line
    symbol: str = ""  # its name in tables and on axes; by default ``name``
    # What experiments tune: a range; for categories, a tuple of members, or True for all of them.
    tuned: Tuned | tuple[StrEnum, ...] | bool = False
    # Whether the parameter was added after games had been stored. Such a parameter is left out of
    # an agent's identity while it has its default, so stored games still belong to the agent. The
    # default must therefore never change. The parameter is never a component of --theta, so a θ
    # from an earlier version keeps its meaning.
    later: bool = False
    keyword_only: bool = False  # whether it belongs to the game, like a maze, and not to θ

    @property
    def is_number(self) -> bool:
        """Whether it is a number, which may be a component of θ."""
        return isinstance(self.domain, IntegerRange | RealRange)

    @property
    def is_whole(self) -> bool:
        """Whether it must be a whole number."""
        domain = self.domain
        return isinstance(domain, IntegerRange) or (isinstance(domain, RealRange) and domain.whole)

    @property
    def takes_number(self) -> bool:
        """Whether it is given as a number on the command line. This includes flags (1 or 0)."""
        return self.is_number or isinstance(self.domain, Flag)

    def from_text(self, text: str) -> Value:
        """Convert a word of a command line to a number or text that :meth:`from_number` takes."""
        if isinstance(self.domain, Flag):
            text = TRUTHS.get(text.lower(), text)
        try:
            return float(text) if self.takes_number else text
        except ValueError:
            return text

    def from_number(self, value: Value) -> Any:
        """Convert a number or text, from a command line or a sampler, to the field's value.

        ValueError if it is not allowed.
        """
        if isinstance(self.domain, IntegerRange) and isinstance(value, float):
            if value != value // 1 or abs(value) > MAX_INTEGER:
                raise ValueError(f"{self.name} must be {self.domain.allowed} (got {value:g})")
            value = int(value)
        return self.domain.check(self.name, value)


def declared_parameters(agent: type[Any]) -> Mapping[str, Parameter]:
    """Return the parameters of a class of agents by name, in order; keyword-only ones are last."""
    declared = [each for each in dataclasses.fields(agent) if "parameter" in each.metadata]
    return {
        each.name: dataclasses.replace(
            each.metadata["parameter"], name=each.name, keyword_only=bool(each.kw_only)
        )
        for each in sorted(declared, key=lambda each: bool(each.kw_only))
    }


def check_parameters(agent: Any) -> None:
    """Check the parameters of a new agent, and convert them to the types of their fields.

    ValueError if a value is not allowed.
    """
    for name, each in declared_parameters(type(agent)).items():
        given = getattr(agent, name)
        found = each.domain.check(name, given)
        if found is not given:
            object.__setattr__(agent, name, found)


def plain_values(agent: Any) -> dict[str, Value]:
    """Return an agent's parameters as numbers and text, by name, in order."""
    return {
        name: each.domain.plain(getattr(agent, name))
        for name, each in declared_parameters(type(agent)).items()
    }


def without_numpy(value: Any) -> Any:
    """Return numbers of numpy as numbers of Python, also within mappings; the rest unchanged."""
    if isinstance(value, Mapping) or hasattr(value, "to_dict"):  # the latter: of pandas
        return {key: without_numpy(each) for key, each in value.items()}
    return value.item() if hasattr(value, "dtype") else value


def is_real(value: Any) -> bool:
    """Return whether a value is a real number; True and False do not count as numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def bound(number: float) -> str:
    """Return the text of a bound of a range: integers in full, large powers of two as powers."""
    if number > MAX_INTEGER and number == 2 ** (int(number).bit_length() - 1):
        return f"2**{int(number).bit_length() - 1}"
    return str(int(number)) if number == int(number) and abs(number) < LARGE else f"{number:g}"
