"""Batches of proposals compared with single ones."""

import numpy as np
import pandas as pd
import pytest

from results.benchmarks.samplers.batches import MEASURES, differences, play_in_batches
from results.benchmarks.samplers.contest import N_DESIGN, Contest
from results.benchmarks.samplers.surfaces import surface


def test_differences_are_paired_by_seed() -> None:
    """By hand: differences of 0.1 and 0.3, whose mean's t interval is 0.2 ± 12.706 · 0.1."""
    single, eight = {0: 0.5, 1: 0.7, 2: 0.1}, {1: 1.0, 0: 0.6}
    rows = [
        {"in_flight": 4, "n_trials": 20, "surface": "s", "q": q, "seed": seed}
        | {"proposal_cpu_ms": 10.0}
        | dict.fromkeys(MEASURES, value)
        for q, values in ((1, single), (8, eight))
        for seed, value in values.items()
    ]
    found = differences(pd.DataFrame(rows))
    of_one, of_eight = (found[found["q"] == q].iloc[0] for q in (1, 8))
    assert (of_one["n_seeds"], of_one["difference"]) == (3, 0.0)
    assert of_eight["n_seeds"] == 2
    assert of_eight["difference"] == pytest.approx(0.2)
    assert of_eight["high"] - of_eight["low"] == pytest.approx(2 * 12.706 * 0.1, rel=1e-3)
    assert of_eight["proposal_cpu_ms"] == pytest.approx(10.0)


def test_a_contest_asks_for_several_at_a_time() -> None:
    contest = Contest.begin(surface("two_regimes"), 0, 4)
    for _ in range(4):
        contest.trial("knowledge-gradient", 2, 0, 4)
    trials = contest.ask("knowledge-gradient", 0, 4, 3)
    assert [trial.number for trial in trials] == [4, 5, 6]
    assert len({tuple(trial.params.values()) for trial in trials}) == 3
    for trial in trials:
        contest.tell(trial, 2, 0)
    assert len(contest.points) == len(contest.cpu_seconds) == 7
    assert all(trial.state.is_finished() for trial in contest.study.trials)


def test_a_run_in_batches_is_measured() -> None:
    found = play_in_batches("two_regimes", 3, 1000, 2, N_DESIGN + 5)
    assert (found["q"], found["seed"]) == (3, 1000)
    assert all(np.isfinite(found[measure]) for measure in MEASURES)
    assert found["proposal_cpu_ms"] > 0.0
