"""The chart of a front: the goal against cost, with trials, models' fronts and validated points."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from thetafront.study.charts.axes import (
    axis_span,
    clipped,
    cost_axis,
    field_values,
    goal_axis,
    theta_row,
    theta_titles,
)
from thetafront.study.charts.chart import (
    BLUE,
    DASHED,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PINK,
    SQUARE,
    Axis,
    Chart,
    Kind,
    Layer,
    Panel,
    Row,
    short,
)
from thetafront.study.charts.labels import placed_labels
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import Tables
from thetafront.study.report.tables import games_note
from thetafront.study.text import counted, listed

KEY = "front"
MAX_NAME = 28  # characters of a baseline's name beside its point
ENDS = ("mean", "low95", "high95")  # columns of a mean with its 95% interval
MAX_NAMES = 7  # maximum number of names beside points, unless there are more baselines

TRIALS = Kind("trials", GREY)
PREDICTED = Kind("untested: model of the trials", BLUE, LINE, dash=DASHED)
COMBINED = Kind("untested: model of all games", GREEN, LINE, dash=(2, 2))
LEFT = Kind("possible gain, 95%", GREY, SQUARE, opacity=0.13)
ON_FRONT = Kind("measured, on the front", ORANGE)
DOMINATED = Kind("measured, dominated", ORANGE, is_hollow=True)
BASELINE = Kind("baseline, on the front", PINK, "diamond")
DOMINATED_BASELINE = Kind("baseline, dominated", PINK, "diamond", is_hollow=True)
LABELS = Kind("", GREY)
KINDS = {  # of validated points, by (is a baseline, is on the front)
    (False, True): ON_FRONT,
    (False, False): DOMINATED,
    (True, True): BASELINE,
    (True, False): DOMINATED_BASELINE,
}


def front_chart(analysis: Analysis) -> Chart:
    """Return the chart of a front: trials, models' fronts, validated points with intervals."""
    experiment, tables = analysis.data.experiment, analysis.tables
    goal, cost = experiment.goal, experiment.cost
    title = f"{goal.label[0].upper()}{goal.label[1:]} against {cost.label}"
    if analysis.model is None:
        return Chart(KEY, title, "No trial is complete yet, so there is nothing to draw.")
    trials, points = trial_rows(tables, experiment), point_rows(tables["front"], experiment)
    predicted = curve_rows(tables, experiment, PREDICTED)
    combined = curve_rows(tables, experiment, COMBINED) if points else []
    known = [*points, *predicted, *combined]
    spans = [
        (field_values(known, at), field_values(known, *wide), field_values(trials, at))
        for at, wide in (("x", ("left", "right")), ("y", ("low", "high")))
    ]
    low, high = axis_span(*spans[1])
    if measured := field_values(points, "low", "high"):  # intervals take at least 1/3 of the axis
        span = max(measured) - min(measured) or math.inf
        low, high = max(low, min(measured) - span), min(high, max(measured) + span)
    x, y = cost_axis(cost, *spans[0]), goal_axis(goal, (low, high))
    said, of_trials = field_titles(experiment), trial_titles(experiment)
    measured_rows = [
        (kind, rows)
        for kind in KINDS.values()
        if (rows := [row for row in points if row["kind"] == kind.label])
    ]
    bars = [
        layer
        for kind, rows in measured_rows
        for layer in (
            Layer("rule", kind, rows, y="low", y2="high", size=1.4, opacity=0.7),
            Layer("rule", kind, rows, x="left", x2="right", size=1.4, opacity=0.7),
        )
    ]
    # The front is drawn last, so that no dominated point of the same cost and score hides it.
    marks = [
        Layer("point", kind, rows, size=80, tooltip=said) for kind, rows in measured_rows[::-1]
    ]
    layers = [
        *left_to_win(tables, experiment),
        *curve_layers(PREDICTED, predicted, said),
        *curve_layers(COMBINED, combined, said),
        Layer("point", TRIALS, trials, size=16, opacity=0.8, tooltip=of_trials),
        *bars,
        *marks,
        Layer("text", LABELS, labelled(points, x, y, experiment)),
    ]
    is_outside = [
        not (x.low <= row["x"] <= x.high and y.low <= row["y"] <= y.high) for row in trials
    ]
    return Chart(
        KEY,
        title,
        make_caption(analysis, sum(is_outside)),
        panels=[[Panel(x, y, layers)]],
        subject=experiment.title,
        marks_budget=True,
    )


