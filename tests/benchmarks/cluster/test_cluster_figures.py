"""What limits a study on many machines: writes, and games by Dask."""

import pytest

from results.benchmarks.cluster.writes import write_rate


def test_games_are_written_at_the_pace_that_is_asked_for() -> None:
    fast, slow = write_rate(None, 0.5, None), write_rate(None, 0.5, 400.0)
    assert fast["n_games"] > slow["n_games"] > 0
    assert slow["games_per_second"] < 450.0
    assert 0.0 < slow["wait_seconds_95"] <= slow["wait_seconds_longest"] < 30.0


@pytest.mark.slow
def test_games_sleep_on_a_cluster() -> None:
    pytest.importorskip("distributed")
    from results.benchmarks.cluster.dask_games import MEAN_SECONDS, sleeping_games

    found = sleeping_games(4, 2, 2.0)
    assert found["n_games"] == round(4 * 2.0 / MEAN_SECONDS)
    assert 0.0 < found["share_in_games"] < 1.2
    assert 0.0 < found["games_per_second"] < 1.5 * 4 / MEAN_SECONDS
    assert min(found["client_ms"], found["scheduler_ms"], found["workers_ms"]) > 0.0
