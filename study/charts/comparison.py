"""Charts of several studies: their fronts overlaid, and differences at equal cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pandas as pd

from thetafront.study.arrays import Floats
from thetafront.study.charts.axes import axis_span, cost_axis, field_values, goal_axis
from thetafront.study.charts.chart import (
    BLUE,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PINK,
    Chart,
    Kind,
    Layer,
    Panel,
    Row,
    short,
)
from thetafront.study.charts.front import (
    COMBINED,
    curve_layers,
    curve_rows,
    one_game_note,
    point_rows,
)
from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.made_by import machines_text
from thetafront.study.text import counted

N_COSTS = 96
N_ROWS = 12  # of the table
MAX_NAME = 40
COLOURS = (BLUE, ORANGE, GREEN, PINK, GREY)
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4))
MAX_STUDIES = len(COLOURS)
WORDS = {
    "estimator": "kind or bounds",
    "axis_label": "kind",
    "is_reported": "source",
    "counted": "field",
}
OF_PRECISION = ("standard_error", "replicates")  # how precisely a goal is measured


@dataclass(frozen=True)
class ComparedFront:
    """One study's front, as a function of the budget."""

    name: str  # the study's name in the charts
    data: Analysis

    @property
    def experiment(self) -> Experiment:
        """The study's experiment."""
        return self.data.data.experiment

    @cached_property
    def curve(self) -> list[Row]:
        """The front given all games, the cheapest point first; of equal points, only the first."""
        rows = curve_rows(self.data.tables, self.experiment, COMBINED)
        return [row for k, row in enumerate(rows) if not k or row["y"] != rows[k - 1]["y"]]

    def at_cost(self, budgets: Floats) -> Floats:
        """Return the best mean at each expected cost, and its 95% interval, shape (n, 3).

        Below the cost of the cheapest point, the values are NaN. A θ counts as within a budget if
        its expected cost is at most the budget. Its true cost may then exceed the budget with a
        probability of up to one half. ``pick`` allows a probability of at most 5%, so for the same
        budget, it may return a cheaper θ.
        """
        rows = np.array([[row["y"], row["low"], row["high"]] for row in self.curve])
        costs = np.array([row["x"] for row in self.curve])
        place = np.searchsorted(costs, budgets * (1.0 + 1e-9), side="right") - 1
        return np.where(place[:, None] >= 0, rows[np.maximum(place, 0)], math.nan)


def compared(studies: Sequence[Analysis]) -> list[ComparedFront]:
    """Check that studies can be compared, and give each study a distinct name.

    InputError if there are fewer than two studies or more than ``MAX_STUDIES``, if they differ in
    goal or cost, or if a study has no complete trial.
    """
    names = ", ".join(repr(each.data.name) for each in studies)
    if not 2 <= len(studies) <= MAX_STUDIES:
        raise InputError(f"number of studies must be between 2 and {MAX_STUDIES} (got {names})")
    first = studies[0].data.experiment
    for each in studies:
        experiment = each.data.experiment
        if differs := first_difference(experiment, first):
            raise InputError(
                f"studies must have the same goal and cost: {each.data.name!r} has "
                f"{experiment.goal.label} against {experiment.cost.label} ({experiment.name}), but "
                f"{studies[0].data.name!r} has {first.goal.label} against {first.cost.label} "
                f"({first.name}); {differs} differs"
            )
        if each.model is None:
            raise InputError(f"study: {each.data.name!r} has no complete trial yet")
    short_names = [short(each.data.name, MAX_NAME) for each in studies]
    if len(set(short_names)) < len(short_names):  # studies in two folders may share a name
        short_names = [f"{k}: {name}" for k, name in enumerate(short_names, 1)]
    return [ComparedFront(name, each) for name, each in zip(short_names, studies, strict=True)]


def first_difference(one: Experiment, other: Experiment) -> str:
    """Name what makes two goals or costs different; empty if they can be compared."""
    for what in ("goal", "cost"):
        mine, its = getattr(one, what), getattr(other, what)
        for name in (each.name for each in fields(mine)):
            if name not in OF_PRECISION and getattr(mine, name) != getattr(its, name):
                return f"the {what}'s {WORDS.get(name, name.replace('_', ' '))}"
    return ""


