"""Search spaces: named parameters, numeric or categorical, and their map to the unit cube.

Notation
--------
=========  ================================================
u          a coordinate in [0, 1]
low, high  a numeric parameter's bounds, both allowed
n          choices of a categorical parameter
=========  ================================================

For numeric parameters see :mod:`study.axis`. A categorical parameter has **one coordinate here**,
for an initial design: [0, 1] is split into n equal parts, one per choice, in their order. The order
has no meaning and no model sees it: in a model, a categorical parameter is n coordinates (one-hot,
see :class:`study.samplers.encoding.UnitCube`).

A parameter with ``when`` is *active* only where other parameters have some of their values. An
inactive one is not part of θ. Constraints (:mod:`study.experiments.constraints`) say which θ are
feasible. Only :class:`Space` decides both.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thetafront.agents.parameters import (
    Categories,
    Parameter,
    Tuned,
    Value,
    declared_parameters,
    is_real,
    plain_values,
)
from thetafront.study.axis import ParameterAxis
from thetafront.study.errors import InputError
from thetafront.study.experiments.constraints import (
    CONDITION,
    NUMBER,
    TEXT,
    Columns,
    Constraint,
    ConstraintFunction,
)

# Workers import a user's definition, and optuna is slow to import.
if TYPE_CHECKING:
    from optuna.distributions import (
        BaseDistribution,
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

SIGNIFICANT_DIGITS = 3
MIN_CHOICES = 2
MIN_WITH_DECIMALS = 0.1
TOLERANCE = 1e-9  # of a step
ABSENT = "–"  # an inactive parameter in text
N_SAMPLED, MIN_FEASIBLE = 4096, 4  # points that must be feasible, of so many
TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def is_absent(value: Any) -> bool:
    """Return whether a cell of a table, or of a mapping, holds nothing: None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def written(value: Value) -> str:
    """Write a choice as TOML and JSON do, but without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def make_conditions(name: str, when: Mapping[str, Any]) -> dict[str, tuple[Value, ...]]:
    """Return the conditions of a parameter; ValueError if they are invalid."""
    if not isinstance(when, Mapping):
        raise ValueError(f"{name}: when must be {{parameter = [values]}} (got {when!r})")
    found = {
        parent: tuple(values) if isinstance(values, list | tuple) else (values,)
        for parent, values in when.items()
    }
    if empty := [parent for parent, values in found.items() if not values]:
        raise ValueError(f"{name}: when {empty[0]} must have at least one value (got none)")
    return found


def when_text(when: Mapping[str, Sequence[Value]]) -> str:
    """Write conditions: `` when solver is sgd or adam``."""
    texts = [f"{parent} is {' or '.join(map(written, of))}" for parent, of in when.items()]
    return f" when {' and '.join(texts)}"


class Described:
    """Text and record of a parameter of either kind."""

    name: str
    symbol: str
    when: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The symbol, or the name where there is none."""
        return self.symbol or self.name

    def as_record(self) -> dict[str, Any]:
        """Return the parameter as plain data; fields of later versions only if they are used."""
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
        The agent's name for it.
    low, high : float
        Bounds, both allowed.
    integer : bool
        Whether values are integers.
    log : bool
        Whether the scale is logarithmic.
    symbol : str
        For tables and axes; ``name`` if empty.
    step : float
        Distance between values from ``low`` on, on a linear scale; 0 for all values between the
        bounds.
    least, most : float
        How far the bounds may be moved, unless the agent limits it.
    when : mapping of str to tuple
        Other parameters, and their values (or value) for which this one is active; empty if it
        always is.
    description : str
        Its description, in one line; it is not stored with a study.

    Raises
    ------
    ValueError
        If the bounds are not an interval, exceed ``least`` or ``most``, are not integers for an
        integer, are not positive on a logarithmic scale, or are not a whole number of steps apart.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", make_conditions(self.name, self.when))
        if not self.least <= self.low <= self.high <= self.most and self.low <= self.high:
            allowed = f"{self.least:g} to {self.most:g}"
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are beyond {allowed}")
        if not (self.low < self.high and math.isfinite(self.high - self.low)):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are not an interval")
        if self.integer and (self.low != int(self.low) or self.high != int(self.high)):
            raise ValueError(f"{self.name}: bounds {self.low} to {self.high} are not whole")
        if self.integer:
            object.__setattr__(self, "low", int(self.low))
            object.__setattr__(self, "high", int(self.high))
        if self.log and self.low <= 0:
            raise ValueError(f"{self.name}: a log scale needs a bound above 0, not {self.low}")
        if self.step and self.log:
            raise ValueError(f"{self.name}: steps need a linear scale")
        if self.integer and not float(self.step).is_integer():
            raise ValueError(f"{self.name}: steps of {self.step} are not whole")
        if not (math.isfinite(self.step) and 0.0 <= self.step <= self.high - self.low):
            raise ValueError(f"{self.name}: steps of {self.step} do not fit into the bounds")
        n_steps = (self.high - self.low) / self.step if self.step else 0.0
        if abs(n_steps - round(n_steps)) > TOLERANCE:
            raise ValueError(
                f"{self.name}: bounds {self.low} to {self.high} are not a whole number of steps of "
                f"{self.step} apart"
            )

    @property
    def kind(self) -> str:
        """The kind of its values in a constraint."""
        return NUMBER

    @property
    def axis(self) -> ParameterAxis:
        """The parameter's map to the unit interval and back."""
        return ParameterAxis(float(self.low), float(self.high), self.grid, self.log)

    @property
    def grid(self) -> float:
        """The distance between neighbouring values; 0 if there is none."""
        return self.step or (1.0 if self.integer else 0.0)

    def clip(self, value: Value) -> float:
        """Clip a value to the bounds; round it to the grid, if there is one."""
        return self.number(self.axis.snap(np.array([float(value)])))

    def tidy(self, value: Value) -> float:
        """Round a value to three significant digits, within bounds; integers stay."""
        return self.clip(value if self.integer else float(f"{float(value):.{SIGNIFICANT_DIGITS}g}"))

    def at(self, u: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Map coordinates in [0, 1] to values in bounds."""
        return self.axis.from_unit(u)

    def from_unit(self, u: float) -> float:
        """Map a coordinate in [0, 1] to a value in bounds."""
        return self.number(self.at(np.array([u])))

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
        whole = "an integer from " if self.integer else "between "
        steps = f" in steps of {self.step:g}" if self.step else ""
        between = f"{whole}{self.low:g} {'to' if self.integer else 'and'} {self.high:g}{steps}"
        if not is_real(value) or isinstance(value, str):
            raise InputError(f"{self.name} must be {between} (got {value!r})")
        if not self.low <= value <= self.high or self.clip(value) != value:
            raise InputError(f"{self.name} must be {between} (got {value:g})")
        return value

    def read(self, word: str) -> float:
        """Read a value back from text; ValueError or OverflowError if it is not a number."""
        return int(float(word)) if self.integer else float(word)

    def text(self, value: Value | None) -> str:
        """Write a value, or a mark if there is none."""
        return ABSENT if value is None or is_absent(value) else f"{float(value):g}"

    def cell(self, value: Value | None) -> str:
        """Write a value for a table, with as many decimals as are useful there."""
        if value is None or is_absent(value):
            return ABSENT
        if self.log and abs(float(value)) < MIN_WITH_DECIMALS:
            return f"{float(value):.2g}"
        whole = self.integer or abs(float(value)) >= 100.0
        return f"{float(value):.0f}" if whole else f"{float(value):.2f}"


@dataclass(frozen=True)
class CategoricalParameter(Described):
    """One categorical dimension of a search space.

    Parameters
    ----------
    name : str
        The agent's name for it.
    choices : tuple of str, of bool, or of int and float
        Two or more of one kind. Their order matters only for the initial design.
    symbol : str
        For tables and axes; ``name`` if empty.
    when, description : mapping of str to tuple, str
        As for a :class:`NumericParameter`.

    Raises
    ------
    ValueError
        If there are fewer than two choices, or if they are repeated, empty or of several kinds.
    """

    name: str
    choices: tuple[Value, ...]
    symbol: str = ""
    when: Mapping[str, Any] = field(default_factory=dict, hash=False)
    description: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", make_conditions(self.name, self.when))
        plain = (each.item() if isinstance(each, np.generic) else each for each in self.choices)
        object.__setattr__(self, "choices", tuple(plain))
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
        """Return the kind of a choice in a constraint; None if it cannot be a choice."""
        if isinstance(value, bool | np.bool_):
            return CONDITION
        if is_real(value):
            return NUMBER if math.isfinite(value) else None
        return TEXT if isinstance(value, str) else None

    @property
    def kind(self) -> str:
        """The kind of its choices in a constraint."""
        return self.kind_of(self.choices[0]) or TEXT

    def at(self, u: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        """Return the choices to whose parts of [0, 1] coordinates belong."""
        n = len(self.choices)
        chosen = np.minimum((u * n).astype(int), n - 1)
        return np.asarray(np.array(self.choices, object)[chosen])

    def from_unit(self, u: float) -> Value:
        """Return the choice to whose part of [0, 1] a coordinate belongs."""
        return self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)]

    def to_unit(self, value: Value) -> float:
        """Return the middle of a choice's part of [0, 1]."""
        return (self.choices.index(self.check(value)) + 0.5) / len(self.choices)

    @property
    def ends(self) -> tuple[Value, ...]:
        """All choices."""
        return self.choices

    def distribution(self) -> "CategoricalDistribution":
        """Return optuna's form of this parameter."""
        from optuna.distributions import CategoricalDistribution  # noqa: PLC0415

        return CategoricalDistribution(self.choices)

    def check(self, value: Value) -> Value:
        """Return the choice that equals ``value``.

        InputError if none does: 1 is neither True nor "1".
        """
        if self.kind_of(value) != self.kind or value not in self.choices:
            allowed = ", ".join(map(written, self.choices))
            raise InputError(f"{self.name} must be one of {allowed} (got {value!r})")
        return self.choices[self.choices.index(value)]

    clip = tidy = check

    def read(self, word: str) -> Value:
        """Read a choice back from text; InputError if it is invalid."""
        if self.kind == CONDITION:
            return self.check(TRUTHS.get(word.lower(), word))
        try:
            return self.check(word if self.kind == TEXT else float(word))
        except ValueError:
            return self.check(word)

    def text(self, value: Value | None) -> str:
        """Write a value, or a mark if there is none."""
        return ABSENT if value is None or is_absent(value) else written(value)

    cell = text


Dimension: TypeAlias = NumericParameter | CategoricalParameter
"""A parameter of either kind; both have the same methods."""


def range_text(record: Mapping[str, Any]) -> str:
    """Write the range in a parameter's record, of any version: ``depth 1 to 30``."""
    when = when_text(record["when"]) if record.get("when") else ""
    if "choices" in record:
        return f"{record['name']} {', '.join(map(written, record['choices']))}{when}"
    steps = f" in steps of {record['step']:g}" if record.get("step") else ""
    return f"{record['name']} {record['low']:g} to {record['high']:g}{steps}{when}"


def make_dimension(parameter: Parameter) -> Dimension:
    """Return the dimension of a space that follows from an agent parameter's tuned range."""
    name, symbol, description = parameter.name, parameter.symbol, parameter.description
    tuned, domain = parameter.tuned, parameter.domain
    if isinstance(domain, Categories):
        choices = tuple(map(str, domain.members))
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


@dataclass(frozen=True)
class Space:
    """A search space: parameters in order, and which combinations of values are allowed.

    Parameters
    ----------
    parameters : tuple of NumericParameter or CategoricalParameter
        The dimensions.
    constraints : tuple of str or callable
        Texts (:mod:`study.experiments.constraints`), or functions that take θ, a mapping, and
        return whether it is allowed.

    Raises
    ------
    ValueError
        If a constraint does not follow the grammar; if a condition names no parameter or none of
        its values; if parameters depend on one another in a cycle.
    """

    parameters: tuple[Dimension, ...]
    constraints: tuple[str | Callable[[Mapping[str, Any]], Any], ...] = ()

    def __post_init__(self) -> None:
        given: Any = self.constraints
        given = (given,) if isinstance(given, str) or callable(given) else tuple(given)
        if wrong := [each for each in given if not (isinstance(each, str) or callable(each))]:
            raise ValueError(f"constraints must be texts and functions (got {wrong[0]!r})")
        found = [
            each if isinstance(each, str) else ConstraintFunction.from_function(each)
            for each in given
        ]
        names = [each.text for each in found if isinstance(each, ConstraintFunction)]
        if twice := [each for each in names if names.count(each) > 1]:
            raise ValueError(
                f"constraints must have different names (got two functions {twice[0]})"
            )
        object.__setattr__(self, "constraints", tuple(found))
        known = {each.name: each for each in self.parameters}
        for each in self.parameters:
            for parent, values in each.when.items():
                self.check_condition(each, known.get(parent), parent, values)
        self.in_order, self.rules  # noqa: B018, refuse what is not possible

    def check_condition(
        self, child: Dimension, parent: Dimension | None, name: str, values: Sequence[Value]
    ) -> None:
        """Raise ValueError for a condition that names no parameter, or none of its values."""
        if parent is None or (isinstance(parent, NumericParameter) and not parent.integer):
            kind = "is not a parameter" if parent is None else "has no choices"
            raise ValueError(f"{child.name}: when {name}, which {kind}")
        for value in values:
            try:
                parent.check(value)
            except InputError as error:
                raise ValueError(f"{child.name}: when {error}") from None

    def __iter__(self) -> Iterator[Dimension]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    @classmethod
    def from_agent(cls, agent: type[Any], *, first: str = "") -> "Space":
        """Return the space of the parameters that a class of agents declares as tuned, in order.

        ``first`` names a parameter to put before the others. ValueError if one has no range.
        """
        tuned = [each for each in declared_parameters(agent).values() if each.tuned]
        return cls(tuple(map(make_dimension, sorted(tuned, key=lambda each: each.name != first))))

    @classmethod
    def from_records(
        cls,
        records: Sequence[Mapping[str, Any]],
        constraints: Sequence[str | Callable[[Mapping[str, Any]], Any]] = (),
    ) -> "Space":
        """Read what :meth:`as_records` returns; TypeError or ValueError if this version cannot."""
        return cls(
            tuple(
                CategoricalParameter(**{**each, "choices": tuple(each["choices"])})
                if "choices" in each
                else NumericParameter(**each)
                for each in records
            ),
            tuple(constraints),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def categorical(self) -> tuple[CategoricalParameter, ...]:
        """The categorical parameters, in order."""
        return tuple(each for each in self.parameters if isinstance(each, CategoricalParameter))

    @cached_property
    def in_order(self) -> tuple[Dimension, ...]:
        """The parameters, those that others depend on first; ValueError if that is impossible."""
        found: dict[str, Dimension] = {}
        waiting = list(self.parameters)
        while waiting:
            ready = next((each for each in waiting if set(each.when) <= set(found)), None)
            if ready is None:
                names = ", ".join(each.name for each in waiting)
                raise ValueError(f"space: {names} depend on one another through when")
            waiting.remove(ready)
            found[ready.name] = ready
        return tuple(found.values())

    @cached_property
    def is_conditional(self) -> bool:
        """Whether a parameter may be inactive."""
        return any(each.when for each in self.parameters)

    @property
    def is_box(self) -> bool:
        """Whether all combinations of values are allowed, and each is a different θ."""
        return not self.constraints and not self.is_conditional

    @cached_property
    def rules(self) -> tuple[Constraint | ConstraintFunction, ...]:
        """The parsed constraints."""
        kinds = tuple((each.name, each.kind) for each in self.parameters)
        return tuple(
            Constraint(each, kinds)
            if isinstance(each, str)
            else ConstraintFunction.from_function(each)
            for each in self.constraints
        )

    def constraints_as_records(self) -> list[str]:
        """Return the constraints as a study remembers them: texts, and ``name()`` of functions."""
        return [each.text for each in self.rules]

    def activity(self, columns: Columns) -> dict[str, npt.NDArray[np.bool_]]:
        """Return where each parameter is active."""
        n = len(next(iter(columns.values())))
        found: dict[str, npt.NDArray[np.bool_]] = {}
        for each in self.in_order:
            active = np.ones(n, np.bool_)
            for parent, allowed in each.when.items():
                of_parent = np.zeros(n, np.bool_)
                for value in allowed:
                    of_parent |= columns[parent] == value
                active &= of_parent & found[parent]
            found[each.name] = active
        return found

    def satisfied(self, columns: Columns) -> npt.NDArray[np.bool_]:
        """Return which θ satisfy all constraints that apply to them."""
        found = np.ones(len(next(iter(columns.values()))), np.bool_)
        if self.constraints:
            active = self.activity(columns)
            for rule in self.rules:
                found[found] = self.holds(rule, columns, active, np.flatnonzero(found))
        return found

    def holds(
        self,
        rule: Constraint | ConstraintFunction,
        columns: Columns,
        active: Mapping[str, npt.NDArray[np.bool_]],
        chosen: npt.NDArray[np.intp],
    ) -> npt.NDArray[np.bool_]:
        """Return which of some rows satisfy a constraint, or are not subject to it."""
        if isinstance(rule, ConstraintFunction):
            return np.array([rule(theta) for theta in self.thetas(columns, chosen)], np.bool_)
        applies = np.ones(len(chosen), np.bool_)
        for name in rule.names:
            applies &= active[name][chosen]
        return ~applies | rule.holds({name: each[chosen] for name, each in columns.items()})

    def thetas(self, columns: Columns, chosen: npt.NDArray[np.intp]) -> list[dict[str, Value]]:
        """Return some rows of columns as θ."""
        values = [
            columns[each.name][chosen].astype(int if getattr(each, "integer", False) else object)
            for each in self.parameters
        ]
        rows = zip(*(each.tolist() for each in values), strict=True)
        return [self.active(dict(zip(self.names, row, strict=True))) for row in rows]

    def columns(self, points: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[Any]]:
        """Map points of the unit cube, shape (n, n_parameters), to values."""
        return {p.name: p.at(u) for u, p in zip(points.T, self.parameters, strict=True)}

    def active(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return values without those of inactive parameters, which are not part of θ."""
        if not self.is_conditional:
            return dict(values)
        kept: dict[str, Value] = {}
        for each in self.in_order:
            if each.name in values and self.is_active(each, kept):
                kept[each.name] = values[each.name]
        return {name: kept[name] for name in values if name in kept}

    def is_active(self, parameter: Dimension, theta: Mapping[str, Value]) -> bool:
        """Return whether a parameter is active, by θ without inactive ones."""
        return all(
            parent in theta and theta[parent] in allowed
            for parent, allowed in parameter.when.items()
        )

    def is_whole(self, values: Mapping[str, Any]) -> bool:
        """Return whether these are values of exactly the active parameters."""
        return set(values) == {each.name for each in self if self.is_active(each, values)}

    def broken_by(self, theta: Mapping[str, Value]) -> str:
        """Return the first constraint that θ does not satisfy; empty if it is feasible."""
        if not self.constraints:
            return ""
        columns = {
            each.name: np.array([theta.get(each.name, each.ends[0])], object) for each in self
        }
        active, one = self.activity(columns), np.array([0])
        broken = (each for each in self.rules if not self.holds(each, columns, active, one)[0])
        return next((each.text for each in broken), "")

    def broken_text(self, theta: Mapping[str, Value]) -> str:
        """Return the same, but only for texts: functions may change during a study."""
        texts = tuple(each for each in self.constraints if isinstance(each, str))
        return replace(self, constraints=texts).broken_by(theta) if texts else ""

    def check(self, theta: Mapping[str, Value]) -> None:
        """Raise InputError for values that are not those of one θ, or not a feasible one."""
        if unknown := [name for name in theta if name not in self.names]:
            raise InputError(f"θ must have only {', '.join(self.names)} (got {unknown[0]})")
        for each in self.in_order:
            is_active = self.is_active(each, theta)
            if is_active and each.name not in theta:
                raise InputError(f"{each.name} must have a value (got none)")
            if not is_active and each.name in theta:
                given = each.text(theta[each.name])
                unless = when_text(each.when).removeprefix(" when ")
                raise InputError(f"{each.name} must be left out unless {unless} (got {given})")
            if is_active:
                each.check(theta[each.name])
        if broken := self.broken_by(theta):
            given = ", ".join(f"{name} {written(value)}" for name, value in theta.items())
            raise InputError(f"constraint {broken!r} is not satisfied by {given}")

    @cached_property
    def feasible_points(self) -> npt.NDArray[np.float64]:
        """Some feasible points, shape (n, n_parameters), those nearest to the middle first."""
        d = len(self)
        points = np.concatenate(
            [np.full((1, d), 0.5), np.random.default_rng(0).random((N_SAMPLED, d))]
        )
        points = points[self.satisfied(self.columns(points))]
        return points[np.argsort(np.sum((points - 0.5) ** 2, axis=1), kind="stable")]

    def check_feasible(self) -> None:
        """Raise ValueError if hardly any point of the space satisfies the constraints."""
        if not self.constraints or len(self.feasible_points) >= MIN_FEASIBLE:
            return
        functions = [each for each in self.rules if isinstance(each, ConstraintFunction)]
        why = next((f" ({error})" for each in functions for error in each.errors), "")
        raise ValueError(
            f"constraints must be satisfied by {MIN_FEASIBLE} or more of {N_SAMPLED:,} points "
            f"(got {len(self.feasible_points)}){why}"
        )

    def completed(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return θ with these values; the others are in the middle, as far as feasible.

        Raises
        ------
        InputError
            If a given parameter is inactive, or no feasible θ is found.
        """
        middle = np.full((1, len(self)), 0.5)
        whole = self.is_box or self.is_whole(given)
        for point in middle if whole else np.concatenate([middle, self.feasible_points]):
            theta = self.active({**self.values_at(point.tolist()), **given})
            if set(given) <= set(theta) and not self.broken_by(theta):
                return theta
        theta = self.active({**self.values_at([0.5] * len(self)), **given})
        self.check({**theta, **given})
        raise AssertionError

    def values_at(self, point: Sequence[float]) -> dict[str, Value]:
        """Map a point of the unit cube to values of all parameters, inactive ones, too."""
        return {p.name: p.from_unit(u) for p, u in zip(self.parameters, point, strict=True)}

    def from_unit(self, point: Sequence[float]) -> dict[str, Value]:
        """Map a point of the unit cube, one coordinate per parameter, to named values in bounds."""
        return self.active(self.values_at(point))

    def to_unit(self, values: Mapping[str, Value]) -> list[float]:
        """Map named values to a point of the unit cube; to the middle where one is inactive."""
        return [each.to_unit(values[each.name]) if each.name in values else 0.5 for each in self]

    def theta_of(self, agent: Any) -> dict[str, Value]:
        """Return an agent's parameters that are of the space."""
        values = plain_values(agent)
        return {name: values[name] for name in self.names}

    def present(self, cells: Mapping[Any, Any]) -> dict[str, Any]:
        """Return the cells of a table that belong to θ; the others are empty."""
        may_lack = {each.name for each in self if each.when}
        lacking = {name for name in may_lack if is_absent(cells.get(name))}
        return {name: cells[name] for name in self.names if name not in lacking}

    def clip(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Bring named values into bounds; InputError for a choice that is not allowed."""
        given = self.present(values)
        return {each.name: each.clip(given[each.name]) for each in self if each.name in given}

    def tidy(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Round named values to three significant digits, within bounds, if that is feasible."""
        rounded = {each.name: each.tidy(values[each.name]) for each in self if each.name in values}
        return dict(values) if self.broken_by(rounded) else rounded

    def distributions(self) -> "dict[str, BaseDistribution]":
        """Return optuna's form of the space."""
        return {parameter.name: parameter.distribution() for parameter in self.parameters}

    def as_records(self) -> list[dict[str, Any]]:
        """Return the space as plain data, as a study stores it."""
        return [parameter.as_record() for parameter in self.parameters]
