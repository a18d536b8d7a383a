"""What limits a study on many machines: proposals, writes, the coordinator; published figures."""

import json

import pytest

from results.benchmarks.cluster.__main__ import sections
from results.benchmarks.cluster.proposals import proposal_times, random_trials
from results.benchmarks.cluster.writes import write_rate
from results.benchmarks.samplers.surfaces import surface
from thetafront.study.log.manifest import ROOT


@pytest.mark.usefixtures("one_thread")
def test_a_proposal_takes_time_in_batches_as_asked_for() -> None:
    found = list(proposal_times([(20, 4)], [3]))
    assert [(each["n_trials"], each["in_flight"], each["q"]) for each in found] == [
        (20, 4, 1),
        (20, 4, 3),
    ]
    assert all(each["milliseconds"] > 0.0 <= each["fit_milliseconds"] for each in found)


def test_the_simulated_study_has_as_many_trials_as_it_says() -> None:
    trials = random_trials(surface("recorded"), 6, 2)
    assert [trial.number for trial in trials] == list(range(8))
    assert [trial.state.is_finished() for trial in trials] == [True] * 6 + [False] * 2


def test_games_are_written_at_the_pace_that_is_asked_for() -> None:
    fast, slow = write_rate(None, 0.5, None), write_rate(None, 0.5, 400.0)
    assert fast["n_games"] > slow["n_games"] > 0
    assert slow["games_per_second"] < 450.0
    assert 0.0 < slow["wait_seconds_95"] <= slow["wait_seconds_longest"] < 30.0


def test_published_figures_are_laid_out() -> None:
    path = ROOT / "results" / "reference" / "cluster" / "cluster.json"
    writes, proposals, dask, coordinator = sections(json.loads(path.read_text("utf-8")))
    assert list(writes.rows[0]) == [
        *("SQLite", "None", "25,841", "0.040 s", "0.265 s", "0.036 ms", "92%")
    ]
    assert ["128", "16", "8", "5.0 ms", "2.5 ms"] in proposals.rows
    assert dask.rows[0][:2] == ["256", "4"]
    assert coordinator.rows[1][:4] == ["256", "4", "878", "87.3%"]


def test_a_coordinator_plays_on_simulated_workers() -> None:
    from results.benchmarks.cluster.coordinator import coordinate

    found = coordinate(8, 2, 1e-4, 6.0)
    assert found["games"] >= 2 * found["trials"] > 0
    assert 0.0 < found["share_in_games"] < 1.2
    assert 0.0 < found["games_per_second"] < 8 / 0.256 * 1.5
    assert found["cpu_ms_a_game"] > 0.0
