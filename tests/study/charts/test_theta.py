"""Parallel coordinates: places of values on axes, what is written on them, edges."""

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.study.conftest import QUICK
from tests.study.made_studies import add_trials, data_of, new_study
from thetafront.study.charts import theta
from thetafront.study.charts.theta import (
    CHARACTER,
    FRONT,
    NARROW,
    TRIAL,
    WIDE,
    parameter_ticks,
    theta_chart,
)
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.space import Space
from thetafront.study.report.analysis import Analysis


def test_every_trial_and_point_of_the_front_is_a_line_at_its_places(pacman: Analysis) -> None:
    chart, experiment = theta_chart(pacman), pacman.data.experiment
    trials, front = pacman.tables["trials"], pacman.tables["front"]
    mine = [line for line in chart.lines if line.kind == TRIAL]
    assert len(mine) == len(trials)
    is_given = front["origin"].isin(list(experiment.baselines))
    n_front = int((front["on_front"] & ~is_given).sum())
    assert sum(line.kind == FRONT for line in chart.lines) == n_front
    for line, trial in zip(mine, trials.to_dict("records"), strict=True):
        units = [each.to_unit(trial[each.name]) for each in experiment.space]
        assert line.places[: len(units)] == pytest.approx(units)
        assert f": {experiment.cost.text(trial['seconds_per_move'])}, " in line.label
    goal = experiment.goal
    for row in front[front["on_front"] & ~is_given].to_dict("records"):
        (label,) = [
            each.label for each in chart.lines if each.label.startswith(f"number {row['number']},")
        ]
        expected = goal.format.with_unit(row[goal.combined_column("mean")])
        assert label.endswith(f", {expected} by the model"), "the front's own estimate"
    costs = [line.places[len(units)] for line in mine]
    assert costs.index(min(costs)) == trials["seconds_per_move"].argmin()
    for k in (-2, -1):
        assert {0.0, 1.0} <= {line.places[k] for line in chart.lines}, "the axis spans all"


@pytest.mark.parametrize("symbol", ["trial", "from", "games", "score by the model of the trials"])
def test_the_table_has_every_value_although_a_symbol_is_the_heading_of_another_column(
    symbol: str,
) -> None:
    parameter = replace(QUICK.space.parameters[0], symbol=symbol)
    named, study = replace(QUICK, space=Space((parameter,))), new_study()
    add_trials(study, named)
    analysis = Analysis(data_of(study, named))
    table, given = theta_chart(analysis).table, analysis.tables["trials"]["n_playouts"]
    assert list(table.columns)[2] == symbol
    assert [int(each) for each in table.iloc[:, 2]] == given.to_list()
    assert table.iloc[:, 0].to_list() == [*range(8)]
    assert set(table.iloc[:, 3]) == {3}, "games"


def test_marks_are_where_their_values_are_and_do_not_touch() -> None:
    log = NumericParameter("a", 2, 64, integer=True, log=True)
    found = {tick.at: tick.text for tick in parameter_ticks(log)}
    assert found == {log.to_unit(v): str(v) for v in (2, 5, 10, 20, 50, 64)}
    steps = NumericParameter("b", 0.0, 1.0, step=0.25)
    assert {float(tick.text) for tick in parameter_ticks(steps)} <= {0.0, 0.25, 0.5, 0.75, 1.0}
    choice = CategoricalParameter("c", ("x", "y"))
    assert [(tick.at, tick.text) for tick in parameter_ticks(choice)] == [(0.25, "x"), (0.75, "y")]
    many = parameter_ticks(CategoricalParameter("d", tuple(f"choice {k:02d}" for k in range(40))))
    for pixels, some in ((WIDE, many), (NARROW, [each for each in many if not each.is_minor])):
        gaps = [b.at - a.at for a, b in pairwise(some)]
        assert len(some) > 1
        assert min(gaps) * pixels >= CHARACTER * len("choice 00")


def test_of_many_trials_some_are_drawn_and_it_is_said(
    pacman: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theta, "MAX_LINES", 20)
    chart = theta_chart(pacman)
    assert sum(line.kind == TRIAL for line in chart.lines) == 20
    assert "20 complete trials, drawn at random from 128" in chart.caption


def test_edges_are_marked_at_the_bounds_value(pacman: Analysis) -> None:
    chart, front = theta_chart(pacman), pacman.tables["front"]
    at_most = int((front["on_front"] & (front["max_sweeps"] == 100)).sum())
    assert at_most, "the published front reaches the bound"
    place = [each.name for each in pacman.data.experiment.space].index("max_sweeps")
    ((at, text),) = chart.strips[place].edges
    assert at == pytest.approx(pacman.data.experiment.space.parameters[place].to_unit(100))
    assert text.startswith(f"{at_most} point")
    assert "edge of the space" in chart.caption
