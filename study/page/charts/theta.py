"""The chart of θ: trials and front as parallel coordinates, with a brush on each axis.

An axis is a strip of its own, so they stand below each other and have the whole width: on a narrow
screen, too, its values can be read and brushed. A line goes from strip to strip; lines that miss a
brush fade, and brushes on several axes must all be met.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, cast

import altair as alt
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.space import CategoricalParameter, Dimension, is_absent
from thetafront.study.experiments.widening import Edge, edges_of
from thetafront.study.page.charts.axes import (
    Row,
    in_columns,
    log_marks,
    looked_up,
    named,
    rounded,
    rows_of,
    short,
    theta_row,
    theta_tooltips,
    told_apart,
)
from thetafront.study.page.charts.palette import GREY, LINE, ORANGE, PINK, Kind, encodings
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.text import counted

KEY, TITLE = "theta", "θ along the front, and of all trials"
MOST_LINES = 300  # of trials
STRIP, LAST_STRIP, WIDTH = 44, 16, 560
TITLE_LIMIT, BESIDE = 112, 32  # of an axis, and beside it with its last label
ROOM = 0.02  # beyond each end of an axis
N_MARKS = 6
OF_TRIALS, OF_FRONT = 0.3, 0.95  # opacity
FADED = 0.1  # times these
# Vega-Lite's own, but no more often than every 40 ms: each move redraws all lines.
DRAG = "[pointerdown, window:pointerup] > window:pointermove!{40}"
LONGEST_CHOICE = 14  # in characters

TRIALS = Kind("trials", GREY, LINE)
FRONT = Kind("points of the front", ORANGE, LINE)
BASELINE = Kind("baselines", PINK, LINE, dash=(6, 3))


@dataclass(frozen=True)
class Strip:
    """An axis of the chart.

    Attributes
    ----------
    title : str
        What it is.
    marks : dict of float to str
        Where on [0, 1] which values are written.
    """

    title: str
    marks: dict[float, str]


def strip_of(parameter: Dimension) -> Strip:
    """Return the axis of a parameter, with round values on it, or all of its choices."""
    title = short(parameter.label, 16)
    if isinstance(parameter, CategoricalParameter):
        marks = {
            parameter.to_unit(each): short(parameter.text(each), LONGEST_CHOICE)
            for each in parameter.choices
        }
        return Strip(title, marks)
    low, high = float(parameter.low), float(parameter.high)
    values = log_marks(low, high) if parameter.log else []
    found = {low, high, *(values or round_values(low, high))}
    if parameter.grid:
        found = {parameter.clip(each) for each in found}
    return Strip(title, {parameter.to_unit(each): f"{each:,g}" for each in sorted(found)})


def round_values(low: float, high: float) -> list[float]:
    """Return some round numbers from low to high."""
    step = 10.0 ** math.floor(math.log10((high - low) / N_MARKS))
    step = next(m * step for m in (1, 2, 5, 10) if m * step * N_MARKS >= high - low)
    first = math.ceil(low / step)
    return [float(f"{k * step:.10g}") for k in range(first, math.floor(high / step) + 1)]


def theta_figure(data: Analysis) -> Figure:
    """Return θ, cost and the model's mean of the goal as parallel coordinates."""
    experiment, model = data.data.experiment, data.combined
    table = table_of(data)
    complete = [trial for trial in data.data.trials if trial.state == "complete" and trial.values]
    complete = [trial for trial in complete if trial.values and trial.values[1] > 0.0]
    if model is None or not complete:
        return Figure(
            KEY, TITLE, "No trial is complete yet: there is nothing to draw.", None, table
        )
    kept = complete
    if len(complete) > MOST_LINES:
        chosen = np.random.default_rng(0).choice(len(complete), MOST_LINES, replace=False)
        kept = [complete[k] for k in sorted(chosen.tolist())]
    cost, front = experiment.cost, data.tables["front"]
    items: list[tuple[str, str, Mapping[Any, Any], float]] = [
        (TRIALS.label, f"trial {each.number}", each.params, (each.values or (0.0, 0.0))[1])
        for each in kept
    ]
    for row in front.to_dict("records"):
        is_given = row["origin"] in experiment.baselines
        if is_given or row["on_front"]:
            kind = BASELINE if is_given else FRONT
            who = f"point {row['number']}, {short(str(row['origin']))}"
            items.append((kind.label, who, row, row[cost.name]))
    with threadpool_limits(1):
        goals = model.posterior.goal(model.cube.encode([theta for _, _, theta, _ in items])).mean
    thetas = [row for row in front.to_dict("records") if row["on_front"]] if len(front) else []
    edges = edges_of(experiment, cast(Any, thetas))
    text = f"A line is a θ: {counted(len(kept), 'complete trial')}"
    if len(kept) < len(complete):
        text += f", drawn at random from {len(complete):,}"
    text += (
        f"; with its cost, and the {experiment.goal.label} that the model given all games expects. "
        "Draw a range on one axis, or on several, to keep the lines within; a click beside it "
        "frees it. Points of the front are strong lines."
    )
    if experiment.space.is_conditional:
        text += " Where a parameter is inactive, the line passes its axis at the left end."
    if edges:
        said = "; ".join(
            f"{each.n_points} of {counted(each.n_active, 'point')} with {each.text}"
            for each in edges
        )
        text += f" Triangles mark where the front lies at an edge of the space: {said}."
    return Figure(KEY, TITLE, text, chart_of(items, goals.tolist(), edges, experiment), table)


