"""Charts of several studies: their fronts over each other, and differences at equal cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.page.charts.axes import (
    Row,
    cost_axis,
    goal_axis,
    goal_domain,
    rounded,
    rows_of,
    short,
)
from thetafront.study.page.charts.front import FUSED, PREDICTED, FrontChart
from thetafront.study.page.charts.palette import (
    BLUE,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PINK,
    Kind,
    encodings,
)
from thetafront.study.page.claims import signed
from thetafront.study.page.made_by import machines_of
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.text import counted

Floats = npt.NDArray[np.float64]

HEIGHT = 400
N_COSTS = 96
N_ROWS = 12  # of the table
LONGEST_NAME = 40
COLOURS = (BLUE, ORANGE, GREEN, PINK, GREY)
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4))
MOST = len(COLOURS)


@dataclass(frozen=True)
class ComparedFront:
    """What is believed of one study's front, as a function of a budget.

    Attributes
    ----------
    name : str
        As the charts call the study.
    data : Analysis
        The study.
    """

    name: str
    data: Analysis

    @property
    def experiment(self) -> Experiment:
        """The study's experiment."""
        return self.data.data.experiment

    @cached_property
    def curve(self) -> list[Row]:
        """The front given all games, or else the one that the trials predict, the cheapest first.

        Of two points the dearer one is the better one, as on any front.
        """
        chart = FrontChart(self.data.tables, self.experiment)
        rows = sorted(chart.curve(FUSED) or chart.curve(PREDICTED), key=lambda row: row["x"])
        kept: list[Row] = []
        for row in rows:
            if not kept or self.experiment.goal.sign * (row["y"] - kept[-1]["y"]) > 0:
                kept.append(row)
        return kept

    def at_cost(self, budgets: Floats) -> Floats:
        """Return the best mean at each expected cost, and its 95% interval, shape (n, 3).

        NaN below the cheapest point. A θ is counted by its expected cost: it costs more than that
        half of the times, so a pick within the same budget is a cheaper one.
        """
        rows = np.array([[row["y"], row["low"], row["high"]] for row in self.curve])
        costs = np.array([row["x"] for row in self.curve])
        place = np.searchsorted(costs, budgets * (1.0 + 1e-9), side="right") - 1
        return np.where(place[:, None] >= 0, rows[np.maximum(place, 0)], math.nan)


def compared(studies: Sequence[Analysis]) -> list[ComparedFront]:
    """Name the studies of a comparison.

    Raises
    ------
    InputError
        If there are fewer than two or too many, if they differ in goal or cost, or if one has no
        complete trial.
    """
    names = ", ".join(repr(each.data.name) for each in studies)
    if not 2 <= len(studies) <= MOST:
        raise InputError(f"studies: {names} given, 2 to {MOST} of them allowed")
    first = studies[0].data.experiment
    for each in studies:
        experiment = each.data.experiment
        if (experiment.goal, experiment.cost) != (first.goal, first.cost):
            raise InputError(
                f"study: {each.data.name!r} is of {experiment.goal.label} against "
                f"{experiment.cost.label} ({experiment.name}); {first.goal.label} against "
                f"{first.cost.label} ({first.name}) allowed, as of {studies[0].data.name!r}"
            )
        if each.model is None:
            raise InputError(f"study: {each.data.name!r} has no complete trial yet")
    short_names = [short(each.data.name, LONGEST_NAME) for each in studies]
    if len(set(short_names)) < len(short_names):  # as of two folders
        short_names = [f"{k}: {name}" for k, name in enumerate(short_names, 1)]
    return [ComparedFront(name, each) for name, each in zip(short_names, studies, strict=True)]


def kinds_of(fronts: Sequence[ComparedFront]) -> list[Kind]:
    """Return a kind of marks for each study."""
    return [
        Kind(front.name, COLOURS[k], SHAPES[k], dash=DASHES[k])  # type: ignore[arg-type]
        for k, front in enumerate(fronts)
    ]


