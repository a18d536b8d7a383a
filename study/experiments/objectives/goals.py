"""Goals: quantities to maximize, such as a score, or to minimize, such as an error.

:func:`mean`, :func:`rate`, :func:`match` and :func:`exact` make goals for users' own agents. The
games of these agents are all of one class: their attribute ``score`` is the goal's value, whatever
the goal is called.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from thetafront.agents.agent import Game
from thetafront.agents.parameters import is_real, without_numpy
from thetafront.study.arrays import Floats
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.objectives.costs import check_name
from thetafront.study.experiments.objectives.estimators import (
    Estimator,
    ExactValue,
    GrowingMean,
    NoisyMean,
    Proportion,
)
from thetafront.study.experiments.objectives.formats import FittingFormat, Format, MatchFormat
from thetafront.study.shrinkage import NO_PRIOR, Prior

Direction = Literal["maximize", "minimize"]

DIGITS_OF_EXACT = 6
COLUMNS = {"phase", "trial", "point", "origin", "replicate", "seed", "n_moves", "cpu_seconds"}
COLUMNS |= {"seconds_per_move", "failed_with"}
OPTIONS_AND_KEYS = {"study", "games", "jobs", "json", "name", "results", "help"}
OPTIONS_AND_KEYS |= {"agent", "params", "n_games", "n_moves_mean", "combined", "posterior"}


@dataclass(frozen=True)
class Goal:
    """The mean of one number per game, its *sample*, over all games that an agent could play."""

    name: str  # beginning of its columns' names, and its option on the command line
    label: str  # its name in a sentence
    axis_label: str  # its name on an axis
    sample: str  # the attribute of a game that is the sample
    estimator: Estimator  # statistics of the samples
    format: Format  # how values are written
    # Default standard error at which the validation of a point may end; 0 if one game is exact.
    # None if the spread of games is unknown; validation then ends only after a given number of
    # games.
    standard_error: float | None
    # Whether tables have the smallest and the largest sample, and whether a figure shows the spread
    # of samples.
    with_extremes: bool = False
    reported_too: tuple["Goal", ...] = ()  # tables also have their means and standard errors
    replicates: int = 4  # games per trial by default
    direction: Direction = "maximize"  # whether more is better, or less
    penalty: float | None = None  # the value of a failed game; None if failed games are replaced

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, without_numpy(value))

    @property
    def sign(self) -> float:
        """1 if more is better, −1 if less is better; a larger value·sign is always better."""
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def is_exact(self) -> bool:
        """Whether one game is enough."""
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
        """Lower and upper bound of values; None for a bound that does not exist."""
        return self.estimator.low, self.estimator.high

    def samples(self, games: Sequence[Game]) -> Floats:
        """Return the sample of each game, shape (n_games,)."""
        return np.array([getattr(game, self.sample) for game in games], np.float64)

    def estimate(self, games: Sequence[Game], prior: Prior = NO_PRIOR) -> Estimate:
        """Estimate the goal from some games; all NaN if there are none.

        ``prior`` is a prior of the variance, estimated from the games of all θ of a study.
        """
        return self.estimator.estimate(self.samples(games), prior)

    def reaches(self, value: float, wanted: float) -> bool:
        """Return whether a value reaches a target.

        An exact value also reaches a target if both have the same text after rounding.
        """
        same = self.format.text(value) == self.format.text(wanted)
        return self.sign * value >= self.sign * wanted or (self.is_exact and same)

    @property
    def bound(self) -> str:
        """Name of a target value in commands and calls: ``min_score``."""
        return f"{'min' if self.sign > 0 else 'max'}_{self.name}"

    @property
    def option_help(self) -> str:
        """Help of the option for a target value."""
        return f"Target: {self.label}{', such as 0.6 or 60%' if self.is_share else ''}."

    def read(self, given: str | float) -> float:
        """Read a value that a user gives, such as 0.6, or 60% if values are 0 to 1.

        The value may have its unit. ValueError if it is invalid.
        """
        text = str(given)
        if self.limits == (0.0, 1.0) and text.endswith("%"):
            return float(text[:-1]) / 100.0
        try:
            return float(given)
        except ValueError:
            return float(text.removesuffix(self.format.unit))

    def column(self, statistic: str) -> str:
        """Name a column of observed values: ``score_mean_points``."""
        return f"{self.name}_{statistic}{self.column_unit}"

    def posterior_column(self, statistic: str) -> str:
        """Name a column of a model's predictions: ``posterior_mean_points``."""
        return f"posterior_{statistic}{self.column_unit}"

    def size_text(self, difference: float) -> str:
        """Write the size of a difference: ``1,881 points``, or ``4.2 percentage points``."""
        size = abs(difference)
        return self.of_size(f"{100.0 * size:.1f}" if self.is_share else self.format.error(size))

    def of_size(self, text: str) -> str:
        """Write the unit of differences after a number, which is in percent for a share."""
        if self.is_share or self.format.unit == "%":
            return f"{text} percentage point{'' if text == '1' else 's'}"
        return self.format.beside_unit(text)

    def combined_column(self, statistic: str) -> str:
        """Name a column of estimates from trials and validation: ``combined_mean_points``."""
        return f"combined_{statistic}{self.column_unit}"

    @property
    def game_column(self) -> str:
        """The column of one game's value: ``score_points``."""
        return f"{self.name}{self.column_unit}"

    @property
    def column_unit(self) -> str:
        """The ending of its columns' names: the unit in letters, digits and ``_``."""
        words = re.sub(r"\W+", "_", self.format.unit.replace("/", "_per_").replace("%", "percent"))
        return f"_{words.strip('_')}" if words.strip("_") else ""

    @property
    def moments_attribute(self) -> str:
        """Name of the attribute of Optuna's trials in which samplers find the samples' moments."""
        return f"moments:{self.name}"

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