def chart_of(
    items: Sequence[tuple[str, str, Mapping[Any, Any], float]],
    goals: Sequence[float],
    edges: Sequence[Edge],
    experiment: Experiment,
) -> alt.VConcatChart:
    """Return the strips: parameters, the cost, the goal."""
    goal, cost = experiment.goal, experiment.cost
    costs = [each for _, _, _, each in items]
    cost_strip, cost_at = log_strip(costs, cost.axis_label, cost.text)
    goal_strip, goal_at = linear_strip(goals, goal.label, goal.format.at_axis)
    strips = [*(strip_of(each) for each in experiment.space), cost_strip, goal_strip]
    rows: list[Row] = []
    for (kind, who, theta, spent), expected in zip(items, goals, strict=True):
        units = [
            -ROOM if is_absent(theta.get(each.name)) else each.to_unit(theta[each.name])
            for each in experiment.space
        ]
        units += [cost_at(spent), goal_at(expected)]
        rows.append(
            {
                "kind": kind,
                "who": who,
                "c": cost.text(spent),
                "g": goal.format.with_unit(expected),
                **theta_row(theta, experiment),
                **{f"y{k}": round(u, 4) for k, u in enumerate(units)},
            }
        )
    datasets: dict[str, list[Row]] = {}
    data = named(datasets, "thetas", rows)
    kinds = [
        each for each in (TRIALS, FRONT, BASELINE) if any(r["kind"] == each.label for r in rows)
    ]
    brushes = [
        alt.selection_interval(name=f"brush_{k}", encodings=["x"], on=DRAG)
        for k in range(len(strips))
    ]
    kept = reduce(and_, brushes)
    tooltip = told_apart(
        [
            alt.Tooltip("who:N", title="θ of"),
            *theta_tooltips(experiment),
            alt.Tooltip("c:N", title=short(cost.label)),
            alt.Tooltip("g:N", title=f"{short(goal.label)} by the model"),
        ]
    )
    y = alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[1, 0], nice=False))
    names = [*experiment.space.names, "", ""]
    charts = []
    for k, strip in enumerate(strips):
        is_last = k == len(strips) - 1
        x = x_of(strip, f"y{k}")
        lines = (
            alt.Chart(data)
            .transform_calculate(top="0", bottom="1")
            .mark_rule(strokeCap="round")
            .encode(
                x=x,
                x2=f"y{k if is_last else k + 1}:Q",
                y=y,
                y2="bottom:Q",
                strokeWidth=alt.condition(
                    alt.datum.kind == TRIALS.label, alt.value(1), alt.value(2.2)
                ),
                opacity=alt.condition(kept, alt.value(1.0), alt.value(FADED)),
                strokeOpacity=alt.condition(
                    alt.datum.kind == TRIALS.label, alt.value(OF_TRIALS), alt.value(OF_FRONT)
                ),
                tooltip=tooltip,
                **encodings(kinds, "stroke", "strokeDash"),
            )
            .add_params(brushes[k])
        )
        found = [each for each in edges if each.parameter.name == names[k]]
        layers = [lines, edge_marks(found, strip, y)] if found else [lines]
        charts.append(
            alt.LayerChart(layer=layers, width=WIDTH, height=LAST_STRIP if is_last else STRIP)
        )
    return alt.vconcat(
        *charts,
        spacing=0,
        background="transparent",
        description=TITLE,
        datasets=datasets,
        usermeta=in_columns(1, beside=TITLE_LIMIT + BESIDE),
    )


