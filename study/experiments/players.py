"""Players of an experiment's games: a built-in agent, or a user's agent.

A player builds the agent for one θ. For the command ``play``, it has the agent's name and the order
of its parameters.
"""

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cached_property
from inspect import getmembers
from typing import Any, ClassVar, get_type_hints

from thetafront.agents import catalog
from thetafront.agents.agent import Agent, Game, digits
from thetafront.agents.external.dependencies import Dependencies
from thetafront.agents.external.limits import Limits
from thetafront.agents.external.program import Program, ProgramAgent
from thetafront.agents.external.python import PythonAgent, check_player
from thetafront.agents.external.report import Report
from thetafront.agents.external.source import Source
from thetafront.agents.parameters import (
    MAX_INTEGER,
    IntegerRange,
    Parameter,
    RealRange,
    Value,
    declared_parameters,
    plain_values,
)
from thetafront.study.errors import InputError
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.costs import Cost, cpu_seconds
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.experiments.space import Space


class Player(ABC):
    """A player of an experiment's games."""

    # Whether its agent is a user's, whose games are of class ReportedGame.
    is_external: ClassVar[bool] = True

    @property
    def digest(self) -> str:
        """A digest of the agent's code.

        Empty for built-in agents, and for the code of a script or notebook.
        """
        return ""

    @property
    def dependencies(self) -> Dependencies | None:
        """What its code refers to now, if the code is in a script or notebook; otherwise None."""
        return None

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in text, and for the command ``play``."""

    @abstractmethod
    def build(self, values: Mapping[str, Value]) -> Agent:
        """Create the agent of one θ; ValueError if a value is not allowed."""

    @property
    def declared(self) -> Mapping[str, Parameter]:
        """The parameters that the agent itself declares, by name."""
        return {}

    def check(self, space: Space, fixed: Mapping[str, Value]) -> None:
        """Raise ValueError if the agent does not allow this space or these fixed parameters."""
        if fixed and self.is_external:  # its games would not get them
            raise ValueError(f"fixed must be left out for your own agent (got {', '.join(fixed)})")
        for each in space:
            integer = isinstance(each, NumericParameter) and each.integer
            if integer and any(abs(int(end)) > MAX_INTEGER for end in each.ends):
                raise ValueError(f"{each.name}: bounds of integers must be within ±2**53")
            if (known := self.declared.get(each.name)) is None:
                continue
            if integer != known.is_whole and (known.is_whole or not self.is_external):
                kinds = ("an integer", "a real") if integer else ("a real", "an integer")
                raise ValueError(
                    f"{each.name} must be {kinds[1]} parameter (got {kinds[0]} parameter)"
                )
            for value in each.ends:
                known.from_number(value)

    def domain(self, parameter: NumericParameter) -> IntegerRange | RealRange:
        """Return a parameter's allowed range, which may be wider than its bounds in the space."""
        known = self.declared.get(parameter.name)
        if known is not None and isinstance(known.domain, IntegerRange | RealRange):
            return known.domain
        largest = MAX_INTEGER if parameter.integer else sys.float_info.max
        least, most = max(parameter.least, -largest), min(parameter.most, largest)
        if parameter.integer:
            return IntegerRange(int(least), int(most))
        return RealRange(float(least), float(most))

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Parameters that ``--theta`` takes, in order."""
        return ()


@dataclass(frozen=True)
class BuiltinPlayer(Player):
    """An agent of the catalog, by its name there."""

    agent: str
    # Goal, set of costs, and baselines of a study's record. Rules that are newer than the study do
    # not apply to them.
    recorded: tuple[Goal, set[Cost], Mapping[str, Any]] | None = field(default=None, compare=False)
    is_external: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.agent

    @property
    def theta_names(self) -> tuple[str, ...]:
        return catalog.theta_names(self.agent)

    @property
    def game(self) -> type[Game]:
        """The class of its games."""
        found: type[Game] = get_type_hints(catalog.agent_class(self.agent).play)["return"]
        return found

    def build(self, values: Mapping[str, Value]) -> Agent:
        return catalog.build(self.agent, values)

    def digests(self, space: Space, fixed: Mapping[str, Value]) -> dict[str, str]:
        """Return digests of what values name, such as ``network v1`` or the file of a maze.

        What is missing has no digest.
        """
        choices = [
            {each.name: choice}
            for each in space
            if isinstance(each, CategoricalParameter)
            for choice in each.choices
        ]
        found: dict[str, str] = {}
        usual = space.from_unit([0.5] * len(space))  # a constraint may exclude it
        for choice in choices or [{}]:
            values = {**fixed, **usual, **choice}
            with suppress(ValueError):
                agent = self.build(values)
                plain = plain_values(agent)
                for name, value in values.items():
                    is_name = plain[name] != value or agent.depends_on
                    if isinstance(value, str) and is_name:
                        content = json.dumps([plain[name], dict(agent.depends_on)], sort_keys=True)
                        found[f"digest of {name} {value}"] = digits(content)
        return found

    def check_digests(
        self, known: Mapping[str, str], space: Space, fixed: Mapping[str, Value]
    ) -> None:
        """Raise InputError if what values name has changed, given the digests that it had."""
        now = self.digests(space, fixed)
        if changed := [each for each, digest in known.items() if now.get(each) != digest]:
            name = changed[0]
            raise InputError(f"study: {name} is now {now.get(name)}, not {known[name]}")

    @property
    def declared(self) -> Mapping[str, Parameter]:
        return catalog.parameters(self.agent)

    def check(self, space: Space, fixed: Mapping[str, Value]) -> None:
        if unknown := [name for name in (*space.names, *fixed) if name not in self.declared]:
            allowed = ", ".join(self.declared) or "none"
            raise ValueError(
                f"space must contain only parameters of {self.agent}: {allowed} (got {unknown[0]})"
            )
        for name, value in fixed.items():
            if self.declared[name].takes_number:
                self.declared[name].from_number(value)
        super().check(space, fixed)

    def measured(self, goal: Goal, costs: Sequence[Cost]) -> Goal:
        """Return the goal, which reads the field of its name from the agent's games.

        ValueError if the games lack a field of the goal or of a cost.
        """
        kinds = field_kinds(self.game)
        if missing := [each.counted for each in costs if each.counted not in kinds]:
            raise ValueError(
                f"cost of {self.agent} must be one of {', '.join(kinds)} (got {missing[0]!r})"
            )
        is_set = goal.sample in kinds and goal.sample != "score"
        if is_set or (goal.name == goal.sample and not goal.is_share):
            return goal
        allowed = [name for name, kind in kinds.items() if kind is bool or not goal.is_share]
        if goal.is_match or not allowed:
            raise ValueError(f"goal of {self.agent} must be a mean or an exact value")
        if goal.name not in allowed:
            raise ValueError(
                f"goal of {self.agent} must be one of {', '.join(allowed)} (got {goal.name!r})"
            )
        return replace(goal, sample=goal.name)


def field_kinds(game: type[Game]) -> dict[str, type]:
    """Return the types of a game's fields and properties that may be objectives, by name.

    They are numbers or truths.
    """
    properties = getmembers(game, lambda each: isinstance(each, property))
    kinds = get_type_hints(game)
    kinds |= {name: get_type_hints(each.fget).get("return") for name, each in properties}
    return {
        name: kind
        for name, kind in kinds.items()
        if kind in {int, float, bool}
        and name not in {"seed", "n_moves"}
        and not name.startswith("is_")
    }


@dataclass(frozen=True)
class PythonPlayer(Player):
    """A user's function or class."""

    player: Callable[..., Any]  # see :mod:`agents.external.python`
    report: Report  # which fields a game reports
    source: Source | None = None  # where its experiment is defined; None in a script or notebook
    limits: Limits = field(default_factory=Limits)  # on time and memory

    @property
    def name(self) -> str:
        return str(getattr(self.player, "__qualname__", "python"))

    @cached_property
    def digest(self) -> str:
        return "" if self.source is None else self.source.digest

    @property
    def dependencies(self) -> Dependencies | None:
        return Dependencies(self.player) if self.source is None else None

    def build(self, values: Mapping[str, Value]) -> Agent:
        return PythonAgent(
            self.player, self.report, tuple(values.items()), self.source, self.digest, self.limits
        )

    @property
    def declared(self) -> Mapping[str, Parameter]:
        return declared_parameters(self.player) if is_dataclass(self.player) else {}

    def check(self, space: Space, fixed: Mapping[str, Value]) -> None:
        super().check(space, fixed)
        check_player(self.player, space.names)
        always = tuple(each.name for each in space if not each.when)
        if space.is_conditional:
            check_player(self.player, always, "where other parameters are inactive: ")


