"""Parallel coordinates: places of values on axes, brushes, edges."""

import pytest

from tests.study.page.charts.specs import rows_of, spec_of
from thetafront.study.experiments.space import CategoricalParameter, NumericParameter
from thetafront.study.page.charts import theta
from thetafront.study.page.charts.theta import FRONT, TRIALS, round_values, strip_of, theta_figure
from thetafront.study.report.analysis import Analysis


def test_every_trial_and_point_of_the_front_is_a_line(pacman: Analysis) -> None:
    rows = [row for row in rows_of(theta_figure(pacman)) if "who" in row]
    trials, front = pacman.tables["trials"], pacman.tables["front"]
    assert sum(row["kind"] == TRIALS.label for row in rows) == len(trials)
    is_given = front["origin"].isin(list(pacman.data.experiment.baselines))
    n_front = int((front["on_front"] & ~is_given).sum())
    assert sum(row["kind"] == FRONT.label for row in rows) == n_front


def test_places_on_axes_are_those_of_the_space(pacman: Analysis) -> None:
    rows = [row for row in rows_of(theta_figure(pacman)) if "who" in row]
    space = [*pacman.data.experiment.space]
    for row, trial in zip(rows, pacman.tables["trials"].to_dict("records"), strict=False):
        for k, parameter in enumerate(space):
            assert row[f"y{k}"] == pytest.approx(parameter.to_unit(trial[parameter.name]), abs=1e-4)
    last = len(space)
    assert {0.0, 1.0} <= {row[f"y{last}"] for row in rows}, "the cost's axis spans all"
    by_cost = sorted(rows[: len(pacman.data.trials)], key=lambda row: row[f"y{last}"])
    costs = sorted(pacman.tables["trials"]["seconds_per_move"])
    texts = [pacman.data.experiment.cost.text(each) for each in costs]
    assert [row["c"] for row in by_cost] == texts


def test_marks_are_where_their_values_are() -> None:
    log = NumericParameter("a", 2, 64, integer=True, log=True)
    assert strip_of(log).marks == {log.to_unit(v): str(v) for v in (2, 5, 10, 20, 50, 64)}
    steps = NumericParameter("b", 0.0, 1.0, step=0.25)
    assert {float(text) for text in strip_of(steps).marks.values()} <= {0.0, 0.25, 0.5, 0.75, 1.0}
    choice = CategoricalParameter("c", ("x", "y"))
    assert strip_of(choice).marks == {0.25: "x", 0.75: "y"}


def test_round_values_lie_within() -> None:
    assert round_values(0.05, 1.0) == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert round_values(-3.0, 11.0) == [0.0, 5.0, 10.0]


def test_each_axis_has_a_brush_and_lines_ask_all(pacman: Analysis) -> None:
    spec = spec_of(theta_figure(pacman))
    n_axes = len(pacman.data.experiment.space) + 2
    brushes = [each["name"] for each in spec["params"] if each["name"].startswith("brush_")]
    assert sorted(brushes) == sorted(f"brush_{k}" for k in range(n_axes))
    for strip in spec["vconcat"]:
        test = str(strip["layer"][0]["encoding"]["opacity"]["condition"])
        assert all(repr(f"brush_{k}") in test for k in range(n_axes))
    assert spec["usermeta"]["panels"]["columns"] == 1


def test_of_many_trials_some_are_drawn_and_it_is_said(
    pacman: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theta, "MOST_LINES", 20)
    figure = theta_figure(pacman)
    rows = [row for row in rows_of(figure) if row.get("kind") == TRIALS.label]
    assert len(rows) == 20
    assert "20 complete trials, drawn at random from 128" in figure.text


def test_edges_are_marked_at_the_bounds_value(pacman: Analysis) -> None:
    figure = theta_figure(pacman)
    marks = [row for row in rows_of(figure) if "which" in row]
    front = pacman.tables["front"]
    front = front[front["on_front"]]
    at_most = int((front["max_sweeps"] == 100).sum())
    assert at_most, "the published front reaches the bound"
    parameter = {each.name: each for each in pacman.data.experiment.space}["max_sweeps"]
    said = [row for row in marks if parameter.label in row["said"]]
    assert said[0]["at"] == pytest.approx(parameter.to_unit(100), rel=1e-4)
    assert said[0]["said"].startswith(f"{at_most} point")
    assert "edge of the space" in figure.text