def x_of(strip: Strip, field: str) -> alt.X:
    """Return the horizontal encoding of a field on a strip."""
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(domain=[-ROOM, 1.0 + ROOM], nice=False, zero=False),
        axis=alt.Axis(
            orient="top",
            values=[*strip.marks],
            labelExpr=looked_up(strip.marks),
            labelOverlap="greedy",
            labelSeparation=4,
            labelPadding=1,
            tickSize=4,
            grid=False,
            title=strip.title,
            titleAnchor="start",
            titleAlign="right",
            titleX=-8,
            titleY=0,
            titleBaseline="middle",
            titleLimit=TITLE_LIMIT,
            titleFontSize=11,
        ),
    )


def edge_marks(edges: Sequence[Edge], strip: Strip, y: alt.Y) -> alt.Chart:
    """Return triangles on an axis, at bounds at which points of the front lie."""
    rows = [
        {
            "at": each.parameter.to_unit(each.bound),
            "said": f"{counted(each.n_points, 'point')} of the front with {short(each.text, 80)}",
            "which": "high" if each.is_upper else "low",
        }
        for each in edges
    ]
    shape = alt.Scale(domain=["low", "high"], range=["triangle-left", "triangle-right"])
    chart: alt.Chart = (
        alt.Chart(rows_of(rows))
        .transform_calculate(top="0")
        .mark_point(filled=True, size=110, color=ORANGE, opacity=1)
        .encode(
            x=x_of(strip, "at"),
            y=y,
            shape=alt.Shape("which:N", scale=shape, legend=None),
            tooltip=alt.Tooltip("said:N", title="edge of the space"),
        )
    )
    return chart


def log_strip(
    values: Sequence[float], title: str, write: Callable[[float], str]
) -> tuple[Strip, Callable[[float], float]]:
    """Return a logarithmic axis over some values, and the map of a value to [0, 1]."""
    low, high = min(values), max(values)
    span = math.log(high / low) or 1.0
    marks = {math.log(each / low) / span: write(each) for each in log_marks(low, high)}
    return Strip(title, marks), lambda value: math.log(value / low) / span


def linear_strip(
    values: Sequence[float], title: str, write: Callable[[float], str]
) -> tuple[Strip, Callable[[float], float]]:
    """Return a linear axis over some values, and the map of a value to [0, 1]."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    found = round_values(low, high) if high > low else [low]
    marks = {(each - low) / span: write(each) for each in found}
    return Strip(title, marks), lambda value: (value - low) / span


def table_of(data: Analysis) -> pd.DataFrame:
    """Return θ and both objectives of all complete trials, rounded, with readable headings."""
    experiment, trials = data.data.experiment, data.tables["trials"]
    goal, cost = experiment.goal, experiment.cost
    rows = []
    for trial in trials[trials["state"] == "complete"].to_dict("records"):
        row = {"trial": int(trial["trial"]), "from": trial["origin"]}
        row |= {each.label: each.text(rounded(trial[each.name], 4)) for each in experiment.space}
        row["games"] = int(trial["n_games"])
        row[f"{goal.label}, observed mean"] = goal.format.text(trial[goal.column("mean")])
        row[cost.label] = cost.text(trial[cost.name])
        if goal.posterior_column("mean") in trial:
            model = goal.format.text(trial[goal.posterior_column("mean")])
            row[f"{goal.label} by the model of trials"] = model
        rows.append(row)
    return pd.DataFrame(rows)
