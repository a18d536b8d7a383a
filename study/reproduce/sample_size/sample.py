"""Real games of one θ."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives import SCORE, Goal

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Real games of one θ, two or more."""

    name: str  # A or B
    theta: str  # as on a command line
    origin: str
    agent: str  # its digest, the agent's name in games.csv
    seeds: Integers  # shape (N,)
    scores: Floats  # in the goal's unit
    goal: Goal = SCORE

    def __post_init__(self) -> None:
        if len(self.scores) < 2:
            raise InputError(f"games: {len(self.scores)} of θ {self.theta} given, 2 or more needed")

    @property
    def n_games(self) -> int:
        """N."""
        return len(self.scores)

    @property
    def deviation(self) -> float:
        """The standard deviation of one game's score, in the goal's unit."""
        return float(self.scores.std(ddof=1))

    @property
    def estimate(self) -> Estimate:
        """The mean with its 95% interval, in the goal's unit: for 2048, by Student's t."""
        return self.goal.estimator.estimate(self.scores.astype(np.float64))
