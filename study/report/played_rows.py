"""Validated points as rows of a table, computed only from their own games; their hypervolume.

These games had no part in choosing the points. This module fits no model and imports no slow
library, because a study's status needs neither.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.estimate import Z95, Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import nondominated
from thetafront.study.shrinkage import NO_PRIOR, Prior

Row = Mapping[Any, Any]
HALVES = ("first", "second")


def forbidden_line(data: StudyData) -> str:
    """Say how many θ of the study are left out because a constraint now forbids them, if any."""
    if not data.forbidden:
        return ""
    constraints = ", ".join(dict.fromkeys(data.forbidden.values()))
    return f"left out: {len(data.forbidden):,} θ that {constraints} now forbids"


def played_rows(data: StudyData, points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return one row per point of a study, numbered from 1 on.

    A row has the mean of the point's validation games and its costs, with 95% intervals (NaN if
    unknown).
    """
    rows = [played_row(data, point, number) for number, point in enumerate(points, 1)]
    for cost in data.experiment.costs:
        found = cost_estimates(data.experiment, cost, points, data.complete_trials)
        for row, each in zip(rows, found, strict=True):
            row |= {f"{cost.name}_low95": each.low, f"{cost.name}_high95": each.high}
    return rows


def played_row(data: StudyData, point: Point, number: int) -> dict[str, Any]:
    """Return the results of one point's games, without intervals of costs."""
    experiment, goal, prior = data.experiment, data.experiment.goal, data.variance_prior
    columns = games_columns(point, experiment, data.has_failures, prior)
    found = goal.estimate(point.in_order, prior)
    first = {
        goal.column("mean"): found.value,
        goal.column("sem"): found.sem,
        goal.column("low95"): found.low,
        goal.column("high95"): found.high,
    }
    # One half can choose θ, and the other judge this θ. Without noise, all games can do both.
    every = point.in_order
    halves = (every, every) if goal.is_exact else (every[::2], every[1::2])
    for half, games in zip(HALVES, halves, strict=True):
        of_half = goal.estimate(games, prior)
        first[goal.column(f"mean_{half}_half")] = of_half.value
        first[goal.column(f"sem_{half}_half")] = of_half.sem
    return {
        "point": point.key,
        "number": number,
        "origin": point.origin,
        **{name: point.params.get(name) for name in experiment.space.names},
        **{name: columns.pop(name) for name in ("n_games", "n_failed") if name in columns},
        **first,
        **{name: value for name, value in columns.items() if name not in first},
    }


def games_columns(
    point: Point, experiment: Experiment, has_failures: bool, prior: Prior = NO_PRIOR
) -> dict[str, Any]:
    """Summarize the games of one θ, by column; NaN if there are none.

    ``has_failures`` says whether a game of the study has failed.
    """
    games = point.in_order
    n_moves = [game.n_moves for game in games if game.has_ended]
    moves = {"n_moves_mean": sum(n_moves) / len(n_moves) if n_moves else math.nan}
    found = {
        "n_games": len(games),
        **({"n_failed": len(point.failures)} if has_failures else {}),
        **experiment.goal.summary(games),
        **{cost.name: cost.value(games) for cost in experiment.costs},
        **(moves if experiment.summary.has_moves else {}),
    }
    taken = {*found, *experiment.space.names}
    more = experiment.summary.columns(games, prior)
    return found | {name: value for name, value in more.items() if name not in taken}


def cost_estimates(
    experiment: Experiment, cost: Cost, points: Sequence[Point], trials: Sequence[Point] = ()
) -> list[Estimate]:
    """Return each point's cost, computed from its own games, with its 95% interval.

    A count that never varies between the points' games may do so between those of ``trials``.
    ``sem`` is the standard deviation of log₁₀ of the cost.
    """
    samples = [point.in_order for point in points]
    others = [trial.in_order for trial in trials]
    return cost.estimates(samples, experiment.goal.is_exact, others)


