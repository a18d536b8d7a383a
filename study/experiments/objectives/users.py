"""Goals and costs of users' own agents, whose games are all of one class.

Such a game's ``score`` is the goal's value, whatever the goal is called; what else a game reported
is read by its name (:class:`agents.external.report.ReportedGame`).
"""

import dataclasses
import math
from typing import Literal

from thetafront.agents.external.report import MOVES, ReportedGame
from thetafront.agents.parameters import is_real
from thetafront.study.experiments.objectives.costs import SECONDS, Cost
from thetafront.study.experiments.objectives.estimators import ExactValue, NoisyMean, Proportion
from thetafront.study.experiments.objectives.formats import FittingFormat, MatchFormat
from thetafront.study.experiments.objectives.goals import WIN_RATE, Goal

Direction = Literal["maximize", "minimize"]
Per = Literal["move", "game"]

SAMPLE = "score"
DIGITS_OF_EXACT = 6
COLUMNS = {"phase", "trial", "point", "origin", "replicate", "seed", "n_moves", "cpu_seconds"}
COLUMNS |= {"seconds_per_move", "failed_with"}
OPTIONS_AND_KEYS = {"study", "games", "jobs", "json", "name", "results", "help"}
OPTIONS_AND_KEYS |= {"agent", "params", "n_games", "n_moves_mean", "combined", "posterior"}
OF_EVERY_GAME = {each.name for each in dataclasses.fields(ReportedGame)} | set(dir(ReportedGame))


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
    """Return the goal of a mean over games, each of which has another value.

    Parameters
    ----------
    name : str
        Stem of its columns, and its option on the command line: letters, digits and ``_``.
    unit : str
        Unit of values, if they have one.
    direction : {"maximize", "minimize"}
        Whether more is better, or less.
    label : str, optional
        Its name in text; by default the name.
    standard_error : float, optional
        Wanted of a validated point by default.
    replicates : int
        Games a trial by default.
    penalty : float, optional
        The value of a game that failed; by default it is replaced by another game.
    low, high : float, optional
        Bounds of values: a game beyond them fails, and no prediction or interval leaves them.

    Raises
    ------
    ValueError
        If the name has other characters, or is that of another column or option; if no game can
        have the penalty's value; if low is not below high.
    """
    label = label_of(name, label)
    return checked(
        Goal(
            name=name,
            label=label,
            axis_label=f"mean {label}{unit and f', {unit}'}",
            sample=SAMPLE,
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
    """Return the goal of the share of games whose value is 1; others have 0, draws ½.

    Parameters and exceptions are those of :func:`mean`.
    """
    label = label_of(name, label)
    return checked(
        dataclasses.replace(
            WIN_RATE,
            name=name,
            label=label,
            axis_label=label,
            sample=SAMPLE,
            format=dataclasses.replace(WIN_RATE.format, area_unit=label),
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
    """Return the goal of the score against an opponent, shown as Elo, too.

    A game reports ``"win"``, ``"draw"`` or ``"loss"``, or a number from 0 to 1. A pair of games
    from one opening, with both colours, is one game that reports their mean.

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
    form = {each.name: getattr(goal.format, each.name) for each in dataclasses.fields(goal.format)}
    return dataclasses.replace(goal, format=MatchFormat(**form))


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
    """Return the goal of a value that one game tells: all games of one θ have the same.

    Parameters and exceptions are those of :func:`mean`.
    """
    label = label_of(name, label)
    return checked(
        Goal(
            name=name,
            label=label,
            axis_label=f"{label}{unit and f', {unit}'}",
            sample=SAMPLE,
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


def cpu_seconds(per: Per = "move") -> Cost:
    """Return the cost of CPU time, of a move or of a game."""
    return (
        SECONDS
        if per == "move"
        else Cost("seconds_per_game", "CPU time a game", "seconds", "s", per_move=False)
    )


def reported(field: str, *, unit: str = "", per: Per = "game", label: str | None = None) -> Cost:
    """Return the cost of a field that games report, for each move or each game.

    Parameters
    ----------
    field : str
        The field's name: letters, digits and ``_``; ``seconds`` takes the place of what is
        measured.
    unit : str
        Unit of values, if they have one; ``s`` makes it a time.
    per : {"move", "game"}
        What the sum over games is divided by.
    label : str, optional
        Its name at an axis and in text; by default ``nodes a game``.

    Raises
    ------
    ValueError
        If the name has other characters, or is one that every game has.
    """
    if field == SECONDS.counted:
        return dataclasses.replace(
            cpu_seconds(per), label=label or f"time a {per}", is_reported=True
        )
    if check_name("cost", field) in OF_EVERY_GAME | {MOVES}:
        raise ValueError(f"cost must have another name (got {field!r}, which every game has)")
    words = f"{field.replace('_', ' ')} a {per}" if label is None else label
    return Cost(f"{field}_per_{per}", words, field, unit, per_move=per == "move", is_whole=False)


def label_of(name: str, label: str | None) -> str:
    """Return a goal's name in text: the one given, or its name's words."""
    words = check_name("goal", name).replace("_", " ")
    return words if label is None else label


def checked(goal: Goal) -> Goal:
    """Return a goal; ValueError if its name is another column's or option's, or for its penalty."""
    low, high = goal.estimator.scale.low, goal.estimator.scale.high
    if goal.penalty is not None and not (
        is_real(goal.penalty) and math.isfinite(goal.penalty) and low <= goal.penalty <= high
    ):
        is_open = math.isinf(low) and math.isinf(high)
        allowed = "" if is_open else f" between {low:g} and {high:g}"
        raise ValueError(f"penalty must be a finite number{allowed} (got {goal.penalty!r})")
    if goal.game_column in COLUMNS or goal.name in OPTIONS_AND_KEYS:
        raise ValueError(
            f"goal must have another name (got {goal.name!r}, which names something else)"
        )
    error = 1.0 if goal.is_exact or goal.standard_error is None else goal.standard_error
    if not error > 0.0 or goal.replicates < 1:
        raise ValueError("standard_error must be above 0, and replicates 1 or more")
    return goal


def check_name(what: str, name: str) -> str:
    """Return a name if it can be that of a column and an option; ValueError otherwise."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{what} must have a name of letters, digits and _ (got {name!r})")
    return name
