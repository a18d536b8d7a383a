"""Validated points as rows of a table, with the score and cost expected of them, and their front.

A row has two estimates of score and cost. One comes from the point's own validation games. They had
no part in choosing the point, so this estimate can refute the model of the trials. The *combined*
estimate comes from all games of the study, including those of trials
(:func:`study.model.study_model.combine`). It says what to expect of the point, and determines the
front.

This module does not import pandas, which is slow to import: commands that only print text do not
need pandas.
"""

import math
from collections.abc import Sequence

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import nondominated, p_on_front
from thetafront.study.report.expected import Expected, with_known
from thetafront.study.report.played_rows import Row, column, log_deviations, played_rows
from thetafront.study.report.recommend import Candidates

N_DRAWS = 4000


def validated_rows(candidates: Candidates) -> list[Row]:
    """Return one row per validated point with games, numbered from the cheapest.

    Unknown intervals are NaN. By the combined estimates, ``on_front`` marks nondominated points,
    and ``p_on_front`` is the probability that no other validated point dominates the point.
    """
    experiment, combined = candidates.data.experiment, candidates.combined
    points = [each.point for each in candidates.played]
    if not points:
        return []
    expected = [each.expected for each in candidates.played]
    rows = [
        {**row, **combined_columns(each, experiment)}
        for row, each in zip(played_rows(candidates.data, points), expected, strict=True)
    ]
    if experiment.goal.is_exact:
        return with_front(rows, experiment)
    codes = combined.cube.encode([point.params for point in points])
    rng = np.random.default_rng(0)
    draws = combined.draw_most_probable(codes, N_DRAWS, rng)
    return with_front(rows, experiment, with_known(draws, expected, combined.posterior))


def combined_columns(expected: Expected, experiment: Experiment) -> dict[str, float]:
    """Return the columns of the score and the cost that are expected of a point."""
    goal, cost_column = experiment.goal, f"combined_{experiment.cost.name}"
    score, cost = expected.score, expected.cost
    return {
        goal.combined_column("mean"): score.value,
        goal.combined_column("sd"): score.sem,
        goal.combined_column("low95"): score.low,
        goal.combined_column("high95"): score.high,
        cost_column: cost.value,
        f"{cost_column}_low95": cost.low,
        f"{cost_column}_high95": cost.high,
    }


def validated_columns(data: StudyData) -> list[str]:
    """Return the columns of :func:`validated_rows`; there is one more column if games failed."""
    nothing = Expected(Estimate(math.nan), Estimate(math.nan), math.nan)
    return [
        *played_rows(data, [Point({})])[0],
        *combined_columns(nothing, data.experiment),
        "on_front",
        "p_on_front",
    ]


def without_baselines(rows: Sequence[Row], experiment: Experiment) -> list[Row]:
    """Return the validated points that are not baselines, and mark the front among them."""
    return with_front(
        [row for row in rows if row["origin"] not in experiment.baselines], experiment
    )


def with_front(
    rows: Sequence[Row], experiment: Experiment, draws: Floats | None = None
) -> list[Row]:
    """Add whether each point is nondominated, and the probability that it is.

    Both results use the combined estimates of score and cost. The probability comes from ``draws``,
    shape (n_draws, n, 2), of the goal times its sign and of −log₁₀ cost. Without ``draws``, scores
    and costs are drawn here, with independent errors.
    """
    goal, cost = experiment.goal, experiment.cost
    means = goal.sign * column(rows, goal.combined_column("mean"))
    costs = column(rows, f"combined_{cost.name}")
    if draws is None:
        errors = column(rows, goal.combined_column("sd"))
        cost_errors = log_deviations(rows, f"combined_{cost.name}")
        normals = np.random.default_rng(0).standard_normal((N_DRAWS, len(rows), 2))
        middles = np.stack([means, -np.log10(costs)], axis=-1)
        draws = middles + np.stack([errors, cost_errors], axis=-1) * normals
    on_front = np.isin(np.arange(len(rows)), nondominated(means, costs)).tolist()
    shares = p_on_front(draws).tolist()
    return [
        {**row, "on_front": on, "p_on_front": share}
        for row, on, share in zip(rows, on_front, shares, strict=True)
    ]