def study_kinds(fronts: Sequence[ComparedFront]) -> list[Kind]:
    """Return a kind of marks for each study."""
    return [
        Kind(front.name, COLOURS[k], SHAPES[k], dash=DASHES[k]) for k, front in enumerate(fronts)
    ]


def fronts_chart(fronts: Sequence[ComparedFront]) -> Chart:
    """Return all fronts and validated points in one chart."""
    experiment = fronts[0].experiment
    goal, cost = experiment.goal, experiment.cost
    points = [point_rows(front.data.tables["front"], front.experiment) for front in fronts]
    every = [row for rows in (*points, *(front.curve for front in fronts)) for row in rows]
    x = cost_axis(cost, field_values(every, "x"), field_values(every, "left", "right"))
    y = goal_axis(goal, axis_span(field_values(every, "y"), field_values(every, "low", "high")))
    said = {
        "study": "study",
        "who": "point",
        "seen": f"{short(goal.label, 40)}, 95% interval",
        "cost": short(cost.label, 60),
        "n": "games",
    }
    layers: list[Layer] = []
    for front, kind, rows in zip(fronts, study_kinds(fronts), points, strict=True):
        curve, mine = (
            [{**row, "study": front.name} for row in some] for some in (front.curve, rows)
        )
        layers += [
            *curve_layers(kind, curve, said),
            Layer("rule", Kind("", kind.colour), mine, y="low", y2="high", size=1.2),
            Layer("rule", Kind("", kind.colour), mine, x="left", x2="right", size=1.2),
            Layer("point", kind, mine, size=60, tooltip=said),
        ]
    text = (
        f"Each line is one study: its best {goal.label} at each expected {cost.label}, given all "
        f"of its games, with a 95% band. The θ along a line need not have been played. "
        f"Marks are validated points, with 95% intervals for {goal.label} and {cost.label} from "
        f"their own games."
    ) + one_game_note(pd.concat([front.data.tables["front"] for front in fronts]), goal)
    table, names = fronts_table(fronts), ", ".join(front.name for front in fronts)
    return Chart("fronts", "Fronts overlaid", text, table, [[Panel(x, y, layers)]], subject=names)


def common_budgets(fronts: Sequence[ComparedFront], n: int) -> Floats:
    """Return ``n`` costs, from the highest of the fronts' lowest costs to the highest cost."""
    least = max(front.curve[0]["x"] for front in fronts)
    most = max(front.curve[-1]["x"] for front in fronts)
    return np.geomspace(least, max(most, least), n)


def difference(one: Floats, other: Floats) -> Floats:
    """Return the difference of independent estimates, with its 95% interval, shape (n, 3).

    The intervals, which need not be symmetric, are combined as in Zou and Donner, *Construction of
    confidence limits about effect measures: a general approach* (2008), equation 3 (MOVER).
    """
    value = one[:, 0] - other[:, 0]
    below = np.hypot(one[:, 0] - one[:, 1], other[:, 2] - other[:, 0])
    above = np.hypot(one[:, 2] - one[:, 0], other[:, 0] - other[:, 1])
    return np.column_stack([value, value - below, value + above])