def validated_hypervolume(
    rows: Sequence[Row], experiment: Experiment, reference: tuple[float, float] | None = None
) -> tuple[float, float, float]:
    """Return the hypervolume of validated points, not baselines, and its 95% interval, from 0 on.

    The hypervolume of noisy means is biased upwards, like any maximum over noise. So one half of
    each point's games chooses the front, and the other half gives the heights of the front. Then
    the halves change roles, and the result is the mean of the two areas. Given the front, an area
    is a sum of heights times widths, so it is unbiased and has a standard error. The result may be
    a little too low, because a half may choose the wrong points. In simulations with points as
    close together as trials and proposals are, the 95% interval covered the truth in 86% to 94% of
    cases. Errors of costs widen the interval.

    All three numbers are NaN if the games are too few, or if there is no ``reference`` point. By
    default, this is the experiment's reference point.
    """
    reference = reference or experiment.reference_point
    errors_of = [experiment.goal.column(f"sem_{half}_half") for half in HALVES]
    searched = [row for row in rows if row["origin"] not in experiment.baselines]
    known = [row for row in searched if not any(math.isnan(row[name]) for name in errors_of)]
    if not known or reference is None:
        return math.nan, math.nan, math.nan
    judged = [
        judged_area(known, experiment, reference, *halves) for halves in (HALVES, HALVES[::-1])
    ]
    volume = float(np.mean([area for area, _, _ in judged]))
    # The scores of the two areas are independent; both have the costs of all games.
    variance = sum(by_score for _, by_score, _ in judged) / 4.0
    variance += sum(by_costs for _, _, by_costs in judged) / 2.0
    half_width = Z95 * math.sqrt(variance)
    return volume, max(volume - half_width, min(volume, 0.0)), volume + half_width


def judged_area(
    rows: Sequence[Row],
    experiment: Experiment,
    reference: tuple[float, float],
    choosing: str,
    judging: str,
) -> tuple[float, float, float]:
    """Return the area between front and reference, and two variances of it.

    The half ``choosing`` chooses the front, and the half ``judging`` gives its heights. One
    variance is due to errors of scores, and the other is due to errors of costs. A point that costs
    ten times as much makes its predecessor's part of the area a decade wider, and its own part a
    decade narrower. Errors of times are shared by all points, because points take turns on one
    machine; errors of counts are independent.
    """
    goal = experiment.goal
    costs = column(rows, experiment.cost.name)
    worst, max_cost = goal.sign * reference[0], reference[1]
    chosen_by, judged = (
        goal.sign * column(rows, goal.column(f"mean_{half}_half")) for half in (choosing, judging)
    )
    kept = np.flatnonzero((chosen_by > worst) & (costs < max_cost))
    front = kept[nondominated(chosen_by[kept], costs[kept])]
    widths = np.diff(np.log10(np.append(costs[front], max_cost)))
    heights = judged[front] - worst
    errors = column(rows, goal.column(f"sem_{judging}_half"))[front]
    cost_errors = cost_deviations(rows, experiment.cost.name)[front]
    of_costs = np.diff(heights, prepend=0.0) * cost_errors
    return (
        float(np.sum(widths * heights)),
        float(np.sum((widths * errors) ** 2)),
        float(np.sum(of_costs) ** 2 if experiment.cost.is_timed else np.sum(of_costs**2)),
    )


def cost_deviations(rows: Sequence[Row], name: str) -> Floats:
    """Return the standard deviation of log₁₀ of each point's cost.

    It is computed from the point's own games. Where these are too few, it is computed from all
    games of the study, but only if the rows have columns ``combined_*``.
    """
    own, combined = log_deviations(rows, name), f"combined_{name}"
    if not all(combined in row for row in rows):
        return own
    return np.where(np.isnan(own), log_deviations(rows, combined), own)


def log_deviations(rows: Sequence[Row], name: str) -> Floats:
    """Return the standard deviation of log₁₀ of a cost, from its 95% interval."""
    low, high = column(rows, f"{name}_low95"), column(rows, f"{name}_high95")
    return np.asarray(np.log10(high / low) / (2.0 * Z95))


def column(rows: Sequence[Row], name: str) -> Floats:
    """Return a column of numbers."""
    return np.array([row[name] for row in rows], np.float64)
