"""Goals and costs of users' own agents, whose games are all of one class.

Such a game's ``score`` is the goal's value, whatever the goal is called; what else a game reported
is read by its name (:class:`agents.outside.report.ReportedGame`).
"""

import dataclasses
from typing import Literal

from agents.outside.report import MOVES, ReportedGame
from study.experiments.objectives.costs import SECONDS, Cost
from study.experiments.objectives.estimators import ExactValue, NoisyMean
from study.experiments.objectives.formats import FittingFormat
from study.experiments.objectives.goals import WIN_RATE, Goal

Direction = Literal["maximize", "minimize"]
Per = Literal["move", "game"]

SAMPLE = "score"
DIGITS_OF_EXACT = 6
COLUMNS = {"phase", "trial", "point", "origin", "replicate", "seed", "n_moves", "cpu_seconds"}
COLUMNS |= {"seconds_per_move"}
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

    Raises
    ------
    ValueError
        If the name has other characters, or is that of another column or option.
    """
    label = label_of(name, label)
    return checked(
        Goal(
            name=name,
            label=label,
            axis_label=f"mean {label}{unit and f', {unit}'}",
            sample=SAMPLE,
            estimator=NoisyMean(),
            format=FittingFormat(unit=unit, area_unit=unit or label),
            standard_error=standard_error,
            limits=(None, None),
            with_extremes=True,
            replicates=replicates,
            direction=direction,
        )
    )


def rate(
    name: str,
    *,
    direction: Direction = "maximize",
    label: str | None = None,
    standard_error: float | None = WIN_RATE.standard_error,
    replicates: int = WIN_RATE.replicates,
) -> Goal:
    """Return the goal of the share of games whose value is 1; all others have 0.

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
        )
    )


def exact(
    name: str = "score",
    unit: str = "",
    *,
    direction: Direction = "maximize",
    label: str | None = None,
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
            estimator=ExactValue(),
            format=FittingFormat(
                unit=unit,
                area_unit=unit or label,
                interval_style="exact",
                n_digits=DIGITS_OF_EXACT,
            ),
            standard_error=0.0,
            limits=(None, None),
            replicates=1,
            direction=direction,
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
        raise ValueError(f"cost: {field!r} given, which every game has; another name allowed")
    words = f"{field.replace('_', ' ')} a {per}" if label is None else label
    return Cost(f"{field}_per_{per}", words, field, unit, per_move=per == "move", is_whole=False)


def label_of(name: str, label: str | None) -> str:
    """Return a goal's name in text: the one given, or its name's words."""
    words = check_name("goal", name).replace("_", " ")
    return words if label is None else label


def checked(goal: Goal) -> Goal:
    """Return a goal; ValueError if it has the name of another column or option."""
    if goal.game_column in COLUMNS or goal.name in OPTIONS_AND_KEYS:
        raise ValueError(f"goal: {goal.name!r} given, which names something else; another allowed")
    return goal


def check_name(what: str, name: str) -> str:
    """Return a name if it can be that of a column and an option; ValueError otherwise."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{what}: {name!r} given, a name of letters, digits and _ allowed")
    return name