def differences_chart(fronts: Sequence[ComparedFront]) -> Chart:
    """Return the chart of each other study's difference from the first study, at equal cost."""
    experiment = fronts[0].experiment
    goal, cost = experiment.goal, experiment.cost
    budgets = common_budgets(fronts, N_COSTS)
    base = fronts[0].at_cost(budgets)
    curves = {
        replace(kind, shape=LINE): [
            {
                "x": budget,
                "y": value,
                "low": low,
                "high": high,
                "study": front.name,
                "cost": cost.text(budget),
                "seen": signed(Estimate(value, low, high), goal),
            }
            for budget, (value, low, high) in zip(
                budgets.tolist(), difference(front.at_cost(budgets), base).tolist(), strict=True
            )
        ]
        for front, kind in zip(fronts[1:], study_kinds(fronts)[1:], strict=True)
    }
    every = [row for rows in curves.values() for row in rows]
    ends = axis_span([0.0, *field_values(every, "y")], field_values(every, "low", "high"))
    x = cost_axis(cost, budgets.tolist())
    unit = f", {goal.of_size('').strip()}" if goal.format.unit else ""
    y = goal_axis(goal, ends, f"{goal.label} minus {fronts[0].name}'s{unit}")
    said = {
        "study": "study",
        "seen": "difference, 95% interval",
        "cost": f"expected {short(cost.label, 60)}",
    }
    zero = Layer("rule", Kind("", GREY), [{"y": 0.0}], x=x.low, x2=x.high)
    layers = [
        zero,
        *(each for kind, rows in curves.items() for each in curve_layers(kind, rows, said)),
    ]
    better = "above 0: better" if goal.sign > 0 else "below 0: better"
    text = (
        f"Each line is one study: the {goal.label} of its best θ minus that of "
        f"{fronts[0].name}'s best θ, at the same expected {cost.label} ({better}), with a 95% "
        f"band. A band is valid at each single cost; across many, it may exclude 0 at "
        f"some by chance. Above the cost of a study's most expensive θ, the chart assumes "
        f"that the study's best {goal.label} stays the same."
    )
    table = differences_table(fronts)
    return Chart("differences", "Differences at equal cost", text, table, [[Panel(x, y, layers)]])


def signed(found: Estimate, goal: Goal) -> str:
    """Return the text of a difference in the goal, with its interval: ``+971 ± 1,881 points``."""
    value, half = abs(found.value), (found.high - found.low) / 2.0
    if goal.is_share:
        text = f"{100.0 * value:.1f}{f' ± {100.0 * half:.1f}' if half else ''}"
    elif half == 0.0:
        text = goal.format.text(value)
    else:  # ends of an interval would need signs, too
        style = replace(goal.format, interval_style="plus-minus")
        text = style.interval(value, value - half, value + half)
    is_zero = not text.partition(" ")[0].strip("0.")  # after rounding
    sign = "" if is_zero else "+" if found.value > 0.0 else "−"
    return f"{sign}{goal.of_size(text)}"


def differences_table(fronts: Sequence[ComparedFront]) -> pd.DataFrame:
    """Return the table of each other study's difference from the first, at twelve costs."""
    experiment = fronts[0].experiment
    goal, cost = experiment.goal, experiment.cost
    budgets = common_budgets(fronts, N_ROWS)
    base = fronts[0].at_cost(budgets)
    table = {f"expected {cost.label}": [cost.text(each) for each in budgets.tolist()]}
    table[fronts[0].name] = [goal.format.interval_with_unit(*each) for each in base.tolist()]
    for front in fronts[1:]:
        differences = difference(front.at_cost(budgets), base).tolist()
        table[f"{front.name}: difference"] = [signed(Estimate(*each), goal) for each in differences]
    return pd.DataFrame(table)


def fronts_table(fronts: Sequence[ComparedFront]) -> pd.DataFrame:
    """Return the table of studies: what was played for each, and both ends of its front."""
    rows = []
    for front in fronts:
        goal, cost = front.experiment.goal, front.experiment.cost
        data = front.data.data
        n_validated = sum(len(point.games) for point in data.played_points)
        complete = data.complete_trials
        row = {
            "study": front.name,
            "experiment": front.experiment.title,
            "search": f"{counted(len(complete), 'trial')}, "
            f"{counted(sum(len(trial.games) for trial in complete), 'game')}",
            "validation": f"{counted(len(data.played_points), 'point')}, "
            f"{counted(n_validated, 'game')}",
            "machines": machines_text(data),
        }
        for word, end in (("cheapest", front.curve[0]), ("most expensive", front.curve[-1])):
            seen = goal.format.interval_with_unit(end["y"], end["low"], end["high"])
            row[f"{word} on the front"] = f"{seen} at {cost.text(end['x'])}"
        rows.append(row)
    return pd.DataFrame(rows)
