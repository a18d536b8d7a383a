"""What an experiment is: an agent, its search space and its objectives."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agents.agent import Agent
from agents.catalog import build
from agents.parameters import Value
from study.experiments.cost import PLAYOUT_MOVES, SECONDS, Cost, cost_by_name
from study.experiments.game_summary import Kind
from study.experiments.objectives import SCORE, Goal
from study.experiments.space import Space
from study.experiments.twenty48_games import TWENTY48


@dataclass(frozen=True)
class Experiment:
    """What a study tunes.

    Attributes
    ----------
    name, title : str
        For the command line, and for people.
    agent : str
        Which agent, as :data:`agents.catalog.AGENTS` calls it.
    space : Space
        The parameters tuned, and their bounds.
    fixed : mapping
        Parameters of the agent that are not tuned, where they are not what the agent has by default.
    reference_score : float
        A value of the goal; with the cost's reference: points that are no better in both do not count in a
        hypervolume.
    reference_costs : mapping of str to float
        The reference point's other coordinate, for each cost by name.
    baselines : mapping of str to mapping
        Parameter vectors of note, played beside the trials and marked in the plot.
    cost : Cost
        The objective that is minimized.
    goal : Goal
        The objective that is maximized.
    costs : tuple of Cost
        What ``cost`` may be.
    kind : Kind
        Of the games.

    Raises
    ------
    ValueError
        If the cost is not among those offered, or one of these has no reference, or a parameter has its name:
        tables would have two columns of it. If a parameter is both tuned and fixed.
    """

    name: str
    title: str
    agent: str
    space: Space
    reference_score: float
    reference_costs: Mapping[str, float]
    baselines: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    cost: Cost = SECONDS
    goal: Goal = SCORE
    costs: tuple[Cost, ...] = (SECONDS, PLAYOUT_MOVES)
    kind: Kind = TWENTY48
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

    @property
    def reference_cost(self) -> float:
        """The reference point's second coordinate, in units of the cost."""
        return self.reference_costs[self.cost.name]

    def with_cost(self, cost: Cost) -> "Experiment":
        """Return the same with another objective to minimize."""
        return replace(self, cost=cost)

    def by(self, cost: str | None) -> "Experiment":
        """Return the same with the cost of that name, or its own; InputError if it is not offered."""
        return self if cost is None else self.with_cost(cost_by_name(cost, self.costs))

    def as_made(self, space: Space, fixed: Mapping[str, Value]) -> "Experiment":
        """Return the same with the space that a study was made with; only baselines that lie in it stay."""
        baselines = {
            name: values
            for name, values in self.baselines.items()
            if set(values) == set(space.names)
        }
        return replace(self, space=space, fixed=fixed, baselines=baselines)

    def build(self, values: Mapping[str, Value]) -> Agent:
        """Make the agent of one parameter vector."""
        return build(self.agent, {**self.fixed, **values})
