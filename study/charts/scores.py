"""The chart of single games: the distribution of their scores at each validated point."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from thetafront.study.arrays import Floats
from thetafront.study.charts.axes import field_values, goal_axis
from thetafront.study.charts.chart import (
    BLUE,
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
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import games_note
from thetafront.study.samplers.predicted_front import spread
from thetafront.study.shrinkage import NO_PRIOR, Prior
from thetafront.study.text import counted, listed

KEY, TITLE = "scores", "Scores of single games"
MAX_POINTS = 14
N_BINS = 50
HEIGHT_PER_POINT, HEIGHT_OF_AXIS = 46, 30
MAX_HEIGHT = 0.75  # of a histogram, as a share of the distance between two rows
QUANTILES = (5, 25, 50, 75, 95)
# Share of all games below the upper end of the axis, and share above its lower end; each point has
# the same weight.
SHOWN = 0.995

SEARCHED = Kind("points on the front", BLUE, SQUARE)
GIVEN = Kind("baselines", PINK, SQUARE)
MOST = Kind("90% of the games", BLUE, LINE)
HALF = Kind("", BLUE, LINE)
MEDIAN = Kind("median", GREY, LINE)
MEAN = Kind("mean, 95% interval", ORANGE, "diamond")


def goal_of_games(experiment: Experiment) -> Goal | None:
    """Return a goal with a spread to draw: the study's, or else another reported goal.

    There is no spread if all games of a θ have the same score, or if each game's score is 0 or 1.
    """
    goals = (experiment.goal, *experiment.goal.reported_too)
    return next((each for each in goals if not (each.is_exact or each.is_share)), None)


def bin_edges(samples: Floats) -> Floats:
    """Return edges of at most fifty bins that hold all samples.

    If samples are whole numbers, edges lie half-way between whole numbers, and the last bin may end
    above the largest sample.
    """
    low, high = float(samples.min()), float(samples.max())
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    if np.all(samples == np.round(samples)) and high - low < 1e15:
        width = max(1, math.ceil((high - low + 1) / N_BINS))
        n = math.ceil((high - low + 1) / width)
        return low - 0.5 + width * np.arange(n + 1, dtype=np.float64)
    return np.linspace(low, high, N_BINS + 1, dtype=np.float64)


def shown_points(front: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return up to fourteen points of the validated front and baselines, the cheapest first."""
    is_given = front["origin"].isin(list(experiment.baselines))
    points = front[front["on_front"].astype(bool) | is_given]
    return points.iloc[spread(len(points), MAX_POINTS)]


def scores_chart(analysis: Analysis) -> Chart:
    """Return the chart of single games at points on the front: histograms, quantiles, means."""
    experiment, front = analysis.data.experiment, analysis.tables["front"]
    goal = goal_of_games(experiment)
    if goal is None:
        why = (
            "exact (all games with one θ have the same score)"
            if experiment.goal.is_exact
            else "a number from 0 to 1"
        )
        text = f"A game's {experiment.goal.label} is {why}, so no spread is drawn."
        return Chart(KEY, TITLE, text)
    if not len(front):
        return Chart(KEY, TITLE, "Nothing is validated yet.")
    points = shown_points(front, experiment)
    samples = collect_samples(points, analysis.data, goal)
    points = points[[each in samples for each in points["point"]]]
    if not len(points):
        return Chart(KEY, TITLE, "The games of these points are not stored.")
    prior = analysis.data.variance_prior if goal is experiment.goal else NO_PRIOR
    rows = [
        summary(row, samples[row["point"]], experiment, goal, prior)
        for row in points.to_dict("records")
    ]
    panel, n_beyond = make_panel(rows, samples, experiment, goal)
    text = (
        "Each row is a validated point on the front or a baseline, with its number "
        f"({games_note(points, 'point')}). A bar's height is the share of games in its range. "
        "The thick line spans the middle 50% of the games, and the thin one the middle 90%. "
        "The vertical stroke marks the median, and the diamond the mean, with its 95% interval."
    )
    if given := [f"{row['origin']} ({row['number']})" for row in rows if row["is_given"]]:
        text += f" Baselines: {listed(given)}."
    if goal is not experiment.goal:
        own = experiment.goal.label
        text += f" The chart shows the {goal.label}, because a single game's {own} is 0 or 1."
    if n_beyond:
        text += f" The axis leaves out {counted(n_beyond, 'game')}."
    table = make_table(rows, experiment, goal)
    return Chart(KEY, TITLE, text, table, [[panel]], experiment.title)


def collect_samples(points: pd.DataFrame, data: StudyData, goal: Goal) -> dict[str, Floats]:
    """Return the values of the goal in each point's games, by the point's key."""
    wanted = set(points["point"])
    found = {p.key: goal.samples(p.in_order) for p in data.known_points if p.key in wanted}
    return {key: each[np.isfinite(each)] for key, each in found.items() if len(each)}


