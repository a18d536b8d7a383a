"""The hypervolume's growth, against hypervolumes of all means by hand; minutes and failures."""

from dataclasses import replace

import numpy as np
import pytest

from tests.study.charts.specs import rows_of
from tests.study.conftest import QUICK
from tests.study.made_studies import add_point, add_trials, data_of, new_study, store_trial
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.charts import hypervolume as hypervolume_module
from thetafront.study.charts.hypervolume import (
    MODEL,
    OBSERVED,
    VALIDATED,
    effort_text,
    hypervolume_chart,
    hypervolume_trace,
    times_of_trials,
)
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.log import Log
from thetafront.study.log.study_data import StudyData
from thetafront.study.model import study_model
from thetafront.study.model.study_model import fit_study
from thetafront.study.pareto import hypervolume
from thetafront.study.report import tables
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import trials_frame


def test_curves_are_those_of_the_trace(small: Analysis) -> None:
    chart, trace = hypervolume_chart(small), hypervolume_trace(small.data)
    for column, kind in (("predicted", MODEL), ("observed", OBSERVED)):
        rows = rows_of(chart, kind.label)
        assert [row["y"] for row in rows] == [*trace[column]]
        assert [row["n_games"] for row in rows] == [*trace["n_games"]]
    assert [panel.x.title for panel in chart.every_panel] == [
        "games in the search",
        "CPU seconds in games",
    ]


def test_observed_values_are_said_to_be_too_high(small: Analysis) -> None:
    chart = hypervolume_chart(small)
    assert "too high" in chart.caption
    assert "24 games in trials. No trial failed." in chart.caption
    assert "observed, too high" in [kind.label for kind in chart.kinds]


def test_points_of_single_games_have_no_hypervolume_yet(small: Analysis) -> None:
    """Halves of one game tell no interval: the legend shows no number."""
    study = new_study()
    add_trials(study, QUICK)
    add_point(study, 10, [3000], 0.1)
    for analysis, is_known in ((Analysis(data_of(study, QUICK)), False), (small, True)):
        chart = hypervolume_chart(analysis)
        assert (VALIDATED in chart.kinds) is is_known
        assert ("validated points" in chart.caption) is is_known


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
    assert unit == "minutes into the search"
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
    runs = [
        {"phase": "search", "share_of_worker_time_in_games": 0.5},
        {"phase": "search", "share_of_worker_time_in_games": 0.987},
        {"phase": "validation"},
    ]
    trials = [failed, *small.data.trials[1:]]
    text = effort_text(replace(small.data, trials=trials, runs=runs))
    assert "1 trial failed." in text
    assert "Share of the workers' time spent in games: 98.7% in the last search." in text


def study_of(quick: Experiment, n_trials: int, n_games: int = 3) -> Log:
    """Complete trials with games, and among them some that failed or are running."""
    study = new_study()
    rng = np.random.default_rng(11)
    for number in range(n_trials):
        n = int(rng.integers(1, 41))
        games = [
            Game(r, int(rng.normal(2000.0 + 100.0 * n, 800.0)), 100, 1e-4 * n, 500 * n, 256, 0)
            for r in range(n_games)
        ]
        store_trial(study, quick, {"n_playouts": n}, games)
        if number % 5 == 4:
            store_trial(study, quick, {}, [], error="it failed")
            store_trial(study, quick, {"n_playouts": n}, [], n_games=3)
    return study


def test_each_look_sees_the_trials_before_it(quick: Experiment) -> None:
    study = study_of(quick, 40)
    data = data_of(study, quick)
    frame = hypervolume_trace(data)
    complete = [t for t in data.trials if t.state == "complete"]
    assert frame["n_trials"].is_unique
    assert frame["n_trials"].is_monotonic_increasing
    assert frame["n_trials"].iloc[0] == 1
    assert 15 <= len(frame) <= 24
    for row in frame.itertuples():
        values = np.array([t.values for t in complete[: row.n_trials]])
        expected = hypervolume(values[:, 0], values[:, 1], 0.0, 0.01)
        assert row.observed == pytest.approx(expected)
        assert row.n_games == 3 * row.n_trials


def test_what_is_observed_never_shrinks_and_what_is_predicted_is_less_lucky(
    quick: Experiment,
) -> None:
    """Posterior means know the noise of 3 games, so they stay below a maximum of luck."""
    frame = hypervolume_trace(data_of(study_of(quick, 40), quick))
    assert (np.diff(frame["observed"]) >= 0.0).all()
    assert np.isfinite(frame["predicted"]).all()
    assert (frame["predicted"] > 0.0).all()
    assert frame["predicted"].iloc[-1] < frame["observed"].iloc[-1]
    # All means are unbiased: the true front of these trials, 2000 + 100·n at n µs, to 5%.
    n = np.arange(1, 41)
    true = hypervolume(2000.0 + 100.0 * n, 1e-6 * n, 0.0, 0.01)
    assert frame["predicted"].iloc[-1] == pytest.approx(true, rel=0.05)


def test_what_cannot_be_played_is_not_predicted(quick: Experiment) -> None:
    """More playouts would score more, but all games with more than 20 fail."""
    study = new_study()
    for k, n in enumerate((1, 30, 4, 25, 8, 38, 12, 22, 16, 34, 18, 28, 20, 40)):
        games = [Game(r, 2000 * n + r, 100, 1e-4 * n, 500 * n, 256, 0) for r in range(3)]
        error = "it failed" if k % 2 else ""
        store_trial(study, quick, {"n_playouts": n}, [] if error else games, error=error, n_games=3)
    n = np.arange(1, 21)
    true = hypervolume(2000.0 * n, 1e-6 * n, 0.0, 0.01)
    frame = hypervolume_trace(data_of(study, quick))
    assert frame["predicted"].iloc[-1] == pytest.approx(true, rel=0.1)


def test_a_study_without_complete_trials_has_no_history(quick: Experiment) -> None:
    study = new_study()
    columns = ["n_trials", "n_games", "observed", "predicted"]
    for _ in range(2):
        frame = hypervolume_trace(data_of(study, quick))
        assert list(frame.columns) == columns
        assert len(frame) == 0
        store_trial(study, quick, {"n_playouts": 3}, [], n_games=3)


def test_of_many_trials_the_model_and_the_draws_take_some(
    quick: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time grows with the cube of their number; those left out are far from the front."""
    data = data_of(study_of(quick, 60), quick)
    of_all = trials_frame(data, fit_study(data))
    monkeypatch.setattr(hypervolume_module, "MAX_CONDITIONED", 30)
    monkeypatch.setattr(study_model, "MAX_CONDITIONED", 30)
    model = fit_study(data)
    assert model is not None
    assert len(model.observations.points) == 30
    whole = trials_frame(data, model)
    monkeypatch.setattr(tables, "MAX_DRAWN", 20)
    some = trials_frame(data, model)
    assert some["p_on_front"].count() == 20
    assert (some["p_on_front"] - whole["p_on_front"]).min() > -0.1, "fewer may dominate"
    assert (some["posterior_mean_points"] - of_all["posterior_mean_points"]).abs().max() < 400.0
    assert hypervolume_trace(data)["n_trials"].iloc[-1] == 60
