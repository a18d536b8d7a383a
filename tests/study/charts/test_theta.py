"""Parallel coordinates: places of values on axes, brushes, edges."""

import pytest

from tests.study.charts.specs import layers_of, rows_of
from thetafront.study.charts import theta
from thetafront.study.charts.theta import FRONT, TRIALS, strip_of, theta_chart
from thetafront.study.charts.vega import specification
from thetafront.study.experiments.space import CategoricalParameter, NumericParameter
from thetafront.study.report.analysis import Analysis


def test_every_trial_and_point_of_the_front_is_a_line(pacman: Analysis) -> None:
    chart = theta_chart(pacman)
    trials, front = pacman.tables["trials"], pacman.tables["front"]
    assert len(rows_of(chart, TRIALS.label)) == len(trials)
    is_given = front["origin"].isin(list(pacman.data.experiment.baselines))
    n_front = int((front["on_front"] & ~is_given).sum())
    assert len(rows_of(chart, FRONT.label)) == n_front


def test_places_on_axes_are_those_of_the_space(pacman: Analysis) -> None:
    rows = rows_of(theta_chart(pacman))
    rows = [row for row in rows if "who" in row]
    space = [*pacman.data.experiment.space]
    for row, trial in zip(rows, pacman.tables["trials"].to_dict("records"), strict=False):
        for k, parameter in enumerate(space):
            assert row[f"y{k}"] == pytest.approx(parameter.to_unit(trial[parameter.name]), abs=1e-4)
    last = len(space)
    assert {0.0, 1.0} <= {row[f"y{last}"] for row in rows}, "the cost's axis spans all"
    by_cost = sorted(rows[: len(pacman.data.trials)], key=lambda row: row[f"y{last}"])
    costs = sorted(pacman.tables["trials"]["seconds_per_move"])
    texts = [pacman.data.experiment.cost.text(each) for each in costs]
    assert [row["cost"] for row in by_cost] == texts


def test_marks_are_where_their_values_are() -> None:
    log = NumericParameter("a", 2, 64, integer=True, log=True)
    assert strip_of(log).ticks == {log.to_unit(v): str(v) for v in (2, 5, 10, 20, 50, 64)}
    steps = NumericParameter("b", 0.0, 1.0, step=0.25)
    assert {float(text) for text in strip_of(steps).ticks.values()} <= {0.0, 0.25, 0.5, 0.75, 1.0}
    choice = CategoricalParameter("c", ("x", "y"))
    assert strip_of(choice).ticks == {0.25: "x", 0.75: "y"}


def test_each_axis_has_a_brush_and_lines_ask_all(pacman: Analysis) -> None:
    spec = specification(theta_chart(pacman))
    names = [f"brush_{k}" for k in range(len(pacman.data.experiment.space) + 2)]
    layers = [each for strip in spec["vconcat"] for each in strip["layer"]]
    assert [each["params"][0]["name"] for each in layers if "params" in each] == names
    for each in layers:
        if each["mark"]["type"] == "rule":
            test = each["encoding"]["opacity"]["condition"]["test"]
            assert test == {"and": [{"param": name} for name in names]}
    assert spec["usermeta"]["panels"]["columns"] == 1


def test_of_many_trials_some_are_drawn_and_it_is_said(
    pacman: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theta, "MAX_LINES", 20)
    chart = theta_chart(pacman)
    assert len(rows_of(chart, TRIALS.label)) == 20
    assert "20 complete trials, drawn at random from 128" in chart.caption


def test_edges_are_marked_at_the_bounds_value(pacman: Analysis) -> None:
    chart = theta_chart(pacman)
    marks = [row for layer in layers_of(chart) for row in layer.rows if "edge" in row]
    front = pacman.tables["front"]
    front = front[front["on_front"]]
    at_most = int((front["max_sweeps"] == 100).sum())
    assert at_most, "the published front reaches the bound"
    parameter = {each.name: each for each in pacman.data.experiment.space}["max_sweeps"]
    said = [row for row in marks if parameter.label in row["edge"]]
    assert said[0]["x"] == pytest.approx(parameter.to_unit(100), rel=1e-4)
    assert said[0]["edge"].startswith(f"{at_most} point")
    assert "edge of the space" in chart.caption