@dataclass(frozen=True)
class ProgramPlayer(Player):
    """A program in any language."""

    program: Program

    @property
    def name(self) -> str:
        return self.program.command[0]

    @property
    def digest(self) -> str:
        return self.program.digest

    def build(self, values: Mapping[str, Value]) -> Agent:
        return ProgramAgent(self.program, tuple(values.items()))

    def check(self, space: Space, fixed: Mapping[str, Value]) -> None:
        super().check(space, fixed)
        self.program.check_names(space.names)


@dataclass(frozen=True)
class RecordedPlayer(Player):
    """A player that a study's record names; its definition is loaded when the first game starts."""

    source: str  # where the definition is
    # Returns the current player; InputError if the definition is gone, or has changed.
    find: Callable[[], Player]
    report: Report = field(default_factory=Report)  # which fields a game reports

    @cached_property
    def found(self) -> Player:
        """The current player."""
        return self.find()

    @property
    def name(self) -> str:
        return self.source

    @property
    def digest(self) -> str:
        return self.found.digest

    def build(self, values: Mapping[str, Value]) -> Agent:
        return make_player(self.found, self.report).build(values)

    def check(self, space: Space, fixed: Mapping[str, Value]) -> None:
        """Accept what the study's version accepted."""


def make_player(agent: Any, report: Report, limits: Mapping[str, Any] | None = None) -> Player:
    """Return the player for an experiment's ``agent``; ValueError if it is invalid.

    ``limits`` has the fields of :class:`~agents.external.limits.Limits` that the experiment gives.
    """
    given = limits or {}
    if isinstance(agent, ProgramPlayer):
        agent = agent.program
    if isinstance(agent, PythonPlayer):
        return replace(agent, report=report, limits=replace(agent.limits, **given))
    if isinstance(agent, RecordedPlayer):
        return replace(agent, report=report)
    if isinstance(agent, Player | str):
        if given:
            raise ValueError("limits and environment apply only to your own agents")
        return BuiltinPlayer(agent) if isinstance(agent, str) else agent
    if isinstance(agent, Program):
        return ProgramPlayer(replace(agent, report=report, **given))
    if callable(agent):
        return PythonPlayer(agent, report, limits=Limits(**given))
    raise ValueError(
        "agent must be a function, a class with play(seed), a Program, or the name of an "
        f"agent (got {agent!r})"
    )


