"""Axes and embedded numbers."""

import json
import math
from dataclasses import replace

import altair as alt
import numpy as np
import pytest

from tests.study.page.charts.specs import drawn
from thetafront.study.experiments.objectives import SCORE, SECONDS, WIN_RATE, mean
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import NumericParameter, Space
from thetafront.study.page.charts.axes import (
    cost_axis,
    goal_domain,
    log_marks,
    looked_up,
    rounded,
    rows_of,
    short,
    told_apart,
)
from thetafront.study.page.charts.front import FrontChart

HOSTILE = "</script><script>alert('1')</script>\"\\ ${x} שלום \u202e"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (12345.678, 12346),
        (0.000123456789, 0.00012346),
        (3.0, 3),
        (np.float64(2.5), 2.5),
        (np.int64(7), 7),
        (np.True_, True),
        (math.nan, None),
        (math.inf, None),
        ("1.23456789", "1.23456789"),
    ],
)
def test_numbers_are_rounded_to_what_json_holds(value: object, expected: object) -> None:
    found = rounded(value)
    assert found == expected
    assert json.loads(json.dumps(found)) == expected


def test_what_is_missing_is_left_out() -> None:
    data = rows_of([{"a": math.nan, "b": 1.0, "c": None}])
    assert data.to_dict() == {"values": [{"b": 1}]}


def test_labels_at_an_axis_are_texts_whatever_is_in_them() -> None:
    axis = alt.Axis(values=[0.25, 0.75], labelExpr=looked_up({0.25: HOSTILE, 0.75: "plain"}))
    scale = alt.Scale(domain=[0, 1], nice=False)
    data = alt.InlineData(values=[{"x": 0.5}])
    chart = alt.Chart(data, width=900).mark_point().encode(x=alt.X("x:Q", axis=axis, scale=scale))
    svg = drawn(chart)
    assert "plain" in svg
    assert "alert('1')" in svg or "alert(&#39;1&#39;)" in svg or "alert(&apos;1&apos;)" in svg
    assert "<script" not in svg


def test_marks_of_logarithmic_axes_are_round_and_within() -> None:
    assert log_marks(2.0, 64.0) == [2.0, 5.0, 10.0, 20.0, 50.0]
    assert log_marks(1e-6, 10.0) == [float(f"1e{k}") for k in range(-6, 2)]
    assert log_marks(1.0, 1.5) == [], "Vega chooses on a short axis"


@pytest.mark.parametrize(("low", "high"), [(1e-5, 1e-3), (2e-4, 2e-4)])
def test_a_cost_axis_holds_its_ends(low: float, high: float) -> None:
    ends = cost_axis(SECONDS, low, high)["scale"].to_dict()["domain"]
    assert ends[0] < low <= high < ends[1]


def test_times_have_units_at_the_axis() -> None:
    data = alt.InlineData(values=[{"x": 1e-4}])
    x = alt.X("x:Q", **cost_axis(SECONDS, 1e-5, 1e-3))
    svg = drawn(alt.Chart(data, width=600).mark_point().encode(x=x))
    assert ">100µs<" in svg
    assert ">1ms<" in svg


def test_a_goals_axis_is_cut_where_intervals_are_far_longer_than_all_else() -> None:
    low, high = goal_domain(WIN_RATE, [0.2, 0.4], [])
    assert low < 0.0
    assert high > 1.0
    low, high = goal_domain(SCORE, [1000.0, 2000.0], [-5000.0, 90_000.0])
    assert low == 0.0
    assert 2000.0 < high < 3000.0
    goal = mean("error", direction="minimize")
    low, high = goal_domain(goal, [10.0, 12.0], [-100.0, 100.0, math.nan])
    assert 8.0 < low < 10.0
    assert 12.0 < high < 13.0
    low, high = goal_domain(goal, [3.0], [3.0])
    assert low < 3.0 < high, "one value has room, too"


def test_long_labels_are_cut() -> None:
    assert short("x" * 10_000) == "x" * 27 + "…"
    assert short("θ₁") == "θ₁"


def test_lines_of_a_tooltip_have_titles_of_their_own() -> None:
    """Of equal titles Vega shows one line; ``title`` and ``image`` it does not show as lines."""
    titles = ["games", "title", "games", "games (2)", "image", "games"]
    found = told_apart(alt.Tooltip(f"p{k}:N", title=each) for k, each in enumerate(titles))
    said = [each["title"] for each in found]
    assert len(set(said)) == len(said)
    assert not {"title", "image"} & set(said)
    assert said[0] == "games"
    assert [each["shorthand"] for each in found] == [f"p{k}:N" for k in range(len(titles))]


@pytest.mark.parametrize("of", ["trial", "validated point", "front"])
@pytest.mark.parametrize(
    "symbols", [("games", "title"), ("image", "P(on front)"), ("x" * 60 + "1", "x" * 60 + "2")]
)
def test_parameters_may_be_called_as_what_else_a_tooltip_says(
    symbols: tuple[str, str], of: str
) -> None:
    experiment = EXPERIMENTS["mcmdp"]
    parameters = list(experiment.space)
    for k, symbol in enumerate(symbols):
        given = parameters[k]
        assert isinstance(given, NumericParameter)
        parameters[k] = replace(given, symbol=symbol)
    named = replace(experiment, space=Space(tuple(parameters)))
    titles = [each["title"] for each in FrontChart({}, named).tooltips(of)]
    assert len(set(titles)) == len(titles) >= len(parameters) + 3
    assert not {"title", "image"} & set(titles)
