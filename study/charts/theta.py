"""The chart of θ: trials and front as parallel coordinates, with a brush on each axis.

An axis is a strip of its own, so they stand below each other and have the whole width: on a narrow
screen, too, its values can be read and brushed. A line goes from strip to strip; lines that miss a
brush fade, and brushes on several axes must all be met.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from thetafront.study.charts.axes import (
    MAX_CHOICE,
    cost_tick,
    log_ticks,
    round_values,
    theta_row,
    theta_titles,
)
from thetafront.study.charts.chart import (
    GREY,
    LINE,
    ORANGE,
    PINK,
    Axis,
    Chart,
    Kind,
    Layer,
    Panel,
    Row,
    rounded,
    short,
)
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.space import CategoricalParameter, Dimension, is_absent
from thetafront.study.experiments.widening import Edge, edges_of
from thetafront.study.report.analysis import Analysis
from thetafront.study.text import counted

KEY, TITLE = "theta", "θ along the front, and of all trials"
MAX_LINES = 300  # of trials
STRIP, LAST_STRIP = 44, 16
BESIDE = 144  # pixels, of titles
ROOM = 0.02  # beyond each end of an axis

TRIALS = Kind("trials", GREY, LINE)
FRONT = Kind("points of the front", ORANGE, LINE)
BASELINE = Kind("baselines", PINK, LINE, dash=(6, 3))
AT_LOW = Kind("lower edge of the space", ORANGE, "triangle-left")
AT_HIGH = Kind("upper edge of the space", ORANGE, "triangle-right")
SIZES = {TRIALS: (1.0, 0.3), FRONT: (2.2, 0.95), BASELINE: (2.2, 0.95)}  # width, opacity


def theta_chart(analysis: Analysis) -> Chart:
    """Return θ, cost and the model's mean of the goal as parallel coordinates."""
    experiment, model = analysis.data.experiment, analysis.combined
    goal, cost, front = experiment.goal, experiment.cost, analysis.tables["front"]
    trials = analysis.tables["trials"]
    trials = trials[(trials["state"] == "complete") & (trials[cost.name] > 0.0)]
    table = table_of(analysis)
    if model is None or not len(trials):
        return Chart(KEY, TITLE, "No trial is complete yet: there is nothing to draw.", table)
    kept = trials
    if len(trials) > MAX_LINES:
        chosen = np.random.default_rng(0).choice(len(trials), MAX_LINES, replace=False)
        kept = trials.iloc[np.sort(chosen)]
    items: list[tuple[Kind, str, Mapping[Any, Any]]] = [
        (TRIALS, f"trial {each['trial']}", each) for each in kept.to_dict("records")
    ]
    for row in front.to_dict("records"):
        is_given = row["origin"] in experiment.baselines
        if is_given or row["on_front"]:
            who = f"number {row['number']}, {short(str(row['origin']))}"
            items.append((BASELINE if is_given else FRONT, who, row))
    thetas = [experiment.space.present(theta) for _, _, theta in items]
    with threadpool_limits(1):
        goals = model.posterior.goal(model.cube.encode(thetas)).mean.tolist()
    on_front = [row for row in front.to_dict("records") if row["on_front"]]
    edges = edges_of(experiment, cast(Any, on_front))
    costs = [theta[cost.name] for _, _, theta in items]
    strips = [
        *(strip_of(each) for each in experiment.space),
        cost_strip(costs, experiment),
        goal_strip(goals, experiment),
    ]
    rows: dict[Kind, list[Row]] = {TRIALS: [], FRONT: [], BASELINE: []}
    for (kind, who, theta), expected in zip(items, goals, strict=True):
        units = [
            -ROOM if is_absent(theta.get(each.name)) else each.to_unit(theta[each.name])
            for each in experiment.space
        ]
        units += [log_share(theta[cost.name], costs), share(expected, goals)]
        rows[kind].append(
            {
                "who": who,
                "cost": cost.text(theta[cost.name]),
                "goal": goal.format.with_unit(expected),
                **theta_row(theta, experiment),
                **{f"y{k}": round(u, 4) for k, u in enumerate(units)},
            }
        )
    return Chart(
        KEY,
        TITLE,
        caption_of(len(kept), len(trials), edges, experiment),
        table,
        panels_of(strips, rows, edges, experiment),
        experiment.title,
        has_brushes=True,
        beside=BESIDE,
    )


