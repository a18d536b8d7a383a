"""Validated points as rows of a table, their front and their hypervolume.

Without pandas, which is slow to import: commands that only print need nothing more.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Game
from study.estimate import Z95
from study.experiments.definition import Experiment
from study.experiments.objectives import Goal
from study.pareto import nondominated, p_on_front
from study.store.study_data import StudyData
from study.store.validated_points import ValidatedPoint

Row = Mapping[Any, Any]
HALVES = ("first", "second")
N_DRAWS = 4000


def games_columns(games: Sequence[Game], experiment: Experiment) -> dict[str, Any]:
    """Summarize the games of one θ, by column; NaN if there are none."""
    n_moves = sum(game.n_moves for game in games)
    return {
        "n_games": len(games),
        **experiment.goal.summary(games),
        **{cost.name: cost.of(games) for cost in experiment.costs},
        "n_moves_mean": n_moves / len(games) if games else math.nan,
        **experiment.summary.columns(games),
    }


def validated_rows(data: StudyData) -> list[Row]:
    """Return one row a validated point that has games, numbered from the cheapest on.

    Each has the goal's mean and its 95% interval, NaN for a single noisy game. ``on_front`` marks
    nondominated means. ``p_on_front`` is the probability that no other validated point dominates,
    by draws of the means from their standard errors; costs are taken as exact.
    """
    experiment = data.experiment
    rows = [
        validated_row(point, experiment, number) for number, point in enumerate(by_cost(data), 1)
    ]
    return with_front(rows, experiment)


def by_cost(data: StudyData) -> list[ValidatedPoint]:
    """Return the validated points that have games, the cheapest first: their numbers, from 1."""
    cost = data.experiment.cost
    points = [point for point in data.points if point.games]
    return sorted(points, key=lambda point: cost.of(point.in_order))


def validated_columns(experiment: Experiment) -> list[str]:
    """Return the columns of :func:`validated_rows`."""
    empty = ValidatedPoint("", dict.fromkeys(experiment.space.names), "")
    return [*validated_row(empty, experiment, 0), "on_front", "p_on_front"]


def without_baselines(rows: Sequence[Row], experiment: Experiment) -> list[Row]:
    """Return the validated points that the search found, with their own front."""
    return with_front(
        [row for row in rows if row["origin"] not in experiment.baselines], experiment
    )


def with_front(rows: Sequence[Row], experiment: Experiment) -> list[Row]:
    """Add which points are nondominated, and with what probability."""
    means = column(rows, experiment.goal.column("mean"))
    costs = column(rows, experiment.cost.name)
    draws = mean_draws(rows, experiment.goal)
    both = np.stack([draws, np.broadcast_to(-costs, draws.shape)], axis=-1)
    on_front = np.isin(np.arange(len(rows)), nondominated(means, costs)).tolist()
    shares = p_on_front(both).tolist()
    return [
        {**row, "on_front": on, "p_on_front": share}
        for row, on, share in zip(rows, on_front, shares, strict=True)
    ]


def column(rows: Sequence[Row], name: str) -> npt.NDArray[np.float64]:
    """Return a column of numbers."""
    return np.array([row[name] for row in rows], np.float64)


def validated_row(point: ValidatedPoint, experiment: Experiment, number: int) -> dict[str, Any]:
    """Return the columns of one point."""
    goal = experiment.goal
    columns = games_columns(point.in_order, experiment)
    found = goal.estimate(point.in_order)
    first = {
        goal.column("mean"): found.value,
        goal.column("sem"): found.sem,
        goal.column("low95"): found.low,
        goal.column("high95"): found.high,
        **half_columns(point, goal),
    }
    return {
        "point": point.key,
        "number": number,
        "origin": point.origin,
        **point.params,
        "n_games": columns.pop("n_games"),
        **first,
        **{name: value for name, value in columns.items() if name not in first},
    }


def half_columns(point: ValidatedPoint, goal: Goal) -> dict[str, float]:
    """Return the mean and standard error of each half of the games."""
    columns = {}
    for half, games in zip(HALVES, goal.estimator.halves(point.in_order), strict=True):
        found = goal.estimate(games)
        columns[goal.column(f"mean_{half}_half")] = found.value
        columns[goal.column(f"sem_{half}_half")] = found.sem
    return columns


def mean_draws(rows: Sequence[Row], goal: Goal) -> npt.NDArray[np.float64]:
    """Draw the true means, given the observed ones and their errors, shape (N_DRAWS, n).

    Each draw is followed by its mirror image, so that the mean of all draws is the observed one.
    """
    means, errors = column(rows, goal.column("mean")), column(rows, goal.column("sem"))
    errors = np.where(np.isnan(errors), means, errors)
    half = np.random.default_rng(0).standard_normal((N_DRAWS // 2, len(rows)))
    normals = np.stack([half, -half], axis=1).reshape(N_DRAWS, len(rows))
    return np.asarray(means + errors * normals)


def validated_hypervolume(
    rows: Sequence[Row], experiment: Experiment
) -> tuple[float, float, float]:
    """Return the hypervolume of the validated points, and its 95% interval.

    The hypervolume of noisy means is biased upwards, like any maximum over noise. So one half of
    each point's games chooses the front and the other half gives its heights, then the other way
    round; the result is the mean of both. Given the front, the area is a sum of heights times
    widths, so it is unbiased and has a standard error. It may be a little low where a half chooses
    the wrong point. In simulations with points as close as trials and proposals are, the interval
    covered the truth in 86 to 94 of 100 cases.
    """
    errors_of = [experiment.goal.column(f"sem_{half}_half") for half in HALVES]
    known = [row for row in rows if not any(math.isnan(row[name]) for name in errors_of)]
    if not known:
        return math.nan, math.nan, math.nan
    areas, errors = [], []
    for choosing, judging in (HALVES, HALVES[::-1]):
        area, error = judged_area(known, experiment, choosing, judging)
        areas.append(area)
        errors.append(error)
    volume = float(np.mean(areas))
    half_width = Z95 * float(np.sqrt(np.sum(np.square(errors)))) / 2.0
    return volume, volume - half_width, volume + half_width


def judged_area(
    rows: Sequence[Row], experiment: Experiment, choosing: str, judging: str
) -> tuple[float, float]:
    """Return the area under the front that one half chooses, by heights of the other half."""
    goal = experiment.goal
    costs = column(rows, experiment.cost.name)
    chosen_by = column(rows, goal.column(f"mean_{choosing}_half"))
    inside = (chosen_by > experiment.reference_score) & (costs < experiment.reference_cost)
    kept = np.flatnonzero(inside)
    front = kept[nondominated(chosen_by[kept], costs[kept])]
    widths = np.diff(np.log10(np.append(costs[front], experiment.reference_cost)))
    heights = column(rows, goal.column(f"mean_{judging}_half"))[front]
    errors = column(rows, goal.column(f"sem_{judging}_half"))[front]
    area = float(np.sum(widths * (heights - experiment.reference_score)))
    return area, float(np.sqrt(np.sum((widths * errors) ** 2)))
