"""The hypervolume's growth, minutes and failures."""

from dataclasses import replace

import pytest

from tests.study.page.charts.specs import rows_of
from thetafront.study.log.study_data import StudyData
from thetafront.study.page.charts.gain import effort_text, gain_figure, minutes_of_trials
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.hypervolume_trace import hypervolume_trace


def test_curves_are_those_of_the_trace(small: Analysis) -> None:
    rows = rows_of(gain_figure(small))
    trace = hypervolume_trace(small.data)
    for column, name in (("predicted", "by the model"), ("observed", "observed")):
        found = [row for row in rows if row["kind"].startswith(name)]
        assert [row["v"] for row in found] == pytest.approx([*trace[column]], rel=1e-4)
        assert [row["g"] for row in found] == [*trace["n_games"]]


def test_observed_values_are_said_to_be_too_high(small: Analysis) -> None:
    figure = gain_figure(small)
    assert "too high" in figure.text
    assert "24 games of trials. No trial failed." in figure.text
    assert any("too high" in row["kind"] for row in rows_of(figure))


def timed(data: StudyData, starts: list[float], seconds: float) -> StudyData:
    """The same study, whose trials began at these seconds and were open so long."""
    trials = [
        replace(trial, began=1e9 + start, ended=1e9 + start + seconds)
        for trial, start in zip(data.trials, starts, strict=True)
    ]
    return replace(data, trials=trials)


def test_pauses_between_runs_are_no_minutes_of_the_search(small: Analysis) -> None:
    starts = [0.0, 50.0, 100.0, 150.0, 10_000.0, 10_100.0, 10_200.0, 10_300.0]
    minutes, unit = minutes_of_trials(timed(small.data, starts, 100.0))
    assert unit == "minutes of the search"
    seconds = [60.0 * minutes[k] for k in range(8)]
    assert seconds == pytest.approx([100, 150, 200, 250, 350, 450, 550, 650])


def test_times_that_cannot_be_of_these_games_are_not_used(small: Analysis) -> None:
    minutes, unit = minutes_of_trials(timed(small.data, [0.0] * 8, 1e-6))
    assert unit == "minutes of CPU time in games"
    seconds = [sum(g.seconds for g in each.games.values()) for each in small.data.trials]
    assert 60.0 * minutes[7] == pytest.approx(sum(seconds))
    assert 60.0 * minutes[0] == pytest.approx(seconds[0])


def test_failures_and_utilization_are_said(small: Analysis) -> None:
    failed = replace(small.data.trials[0], state="fail", error="broken")
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
