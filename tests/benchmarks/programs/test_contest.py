"""Tables of the published contest; θ and fresh games; a short contest."""

import json
import math
import subprocess
import sys
from pathlib import Path

import optuna
import pandas as pd
import pytest

from results.benchmarks.programs.contest import CASES, fresh, suggested
from results.benchmarks.programs.tables import (
    pick_rows,
    write_tables,
)
from thetafront.study.log.manifest import ROOT

PUBLISHED = ROOT / "results" / "reference" / "programs"
BUDGETS = CASES["tree"].budgets


def test_answers_without_a_game_that_ended_are_over_any_budget() -> None:
    theta = {"max_depth": 1}
    runs = [{"program": "tree", "seed": 1, "method": "tpe", "picks": [[BUDGETS[0], theta, 0, 1]]}]
    failed = {"n": 0, "n_failed": 9, "score": None, "deviation": None, "cost": None}
    row = pick_rows(runs, [{"program": "tree", "theta": theta, **failed}]).iloc[0]
    assert row["is_over"] is True
    assert math.isnan(row["true_score"])


@pytest.mark.usefixtures("corpus")
def test_published_tables_follow_from_the_published_runs(tmp_path: Path) -> None:
    runs, games = (
        [json.loads(line) for line in (PUBLISHED / name).read_text("utf-8").splitlines()]
        for name in ("runs.jsonl", "fresh_games.jsonl")
    )
    (tmp_path / "programs.png").touch()
    write_tables(tmp_path, runs, games)
    assert (tmp_path / "programs.md").read_bytes() == (PUBLISHED / "programs.md").read_bytes()
    for name in ("picks.csv", "summary.csv", "summary_kept.csv"):
        made, published = (pd.read_csv(folder / name) for folder in (tmp_path, PUBLISHED))
        pd.testing.assert_frame_equal(made, published, rtol=1e-9)


@pytest.mark.usefixtures("corpus")
def test_only_meaningful_parameters_make_a_theta_and_constraints_hold() -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    for program, method in (("mlp", "tpe"), ("mlp", "gp"), ("xz", "nsga2")):
        experiment = CASES[program].experiment
        for _ in range(20):
            trial = study.ask()
            theta = suggested(trial, experiment, method)
            experiment.space.check(theta)
            flat = set(experiment.space.names)
            assert set(trial.params) == (set(theta) if method == "tpe" else flat)


def test_fresh_games_are_means_of_distinct_seeds() -> None:
    found = fresh("tree", {**CASES["tree"].experiment.space.from_unit([0.5] * 7)}, 5)
    assert (found["n"], found["n_failed"]) == (5, 0)
    assert 0.0 < found["score"] < 1.0
    assert found["deviation"] > 0.0


@pytest.mark.slow
def test_a_contest_continues_where_it_was_and_writes_its_tables(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install '.[gp]'")
    command = [sys.executable, "-m", "results.benchmarks.programs", "--output", str(tmp_path)]
    command += ["--seconds", "5", "--seeds", "1", "--programs", "tree"]
    subprocess.run(command, check=True, capture_output=True)
    runs = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(runs) == 5
    (tmp_path / "runs.jsonl").write_text("\n".join(runs[:4]) + "\n" + runs[4][:50])
    subprocess.run(command, check=True, capture_output=True)
    again = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert again[:4] == runs[:4]
    assert "A decision tree" in (tmp_path / "programs.md").read_text(encoding="utf-8")
