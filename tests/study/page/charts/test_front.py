"""The chart of a front shows the tables' numbers."""

from dataclasses import replace

import altair as alt
import pandas as pd
import pytest

from tests.study.conftest import QUICK
from tests.study.made_studies import analysis_with, data_of, new_study
from tests.study.page.charts.specs import drawn, rows_of, spec_of, texts
from tests.study.page.charts.test_axes import HOSTILE
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.space import Space
from thetafront.study.page.charts.front import (
    BASELINE,
    BEATEN,
    BEATEN_BASELINE,
    ON_FRONT,
    TRIALS,
    cost_interval,
    front_figure,
    notebook_chart,
)
from thetafront.study.report.analysis import Analysis


def validated_rows(data: Analysis) -> pd.DataFrame:
    rows = [row for row in rows_of(front_figure(data)) if "number" in row]
    return pd.DataFrame(rows).sort_values("number")


def test_validated_points_are_those_of_the_table(small: Analysis) -> None:
    rows, front = validated_rows(small), small.tables["front"]
    assert [*rows["number"]] == [*front["number"]]
    columns = {
        "x": "seconds_per_move",
        "left": "seconds_per_move_low95",
        "right": "seconds_per_move_high95",
        "y": "score_mean_points",
        "low": "score_low95_points",
        "high": "score_high95_points",
        "p0": "n_playouts",
        "n": "n_games",
    }
    for field, column in columns.items():
        assert [*rows[field]] == pytest.approx([*front[column]], rel=1e-4), field
    assert [each == BEATEN.label for each in rows["kind"]] == [not on for on in front["on_front"]]
    assert BEATEN.label in {*rows["kind"]}
    assert ON_FRONT.label in {*rows["kind"]}


def test_trials_are_drawn_once_each(small: Analysis) -> None:
    rows = [row for row in rows_of(front_figure(small)) if row.get("kind") == TRIALS.label]
    trials = small.tables["trials"]
    assert [row["y"] for row in rows] == pytest.approx([*trials["score_mean_points"]], rel=1e-4)
    assert [row["x"] for row in rows] == pytest.approx([*trials["seconds_per_move"]], rel=1e-4)


def test_baselines_have_a_shape_of_their_own(pacman: Analysis) -> None:
    rows, front = validated_rows(pacman), pacman.tables["front"]
    given = {BASELINE.label, BEATEN_BASELINE.label}
    is_given = front["origin"].isin(list(pacman.data.experiment.baselines))
    assert is_given.any()
    assert [each in given for each in rows["kind"]] == [*is_given]
    assert {row["p4"] for row in rows.to_dict("records")} <= {"manhattan", "maze"}


def test_tooltips_name_all_parameters_and_what_the_model_said(pacman: Analysis) -> None:
    said = {*texts(spec_of(front_figure(pacman)))}
    assert {each.label for each in pacman.data.experiment.space} <= said
    assert {"games", "P(on front)", "win rate by the model of trials"} <= said


def test_the_page_can_set_a_budget_and_choose_a_point(small: Analysis) -> None:
    figure = front_figure(small)
    parameters = {each["name"]: each for each in spec_of(figure)["params"]}
    assert parameters["budget"]["value"] is None
    assert parameters["chosen"]["select"] == {"type": "point", "fields": ["number"]}
    assert figure.chart is not None
    without = drawn(figure.chart)
    spec = figure.chart.to_dict()
    for each in spec["params"]:
        if each["name"] == "budget":
            each["value"] = 2e-4
    marked = drawn(alt.LayerChart.from_dict(spec))
    dashes = 'stroke-dasharray="4,4"'
    assert dashes not in without
    assert marked.count(dashes) == 1


def test_no_trial_no_chart(small: Analysis) -> None:
    figure = front_figure(Analysis(data_of(new_study(), QUICK)))
    assert figure.chart is None
    assert "No trial" in figure.text


def test_before_validation_there_is_the_predicted_front(small: Analysis) -> None:
    alone = analysis_with(
        small.data, tables={**small.tables, "front": small.tables["front"].iloc[:0]}
    )
    figure = front_figure(alone)
    assert figure.chart is not None
    assert "nothing is validated yet" in figure.text
    assert not [row for row in rows_of(figure) if "number" in row]


def test_an_unknown_interval_of_a_cost_is_that_of_the_model(small: Analysis) -> None:
    point = small.tables["front"].iloc[0].to_dict()
    point |= {"seconds_per_move": 1e-3, "seconds_per_move_low95": float("nan")}
    ratio = point["combined_seconds_per_move_low95"] / point["combined_seconds_per_move"]
    assert cost_interval(point, QUICK)[1] == pytest.approx(1e-3 * ratio)
    bare = {"seconds_per_move": 1e-3}
    assert cost_interval(bare, QUICK) == (1e-3, 1e-3, 1e-3)


def hostile(experiment: Experiment) -> Experiment:
    """The same, with a label that is an attack, ten thousand characters long."""
    spoilt = [replace(each, symbol=HOSTILE + "x" * 10_000) for each in experiment.space]
    return replace(experiment, space=Space(tuple(spoilt)))


def test_a_hostile_label_is_text(small: Analysis) -> None:
    chart = notebook_chart(small.tables, hostile(QUICK))
    assert len(str(chart.to_dict())) < 60_000, "long labels are cut"
    assert "<script" not in drawn(chart)