def caption_of(n_kept: int, n_trials: int, edges: Sequence[Edge], experiment: Experiment) -> str:
    """Say what lines, brushes and triangles are."""
    text = f"A line is a θ: {counted(n_kept, 'complete trial')}"
    if n_kept < n_trials:
        text += f", drawn at random from {n_trials:,}"
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
    return text


def panels_of(
    strips: Sequence[Axis],
    rows: Mapping[Kind, list[Row]],
    edges: Sequence[Edge],
    experiment: Experiment,
) -> list[list[Panel]]:
    """Return a panel a strip: its axis on top, and lines to the next one."""
    goal, cost = experiment.goal, experiment.cost
    said = {
        "who": "θ of",
        **theta_titles(experiment),
        "cost": short(cost.label),
        "goal": f"{short(goal.label)} by the model",
    }
    vertical = Axis("", 1.0, 0.0, {}, has_grid=False)
    panels = []
    for k, strip in enumerate(strips):
        is_last = k == len(strips) - 1
        ends = {"x": f"y{k}", "y": 0.0, "x2": f"y{k if is_last else k + 1}", "y2": 1.0}
        layers = [
            Layer("rule", kind, rows[kind], tooltip=said, size=width, opacity=opacity, **ends)  # type: ignore[arg-type]
            for kind, (width, opacity) in SIZES.items()
        ]
        for each in edges:
            if k < len(experiment.space) and each.parameter.name == experiment.space.names[k]:
                text = f"{counted(each.n_points, 'point')} of the front with {short(each.text, 80)}"
                mark = [{"x": each.parameter.to_unit(each.bound), "edge": text}]
                kind = AT_HIGH if each.is_upper else AT_LOW
                layers.append(
                    Layer(
                        "point", kind, mark, y=0.0, tooltip={"edge": "edge of the space"}, size=110
                    )
                )
        panels.append([Panel(strip, vertical, layers, LAST_STRIP if is_last else STRIP)])
    return panels


def strip_of(parameter: Dimension) -> Axis:
    """Return the axis of a parameter on [0, 1], with round values on it, or all of its choices."""
    if isinstance(parameter, CategoricalParameter):
        texts = {each: short(parameter.text(each), MAX_CHOICE) for each in parameter.choices}
        return strip(
            parameter.label, {parameter.to_unit(each): text for each, text in texts.items()}
        )
    low, high = float(parameter.low), float(parameter.high)
    found = {low, high, *(log_ticks(low, high) if parameter.log else round_values(low, high))}
    if parameter.grid:
        found = {parameter.clip(each) for each in found}
    return strip(parameter.label, {parameter.to_unit(each): f"{each:,g}" for each in sorted(found)})


def cost_strip(costs: Sequence[float], experiment: Experiment) -> Axis:
    """Return the logarithmic axis of the costs, from the least to the most."""
    low, high = min(costs), max(costs)
    values = log_ticks(low, high) if high > low else [low]
    ticks = {log_share(each, costs): cost_tick(experiment.cost, each) for each in values}
    return strip(experiment.cost.axis_label, ticks)


def goal_strip(goals: Sequence[float], experiment: Experiment) -> Axis:
    """Return the axis of expected values of the goal, from the least to the most."""
    low, high = min(goals), max(goals)
    values = round_values(low, high) if high > low else [low]
    ticks = {share(each, goals): experiment.goal.format.at_axis(each) for each in values}
    return strip(experiment.goal.label, ticks)


def strip(title: str, ticks: Mapping[float, str]) -> Axis:
    """Return an axis from 0 to 1, with room at both ends."""
    return Axis(short(title, 16), -ROOM, 1.0 + ROOM, ticks, is_on_top=True, has_grid=False)


def share(value: float, values: Sequence[float]) -> float:
    """Return where a value is between the least and the most of some, 0 to 1."""
    return (value - min(values)) / ((max(values) - min(values)) or 1.0)


def log_share(value: float, values: Sequence[float]) -> float:
    """Return :func:`share` of logarithms."""
    return share(math.log(value), [math.log(each) for each in (min(values), max(values))])


def table_of(analysis: Analysis) -> pd.DataFrame:
    """Return θ and both objectives of all complete trials, rounded, with readable headings."""
    experiment, trials = analysis.data.experiment, analysis.tables["trials"]
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