def mean(
    name: str = "score",
    *,
    unit: str = "",
    direction: Direction = "maximize",
    label: str | None = None,
    standard_error: float | None = None,
    replicates: int = 4,
    penalty: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Goal:
    """Return a goal: the mean of a value that varies from game to game.

    Parameters
    ----------
    name : str
        Beginning of its columns' names, and its option on the command line; of letters, digits and
        ``_``.
    unit : str
        Unit of values, if they have one.
    direction : {"maximize", "minimize"}
        Whether more is better, or less.
    label : str, optional
        Its name in text; by default the name.
    standard_error : float, optional
        Default standard error at which the validation of a point may end.
    replicates : int
        Games per trial by default.
    penalty : float, optional
        The value of a failed game; by default, a failed game is replaced by another game.
    low, high : float, optional
        Bounds of values. A game with a value beyond these bounds fails. Predictions and intervals
        stay within the bounds.

    Raises
    ------
    ValueError
        If the name has other characters, or is that of another column or option; if the penalty is
        a value that no game can have; if ``low`` is not below ``high``.
    """
    label = goal_label(name, label)
    return checked(
        Goal(
            name=name,
            label=label,
            axis_label=f"mean {label}{unit and f', {unit}'}",
            sample="score",
            estimator=(
                NoisyMean(low, high) if low is None or high is None else Proportion(low, high)
            ),
            format=FittingFormat(
                unit=unit,
                area_unit=unit or label,
                interval_style="plus-minus" if low is None and high is None else "ends",
            ),
            standard_error=standard_error,
            with_extremes=True,
            replicates=replicates,
            direction=direction,
            penalty=penalty,
        )
    )


def rate(
    name: str,
    *,
    direction: Direction = "maximize",
    label: str | None = None,
    standard_error: float | None = WIN_RATE.standard_error,
    replicates: int = WIN_RATE.replicates,
    penalty: float | None = None,
) -> Goal:
    """Return a goal: the share of games with the value 1.

    All other games have the value 0, or ½ for a draw.

    Parameters and exceptions are those of :func:`mean`.
    """
    label = goal_label(name, label)
    return checked(
        replace(
            WIN_RATE,
            name=name,
            label=label,
            axis_label=label,
            sample="score",
            format=replace(WIN_RATE.format, area_unit=label),
            standard_error=standard_error,
            reported_too=(),
            replicates=replicates,
            direction=direction,
            penalty=penalty,
        )
    )


def match(
    name: str = "result",
    *,
    direction: Direction = "maximize",
    label: str | None = None,
    standard_error: float | None = WIN_RATE.standard_error,
    replicates: int = WIN_RATE.replicates,
    penalty: float | None = None,
) -> Goal:
    """Return a goal: the score against an opponent, also shown as Elo.

    A game reports ``"win"``, ``"draw"`` or ``"loss"``, or a number from 0 to 1. Two games from
    the same opening, one with each colour, count as one game, which reports their mean.

    Parameters and exceptions are those of :func:`mean`.
    """
    goal = rate(
        name,
        direction=direction,
        label=label,
        standard_error=standard_error,
        replicates=replicates,
        penalty=penalty,
    )
    return replace(goal, format=MatchFormat(**vars(goal.format)))


def exact(
    name: str = "score",
    unit: str = "",
    *,
    direction: Direction = "maximize",
    label: str | None = None,
    penalty: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Goal:
    """Return a goal with an exact value: all games of one θ have the same value.

    Parameters and exceptions are those of :func:`mean`.
    """
    label = goal_label(name, label)
    return checked(
        Goal(
            name=name,
            label=label,
            axis_label=f"{label}{unit and f', {unit}'}",
            sample="score",
            estimator=ExactValue(low, high),
            format=FittingFormat(
                unit=unit,
                area_unit=unit or label,
                interval_style="exact" if low is None and high is None else "ends",
                n_digits=DIGITS_OF_EXACT,
            ),
            standard_error=0.0,
            replicates=1,
            direction=direction,
            penalty=penalty,
        )
    )


def goal_label(name: str, label: str | None) -> str:
    """Return the label of a goal; by default, the words of its name."""
    words = check_name("goal", name).replace("_", " ")
    return label or words


def checked(goal: Goal) -> Goal:
    """Return ``goal``; ValueError if its name is taken, or its direction or a number is invalid."""
    if goal.direction not in get_args(Direction):
        allowed = " or ".join(get_args(Direction))
        raise ValueError(f"direction must be {allowed} (got {goal.direction!r})")
    low, high = goal.estimator.scale.low, goal.estimator.scale.high
    if goal.penalty is not None and not (
        is_real(goal.penalty) and math.isfinite(goal.penalty) and low <= goal.penalty <= high
    ):
        is_open = math.isinf(low) and math.isinf(high)
        allowed = "" if is_open else f" between {low:g} and {high:g}"
        raise ValueError(f"penalty must be a finite number{allowed} (got {goal.penalty!r})")
    if goal.game_column in COLUMNS or goal.name in OPTIONS_AND_KEYS:
        raise ValueError(
            f"goal must not share its name with a table column or an option (got {goal.name!r})"
        )
    error = 1.0 if goal.is_exact or goal.standard_error is None else goal.standard_error
    if not error > 0.0 or goal.replicates < 1:
        raise ValueError(
            "standard_error must be above 0, and replicates must be 1 or more (got "
            f"{goal.standard_error!r} and {goal.replicates!r})"
        )
    return goal
