"""The chart of a front shows the tables' numbers."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from tests.study.charts.specs import drawn, layers_of, rows_of
from tests.study.charts.test_renderers import HOSTILE
from tests.study.conftest import QUICK
from tests.study.made_studies import (
    add_point,
    add_trials,
    analysis_with,
    changed,
    data_of,
    new_study,
    spread,
)
from thetafront.study.charts.front import (
    BASELINE,
    DOMINATED,
    DOMINATED_BASELINE,
    KINDS,
    LEFT,
    ON_FRONT,
    TRIALS,
    cost_interval,
    field_titles,
    front_chart,
)
from thetafront.study.charts.hypervolume import timeline_chart
from thetafront.study.charts.vega import notebook_chart, specification
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.space import Space
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import games_note


def validated_rows(data: Analysis) -> pd.DataFrame:
    rows = rows_of(front_chart(data), *(kind.label for kind in KINDS.values()))
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
        "n": "n_games",
    }
    for field, column in columns.items():
        assert [*rows[field]] == pytest.approx([*front[column]]), field
    assert [*rows["p0"]] == [str(n) for n in front["n_playouts"]]
    assert [each == DOMINATED.label for each in rows["kind"]] == [
        not on for on in front["on_front"]
    ]
    assert {DOMINATED.label, ON_FRONT.label} <= {*rows["kind"]}


def test_dominated_points_do_not_hide_the_front(small: Analysis) -> None:
    """One of the same cost and score would. The legend still begins with the front."""
    chart = front_chart(small)
    layers = [each for row in chart.panels for panel in row for each in panel.layers]
    marks = [each.kind for each in layers if each.mark == "point" and each.kind != TRIALS]
    assert marks[-1] == ON_FRONT
    assert DOMINATED in marks
    assert chart.kinds.index(ON_FRONT) < chart.kinds.index(DOMINATED)


def test_trials_are_drawn_once_each(small: Analysis) -> None:
    rows, trials = rows_of(front_chart(small), TRIALS.label), small.tables["trials"]
    assert [row["y"] for row in rows] == [*trials["score_mean_points"]]
    assert [row["x"] for row in rows] == [*trials["seconds_per_move"]]


def test_what_may_be_left_to_win_goes_from_the_answer_to_its_bound(small: Analysis) -> None:
    (layer,), table = layers_of(front_chart(small), LEFT.label), small.tables["certificate"]
    for row, (_, each) in zip(layer.rows[::2], table.iterrows(), strict=False):
        assert row["x"] == each["seconds_per_move_limit"]
        assert row["y"] == each["combined_mean_points"]
        assert row["high"] == pytest.approx(row["y"] + each["regret_bound95"])


def test_baselines_have_a_shape_and_a_name(pacman: Analysis) -> None:
    rows, front = validated_rows(pacman), pacman.tables["front"]
    given = {BASELINE.label, DOMINATED_BASELINE.label}
    is_given = front["origin"].isin(list(pacman.data.experiment.baselines))
    assert is_given.any()
    assert [each in given for each in rows["kind"]] == [*is_given]
    assert {row["p4"] for row in rows.to_dict("records")} <= {"manhattan", "maze"}
    labels = [row["label"] for row in rows_of(front_chart(pacman), "")]
    assert [int(each.partition(" ")[0]) for each in labels] == [*front["number"]]
    named = [each for each in labels if " " in each]
    assert "9 the report's" in named
    assert {"maze", "manhattan"} <= {each.partition(" ")[2] for each in named}
    assert len(named) <= 7, "a choice is named where it changes"


def test_tooltips_name_all_parameters_and_what_the_model_said(pacman: Analysis) -> None:
    said = {*field_titles(pacman.data.experiment).values()}
    assert {each.label for each in pacman.data.experiment.space} <= said
    assert {"games", "P(on front)", "win rate by the model of the trials"} <= said
    fields = {*field_titles(pacman.data.experiment)}
    assert all(fields <= {*row} for row in validated_rows(pacman).to_dict("records"))


def test_a_tooltip_says_interval_only_if_it_shows_one(small: Analysis) -> None:
    for chart in (front_chart(small), timeline_chart(small)):
        for layer in layers_of(chart):
            is_trial = all(row.get("who", "trial").startswith("trial") for row in layer.rows)
            assert ("95% interval" in layer.tooltip.get("seen", "")) == (
                bool(layer.tooltip) and not is_trial
            )


def test_the_page_can_set_a_budget_and_choose_a_point(small: Analysis) -> None:
    chart, dashes = front_chart(small), 'stroke-dasharray="4,4"'
    assert dashes not in drawn(chart)
    assert drawn(chart, budget=2e-4).count(dashes) == 1
    sizes = [{*re.findall(r' d="(M[^"]*)"', drawn(chart, chosen=k))} for k in (99, 1)]
    assert len(sizes[1] - sizes[0]) == 1, "one point has another size"


def test_no_trial_no_chart(small: Analysis) -> None:
    chart = front_chart(Analysis(data_of(new_study(), QUICK)))
    assert not chart.panels
    assert "No trial" in chart.caption


def test_before_validation_there_is_the_predicted_front(small: Analysis) -> None:
    tables = {**small.tables, "front": small.tables["front"].iloc[:0]}
    chart = front_chart(analysis_with(small.data, tables=tables, rows=[]))
    assert chart.panels
    assert "Nothing is validated yet" in chart.caption
    assert not [row for row in rows_of(chart) if "number" in row]
    assert "95%" not in "".join(kind.label for kind in chart.kinds), "no certificate yet"


def test_an_unknown_interval_of_a_cost_is_that_of_the_model(small: Analysis) -> None:
    point = small.tables["front"].iloc[0].to_dict()
    point |= {"seconds_per_move": 1e-3, "seconds_per_move_low95": float("nan")}
    ratio = point["combined_seconds_per_move_low95"] / point["combined_seconds_per_move"]
    assert cost_interval(point, QUICK)[1] == pytest.approx(1e-3 * ratio)


def test_a_point_of_a_single_game_is_drawn_where_the_model_expects_it() -> None:
    study = new_study()
    add_trials(study, QUICK)
    add_point(study, 10, [9000], 0.1)
    add_point(study, 20, spread(4500, 300), 0.2)
    analysis = Analysis(data_of(study, QUICK))
    single, other = validated_rows(analysis).to_dict("records")
    drawn, table = [single[each] for each in ("y", "low", "high")], analysis.tables["front"]
    expected = [f"combined_{each}_points" for each in ("mean", "low95", "high95")]
    assert drawn == pytest.approx([*table[expected].iloc[0]])
    assert single["low"] < single["y"] < min(single["high"], 9000.0)
    assert single["seen"].startswith("9,000")
    assert other["y"] == 4500.0
    note = "1 point has only one game and is drawn at the expected score, with its 95% interval."
    assert front_chart(analysis).caption.count(note) == 1


def hostile(experiment: Experiment) -> Experiment:
    """The same, with a label that is an attack, ten thousand characters long."""
    spoilt = [replace(each, symbol=HOSTILE + "x" * 10_000) for each in experiment.space]
    return replace(experiment, space=Space(tuple(spoilt)))


def test_a_hostile_label_is_text(small: Analysis) -> None:
    spoilt = changed(small, data=replace(small.data, experiment=hostile(QUICK)))
    chart = replace(front_chart(spoilt), table=pd.DataFrame())
    assert len(str(specification(chart))) < 60_000, "long labels are cut"
    assert "<script" not in drawn(chart)


def test_a_notebook_shows_it_with_its_subject(small: Analysis) -> None:
    spec = notebook_chart(front_chart(small)).to_dict()
    assert spec["title"] == f"{QUICK.title}: score against CPU time per move"
    assert spec["width"] == 620


def test_counts_of_one_are_singular() -> None:
    for counts, said in (
        ([1], "1 point with 1 game"),
        ([40], "1 point with 40 games"),
        ([1, 1], "2 points with 1 game each"),
        ([40, 1000], "2 points with 40 to 1,000 games each, 1,040 in all"),
    ):
        assert games_note(pd.DataFrame({"n_games": counts}), "point") == said
