"""Mean scores and their differences: columns of tables, text, and marks of charts.

A number with its 95% interval takes three columns, such as ``difference_points``,
``difference_low95_points`` and ``difference_high95_points``; a mean score has
``score_mean_points``, ``score_low95_points`` and ``score_high95_points``.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from thetafront.agents.twenty48.agent import Game2048
from thetafront.study import estimate as intervals
from thetafront.study.charts.axes import field_values, goal_axis
from thetafront.study.charts.chart import Axis, Kind, Layer, Row
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.game_summary import check_2048
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SECONDS
from thetafront.study.experiments.objectives.goals import SCORE
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.validated_rows import validated_columns, without_baselines


def validated_front(analysis: Analysis) -> pd.DataFrame:
    """Return the validated front without baselines; InputError if the study is not of 2048."""
    data, experiment = analysis.data, analysis.data.experiment
    check_2048(f"study: {data.name!r}", experiment.summary.game)
    rows = without_baselines(analysis.rows, experiment)
    frame = pd.DataFrame(rows, columns=validated_columns(data))
    return frame[frame["on_front"].astype(bool)]


def score_columns(games: Sequence[Game2048]) -> dict[str, Any]:
    """Return columns of an agent's games: mean score with its 95% interval, and costs per move."""
    return {
        "n_games": len(games),
        **estimate_columns("score_mean", "score", intervals.mean(SCORE.samples(games))),
        "seconds_per_move": SECONDS.value(games),
        "playout_moves_per_move": PLAYOUT_MOVES.value(games),
    }


def estimate_columns(value: str, bounds: str, estimate: Estimate) -> dict[str, float]:
    """Return columns for a number in points and its 95% interval.

    The number's column begins with ``value``, those of the interval with ``bounds``.
    """
    return {
        f"{value}_points": estimate.value,
        f"{bounds}_low95_points": estimate.low,
        f"{bounds}_high95_points": estimate.high,
    }


def estimate_format(value: str, bounds: str, sign: str = "") -> str:
    """Return the format string of :func:`shown`, for the columns of a row."""
    columns = (f"{value}_points", f"{bounds}_low95_points", f"{bounds}_high95_points")
    number, low, high = ("{" + f"{column}:{sign},.0f" + "}" for column in columns)
    return f"{number} ({low} to {high})"


def shown(row: Any, value: str, bounds: str, sign: str = "") -> str:
    """Write a number of a table with its 95% interval, in points: ``12,345 (12,000 to 12,690)``.

    ``value`` and ``bounds`` are stems of the names of columns: one for the number, one for its
    interval. With the ``sign`` ``+``, positive numbers have a sign, too.
    """
    return estimate_format(value, bounds, sign).format_map(row)


def score_rows(part: pd.DataFrame, x: str = "seconds_per_move") -> list[Row]:
    """Return the rows of a chart: mean scores at the column ``x``, with their 95% intervals."""
    columns = (x, "score_mean_points", "score_low95_points", "score_high95_points")
    places = part.sort_values(x)[list(columns)].to_numpy(float).tolist()
    return [dict(zip(("x", "y", "low", "high"), each, strict=True)) for each in places]


def score_layers(kind: Kind, rows: Sequence[Row]) -> list[Layer]:
    """Return a line through mean scores, with their 95% intervals."""
    return [
        Layer("rule", kind, rows, y="low", y2="high", size=1.2),
        Layer("line", kind, rows),
        Layer("point", kind, rows, size=40),
    ]


def score_axis(rows: Sequence[Row]) -> Axis:
    """Return the axis of mean scores, from 0 to the highest interval."""
    return goal_axis(SCORE, (0.0, 1.03 * max(field_values(rows, "y", "high"))))