def fronts_figure(fronts: Sequence[ComparedFront]) -> Figure:
    """Return all fronts in one chart, with their validated points."""
    experiment = fronts[0].experiment
    goal, cost = experiment.goal, experiment.cost
    kinds = kinds_of(fronts)
    curves = [row | {"kind": front.name} for front in fronts for row in front.curve]
    points = [
        row | {"kind": front.name}
        for front in fronts
        for row in FrontChart(front.data.tables, front.experiment).validated()
    ]
    everything = [*curves, *points]
    costs = [row["x"] for row in everything]
    x = alt.X("x:Q", **cost_axis(cost, min(costs), max(costs)))
    domain = goal_domain(
        goal,
        [row["y"] for row in everything],
        [row[end] for row in everything for end in ("low", "high")],
    )
    scale = alt.Scale(domain=[rounded(each) for each in domain], nice=False, zero=False)
    y = alt.Y("y:Q", axis=goal_axis(goal), scale=scale)
    said = [
        alt.Tooltip("kind:N", title="study"),
        alt.Tooltip("seen:N", title=f"{goal.label}, 95% interval"),
        alt.Tooltip("cost:N", title=cost.label),
    ]
    curve = alt.Chart(rows_of(curves))
    layers: list[alt.Chart] = [
        curve.mark_area(opacity=0.14, clip=True).encode(
            x=x, y=alt.Y("low:Q"), y2="high:Q", **encodings(kinds, "fill")
        ),
        curve.mark_line(strokeWidth=2, clip=True).encode(
            x=x, y=y, **encodings(kinds, "stroke", "strokeDash")
        ),
        curve.mark_circle(size=90, opacity=0, clip=True).encode(x=x, y=y, tooltip=said),
    ]
    if points:
        validated = alt.Chart(rows_of(points))
        layers += [
            validated.mark_rule(strokeWidth=1.2, clip=True).encode(
                x=x, y=alt.Y("low:Q"), y2="high:Q", **encodings(kinds, "stroke")
            ),
            validated.mark_point(size=60, strokeWidth=1.5, opacity=1, clip=True).encode(
                x=x,
                y=y,
                tooltip=[*said, alt.Tooltip("who:N", title="point"), alt.Tooltip("n:Q")],
                **encodings(kinds, "stroke", "fill", "shape"),
            ),
        ]
    chart = alt.layer(*layers).properties(
        width="container", height=HEIGHT, description=f"{goal.label} against {cost.label}"
    )
    text = (
        f"A line a study: the best {goal.label} at each expected {cost.label}, given all games of "
        "the study, with its 95% band; its θ need not have games of their own. Marks are validated "
        "points, with the 95% intervals of their own games."
    )
    return Figure("fronts", "Fronts over each other", text, chart, fronts_table(fronts))


def budgets_of(fronts: Sequence[ComparedFront], n: int) -> Floats:
    """Return costs at which all studies have a point, up to the dearest of all, shape (n,)."""
    least = max(front.curve[0]["x"] for front in fronts)
    most = max(front.curve[-1]["x"] for front in fronts)
    return np.geomspace(least, max(most, least), n)


def difference(one: Floats, other: Floats) -> Floats:
    """Return one minus the other, with its 95% interval, shape (n, 3), of independent estimates.

    The intervals, which need not be symmetric, are combined as by Zou and Donner, *Construction of
    confidence limits about effect measures: a general approach* (2008), equation 3 (MOVER).
    """
    value = one[:, 0] - other[:, 0]
    below = np.hypot(one[:, 0] - one[:, 1], other[:, 2] - other[:, 0])
    above = np.hypot(one[:, 2] - one[:, 0], other[:, 0] - other[:, 1])
    return np.column_stack([value, value - below, value + above])


