"""The table of proposals' CPU times, of a small study."""

import pytest

from results.benchmarks.cluster.proposals import proposal_times, random_trials
from results.benchmarks.samplers.surfaces import surface


@pytest.mark.usefixtures("one_thread")
def test_a_proposal_takes_time_in_batches_as_asked_for() -> None:
    found = proposal_times([(20, 4)], [3])
    assert [(each.n_trials, each.in_flight, each.q) for each in found] == [(20, 4, 1), (20, 4, 3)]
    assert all(each.milliseconds > 0.0 and each.fit_milliseconds >= 0.0 for each in found)


def test_the_simulated_study_has_as_many_trials_as_it_says() -> None:
    trials = random_trials(surface("recorded"), 6, 2)
    assert [trial.number for trial in trials] == list(range(8))
    assert [trial.state.is_finished() for trial in trials] == [True] * 6 + [False] * 2
