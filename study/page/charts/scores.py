"""The chart of single games: how their scores spread, for each validated point along the front."""

import math
from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Goal
from thetafront.study.page.charts.axes import (
    Row,
    goal_axis,
    looked_up,
    rounded,
    rows_of,
    short,
    told_apart,
)
from thetafront.study.page.charts.palette import BLUE, GREY, ORANGE, PINK, Kind, encodings
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import games_note

KEY, TITLE = "scores", "Scores of single games"
MOST_POINTS = 14
N_BINS = 50
HEIGHT_A_POINT, HEIGHT_OF_AXIS = 46, 30
TALLEST = 0.85  # of the distance between two rows
QUANTILES = (5, 25, 50, 75, 95)

SEARCHED = Kind("points of the front", BLUE)
GIVEN = Kind("baselines", PINK)
MEAN = Kind("mean, 95% interval", ORANGE, "diamond")


def goal_of_games(experiment: Experiment) -> Goal | None:
    """Return the goal whose samples spread: the study's own, or one that is reported beside it."""
    goals = (experiment.goal, *experiment.goal.reported_too)
    return next((each for each in goals if not (each.is_exact or each.is_share)), None)


def bin_edges(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return edges of some fifty bins; whole numbers lie in the middle of theirs."""
    low, high = float(samples.min()), float(samples.max())
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    if np.all(samples == np.round(samples)) and high - low < 1e15:
        width = max(1, math.ceil((high - low + 1) / N_BINS))
        n = math.ceil((high - low + 1) / width)
        return low - 0.5 + width * np.arange(n + 1, dtype=np.float64)
    return np.linspace(low, high, N_BINS + 1, dtype=np.float64)


def shown_points(front: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return validated points of the front, and baselines, the cheapest first; not too many."""
    is_given = front["origin"].isin(list(experiment.baselines))
    points = front[front["on_front"].astype(bool) | is_given]
    if len(points) > MOST_POINTS:
        chosen = np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int)
        points = points.iloc[np.unique(chosen)]
    return points


def scores_figure(data: Analysis) -> Figure:
    """Return how single games spread along the validated front: histograms, quantiles, means."""
    experiment, front = data.data.experiment, data.tables["front"]
    goal, empty = goal_of_games(experiment), pd.DataFrame()
    if goal is None:
        why = "exact: all games of one θ have the same" if experiment.goal.is_exact else "0 or 1"
        text = f"The {experiment.goal.label} of a game is {why}, so there is no spread to draw."
        return Figure(KEY, TITLE, text, None, empty)
    if not len(front):
        return Figure(KEY, TITLE, "Nothing is validated yet.", None, empty)
    points = shown_points(front, experiment)
    samples = samples_of(points, data.tables["games"], goal)
    points = points[[each in samples for each in points["point"]]]
    if not len(points):
        return Figure(KEY, TITLE, "The games of these points are not stored.", None, empty)
    text = (
        "A row is a validated point of the front, or a baseline, by number; its height at a value "
        f"is the share of games there ({games_note(points, 'point')}). The thick line holds the "
        "middle half of the games, the thin one 90% of them, the stroke is the median; the mean "
        "has its 95% interval."
    )
    if goal is not experiment.goal:
        text += f" The {experiment.goal.label} of a game is 0 or 1, so this is its {goal.label}."
    rows = [summary(row, samples[row["point"]], goal) for row in points.to_dict("records")]
    return Figure(
        KEY,
        TITLE,
        text,
        chart_of(rows, samples, experiment, goal),
        table_of(rows, experiment, goal),
    )


