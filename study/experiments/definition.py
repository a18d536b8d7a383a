"""An experiment: an agent, its search space and its objectives."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agents.agent import Agent
from agents.catalog import build, parameters
from agents.parameters import Value
from study.errors import InputError
from study.experiments.game_summary import GameSummary
from study.experiments.objectives import Cost, Goal
from study.experiments.space import NumericParameter, Space


@dataclass(frozen=True)
class Experiment:
    """What a study tunes.

    Attributes
    ----------
    name, title : str
        Its name on the command line, and in text.
    agent : str
        The agent, by its name in :data:`agents.catalog.AGENTS`.
    space : Space
        The tuned parameters and their bounds.
    goal : Goal
        The objective that is maximized.
    cost : Cost
        The objective that is minimized.
    costs : tuple of Cost
        What ``cost`` may be.
    summary : GameSummary
        What tables say of its games beyond goal and cost.
    reference_score : float
        A value of the goal. With the cost's reference it is the reference point: points that are no
        better in both do not count in a hypervolume.
    reference_costs : mapping of str to float
        The reference point's other coordinate, for each cost by name.
    baselines : mapping of str to mapping
        Parameter vectors of note, validated beside the trials and marked in figures.
    fixed : mapping
        Parameters of the agent that are not tuned, where they differ from the agent's defaults.

    Raises
    ------
    ValueError
        If the cost is not among ``costs``, or one of these has no reference; if a parameter has a
        cost's name, which would make two columns of it; if a parameter is both tuned and fixed; if
        the agent has no such parameter, or refuses a bound, a choice or a fixed value.
    """

    name: str
    title: str
    agent: str
    space: Space
    goal: Goal
    cost: Cost
    costs: tuple[Cost, ...]
    summary: GameSummary
    reference_score: float
    reference_costs: Mapping[str, float]
    baselines: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    fixed: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [each.name for each in self.costs]
        if self.cost not in self.costs:
            raise ValueError(f"cost: {self.cost.name} given, one of {', '.join(names)} allowed")
        if set(names) != set(self.reference_costs):
            given = ", ".join(self.reference_costs)
            raise ValueError(f"reference costs: of {given} given, of {', '.join(names)} needed")
        if both := set(names) & set(self.space.names):
            raise ValueError(f"space: {both.pop()} given, which is a cost; another name allowed")
        if both := set(self.fixed) & set(self.space.names):
            raise ValueError(f"space: {both.pop()} given, which is fixed; another name allowed")
        known = parameters(self.agent)
        if unknown := [name for name in (*self.space.names, *self.fixed) if name not in known]:
            allowed = ", ".join(known) or "none"
            raise ValueError(f"space: {unknown[0]} given for {self.agent}, allowed: {allowed}")
        for each in self.space:
            if isinstance(each, NumericParameter) and each.integer != known[each.name].is_whole:
                given, allowed = (
                    ("an integer", "a real") if each.integer else ("a real", "an integer")
                )
                raise ValueError(f"{each.name}: {given} dimension given, {allowed} one allowed")
            for value in each.ends:
                known[each.name].from_number(value)

    @property
    def reference_cost(self) -> float:
        """The reference point's second coordinate, in units of the cost."""
        return self.reference_costs[self.cost.name]

    def with_cost(self, cost: Cost) -> "Experiment":
        """Return the same with another cost."""
        return replace(self, cost=cost)

    def by(self, cost: str | None) -> "Experiment":
        """Return the same with the named cost, if a name is given; InputError if there is none."""
        if cost is None:
            return self
        by_name = {each.name: each for each in self.costs}
        if cost not in by_name:
            raise InputError(f"cost: {cost!r} given, one of {', '.join(by_name)} allowed")
        return self.with_cost(by_name[cost])

    def as_made(self, space: Space, fixed: Mapping[str, Value]) -> "Experiment":
        """Return the same with the space of a study; baselines of other parameters are dropped."""
        baselines = {
            name: values
            for name, values in self.baselines.items()
            if set(values) == set(space.names)
        }
        return replace(self, space=space, fixed=fixed, baselines=baselines)

    def build(self, values: Mapping[str, Value]) -> Agent:
        """Make the agent of one θ."""
        return build(self.agent, {**self.fixed, **values})