def make_caption(analysis: Analysis, n_outside: int) -> str:
    """Say what the chart shows, and how many games it is based on."""
    experiment, tables = analysis.data.experiment, analysis.tables
    goal, front = experiment.goal, tables["front"]
    trials = tables["trials"]
    cut = f", leaving out {counted(n_outside, 'trial')} beyond the axes" if n_outside else ""
    luck = "" if goal.is_exact else "; the best of these means are good mostly by luck"
    complete = games_note(trials[trials["state"] == "complete"], "trial")
    text = f"Faint dots are observed means of {complete}{cut}{luck}."
    error = band_note(tables["predicted_front"], goal)
    if not len(front):
        return (
            f"{text} The dashed line is the front that the model predicts from these trials, with "
            f"its 95% band{error}. Nothing is validated yet."
        )
    how = "with 95% intervals from their own games on fresh seeds"
    if goal.is_exact:
        how = "with exact scores, and 95% intervals for costs"
    choice = named_choice(experiment)
    words = f"; a word after a proposal's number is its value of {choice.label}" if choice else ""
    text += (
        f" Large marks are measured points, {how}: {games_note(front, 'point')}; hollow ones are "
        f"dominated. Points are numbered by expected cost, as in the table{words}."
    ) + one_game_note(front, goal)
    left = ""
    if "certificate" in tables:
        left = (
            " The shaded area shows how much better the best θ may be than the recommended one at "
            "each budget, with 95% probability."
        )
    given = front[front["origin"].isin(list(experiment.baselines))].to_dict("records")
    if given:
        named = [f"{row['origin']} ({row['number']})" for row in given]
        text += f" Diamonds are baselines: {listed(named)}."
    return (
        f"{text} Lines show what a model predicts for the best θ in the whole space, with 95% "
        f"bands; these θ need not have been played. The dashed line is predicted from the trials "
        f"alone{error}, and the dotted one from all games.{left}"
    )


def has_one_game(front: pd.DataFrame, goal: Goal) -> pd.Series:
    """Return which points have a single game and are therefore drawn where the model expects them.

    A single game has no interval. The score of a point is then what the model of all games expects.
    """
    return (front["n_games"] == 1) & (not goal.is_exact)


def one_game_note(front: pd.DataFrame, goal: Goal) -> str:
    """Say how points of a single game are drawn, if there are any."""
    if not (n := int(has_one_game(front, goal).sum())):
        return ""
    have, are = ("has", "is") if n == 1 else ("have", "are")
    return (
        f" {counted(n, 'point')} {have} only one game and {are} drawn at the expected "
        f"{goal.label}, with its 95% interval."
    )


def band_note(predicted: pd.DataFrame, goal: Goal) -> str:
    """Say how much of the predicted front's error is common to the whole front."""
    common, local = (goal.posterior_column(f"sd_{part}") for part in ("common", "local"))
    if goal.is_exact or common not in predicted:
        return ""
    shared, own = predicted[common].iloc[0], float(np.sqrt((predicted[local] ** 2).mean()))
    return (
        f" (its error has two parts: one common to the whole line, with a standard deviation of "
        f"{goal.format.error_with_unit(shared)}, and one specific to each cost, with a standard "
        f"deviation of {goal.format.error_with_unit(own)})"
    )


def field_titles(experiment: Experiment) -> dict[str, str]:
    """Return the names that a tooltip shows for the fields of a row."""
    goal, cost = experiment.goal, experiment.cost
    return {
        "who": "θ of",
        "seen": f"{short(goal.label, 40)}, 95% interval",
        "n": "games",
        "cost": short(cost.label, 60),
        "all": f"{short(goal.label, 40)} given all games",
        "model": f"{short(goal.label, 40)} by the model of the trials",
        "p": "P(on front)",
        **theta_titles(experiment),
    }


def trial_titles(experiment: Experiment) -> dict[str, str]:
    """Return the names of :func:`field_titles` for a trial, whose goal has no interval."""
    return field_titles(experiment) | {"seen": f"{short(experiment.goal.label, 40)}, observed"}


def trial_rows(tables: Tables, experiment: Experiment) -> list[Row]:
    """Return one row per complete trial whose cost is above 0."""
    goal, cost, trials = experiment.goal, experiment.cost, tables["trials"]
    rows = []
    for trial in trials[(trials["state"] == "complete") & (trials[cost.name] > 0)].to_dict(
        "records"
    ):
        mean, sem = trial[goal.column("mean")], trial[goal.column("sem")]
        error = f", standard error {goal.format.error(sem)}" if sem > 0.0 else ""
        row = {
            "x": trial[cost.name],
            "y": mean,
            "who": f"trial {trial['trial']}, {short(str(trial['origin']))}",
            "n": int(trial["n_games"]),
            "seen": f"{goal.format.with_unit(mean)}{error}",
            "cost": cost.text(trial[cost.name]),
            **theta_row(trial, experiment),
        }
        if goal.posterior_column("mean") in trial:
            model, deviation = (trial[goal.posterior_column(each)] for each in ("mean", "sd"))
            error = goal.format.error(deviation)
            row["model"] = f"{goal.format.with_unit(model)}, standard deviation {error}"
        if not math.isnan(trial.get("p_on_front", math.nan)):
            row["p"] = f"{trial['p_on_front']:.0%}"
        rows.append(row)
    return rows


