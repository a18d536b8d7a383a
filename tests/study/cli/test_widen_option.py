"""`sweep --widen`: a study goes on in a wider space, and all of it can be checked and replayed."""

from pathlib import Path

import pytest

from tests.study.program import succeeded
from thetafront.agents.catalog import AGENTS
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.storage import open_for_reading

SWEEP = ["sweep", "coin", "--design-size", "4", "--no-validation", "--jobs", "1", "--replicates"]


@pytest.mark.slow
def test_a_sweep_continues_in_a_wider_space(
    coin: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeeded(tmp_path, *SWEEP, "2", "--trials", "6")
    _, _, before = open_for_reading("coin", tmp_path)
    wider = [*SWEEP, "2", "--trials", "8", "--widen", "effort=1:1000"]
    planned = succeeded(tmp_path, *wider, "--dry-run")
    assert "widened: effort 1 to 100 would be effort 1 to 1000; 6 trials kept" in planned
    assert open_for_reading("coin", tmp_path)[2] == before
    widened = succeeded(tmp_path, *wider)
    assert "widened: effort 1 to 100 is now effort 1 to 1000; 6 trials kept" in widened
    succeeded(tmp_path, *SWEEP, "2", "--trials", "10")
    _, _, after = open_for_reading("coin", tmp_path)
    assert after.trials[:6] == before.trials
    highs = [trial.distributions["effort"].high for trial in after.frozen_trials]  # type: ignore[attr-defined]
    assert highs == [1000] * 10, "models and samplers see all trials in the wider space"
    assert any(trial.params["effort"] > 100 for trial in after.trials[6:])
    assert "widened      after 6 trials, from effort 1 to 100" in succeeded(
        tmp_path, "status", "coin"
    )
    agent = AGENTS[coin.agent]
    for trial in after.trials:
        for game in trial.games.values():
            assert agent(**trial.params).play(game.seed) == game
    verified = succeeded(tmp_path, "verify", "coin", "--games", "1", "--jobs", "1")
    assert "FLAW" not in verified.upper()
