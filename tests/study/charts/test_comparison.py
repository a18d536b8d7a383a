"""Fronts of several studies: budgets, differences by hand, and what cannot be compared."""

import math
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.study.charts.published import published
from tests.study.charts.specs import drawn, rows_of
from tests.study.conftest import QUICK
from tests.study.made_studies import changed
from thetafront.study.charts.comparison import (
    MAX_STUDIES,
    N_ROWS,
    ComparedFront,
    common_budgets,
    compared,
    difference,
    differences_chart,
    fronts_chart,
)
from thetafront.study.errors import InputError
from thetafront.study.log.point import Point
from thetafront.study.report.analysis import Analysis


def test_a_difference_of_symmetric_intervals_has_the_root_of_their_squares() -> None:
    one, other = np.array([[10.0, 7.0, 13.0]]), np.array([[4.0, 0.0, 8.0]])
    np.testing.assert_allclose(difference(one, other), [[6.0, 1.0, 11.0]])  # 5 = √(3² + 4²)
    np.testing.assert_allclose(difference(one, one)[0, 0], 0.0)


def test_a_difference_takes_the_ends_that_face_each_other() -> None:
    """Of one, the lower part and of the other, the upper one, for the lower end."""
    one, other = np.array([[10.0, 7.0, 30.0]]), np.array([[4.0, -20.0, 8.0]])
    value, low, high = difference(one, other)[0]
    assert (value, low) == (6.0, 1.0)
    assert high == pytest.approx(6.0 + math.hypot(20.0, 24.0))


def test_intervals_of_differences_cover_the_truth() -> None:
    """Of 4,000 pairs of means with known errors, 95% (one percent of tolerance)."""
    rng = np.random.default_rng(5)
    true, sems = np.array([3.0, 1.0]), np.array([1.0, 2.5])
    seen = true + sems * rng.standard_normal((4_000, 2))
    one, other = (
        np.column_stack([seen[:, k], seen[:, k] - 1.96 * sems[k], seen[:, k] + 1.96 * sems[k]])
        for k in range(2)
    )
    _, low, high = difference(one, other).T
    assert np.mean((low <= 2.0) & (high >= 2.0)) == pytest.approx(0.95, abs=0.01)


def test_within_a_budget_is_the_best_point_that_costs_no_more() -> None:
    front = ComparedFront("mcmdp", published("mcmdp")[1])
    rows = front.curve
    assert [row["y"] for row in rows] == sorted(row["y"] for row in rows)
    budgets = np.geomspace(rows[0]["x"] / 2, rows[-1]["x"] * 2, 50)
    for budget, found in zip(budgets, front.at_cost(budgets), strict=True):
        allowed = [row for row in rows if row["x"] <= budget]
        if allowed:
            best = max(allowed, key=lambda row: row["y"])
            assert found.tolist() == [best["y"], best["low"], best["high"]]
        else:
            assert np.isnan(found).all()


def test_equal_points_are_one() -> None:
    """The front of exact scores has every θ with the same score and count."""
    one = published("mcmdp")[1]
    front = one.tables["combined_front"]
    low = one.data.experiment.goal.combined_column("low95")
    twice = front.loc[front.index.repeat(2)].assign(**{low: [0.0, -1.0] * len(front)})
    doubled = changed(one, tables={**one.tables, "combined_front": twice})
    curve = ComparedFront("mcmdp", doubled).curve
    assert [row["y"] for row in curve] == [row["y"] for row in ComparedFront("mcmdp", one).curve]
    assert {row["low"] for row in curve} == {0.0}


def test_a_study_differs_from_itself_by_nothing() -> None:
    one = published("mcmdp")[1]
    fronts = compared([one, one])
    assert [front.name for front in fronts] == ["1: mcmdp", "2: mcmdp"]
    table = differences_chart(fronts).table
    assert len(table) == N_ROWS
    assert all(text.startswith("0 ±") for text in table["2: mcmdp: difference"])


def test_budgets_are_those_that_all_studies_keep() -> None:
    fronts = compared([published(name)[1] for name in ("mcmdp", "switching")])
    budgets = common_budgets(fronts, 9)
    assert budgets[0] == pytest.approx(max(front.curve[0]["x"] for front in fronts))
    assert budgets[-1] == pytest.approx(max(front.curve[-1]["x"] for front in fronts))
    assert not np.isnan(np.stack([front.at_cost(budgets) for front in fronts])).any()


def test_charts_have_every_study_and_its_points() -> None:
    fronts = compared([published(name)[1] for name in ("mcmdp", "switching")])
    chart = fronts_chart(fronts)
    for front in fronts:
        rows = rows_of(chart, front.name)
        n_points = sum("number" in row for row in rows)
        assert n_points == len(front.data.tables["front"])
        assert len(rows) == n_points + len(front.curve)
    assert list(chart.table["study"]) == ["mcmdp", "switching"]
    assert all(each.startswith("AMD EPYC, 2 cores") for each in chart.table["machines"])
    assert "<path" in drawn(chart)
    assert "<path" in drawn(differences_chart(fronts))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"standard_error": 1.0, "replicates": 2}, ""),
        (
            {"penalty": 3.0},
            r"score against CPU time per move \(quick\); the goal's penalty differs$",
        ),
    ],
)
def test_goals_are_compared_however_precisely_they_are_measured(
    small: Analysis, change: dict[str, Any], message: str
) -> None:
    experiment = replace(QUICK, goal=replace(QUICK.goal, **change))
    other = Analysis(replace(small.data, experiment=experiment))
    with pytest.raises(InputError, match=message) if message else nullcontext():
        assert len(compared([small, other])) == 2


def test_points_that_were_left_out_are_not_counted(small: Analysis) -> None:
    left_out = [Point({"n_playouts": n}, error="it failed") for n in (1, 2)]
    data = replace(small.data, points=[*small.data.points, *left_out])
    table = fronts_chart(compared([small, Analysis(data)])).table
    assert list(table["validation"]) == ["3 points, 300 games"] * 2


def test_what_cannot_be_compared_is_named() -> None:
    one = published("mcmdp")[1]
    with pytest.raises(InputError, match=r"must be between 2 and 5"):
        compared([one])
    with pytest.raises(InputError, match=r"number of studies must be between 2 and 5"):
        compared([one] * (MAX_STUDIES + 1))
    with pytest.raises(
        InputError,
        match=r"studies must have the same goal and cost: 'dice' has .* \(dice\), but 'mcmdp' has",
    ):
        compared([one, published("dice_study")[1]])
