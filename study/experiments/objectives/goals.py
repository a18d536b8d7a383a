"""Goals: what a user wants much of, such as score, or little of, such as an error."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import Game
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives.estimators import (
    Estimator,
    ExactValue,
    GrowingMean,
    Proportion,
)
from thetafront.study.experiments.objectives.formats import Format, MatchFormat


@dataclass(frozen=True)
class Goal:
    """The mean, over all games an agent could play, of one number a game, its *sample*.

    Attributes
    ----------
    name : str
        Stem of its columns, and its option on the command line.
    label, axis_label : str
        Its name in a sentence, and at an axis.
    sample : str
        The attribute of a game that is the sample.
    estimator : Estimator
        Statistics of the samples.
    format : Format
        How values are written.
    standard_error : float, optional
        Wanted of a validated point by default; 0 if one game is exact. None if nobody knows the
        scatter: validation then has a limit on games only.
    with_extremes : bool
        Whether tables have the least and the largest sample, and a figure shows their spread.
    reported_too : tuple of Goal
        Other goals whose mean and standard error tables have.
    replicates : int
        Games a trial by default.
    direction : {"maximize", "minimize"}
        Whether more is better, or less.
    penalty : float, optional
        The value of a failed game; None if failed games are replaced.
    """

    name: str
    label: str
    axis_label: str
    sample: str
    estimator: Estimator
    format: Format
    standard_error: float | None
    with_extremes: bool = False
    reported_too: tuple["Goal", ...] = ()
    replicates: int = 4
    direction: Literal["maximize", "minimize"] = "maximize"
    penalty: float | None = None

    @property
    def sign(self) -> float:
        """1 where more is better, −1 where less is: times it, more is always better."""
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def is_exact(self) -> bool:
        """Whether one game tells all."""
        return self.estimator.is_exact

    @property
    def is_share(self) -> bool:
        """Whether values are shares, written in percent."""
        return self.format.value.endswith("%")

    @property
    def is_match(self) -> bool:
        """Whether values are scores against an opponent."""
        return isinstance(self.format, MatchFormat)

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Bounds of values; None where there is none."""
        return self.estimator.low, self.estimator.high

    def samples(self, games: Sequence[Game]) -> npt.NDArray[np.float64]:
        """Return the number of each game, shape (n_games,)."""
        return np.array([getattr(game, self.sample) for game in games], np.float64)

    def estimate(self, games: Sequence[Game]) -> Estimate:
        """Estimate the goal from some games; all NaN if there are none."""
        return self.estimator.estimate(self.samples(games))

    def reaches(self, value: float, wanted: float) -> bool:
        """Tell whether a value is as good as wanted; an exact one also if written the same."""
        same = self.format.text(value) == self.format.text(wanted)
        return self.sign * value >= self.sign * wanted or (self.is_exact and same)

    @property
    def bound(self) -> str:
        """What a value that is wanted is called in commands and calls: ``min_score``."""
        return f"{'min' if self.sign > 0 else 'max'}_{self.name}"

    @property
    def option_help(self) -> str:
        """What the option for a value that is wanted means."""
        return f"The {self.label} wanted{', 0 to 1' if self.is_share else ''}."

    def read(self, given: str | float) -> float:
        """Read a value that a user gives; ValueError if it is none."""
        return float(given)

    def column(self, statistic: str) -> str:
        """Name a column of observed values: ``score_mean_points``."""
        return f"{self.name}_{statistic}{self.column_unit}"

    def posterior_column(self, statistic: str) -> str:
        """Name a column of a model's predictions: ``posterior_mean_points``."""
        return f"posterior_{statistic}{self.column_unit}"

    def combined_column(self, statistic: str) -> str:
        """Name a column of what trials and validation tell: ``combined_mean_points``."""
        return f"combined_{statistic}{self.column_unit}"

    @property
    def game_column(self) -> str:
        """The column of one game's value: ``score_points``."""
        return f"{self.name}{self.column_unit}"

    @property
    def column_unit(self) -> str:
        """What its columns end in: the unit in letters, digits and ``_``."""
        words = re.sub(r"\W+", "_", self.format.unit.replace("/", "_per_").replace("%", "percent"))
        return f"_{words.strip('_')}" if words.strip("_") else ""

    def summary(self, games: Sequence[Game]) -> dict[str, Any]:
        """Summarize some games in columns of a table; NaN if there are none."""
        columns: dict[str, Any] = {}
        for goal in (self, *self.reported_too):
            found = goal.estimate(games)
            columns |= {goal.column("mean"): found.value, goal.column("sem"): found.sem}
        if self.with_extremes:
            samples = [getattr(game, self.sample) for game in games] or [np.nan]
            columns |= {self.column("min"): min(samples), self.column("max"): max(samples)}
        return columns


SCORE = Goal(
    name="score",
    label="score",
    axis_label="mean score, points",
    sample="score",
    estimator=GrowingMean(),
    format=Format(",.0f", ",.0f", ",.0f", unit="points", area_unit="points"),
    standard_error=500.0,
    with_extremes=True,
)
WIN_RATE = Goal(
    name="win_rate",
    label="win rate",
    axis_label="win rate",
    sample="won",
    estimator=Proportion(),
    format=Format(".1%", ".0%", ".3f", unit="", area_unit="win rate", interval_style="ends"),
    standard_error=0.015,
    reported_too=(SCORE,),
    replicates=10,
)
EXACT_SCORE = Goal(
    name="score",
    label="score",
    axis_label="expected score, points",
    sample="score",
    estimator=ExactValue(),
    format=Format(",.5f", ",g", ",.5f", unit="points", area_unit="points", interval_style="exact"),
    standard_error=0.0,
    replicates=1,
)