def summary(
    point: Mapping[Any, Any], samples: Floats, experiment: Experiment, goal: Goal, prior: Prior
) -> Row:
    """Return a point's quantiles, its mean with a 95% interval, and the texts of its tooltip.

    The interval and the cost are the same as in the table of points. The cost is the model's
    estimate given all games.
    """
    found, cost = goal.estimator.estimate(samples, prior), experiment.cost
    write, found_at = goal.format, np.percentile(samples, QUANTILES).tolist()
    q5, q25, q50, q75, q95 = found_at
    return {
        "point": point["point"],
        "number": int(point["number"]),
        "origin": str(point["origin"]),
        "is_given": point["origin"] in experiment.baselines,
        "who": f"{point['number']}, {short(str(point['origin']))}",
        "cost": cost.text(point[f"combined_{cost.name}"]),
        "n": len(samples),
        "mean": found.value,
        "low": found.value if math.isnan(found.low) else found.low,
        "high": found.value if math.isnan(found.high) else found.high,
        "seen": write.interval_with_unit(found.value, found.low, found.high),
        **{f"q{q}": value for q, value in zip(QUANTILES, found_at, strict=True)},
        "half": f"{write.text(q25)} to {write.with_unit(q75)}",
        "most": f"{write.text(q5)} to {write.with_unit(q95)}",
        "middle": write.with_unit(q50),
    }


def make_panel(
    rows: list[Row], samples: Mapping[str, Floats], experiment: Experiment, goal: Goal
) -> tuple[Panel, int]:
    """Return a panel with a row per point, and the number of games beyond the axis."""
    every = [samples[row["point"]] for row in rows]
    whole, n_games = np.concatenate(every), [len(each) for each in every]
    weights = np.repeat(1.0 / np.array(n_games), n_games)
    low, high = np.quantile(whole, (1 - SHOWN, SHOWN), weights=weights, method="inverted_cdf")
    low, high = min(low, *field_values(rows, "q5")), max(high, *field_values(rows, "q95"))
    edges = bin_edges(whole[(low <= whole) & (whole <= high)])
    counts = [np.histogram(each, edges)[0] for each in every]
    n_beyond = sum(len(each) for each in every) - int(sum(each.sum() for each in counts))
    shares = [each / row["n"] for each, row in zip(counts, rows, strict=True)]
    scale = MAX_HEIGHT / max(float(each.max()) for each in shares)
    bars = [
        {
            "is_given": row["is_given"],
            "from": left,
            "to": right,
            "k": k,
            "top": k + scale * share,
            "number": row["number"],
            "range": f"{goal.format.text(left)} to {goal.format.with_unit(right)}",
            "games": f"{n:,} ({share:.1%})",
        }
        for k, (row, of_row, n_games) in enumerate(zip(rows, shares, counts, strict=True))
        for left, right, share, n in zip(
            edges, edges[1:], of_row.tolist(), n_games.tolist(), strict=False
        )
        if n
    ]
    marks = [{**row, "k": k - 0.1, "up": k - 0.02, "down": k - 0.18} for k, row in enumerate(rows)]
    span = float(edges[-1] - edges[0])
    ends = float(edges[0]) - 0.01 * span, float(edges[-1]) + 0.01 * span
    unit = goal.format.unit and f", {goal.format.unit}"
    x = goal_axis(goal, ends, f"{goal.label} of one game{unit}", n=8)
    names = {float(k): f"{row['number']}: {row['cost']}" for k, row in enumerate(rows)}
    title = f"point number: {short(experiment.cost.label, 40)}"
    y = Axis(title, -0.25, len(rows) - 1 + MAX_HEIGHT + 0.05, names, has_grid=False)
    said = {
        "who": "point",
        "cost": short(experiment.cost.label, 60),
        "n": "games",
        "seen": "mean, 95% interval",
        "middle": "median",
        "half": "middle half",
        "most": "90% of the games",
    }
    of_bar = {"number": "point", "range": short(goal.label, 40), "games": "games"}
    layers = [
        Layer("rect", kind, mine, "from", "k", "to", "top", of_bar, opacity=0.55)
        for kind in (SEARCHED, GIVEN)
        if (mine := [bar for bar in bars if bar["is_given"] == (kind is GIVEN)])
    ]
    layers += [
        Layer("rule", MOST, marks, "q5", "k", x2="q95", size=1.0),
        Layer("rule", HALF, marks, "q25", "k", x2="q75", tooltip=said, size=5.0),
        Layer("rule", MEDIAN, marks, "q50", "down", y2="up", size=2.0),
        Layer("rule", MEAN, marks, "low", "k", x2="high", size=2.0),
        Layer("point", MEAN, marks, "mean", "k", tooltip=said, size=60),
    ]
    return Panel(x, y, layers, HEIGHT_PER_POINT * len(rows) + HEIGHT_OF_AXIS), n_beyond


def make_table(rows: list[Row], experiment: Experiment, goal: Goal) -> pd.DataFrame:
    """Return quantiles and means with readable headings."""
    names = {q: "median" if q == 50 else f"{q}% quantile" for q in QUANTILES}
    return pd.DataFrame(
        [
            {
                "number": row["number"],
                "from": row["origin"],
                experiment.cost.label: row["cost"],
                "games": row["n"],
                "mean, 95% interval": row["seen"],
                **{name: goal.format.text(row[f"q{q}"]) for q, name in names.items()},
            }
            for row in rows
        ]
    )
