"""An experiment: the agent, its search space and its objectives."""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from thetafront.agents.agent import Agent
from thetafront.agents.external.limits import memory_in
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.parameters import Value, is_real, plain_values, without_numpy
from thetafront.study.errors import InputError
from thetafront.study.experiments.dimension import Dimension, NumericParameter
from thetafront.study.experiments.failures import MAX_FAILURES
from thetafront.study.experiments.game_summary import GameSummary, MatchSummary, summary_of
from thetafront.study.experiments.objectives.costs import Cost, cpu_seconds
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.experiments.players import BuiltinPlayer, Player, make_player, make_report
from thetafront.study.experiments.space import Space
from thetafront.study.scale import Scale

ORIGINS = {"design", "proposal", "again", "middle", "corner"}
"""Names of other origins of points, which no baseline may have."""
UNSPECIFIED = cpu_seconds("game")
"""The cost if none is given; the first game shows whether it becomes a cost per move."""
TAKEN = {
    *("seed", "trial", "state", "origin", "error", "point", "number", "replicate", "phase"),
    *("n_games", "n_moves", "n_moves_mean", "on_front", "p_on_front", "on_observed_front"),
    *("distance_to_trial", "score", "moves", "seconds", "cpu_seconds"),
    *("agent", "source", "digest", "program"),
}
"""Names of table columns and of report fields, which no parameter may have."""
TAKEN_BEGINNINGS = ("posterior_", "combined_", "reported_")