def make_report(goal: Goal, costs: Sequence[Cost]) -> Report:
    """Return which fields a game must report for a goal and costs."""
    measured = cpu_seconds().counted
    fields = tuple(each.counted for each in costs if each.counted != measured or each.is_reported)
    is_share = goal.is_share and not goal.is_match
    return Report(goal.name, is_share, fields, *goal.limits, goal.is_match)


def corners(space: Space, most: int) -> list[dict[str, Value]]:
    """Return all corners of a space; if there are more than ``most``, only some of them.

    The chosen ones are the corner with all parameters low, the corner with all parameters high, and
    corners with one parameter high and all others low. For a categorical parameter, the first
    choice is low, and the last one high. Corners that are not feasible are left out.
    """
    ends = [(each.ends[0], each.ends[-1]) for each in space]
    n = len(ends)
    if 2**n <= most:
        chosen = [[bits >> k & 1 for k in range(n)] for bits in range(2**n)]
    else:
        chosen = [[0] * n, [1] * n]
        chosen += [[int(k == flipped) for k in range(n)] for flipped in range(n)]
    found: list[dict[str, Value]] = []
    for bits in chosen[:most]:
        theta = space.active({each.name: ends[k][bits[k]] for k, each in enumerate(space)})
        if theta not in found and not space.broken_by(theta):
            found.append(theta)
    return found
