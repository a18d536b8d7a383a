"""The chart of θ: trials and front as parallel coordinates, with a range on each axis.

Each axis is a separate strip across the whole width. So even on a narrow screen, a reader can read
the values of an axis and set a range on it. A line goes from strip to strip, and fades if it is
outside the range that the reader has set on any axis. The page draws the chart without Vega: with
three hundred lines on ten axes, Vega would take a second to redraw it after each move of the mouse.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from thetafront.study.charts.axes import MAX_CHOICE, cost_tick, log_ticks, round_values
from thetafront.study.charts.chart import Chart, short
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, Dimension, is_absent
from thetafront.study.experiments.widening import Edge
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_edges
from thetafront.study.report.expected import expect_points
from thetafront.study.text import counted

KEY, TITLE = "theta", "θ of all trials, and along the front"
MAX_LINES = 300  # of trials
ABSENT = -0.02  # where a line crosses the axis of an inactive parameter
# In pixels: the width of an axis on a narrow page and on a wide page, and the width of a character.
NARROW, WIDE, CHARACTER = 190, 480, 7
TRIAL, FRONT, BASELINE = "trial", "front", "baseline"


@dataclass(frozen=True)
class Tick:
    """A value that is written on an axis."""

    at: float  # its place, from 0 to 1
    text: str
    is_minor: bool  # whether a narrow page has no room for it


@dataclass(frozen=True)
class Strip:
    """An axis from 0 to 1."""

    title: str
    ticks: list[Tick]
    # Places where the front lies at an edge of the space, with a text for each.
    edges: list[tuple[float, str]] = field(default_factory=list)


@dataclass(frozen=True)
class ThetaLine:
    """A θ: its kind, its name, and its place on each strip."""

    kind: str
    label: str
    places: list[float]


@dataclass(frozen=True)
class ThetaChart(Chart):
    """The chart of θ; it has no strips if there is nothing to draw."""

    strips: Sequence[Strip] = ()
    lines: Sequence[ThetaLine] = ()


def theta_chart(analysis: Analysis) -> ThetaChart:
    """Return the chart of θ, cost and the model's mean of the goal as parallel coordinates."""
    experiment, model = analysis.data.experiment, analysis.combined
    goal, cost, space = experiment.goal, experiment.cost, experiment.space
    front, trials = analysis.tables["front"], analysis.tables["trials"]
    trials = trials[(trials["state"] == "complete") & (trials[cost.name] > 0.0)]
    table = make_table(analysis)
    if model is None or not len(trials):
        return ThetaChart(
            KEY, TITLE, "No trial is complete yet, so there is nothing to draw.", table
        )
    kept = trials
    if len(trials) > MAX_LINES:
        chosen = np.random.default_rng(0).choice(len(trials), MAX_LINES, replace=False)
        kept = trials.iloc[np.sort(chosen)]
    items: list[tuple[str, str, Mapping[Any, Any]]] = [
        (TRIAL, f"trial {each['trial']}", each) for each in kept.to_dict("records")
    ]
    numbers = set(kept["trial"])
    points = [trial for trial in analysis.data.trials if trial.number in numbers]
    goals = [each.score.value for each in expect_points(model, experiment, points)]
    for row in front.to_dict("records"):
        is_given = row["origin"] in experiment.baselines
        if is_given or row["on_front"]:
            who = f"number {row['number']}, {short(str(row['origin']))}"
            items.append((BASELINE if is_given else FRONT, who, row))
            goals.append(row[goal.combined_column("mean")])
    costs = [math.log(theta[cost.name]) for _, _, theta in items]
    edges = front_edges(analysis) if analysis.rows else []
    lines = []
    for (kind, who, theta), expected, log_cost in zip(items, goals, costs, strict=True):
        places = [
            ABSENT if is_absent(theta.get(each.name)) else each.to_unit(theta[each.name])
            for each in space
        ]
        places += [share(log_cost, costs), share(expected, goals)]
        said = [f"{short(each.label)} {each.text(theta.get(each.name), 4)}" for each in space]
        text = f"{cost.text(theta[cost.name])}, {goal.format.with_unit(expected)} by the model"
        lines.append(ThetaLine(kind, f"{who}: {', '.join(said)}: {text}", places))
    low, high = (math.exp(end(costs)) for end in (min, max))
    of_cost = {
        share(math.log(each), costs): cost_tick(cost, each)
        for each in (log_ticks(low, high) if high > low else [low])
    }
    least, most = min(goals), max(goals)
    of_goal = {
        share(each, goals): goal.format.at_axis(each)
        for each in (round_values(least, most) if most > least else [least])
    }
    strips = [
        *(
            Strip(short(each.label, 24), parameter_ticks(each), marks(each, edges))
            for each in space
        ),
        Strip(short(cost.axis_label, 24), fitting(of_cost)),
        Strip(short(goal.label, 24), fitting(of_goal)),
    ]
    caption = make_caption(len(kept), len(trials), edges, experiment)
    return ThetaChart(KEY, TITLE, caption, table, strips=strips, lines=lines)


