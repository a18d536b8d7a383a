"""The Monte Carlo MDP agent with any schedule, for tests."""

from dataclasses import dataclass

from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.schedule import AUTHORS_SCHEDULE, Schedule


@dataclass(frozen=True)
class Scheduled(MonteCarloMDP):
    table: Schedule = AUTHORS_SCHEDULE

    @property
    def schedule(self) -> Schedule:
        return self.table


def scheduled(
    table: Schedule,
    theta6: float = 1.0,
    gamma: float = 1.0,
    reward_weight: float = 1.0,
    cascade: bool = False,
) -> Scheduled:
    return Scheduled(
        theta6=theta6, gamma=gamma, reward_weight=reward_weight, cascade=cascade, table=table
    )