def curve_rows(tables: Tables, experiment: Experiment, kind: Kind) -> list[Row]:
    """Return rows of the front that a model predicts, from the trials or from all games."""
    goal, cost = experiment.goal, experiment.cost
    if kind is PREDICTED:
        table, column, at = tables["predicted_front"], goal.posterior_column, cost.name
    else:
        table, column = tables["combined_front"], goal.combined_column
        at = f"combined_{cost.name}"
    rows = []
    for each in table.to_dict("records"):
        mean, low, high = clipped(goal, (each[column(end)] for end in ENDS))
        rows.append(
            {
                "x": each[at],
                "y": mean,
                "low": low,
                "high": high,
                "who": kind.label,
                "cost": cost.text(each[at]),
                "seen": goal.format.interval_with_unit(mean, low, high),
                **theta_row(each, experiment),
            }
        )
    return rows


def point_rows(front: pd.DataFrame, experiment: Experiment) -> list[Row]:
    """Return one row per validated point."""
    goal, cost = experiment.goal, experiment.cost
    rows = []
    for point, is_single in zip(front.to_dict("records"), has_one_game(front, goal), strict=True):
        seen = tuple(point[goal.column(each)] for each in ENDS)
        column = goal.combined_column if is_single else goal.column
        mean, low, high = clipped(goal, (point[column(each)] for each in ENDS))
        x, left, right = cost_interval(point, experiment)
        row = {
            "kind": KINDS[point["origin"] in experiment.baselines, bool(point["on_front"])].label,
            "number": int(point["number"]),
            "x": x,
            "left": left,
            "right": right,
            "y": mean,
            "low": mean if math.isnan(low) else low,
            "high": mean if math.isnan(high) else high,
            "who": f"number {point['number']}, {short(str(point['origin']))}",
            "n": int(point["n_games"]),
            "seen": goal.format.interval_with_unit(*seen),
            "cost": cost.interval(x, left, right),
            "p": f"{point['p_on_front']:.0%}",
            **theta_row(point, experiment),
        }
        for key, column in (("all", goal.combined_column), ("model", goal.posterior_column)):
            if column("mean") in point:
                found = (float(point[column(each)]) for each in ENDS)
                row[key] = goal.format.interval_with_unit(*found)
        rows.append(row)
    return rows


def cost_interval(point: Mapping[Any, Any], experiment: Experiment) -> tuple[float, float, float]:
    """Return a validated point's cost with its 95% interval.

    If a point has too few games for an interval, the interval of the model of all games is used.
    """
    name, *ends = experiment.cost.columns
    found = [point[name]]
    for end in ends:
        value = point[end]
        if math.isnan(value):
            value = point[name] * (point[f"combined_{end}"] / point[f"combined_{name}"])
        found.append(point[name] if math.isnan(value) else value)
    return found[0], found[1], found[2]


def curve_layers(kind: Kind, rows: Sequence[Row], said: Mapping[str, str]) -> list[Layer]:
    """Return the band, the line and the tooltips of a front."""
    return [
        Layer("area", kind, rows, y="low", y2="high", opacity=0.2),
        Layer("line", kind, rows, size=1.8),
        Layer("point", kind, rows, size=90, opacity=0.0, tooltip=said),
    ]


def left_to_win(tables: Tables, experiment: Experiment) -> list[Layer]:
    """Return the layer that shades the possible gain at each budget.

    The shaded area reaches from the mean of the recommended θ to the 95% bound on the best mean.
    """
    goal, cost = experiment.goal, experiment.cost
    if (table := tables.get("certificate")) is None or not len(tables["front"]):
        return []
    reached = table[goal.combined_column("mean")]
    most = clipped(goal, reached + goal.sign * table["regret_bound95"])
    limits = table[f"{cost.name}_limit"].tolist()
    rows = [
        {"x": end, "y": low, "high": high}
        for begin, until, low, high in zip(limits, limits[1:], reached, most, strict=False)
        for end in (begin, until)
    ]
    return [Layer("area", LEFT, rows, y2="high", opacity=LEFT.opacity)]


def named_choice(experiment: Experiment) -> CategoricalParameter | None:
    """Return the first categorical parameter that is always active, if there is one."""
    return next((each for each in experiment.space.categorical if not each.when), None)


def labelled(rows: Sequence[Row], x: Axis, y: Axis, experiment: Experiment) -> list[Row]:
    """Return rows of labels beside validated points: their numbers, and a few names.

    The label of a baseline has the baseline's name. The label of any other point has the value of
    :func:`named_choice`, unless the next cheaper point that is not a baseline has the same value.
    """
    choice = named_choice(experiment)
    index = "" if choice is None else f"p{list(experiment.space).index(choice)}"
    is_given = [row["kind"] in (BASELINE.label, DOMINATED_BASELINE.label) for row in rows]
    left, found, before = MAX_NAMES - sum(is_given), [], ""
    for row, given in zip(rows, is_given, strict=True):
        name = row["who"].partition(", ")[2] if given else row.get(index, "")
        if not given:
            is_new, before = name != before, name
            name = name if is_new and left > 0 else ""
            left -= bool(name)
        label = f"{row['number']} {short(name, MAX_NAME)}".rstrip()
        shown = {key: row[key] for key in ("x", "y", "low", "high", "number")}
        found.append({**shown, "label": label, "short": str(row["number"])})
    return placed_labels(found, x, y)