def samples_of(
    points: pd.DataFrame, games: pd.DataFrame, goal: Goal
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the samples of each point's games, by its key."""
    if goal.game_column not in games:
        return {}
    played = games[games["point"].isin(points["point"])]
    found = {
        key: group.to_numpy(np.float64) for key, group in played.groupby("point")[goal.game_column]
    }
    return {str(key): each[np.isfinite(each)] for key, each in found.items() if len(each)}


def summary(point: Mapping[Any, Any], samples: npt.NDArray[np.float64], goal: Goal) -> Row:
    """Return a point with the quantiles of its games, and their mean with its interval."""
    found = goal.estimator.estimate(samples)
    quantiles = np.percentile(samples, QUANTILES).tolist()
    return {
        **point,
        "n": len(samples),
        "mean": found.value,
        "low": found.low,
        "high": found.high,
        **{f"q{q}": value for q, value in zip(QUANTILES, quantiles, strict=True)},
    }


def chart_of(
    rows: list[Row],
    samples: dict[str, npt.NDArray[np.float64]],
    experiment: Experiment,
    goal: Goal,
) -> alt.LayerChart:
    """Return the chart: a row a point, histograms above each other on one scale."""
    cost = experiment.cost
    edges = bin_edges(np.concatenate([samples[row["point"]] for row in rows]))
    shares = [np.histogram(samples[row["point"]], edges)[0] / row["n"] for row in rows]
    scale = TALLEST / max(float(each.max()) for each in shares)
    bars, marks = [], []
    for k, (row, share) in enumerate(zip(rows, shares, strict=True)):
        is_given = row["origin"] in experiment.baselines
        for left, right, height in zip(edges[:-1], edges[1:], share.tolist(), strict=True):
            if height:
                bars.append(
                    {
                        "kind": (GIVEN if is_given else SEARCHED).label,
                        "a": left,
                        "b": right,
                        "k": k,
                        "t": rounded(k + scale * height, 4),
                        "s": rounded(height, 3),
                        "g": round(height * row["n"]),
                        "w": row["number"],
                    }
                )
        marks.append(
            {
                "kind": MEAN.label,
                "k": k,
                "w": f"{row['number']}, {short(str(row['origin']))}",
                "c": cost.text(row[f"combined_{cost.name}"]),
                "n": row["n"],
                "m": row["mean"],
                "l": row["low"],
                "h": row["high"],
                "said": goal.format.interval_with_unit(row["mean"], row["low"], row["high"]),
                **{f"q{q}": row[f"q{q}"] for q in QUANTILES},
                "half": f"{goal.format.text(row['q25'])} to {goal.format.with_unit(row['q75'])}",
                "most": f"{goal.format.text(row['q5'])} to {goal.format.with_unit(row['q95'])}",
                "middle": goal.format.with_unit(row["q50"]),
            }
        )
    names = {
        float(k): f"{row['number']}: {cost.text(row[f'combined_{cost.name}'])}"
        + (f", {short(row['origin'], 14)}" if row["origin"] in experiment.baselines else "")
        for k, row in enumerate(rows)
    }
    kinds = [each for each in (SEARCHED, GIVEN) if any(bar["kind"] == each.label for bar in bars)]
    kinds.append(MEAN)
    unit = goal.format.unit and f", {goal.format.unit}"
    span = float(edges[-1] - edges[0])
    x_scale = alt.Scale(
        domain=[rounded(edges[0] - 0.01 * span), rounded(edges[-1] + 0.01 * span)], nice=False
    )
    title = f"{goal.label} of one game{unit}"
    x = alt.X("a:Q", scale=x_scale, axis=goal_axis(goal, title, tickCount=8, labelOverlap="greedy"))
    y_scale = alt.Scale(domain=[-0.25, len(rows) - 1 + TALLEST + 0.05], nice=False)
    y_axis = alt.Axis(
        title=f"number of the point: {cost.label}",
        titleLimit=300,
        values=[*names],
        labelExpr=looked_up(names),
        grid=False,
        ticks=False,
        domain=False,
    )
    y = alt.Y("k:Q", scale=y_scale, axis=y_axis)
    histogram = (
        alt.Chart(rows_of(bars))
        .mark_rect(opacity=0.55, strokeWidth=0)
        .encode(
            x=x,
            x2="b:Q",
            y=y,
            y2="t:Q",
            tooltip=[
                alt.Tooltip("w:N", title="point"),
                alt.Tooltip("a:Q", title="from", format=",.5~g"),
                alt.Tooltip("b:Q", title="to", format=",.5~g"),
                alt.Tooltip("g:Q", title="games"),
                alt.Tooltip("s:Q", title="share", format=".1%"),
            ],
            **encodings(kinds, "fill"),
        )
    )
    base = alt.Chart(rows_of(marks))
    said = told_apart(
        alt.Tooltip(f"{field}:N", title=title)
        for field, title in {
            "w": "point",
            "c": short(cost.label, 60),
            "n": "games",
            "said": "mean, 95% interval",
            "middle": "median",
            "half": "middle half",
            "most": "90% of the games",
        }.items()
    )
    below = alt.Y("at:Q")
    lines = base.transform_calculate(at="datum.k - 0.1")
    colour = encodings(kinds, "stroke")
    return alt.LayerChart(
        layer=[
            histogram,
            lines.mark_rule(strokeWidth=1, color=BLUE).encode(x="q5:Q", x2="q95:Q", y=below),
            lines.mark_rule(strokeWidth=5, color=BLUE).encode(
                x="q25:Q", x2="q75:Q", y=below, tooltip=said
            ),
            lines.mark_tick(thickness=2, size=16, orient="vertical", color=GREY).encode(
                x="q50:Q", y=below
            ),
            lines.mark_rule(strokeWidth=2).encode(x="l:Q", x2="h:Q", y=below, **colour),
            lines.mark_point(size=60, opacity=1).encode(
                x="m:Q", y=below, tooltip=said, **encodings(kinds, "stroke", "fill", "shape")
            ),
        ],
        width="container",
        height=HEIGHT_A_POINT * len(rows) + HEIGHT_OF_AXIS,
        background="transparent",
        description=title,
    )


def table_of(rows: list[Row], experiment: Experiment, goal: Goal) -> pd.DataFrame:
    """Return quantiles and means with readable headings."""
    cost, write = experiment.cost, goal.format
    return pd.DataFrame(
        [
            {
                "number": int(row["number"]),
                "from": row["origin"],
                cost.label: cost.text(row[f"combined_{cost.name}"]),
                "games": row["n"],
                "mean, 95% interval": write.interval_with_unit(
                    row["mean"], row["low"], row["high"]
                ),
                **{
                    "median" if q == 50 else f"{q}% quantile": write.text(row[f"q{q}"])
                    for q in QUANTILES
                },
            }
            for row in rows
        ]
    )
