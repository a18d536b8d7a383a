"""Slices of the model, against the model itself."""

import numpy as np
import pytest

from tests.study.charts.specs import layers_of, rows_of
from tests.study.made_studies import analysis_with
from thetafront.study.charts.chart import rounded
from thetafront.study.charts.slices import (
    GOAL_FIELDS,
    HERE,
    chosen_points,
    parameter_steps,
    slice_at,
    slices_chart,
)
from thetafront.study.charts.vega import specification
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.report.analysis import Analysis


def test_a_slice_is_what_the_model_says_at_one_theta_after_another(pacman: Analysis) -> None:
    model, experiment = pacman.combined, pacman.data.experiment
    assert model is not None
    _, theta = chosen_points(pacman, model)[2]
    for parameter in experiment.space:
        found = slice_at(model, experiment, theta, parameter)
        assert any("here" in row for row in found)
        for row, value in zip(
            found, parameter_steps(parameter, theta[parameter.name]), strict=True
        ):
            assert row["v"] == parameter.text(rounded(value, 3))
            code = model.cube.encode([{**theta, parameter.name: value}])
            belief = model.posterior.goal(code)
            expected = [belief.mean[0], belief.low95[0], belief.high95[0]]
            seen = [row[name] for name in GOAL_FIELDS]
            assert seen == pytest.approx(np.clip(expected, 0.0, 1.0), rel=1e-3)
            assert row["c0"] == pytest.approx(model.posterior.cost(code)[0], rel=1e-3)
            assert row["c1"] <= row["c0"] <= row["c2"]


def test_points_go_from_cheap_to_dear_along_the_front(pacman: Analysis) -> None:
    model = pacman.combined
    assert model is not None
    points = chosen_points(pacman, model)
    front = pacman.tables["front"]
    front = front[front["on_front"]]
    assert len(points) == 5
    numbers = [int(label.split()[1]) for label, _ in points]
    assert numbers == sorted(numbers)
    assert numbers[0] == front["number"].iloc[0]
    assert numbers[-1] == front["number"].iloc[-1]


def test_the_point_itself_is_marked_in_each_slice(pacman: Analysis) -> None:
    chart = slices_chart(pacman)
    assert [len(row) for row in chart.panels] == [2] * 5
    for layer in layers_of(chart, HERE.label):
        assert [row["s"] for row in layer.rows] == [0, 1, 2, 3, 4]
    (param,) = specification(chart)["params"]
    assert param["bind"]["options"] == [0, 1, 2, 3, 4]
    assert len(param["bind"]["labels"]) == 5


def test_values_of_a_grid_are_each_there_once() -> None:
    few = NumericParameter("n", 0, 4, integer=True)
    assert parameter_steps(few, 2) == [0, 1, 2, 3, 4]
    many = NumericParameter("n", 1, 1000, integer=True, log=True)
    found = parameter_steps(many, 777)
    assert 777 in found
    assert found == sorted({*found})
    assert (found[0], found[-1]) == (1, 1000)


def test_before_validation_points_are_predicted(small: Analysis) -> None:
    alone = analysis_with(small.data, tables={**small.tables, "front": small.tables["front"][:0]})
    chart = slices_chart(alone)
    assert chart.choice is not None
    labels = chart.choice.labels
    assert all(each.startswith("predicted point (") for each in labels)
    assert len(rows_of(chart)) > len(labels)