@dataclass(frozen=True)
class Experiment:
    """What a study tunes.

    Attributes
    ----------
    name : str
        The experiment's name; by default, its study has the same name.
    agent : str, callable or Program
        The name of an agent in the catalog, or your own agent: a function of θ and a ``seed``, a
        frozen dataclass with a method ``play(seed)`` (:mod:`agents.external.python`), or a
        :class:`~agents.external.program.Program`.
    space : Space
        The tuned parameters and their bounds.
    goal : Goal
        The first objective, and whether it is maximized or minimized.
    cost : Cost
        The second objective, which is minimized. By default CPU seconds, per move if games report
        moves, otherwise per game.
    title : str
        The experiment's title in text; by default ``name``.
    costs : tuple of Cost
        The costs from which a study can choose its second objective; by default ``cost`` and CPU
        time. If only ``costs`` is given, ``cost`` is the first of them.
    summary : GameSummary
        What tables show about games in addition to goal and cost.
    reference_score : float, optional
        The score of the reference point. Only points that are better than the reference point in
        both objectives count in a hypervolume. Without a ``reference_score``, a study takes the
        reference point from its trials.
    reference_costs : mapping of str to float
        The cost of the reference point for each of ``costs``, by the cost's name; empty without a
        ``reference_score``.
    baselines : mapping of str to mapping
        Known θ for comparison, by label. They are also validated, and are marked in figures.
    fixed : mapping
        Values of parameters that are not tuned, if they differ from the agent's defaults; only for
        an agent of the catalog.
    source : str
        Where the experiment is defined, if not in this package: a file, or a module and a name.
    max_failures : float
        The share of a θ's games that may fail, 0 to 1. A θ is left out when its games show a higher
        failure rate (:mod:`study.experiments.failures`), or, for an exact goal, when a game fails.
        With 1, only a θ whose first 100 games all fail is left out.
    time_limit, cpu_time_limit : float, optional
        Limits on a game of a user's own agent: wall-clock seconds (300 by default) and CPU seconds
        (no limit by default).
    memory_limit : str, optional
        Memory that the agent's processes may use: ``"500 MB"``, ``"2 GB"``.
    environment : mapping of str to str, optional
        Environment variables of the agent's processes.

    Raises
    ------
    ValueError
        If the cost is not among ``costs``; if ``reference_costs`` does not have the names of
        ``costs``; if a parameter has the name of a table column, or is both tuned and fixed; if the
        agent lacks a parameter, or does not allow a bound, a choice or a fixed value; if a baseline
        lacks a parameter.
    """

    name: str
    agent: Any
    space: Space
    goal: Goal
    cost: Cost = UNSPECIFIED
    title: str = ""
    costs: tuple[Cost, ...] = ()
    summary: GameSummary = GameSummary(ReportedGame)  # noqa: RUF009, it is immutable
    reference_score: float | None = None
    reference_costs: Mapping[str, float] = field(default_factory=dict)
    baselines: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    fixed: Mapping[str, Value] = field(default_factory=dict)
    source: str = ""
    max_failures: float = MAX_FAILURES
    time_limit: float | None = None
    cpu_time_limit: float | None = None
    memory_limit: str | None = None
    environment: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not self.costs:
            time = cpu_seconds("move" if self.cost.per_move else "game")
            others = () if self.cost.counted == time.counted else (time,)
            object.__setattr__(self, "costs", (self.cost, *others))
        elif self.cost is UNSPECIFIED:
            object.__setattr__(self, "cost", self.costs[0])
        for name in ("max_failures", "reference_score", "reference_costs", "baselines", "fixed"):
            object.__setattr__(self, name, without_numpy(getattr(self, name)))
        if not self.title:
            object.__setattr__(self, "title", self.name)
        names = [each.name for each in self.costs]
        if self.cost not in self.costs:
            raise ValueError(f"cost must be one of {', '.join(names)} (got {self.cost.name})")
        needed = [] if self.reference_score is None else names
        if set(needed) != set(self.reference_costs):
            given = ", ".join(self.reference_costs) or "none"
            allowed = "left out without a reference score"
            if needed:
                allowed = f"given for {', '.join(needed)}"
            raise ValueError(f"reference costs must be {allowed} (got {given})")
        if self.reference_score is not None and not math.isfinite(self.reference_score):
            raise ValueError(f"reference score must be finite (got {self.reference_score:g})")
        if bad := [each for each in self.reference_costs.values() if not 0.0 < each < math.inf]:
            raise ValueError(f"reference costs must be finite and above 0 (got {bad[0]:g})")
        if not len(self.space):
            raise ValueError("space must have at least one parameter (got none)")
        if len(set(self.space.names)) < len(self.space):
            raise ValueError(
                f"space must contain each name once (got {', '.join(self.space.names)})"
            )
        if self.goal.name in names:
            raise ValueError(f"goal must not share its name with a cost (got {self.goal.name!r})")
        if both := set(names) & set(self.space.names):
            raise ValueError(f"parameters must not share a name with a cost (got {both.pop()!r})")
        if both := set(self.fixed) & set(self.space.names):
            raise ValueError(f"parameters must not be both tuned and fixed (got {both.pop()!r})")
        if not (is_real(self.max_failures) and 0.0 <= self.max_failures <= 1.0):
            raise ValueError(f"max_failures must be between 0 and 1 (got {self.max_failures!r})")
        if self.player.is_external:
            self.check_external()
        self.player.check(self.space, self.fixed)
        if isinstance(self.player, BuiltinPlayer):
            game = self.player.game
            if self.summary.game is not game:
                object.__setattr__(self, "summary", summary_of(game))
            if self.player.recorded != (self.goal, set(self.costs), self.baselines):
                if game is not ReportedGame:
                    object.__setattr__(self, "goal", self.player.measured(self.goal, self.costs))
                self.check_baselines()
        self.space.check_feasible()

    @classmethod
    def from_agent(
        cls, agent: type[Agent], baselines: Mapping[str, Agent], *, first: str = "", **more: Any
    ) -> "Experiment":
        """Return an experiment with an agent of the catalog; the agent declares the space.

        Baselines are given as agents. ``first`` is passed to :meth:`Space.from_agent`; ``more``
        are further attributes of the experiment.
        """
        for label, each in baselines.items():
            if type(each) is not agent:
                given = type(each).__name__
                raise ValueError(
                    f"baseline {label!r} must be of class {agent.__name__} (got {given})"
                )
        space = Space.from_agent(agent, first=first)
        thetas = {label: space.present(plain_values(each)) for label, each in baselines.items()}
        return cls(agent=agent.name, space=space, baselines=thetas, **more)

    def check_external(self) -> None:
        """Check for errors that only a user's experiment can have."""
        has_moves = any(each.per_move for each in self.costs)
        kind = MatchSummary if self.goal.is_match else type(self.summary)
        object.__setattr__(self, "summary", kind(self.summary.game, has_moves))
        if self.goal.name in {each.counted for each in self.costs}:
            raise ValueError(f"goal and cost must be different fields (got {self.goal.name!r})")
        goal = f"{self.goal.name}_"
        for name in self.space.names:
            if not (name.isascii() and name.isidentifier()):
                raise ValueError(f"space must have names of letters, digits and _ (got {name!r})")
            if (
                name in {*TAKEN, *self.summary.columns([])}
                or name.startswith((*TAKEN_BEGINNINGS, goal))
                or name == self.goal.name
            ):
                raise ValueError(
                    f"parameters must not share a name with a table column (got {name!r})"
                )
        self.check_baselines()

    def check_baselines(self) -> None:
        """Check for errors in the baselines of a user's experiment."""
        for label, values in self.baselines.items():
            if label in ORIGINS or label.startswith("trial "):
                raise ValueError(f"baseline must not be called {label!r}, as other points are")
            names = set(self.space.names)
            if not set(values) <= names or not (self.space.is_conditional or set(values) == names):
                given, needed = ", ".join(values) or "nothing", ", ".join(self.space.names)
                raise ValueError(f"baseline {label!r} must have {needed} (got {given})")
            try:
                self.space.check(values)
            except InputError as error:
                raise ValueError(f"baseline {label!r}: {error}") from None

    @cached_property
    def player(self) -> Player:
        """The object that plays the experiment's games (:mod:`study.experiments.players`)."""
        given = {
            "seconds": self.time_limit,
            "cpu_seconds": self.cpu_time_limit,
            "memory": memory_in(self.memory_limit) or None,
            "environment": self.environment,
        }
        limits = {name: each for name, each in given.items() if each is not None}
        return make_player(self.agent, make_report(self.goal, self.costs), limits)

    @property
    def is_open(self) -> bool:
        """Whether the cost is open: the first game shows whether it becomes a cost per move."""
        return self.cost is UNSPECIFIED

    @property
    def possible_costs(self) -> dict[str, Cost]:
        """The costs of which one can be minimized, by name."""
        costs = [cpu_seconds("move"), cpu_seconds("game")] if self.is_open else self.costs
        return {each.name: each for each in costs}

    def settled(self, has_moves: bool) -> "Experiment":
        """Return the experiment with CPU seconds per move, or per game, as its cost."""
        cost = cpu_seconds("move" if has_moves else "game")
        references = dict(zip((cost.name,), self.reference_costs.values(), strict=False))
        return replace(self, cost=cost, costs=(), reference_costs=references)

    @property
    def reference_point(self) -> tuple[float, float] | None:
        """The score and the cost of the reference point, if there is one."""
        if self.reference_score is None:
            return None
        return self.reference_score, self.reference_costs[self.cost.name]

    @property
    def scales(self) -> tuple[Scale, Scale]:
        """The scales that a model uses for goal and cost."""
        return self.goal.estimator.scale, Scale.LOG

    def with_cost(self, cost: Cost) -> "Experiment":
        """Return the experiment with another cost."""
        return replace(self, cost=cost)

    def by(self, cost: str | None) -> "Experiment":
        """Return the experiment with the named cost, if a name is given.

        InputError if there is no such cost.
        """
        if cost is None:
            return self
        by_name = self.possible_costs
        if cost not in by_name:
            raise InputError(f"cost must be one of {', '.join(by_name)} (got {cost!r})")
        if self.is_open:
            return self.settled(by_name[cost].per_move)
        return self.with_cost(by_name[cost])

    def as_made(self, space: Space, fixed: Mapping[str, Value]) -> "Experiment":
        """Return the experiment with a study's space, and only the baselines that fit it."""
        baselines = {
            name: values
            for name, values in self.baselines.items()
            if space.is_whole(values) and not space.broken_by(values)
        }
        try:
            return replace(self, space=space, fixed=fixed, baselines=baselines)
        except ValueError:  # a newer rule refuses it
            agent = BuiltinPlayer(self.player.name, (self.goal, set(self.costs), baselines))
            return replace(self, agent=agent, space=space, fixed=fixed, baselines=baselines)

    def widened_to(self, made: "Experiment") -> "Experiment":
        """Return ``made``, a study's experiment, with what this experiment may have changed.

        That is its constraints and, for a user's agent, its player and its parameters' limits.
        """
        # If a constraint is a function, the study has stored only its name.
        space = replace(made.space, constraints=self.space.constraints)
        if not self.player.is_external:
            return replace(made, space=space)
        today = {each.name: each for each in self.space if isinstance(each, NumericParameter)}
        parameters: list[Dimension] = []
        for each in made.space:
            if isinstance(each, NumericParameter) and (now := today.get(each.name)) is not None:
                least, most = min(now.least, each.low), max(now.most, each.high)
                each = replace(each, least=least, most=most)  # noqa: PLW2901
            parameters.append(each)
        return replace(made, agent=self.player, space=replace(space, parameters=tuple(parameters)))

    def build(self, values: Mapping[str, Value]) -> Agent:
        """Create the agent of one θ.

        If no values are given, θ is in the middle of the space, or has the agent's defaults if the
        agent does not allow the middle. If only some are given, the other parameters have the
        agent's defaults; a user's agent has no defaults, so its parameters get the middle of their
        ranges.

        ValueError if the agent or the space does not allow the values.
        """
        if values and not self.player.is_external:
            return self.player.build({**self.fixed, **values})
        try:
            theta = self.space.completed(values)
        except InputError as error:
            raise ValueError(str(error)) from None
        try:
            return self.player.build({**self.fixed, **theta})
        except ValueError:
            if not self.player.is_external:
                with suppress(ValueError):
                    return self.player.build(self.fixed)
            raise

    def build_again(self, theta: Mapping[str, Value]) -> Agent:
        """Create the agent of a θ that was played, even if a constraint now forbids this θ."""
        in_order = {name: theta[name] for name in self.space.names if name in theta}
        return self.player.build({**self.fixed, **in_order})

    @property
    def learns(self) -> bool:
        """Whether its agents learn before their first game; InputError if none can be built."""
        try:
            return self.build({}).learns
        except ValueError as error:
            raise InputError(str(error)) from None