def make_caption(n_kept: int, n_trials: int, edges: Sequence[Edge], experiment: Experiment) -> str:
    """Explain lines, ranges and triangles."""
    text = f"Each line is a θ ({counted(n_kept, 'complete trial')}"
    if n_kept < n_trials:
        text += f", drawn at random from {n_trials:,}"
    text += (
        f"), with its cost and the {experiment.goal.label} that the model expects given all games. "
        "Strong lines are points on the front, and dashed ones baselines. Move the ends of "
        "one or more axes to keep only the lines between them."
    )
    if experiment.space.is_conditional:
        text += " A line crosses the axis of an inactive parameter at the left end."
    if edges:
        said = "; ".join(each.count_text for each in edges)
        text += f" Triangles mark where the front lies at an edge of the space: {said}."
    return text


def marks(parameter: Dimension, edges: Sequence[Edge]) -> list[tuple[float, str]]:
    """Return where the front lies at an edge of a parameter's range."""
    return [
        (
            parameter.to_unit(each.bound),
            f"{counted(each.n_points, 'point')} on the front with {short(each.text, 80)}",
        )
        for each in edges
        if each.parameter.name == parameter.name
    ]


def parameter_ticks(parameter: Dimension) -> list[Tick]:
    """Return the ticks of a parameter's axis: round values and both ends, or its choices."""
    if isinstance(parameter, CategoricalParameter):
        texts = {each: short(parameter.text(each), MAX_CHOICE) for each in parameter.choices}
        return fitting({parameter.to_unit(each): text for each, text in texts.items()})
    low, high = float(parameter.low), float(parameter.high)
    found = {low, high, *(log_ticks(low, high) if parameter.log else round_values(low, high))}
    if parameter.grid:
        found = {parameter.clip(each) for each in found}
    return fitting({parameter.to_unit(each): f"{each:,g}" for each in sorted(found)})


def fitting(texts: Mapping[float, str]) -> list[Tick]:
    """Return the ticks that fit on a wide page; those that fit only there are minor.

    Both ends of the axis take precedence over ticks between them.
    """
    places = sorted(texts)
    order = [*places[:1], *places[:0:-1][:1], *places[1:-1]]
    kept: dict[int, list[float]] = {}
    for pixels in (NARROW, WIDE):
        kept[pixels] = [*kept.get(NARROW, [])]
        for at in order:
            if at not in kept[pixels] and all(
                abs(at - other) * pixels >= CHARACTER * (len(texts[at] + texts[other]) / 2 + 1)
                for other in kept[pixels]
            ):
                kept[pixels].append(at)
    return [Tick(at, texts[at], at not in kept[NARROW]) for at in sorted(kept[WIDE])]


def share(value: float, values: Sequence[float]) -> float:
    """Return the place of a value between the minimum (0) and the maximum (1) of ``values``."""
    return (value - min(values)) / ((max(values) - min(values)) or 1.0)


def make_table(analysis: Analysis) -> pd.DataFrame:
    """Return θ and both objectives of all complete trials, rounded, with readable headings."""
    experiment, trials = analysis.data.experiment, analysis.tables["trials"]
    goal, cost = experiment.goal, experiment.cost
    symbols = [each.label for each in experiment.space]
    headings = ["trial", "from", *symbols, "games", f"{goal.label}, observed mean", cost.label]
    mean = goal.posterior_column("mean")
    if has_model := mean in trials:
        headings.append(f"{goal.label} by the model of the trials")
    rows = [
        [
            int(trial["trial"]),
            trial["origin"],
            *(each.text(trial[each.name], 4) for each in experiment.space),
            int(trial["n_games"]),
            goal.format.text(trial[goal.column("mean")]),
            cost.text(trial[cost.name]),
            *([goal.format.text(trial[mean])] if has_model else []),
        ]
        for trial in trials[trials["state"] == "complete"].to_dict("records")
    ]
    return pd.DataFrame(rows, columns=headings)  # a symbol may equal another heading
