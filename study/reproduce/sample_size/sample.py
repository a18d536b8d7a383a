"""Real games of one θ."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from study.errors import InputError
from study.estimate import Estimate, t95

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """Real games of one θ, two or more."""

    name: str  # A or B
    theta: str  # as on a command line
    origin: str
    agent: str  # its digest, the agent's name in games.csv
    seeds: Integers  # shape (N,)
    scores: Integers  # in points

    def __post_init__(self) -> None:
        if len(self.scores) < 2:
            raise InputError(f"games: {len(self.scores)} of θ {self.theta} given, 2 or more needed")

    @property
    def n_games(self) -> int:
        """N."""
        return len(self.scores)

    @property
    def mean(self) -> float:
        """The mean score, in points."""
        return float(self.scores.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation of one game's score, in points."""
        return float(self.scores.std(ddof=1))

    @property
    def standard_error(self) -> float:
        """Of the mean of all N games, in points."""
        return self.deviation / math.sqrt(self.n_games)

    @property
    def estimate(self) -> Estimate:
        """The mean with its 95% interval by Student's t, in points."""
        half = t95(self.n_games) * self.standard_error
        return Estimate(self.mean, self.mean - half, self.mean + half)
