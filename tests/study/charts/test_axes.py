"""Axes: where they begin and end, and what is written on them."""

import json
import math

import numpy as np
import pytest

from thetafront.study.charts.axes import (
    axis_span,
    cost_axis,
    cost_tick,
    goal_axis,
    log_ticks,
    parameter_axis,
    round_values,
    theta_row,
    without_outliers,
)
from thetafront.study.charts.chart import Chart, rounded, short
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SECONDS
from thetafront.study.experiments.objectives.goals import SCORE, WIN_RATE, mean
from thetafront.study.experiments.space import Space


@pytest.mark.parametrize(
    ("title", "heading"),
    [("Score", "s: score"), ("PSNR loss", "s: PSNR loss"), ("θ of all", "s: θ of all")],
)
def test_a_heading_keeps_acronyms(title: str, heading: str) -> None:
    assert Chart("key", title, "", subject="s").heading == heading


def test_a_tooltip_shows_a_dash_for_an_inactive_parameter() -> None:
    kind = CategoricalParameter("kind", ("deep", "flat"))
    depth = NumericParameter("depth", 1, 9, integer=True, when={"kind": ("deep",)})

    def play(kind: str, seed: int, depth: int = 0) -> float:
        return 0.0

    experiment = Experiment(name="e", agent=play, space=Space((kind, depth)), goal=mean("v"))
    assert theta_row({"kind": "deep", "depth": 3}, experiment) == {"p0": "deep", "p1": "3"}
    for theta in ({"kind": "flat"}, {"kind": "flat", "depth": math.nan}):
        assert theta_row(theta, experiment) == {"p0": "flat", "p1": "–"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (9_999_876.54321, 9_999_876.5),
        (0.000123456789, 0.00012345679),
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


def test_long_labels_are_cut() -> None:
    assert short("x" * 10_000) == "x" * 27 + "…"
    assert short("θ₁") == "θ₁"


def test_values_at_an_axis_are_round_and_within() -> None:
    assert log_ticks(2.0, 64.0) == [2.0, 5.0, 10.0, 20.0, 50.0]
    assert log_ticks(2.0, 30.0) == [2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 30.0]
    assert log_ticks(1e-6, 10.0) == [float(f"1e{k}") for k in range(-6, 2)]
    assert log_ticks(1.0, 1.5) == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5], "a short axis"
    assert round_values(0.05, 1.0, 6) == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert round_values(-3.0, 11.0, 6) == [0.0, 5.0, 10.0]


@pytest.mark.parametrize(("low", "high"), [(1e-5, 1e-3), (2e-4, 2e-4)])
def test_a_cost_axis_holds_its_ends(low: float, high: float) -> None:
    axis = cost_axis(SECONDS, [low, high])
    assert axis.low < low <= high < axis.high
    assert axis.is_log


def test_costs_have_units_at_the_axis() -> None:
    assert cost_axis(SECONDS, [1e-5, 1e-3]).ticks[1e-4] == "100 µs"
    assert cost_axis(SECONDS, [1.0, 3000.0]).ticks[1e3] == "1,000 s"
    assert cost_tick(SECONDS, 7.8e6) == "7,800,000 s", "without an exponent"
    assert cost_axis(PLAYOUT_MOVES, [1e3, 1e7]).ticks[1e6] == "1 M"


def test_an_axis_says_where_less_is_better() -> None:
    assert goal_axis(SCORE, (0.0, 1.0)).title == "mean score, points"
    less = mean("loss", direction="minimize")
    assert goal_axis(less, (0.0, 1.0)).title == "mean loss (lower is better)"
    near_1 = goal_axis(WIN_RATE, (0.9885, 1.004))
    assert list(near_1.ticks.values())[-2:] == ["99.8%", "100.0%"], "no tick beyond the bound"
    assert len(set(near_1.ticks.values())) == len(near_1.ticks)


def test_an_axis_begins_near_the_data() -> None:
    low, high = axis_span([30_000.0, 60_000.0], [29_000.0, 61_000.0])
    assert 27_000.0 < low < 29_000.0
    assert 61_000.0 < high < 63_000.0


def test_an_axis_is_cut_where_intervals_are_far_longer_than_all_else() -> None:
    """A quarter of the range beyond each end, and some room; of a goal of any sign."""
    assert axis_span([1000.0, 2000.0], [-5000.0, 90_000.0, math.nan]) == (705.0, 2295.0)
    assert axis_span([-10.0, -6.0], [-500.0]) == (-11.15, -5.85)
    low, high = axis_span([3.0], [3.0])
    assert low < 3.0 < high, "one value has room, too"


def test_one_observed_outlier_does_not_stretch_an_axis() -> None:
    usual = [float(k) for k in range(30)]
    assert without_outliers([400.0, *usual, math.nan]) == usual
    assert without_outliers([-400.0, *usual]) == usual
    many = [*usual, 400.0, 410.0, 420.0]
    assert without_outliers(many) == many, "three that agree are no outlier"
    assert axis_span([5.0], observed=[*usual, 400.0])[1] < 31.0
    assert axis_span([400.0], observed=usual)[1] > 400.0, "what must be seen is"


def test_a_parameters_axis_has_its_values() -> None:
    choices = parameter_axis(CategoricalParameter("c", ("x", "y")), "c")
    assert choices.ticks == {0.0: "x", 1.0: "y"}
    linear = parameter_axis(NumericParameter("p", 0.0, 1.0), "p")
    assert list(linear.ticks.values()) == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    log = parameter_axis(NumericParameter("q", 1.0, 100.0, log=True), "q")
    assert log.is_log
    assert list(log.ticks) == [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
