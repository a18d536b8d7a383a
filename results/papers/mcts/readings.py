"""Two readings of the source, measured: how ties are broken, and how long a rollout is.

Each is a parameter of :class:`agents.twenty48.uct.UCT`; everything else here has its default. The
source breaks no tie, and its U(s) does not know the depth that remains. A reading is compared with
the default on more seeds than the other rows have, :data:`GAMES_FACTOR` times as many, since its
effect may be small.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from results.papers.mcts.design import Case, Design
from results.papers.paper import estimate_columns, score_columns, scores_of
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import RolloutDepth, TieBreaking
from thetafront.study import estimate as intervals

GAMES_FACTOR = 2
ROLLOUTS = (LeafValue.RANDOM, LeafValue.LOOKAHEAD)
CHANGES: dict[str, dict[str, Any]] = {
    "ties broken at random": {"tie_breaking": TieBreaking.RANDOM},
    "rollouts of d actions": {"rollout_depth": RolloutDepth.FULL},
}


@dataclass(frozen=True)
class Reading:
    """A plain agent that reads the source in another way."""

    case: Case
    change: str  # of CHANGES

    @property
    def name(self) -> str:
        """The name of its row."""
        return f"{self.case.name}, {self.change}"

    @property
    def agent(self) -> Agent:
        """The agent."""
        return replace(self.case.agent, **CHANGES[self.change])


def readings_of(design: Design) -> list[Reading]:
    """Return the readings of each leaf value; only rollouts have a depth."""
    return [
        Reading(Case(leaf_value, design.reading_simulations), change)
        for change, values in CHANGES.items()
        for leaf_value in LeafValue
        if leaf_value in ROLLOUTS or "rollout_depth" not in values
    ]


def reading_agents(design: Design) -> dict[str, Agent]:
    """Return the agents of both readings, by row."""
    readings = readings_of(design)
    plain: dict[str, Agent] = {each.case.name: each.case.agent for each in readings}
    return plain | {each.name: each.agent for each in readings}


def seeds_of_readings(seeds: range) -> range:
    """Return the seeds of the other rows, and more after them."""
    return range(seeds[0], seeds[0] + GAMES_FACTOR * len(seeds))


def readings_frame(design: Design, games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row a reading; ``less_default_points`` is paired by seed."""
    lines = []
    for reading in readings_of(design):
        mine, default = games[reading.name], games[reading.case.name]
        difference = intervals.difference(scores_of(mine), scores_of(default))
        default_mean = intervals.mean(scores_of(default))
        lines.append(
            {
                "reading": reading.change,
                "leaf_value": reading.case.leaf_value.value,
                "n_simulations": reading.case.n_simulations,
                **score_columns(mine),
                **estimate_columns("default", default_mean),
                **estimate_columns("less_default", difference),
            }
        )
    return pd.DataFrame(lines)
