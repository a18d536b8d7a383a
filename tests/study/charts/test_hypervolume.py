"""The hypervolume's growth, minutes and failures."""

from dataclasses import replace

import pytest

from tests.study.charts.specs import rows_of
from tests.study.conftest import QUICK
from tests.study.made_studies import add_point, add_trials, data_of, new_study
from thetafront.study.charts.hypervolume import (
    MODEL,
    OBSERVED,
    VALIDATED,
    effort_text,
    hypervolume_chart,
    hypervolume_trace,
    times_of_trials,
)
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis


def test_curves_are_those_of_the_trace(small: Analysis) -> None:
    chart, trace = hypervolume_chart(small), hypervolume_trace(small.data)
    for column, kind in (("predicted", MODEL), ("observed", OBSERVED)):
        rows = rows_of(chart, kind.label)
        assert [row["y"] for row in rows] == [*trace[column]]
        assert [row["n_games"] for row in rows] == [*trace["n_games"]]
    assert [panel.x.title for panel in chart.every_panel] == [
        "games of the search",
        "CPU seconds in games",
    ]


def test_observed_values_are_said_to_be_too_high(small: Analysis) -> None:
    chart = hypervolume_chart(small)
    assert "too high" in chart.caption
    assert "24 games of trials. No trial failed." in chart.caption
    assert "observed, too high" in [kind.label for kind in chart.kinds]


def test_points_of_single_games_have_no_hypervolume_yet(small: Analysis) -> None:
    """Halves of one game tell no interval: the legend shows no number."""
    study = new_study()
    add_trials(study, QUICK)
    add_point(study, 10, [3000], 0.1)
    for analysis, is_known in ((Analysis(data_of(study, QUICK)), False), (small, True)):
        chart = hypervolume_chart(analysis)
        assert (VALIDATED in chart.kinds) is is_known
        assert ("Validated points" in chart.caption) is is_known


def timed(data: StudyData, starts: list[float], seconds: float) -> StudyData:
    """The same study, whose trials began at these seconds and were open so long."""
    trials = [
        replace(trial, began=1e9 + start, ended=1e9 + start + seconds)
        for trial, start in zip(data.trials, starts, strict=True)
    ]
    return replace(data, trials=trials)


def test_pauses_between_runs_are_no_minutes_of_the_search(small: Analysis) -> None:
    starts = [0.0, 50.0, 100.0, 150.0, 10_000.0, 10_100.0, 10_200.0, 10_300.0]
    times, unit = times_of_trials(timed(small.data, starts, 100.0))
    assert unit == "minutes of the search"
    seconds = [60.0 * times[k] for k in range(8)]
    assert seconds == pytest.approx([100, 150, 200, 250, 350, 450, 550, 650])


def test_times_that_cannot_be_of_these_games_are_not_used(small: Analysis) -> None:
    times, unit = times_of_trials(timed(small.data, [0.0] * 8, 1e-6))
    assert unit == "CPU seconds in games"
    seconds = [sum(g.seconds for g in each.games.values()) for each in small.data.trials]
    assert times[7] == pytest.approx(sum(seconds))
    assert times[0] == pytest.approx(seconds[0])


def test_failures_and_utilization_are_said(small: Analysis) -> None:
    failed = replace(small.data.trials[0], error="broken")
    data = replace(small.data)
    data.__dict__["trials"] = [failed, *small.data.trials[1:]]
    data.__dict__["runs"] = [
        {"phase": "search", "share_of_worker_time_in_games": 0.5},
        {"phase": "search", "share_of_worker_time_in_games": 0.987},
        {"phase": "validation"},
    ]
    text = effort_text(data)
    assert "1 trial failed." in text
    assert "Workers' time in games: 98.7% in the last search." in text