def differences_figure(fronts: Sequence[ComparedFront]) -> Figure:
    """Return the differences of all other studies from the first, at equal cost."""
    experiment = fronts[0].experiment
    goal, cost = experiment.goal, experiment.cost
    budgets = budgets_of(fronts, N_COSTS)
    base = fronts[0].at_cost(budgets)
    rows: list[Row] = []
    for front in fronts[1:]:
        for budget, (value, low, high) in zip(
            budgets.tolist(), difference(front.at_cost(budgets), base).tolist(), strict=True
        ):
            rows.append(
                {
                    "kind": front.name,
                    "x": budget,
                    "y": value,
                    "low": low,
                    "high": high,
                    "cost": cost.text(budget),
                    "seen": signed(Estimate(value, low, high), goal),
                }
            )
    kinds = kinds_of(fronts)[1:]
    lines = [replace(kind, shape=LINE) for kind in kinds]
    x = alt.X("x:Q", **cost_axis(cost, float(budgets[0]), float(budgets[-1])))
    unit = f", {goal.format.unit}" if goal.format.unit else ""
    title = f"{goal.label} over {fronts[0].name}'s{unit}"
    axis = goal_axis(goal, title)
    chart = alt.Chart(rows_of(rows))
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=GREY, strokeWidth=1.5)
    layers: list[alt.Chart] = [
        zero.encode(y=alt.Y("zero:Q")),
        chart.mark_area(opacity=0.14, clip=True).encode(
            x=x, y=alt.Y("low:Q", axis=axis), y2="high:Q", **encodings(lines, "fill")
        ),
        chart.mark_line(strokeWidth=2, clip=True).encode(
            x=x, y=alt.Y("y:Q", axis=axis), **encodings(lines, "stroke", "strokeDash")
        ),
        chart.mark_circle(size=90, opacity=0, clip=True).encode(
            x=x,
            y=alt.Y("y:Q", axis=axis),
            tooltip=[
                alt.Tooltip("kind:N", title="study"),
                alt.Tooltip("seen:N", title="difference, 95% interval"),
                alt.Tooltip("cost:N", title=f"expected {cost.label}"),
            ],
        ),
    ]
    better = "above 0: better" if goal.sign > 0 else "below 0: better"
    text = (
        f"The {goal.label} of each study's best θ minus that of {fronts[0].name}'s, at the same "
        f"expected {cost.label} ({better}), with 95% bands. A band holds at one cost at a time: "
        "of many, some exclude 0 by chance. Beyond a study's dearest θ its best stays as it is."
    )
    return Figure(
        "differences",
        "Differences at equal cost",
        text,
        alt.layer(*layers).properties(width="container", height=HEIGHT, description=title),
        differences_table(fronts),
    )


def differences_table(fronts: Sequence[ComparedFront]) -> pd.DataFrame:
    """Return differences from the first study at some costs."""
    experiment = fronts[0].experiment
    goal, cost = experiment.goal, experiment.cost
    budgets = budgets_of(fronts, N_ROWS)
    base = fronts[0].at_cost(budgets)
    table = {f"expected {cost.label}": [cost.text(each) for each in budgets.tolist()]}
    table[fronts[0].name] = [goal.format.interval_with_unit(*each) for each in base.tolist()]
    for front in fronts[1:]:
        differences = difference(front.at_cost(budgets), base).tolist()
        table[f"{front.name}: difference"] = [signed(Estimate(*each), goal) for each in differences]
    return pd.DataFrame(table)


def fronts_table(fronts: Sequence[ComparedFront]) -> pd.DataFrame:
    """Return what was played for each study, and where its front begins and ends."""
    rows = []
    for front in fronts:
        goal, cost = front.experiment.goal, front.experiment.cost
        data = front.data.data
        n_validated = sum(len(point.games) for point in data.points)
        complete = [trial for trial in data.trials if trial.state == "complete"]
        row = {
            "study": front.name,
            "experiment": front.experiment.title,
            "search": f"{counted(len(complete), 'trial')}, "
            f"{counted(sum(len(trial.games) for trial in complete), 'game')}",
            "validation": f"{counted(len(data.points), 'point')}, {counted(n_validated, 'game')}",
        }
        row["machines"] = "; ".join(machines_of(data))
        for word, end in (("cheapest", front.curve[0]), ("dearest", front.curve[-1])):
            seen = goal.format.interval_with_unit(end["y"], end["low"], end["high"])
            row[f"{word} of the front"] = f"{seen} at {cost.text(end['x'])}"
        rows.append(row)
    return pd.DataFrame(rows)
