"""Search spaces: parameters in order, and which combinations of their values are allowed.

A parameter with ``when`` is *active* only if other parameters have the values that ``when`` lists.
An inactive parameter is not part of θ. Constraints (:mod:`study.experiments.constraints`) say which
θ are feasible. Only :class:`Space` decides what is active and what is feasible.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thetafront.agents.parameters import Value, declared_parameters
from thetafront.study.arrays import Booleans, Floats
from thetafront.study.errors import InputError
from thetafront.study.experiments.constraints import Columns, Constraint, ConstraintFunction
from thetafront.study.experiments.dimension import (
    CategoricalParameter,
    Dimension,
    NumericParameter,
    is_absent,
    make_dimension,
    when_text,
    written,
)

# Optuna is slow to import, and every worker that loads a user's definition imports this module.
if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

N_SAMPLED, MIN_FEASIBLE = 4096, 4  # of 4096 random points, at least 4 must be feasible


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
        If ``parameters`` is a single parameter; if a constraint does not follow the grammar; if a
        ``when`` names an unknown parameter, or a value that this parameter cannot have; if
        parameters depend on one another in a cycle.
    """

    parameters: tuple[Dimension, ...]
    constraints: tuple[str | Callable[[Mapping[str, Any]], Any], ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.parameters, Dimension):
            raise ValueError("parameters must be a sequence, such as (NumericParameter(…),)")
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
        self.in_order, self.rules  # noqa: B018, raise errors now

    def check_condition(
        self, child: Dimension, parent: Dimension | None, name: str, values: Sequence[Value]
    ) -> None:
        """Raise ValueError if ``when`` names an unknown parameter or an impossible value."""
        if parent is None or (isinstance(parent, NumericParameter) and not parent.integer):
            kind = "is not a parameter" if parent is None else "is neither integer nor categorical"
            raise ValueError(f"{child.name}: 'when' names {name}, which {kind}")
        for value in values:
            try:
                parent.check(value)
            except InputError as error:
                raise ValueError(f"{child.name}: in 'when', {error}") from None

    def __iter__(self) -> Iterator[Dimension]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    @classmethod
    def from_agent(cls, agent: type[Any], *, first: str = "") -> "Space":
        """Return the space of the parameters that a class of agents declares as tuned, in order.

        ``first`` names a parameter to put before the others. ValueError if a range is invalid.
        """
        tuned = [each for each in declared_parameters(agent).values() if each.tuned]
        return cls(tuple(map(make_dimension, sorted(tuned, key=lambda each: each.name != first))))

    @classmethod
    def from_records(
        cls,
        records: Sequence[Mapping[str, Any]],
        constraints: Sequence[str | Callable[[Mapping[str, Any]], Any]] = (),
    ) -> "Space":
        """Read back what :meth:`as_records` returned; TypeError or ValueError if it is invalid."""
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
        """The parameters, each after those that it depends on; ValueError if there is a cycle."""
        found: dict[str, Dimension] = {}
        waiting = list(self.parameters)
        while waiting:
            ready = next((each for each in waiting if set(each.when) <= set(found)), None)
            if ready is None:
                names = ", ".join(each.name for each in waiting)
                raise ValueError(f"space: {names} depend on one another through 'when'")
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
        """Return the constraints as a study stores them: texts, and ``name()`` for functions."""
        return [each.text for each in self.rules]

    def activity(self, columns: Columns) -> dict[str, Booleans]:
        """Return in which rows of the columns each parameter is active."""
        n = len(next(iter(columns.values())))
        found: dict[str, Booleans] = {}
        for each in self.in_order:
            active = np.ones(n, np.bool_)
            for parent, allowed in each.when.items():
                active &= found[parent] & np.isin(columns[parent], allowed)
            found[each.name] = active
        return found

    def satisfied(self, columns: Columns) -> Booleans:
        """Return which θ satisfy all constraints, as :meth:`holds` decides."""
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
        active: Mapping[str, Booleans],
        chosen: npt.NDArray[np.intp],
    ) -> Booleans:
        """Return which of the ``chosen`` rows satisfy a constraint.

        A text that names an inactive parameter counts as satisfied.
        """
        if isinstance(rule, ConstraintFunction):
            return np.array([rule(theta) for theta in self.thetas(columns, chosen)], np.bool_)
        applies = np.ones(len(chosen), np.bool_)
        for name in rule.names:
            applies &= active[name][chosen]
        return ~applies | rule.holds({name: each[chosen] for name, each in columns.items()})

    def thetas(self, columns: Columns, chosen: npt.NDArray[np.intp]) -> list[dict[str, Value]]:
        """Return the ``chosen`` rows as θ."""
        values = [
            columns[each.name][chosen].astype(int if getattr(each, "integer", False) else object)
            for each in self.parameters
        ]
        rows = zip(*(each.tolist() for each in values), strict=True)
        return [self.active(dict(zip(self.names, row, strict=True))) for row in rows]

    def columns(self, points: Floats) -> dict[str, npt.NDArray[Any]]:
        """Map points of the unit cube, shape (n, n_parameters), to columns of values."""
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
        """Return whether a parameter is active, given θ without inactive parameters."""
        return all(
            parent in theta and theta[parent] in allowed
            for parent, allowed in parameter.when.items()
        )

    def is_whole(self, values: Mapping[str, Any]) -> bool:
        """Return whether ``values`` has exactly the active parameters."""
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
        """Do the same as :meth:`broken_by`, but skip functions, which may change during a study."""
        texts = tuple(each for each in self.constraints if isinstance(each, str))
        return replace(self, constraints=texts).broken_by(theta) if texts else ""

    def check(self, theta: Mapping[str, Value]) -> None:
        """Raise InputError unless the values form a feasible θ."""
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
    def feasible_points(self) -> Floats:
        """Some feasible points, shape (n, n_parameters), sorted by distance from the middle."""
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
            f"constraints must be satisfied by {MIN_FEASIBLE} or more of {N_SAMPLED:,} random "
            f"points (got {len(self.feasible_points)}){why}"
        )

    def completed(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return θ with the given values; all other values are at the middle of their ranges.

        If this θ is not feasible, the other values are those of a feasible point near the middle.
        InputError if a given parameter is unknown or inactive, or if no feasible θ is found.
        """
        if unknown := [name for name in given if name not in self.names]:
            raise InputError(f"θ must have only {', '.join(self.names)} (got {unknown[0]})")
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
        """Map a point of the unit cube to values of all parameters, including inactive ones."""
        return {p.name: p.from_unit(u) for p, u in zip(self.parameters, point, strict=True)}

    def from_unit(self, point: Sequence[float]) -> dict[str, Value]:
        """Map a point of the unit cube, one coordinate per parameter, to named values in bounds."""
        return self.active(self.values_at(point))

    def to_unit(self, values: Mapping[str, Value]) -> list[float]:
        """Map named values to a point of the unit cube; an inactive parameter maps to 0.5."""
        return [each.to_unit(values[each.name]) if each.name in values else 0.5 for each in self]

    def present(self, cells: Mapping[Any, Any]) -> dict[str, Any]:
        """Return θ from a row of a table; cells of inactive parameters are empty, and left out."""
        may_lack = {each.name for each in self if each.when}
        lacking = {name for name in may_lack if is_absent(cells.get(name))}
        return {name: cells[name] for name in self.names if name not in lacking}

    def clip(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Bring named values into bounds; InputError for a choice that is not allowed."""
        given = self.present(values)
        return {each.name: each.clip(given[each.name]) for each in self if each.name in given}

    def tidy(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Round values to three significant digits within bounds, unless θ becomes infeasible."""
        rounded = {each.name: each.tidy(values[each.name]) for each in self if each.name in values}
        return dict(values) if self.broken_by(rounded) else rounded

    def distributions(self) -> "dict[str, BaseDistribution]":
        """Return Optuna's form of the space."""
        return {parameter.name: parameter.distribution() for parameter in self.parameters}

    def as_records(self) -> list[dict[str, Any]]:
        """Return the space as plain data, as a study stores it."""
        return [parameter.as_record() for parameter in self.parameters]
