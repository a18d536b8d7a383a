"""Tables of the contest against what made-up runs must give; its objective; a short contest."""

import json
import math
import subprocess
import sys
from pathlib import Path

import optuna
import pandas as pd
import pytest

from results.benchmarks.programs.contest import CASES, METHODS, fresh, suggested
from results.benchmarks.programs.tables import (
    best_answers,
    cell,
    pick_rows,
    summarize,
    write_tables,
)
from thetafront.study.log.manifest import ROOT

PUBLISHED = ROOT / "results" / "reference" / "programs"
BUDGETS = CASES["tree"].budgets


def made_up() -> pd.DataFrame:
    """Make runs on the tree: ours has errors of 0.1, 0.2, 0.3, theirs 0.05 more, one too large."""
    runs, games = [], []
    for seed in (1, 2, 3):
        for method, more in (("thetafront", 0.0), ("tpe", 0.05)):
            theta = {"seed": seed, "method": method}
            answer = [BUDGETS[0], theta, 0.0, 2e3]
            runs.append({"program": "tree", "seed": seed, "method": method, "picks": [answer]})
            played = {"n": 200, "n_failed": 0, "score": 0.1 * seed + more, "deviation": 0.02}
            cost = BUDGETS[0] * (1.2 if (method, seed) == ("tpe", 2) else 1.05)
            games.append({"program": "tree", "theta": theta, "cost": cost, **played})
    return pick_rows(runs, games)


def test_intervals_are_over_runs_and_gains_are_paired() -> None:
    summary = summarize(made_up()).set_index(["budget", "method"])
    ours, theirs = summary.loc[(BUDGETS[0], "thetafront")], summary.loc[(BUDGETS[0], "tpe")]
    assert ours["score_mean"] == pytest.approx(0.2)
    assert ours["score_half95"] == pytest.approx(4.3027 * 0.1 / math.sqrt(3), rel=1e-4)
    assert theirs["gain_mean"] == pytest.approx(0.05)  # errors: less is better
    assert theirs["gain_half95"] == pytest.approx(0.0, abs=1e-12)
    assert (theirs["n_over"], ours["n_over"]) == (1, 0)
    assert (ours["n_games"], ours["n_runs"]) == (600, 3)


def test_a_mean_is_over_the_budgets_that_all_runs_answer() -> None:
    rows = [
        {"program": "tree", "method": method, "seed": seed, "budget": budget, "true_score": score}
        for method in METHODS
        for seed in (1, 2)
        for budget, score in zip(BUDGETS, (0.9, *[0.1 * seed] * (len(BUDGETS) - 1)), strict=True)
    ]
    rows[0]["true_score"] = math.nan  # one run has no answer at the first budget
    picks = pd.DataFrame(rows).assign(n_games=200, is_over=False)
    summary = summarize(picks)
    means = summary.loc[summary["budget"].isna(), "score_mean"]
    assert means.tolist() == pytest.approx([0.15] * len(METHODS))


def test_a_budget_without_an_answer_has_no_number() -> None:
    row = summarize(made_up()).set_index(["budget", "method"]).loc[(BUDGETS[1], "tpe")]
    assert row["n_runs"] == row["n_pairs"] == 0
    assert row["n_without"] == 3
    assert cell(row, "score", 3, 0) == "–"


def test_answers_without_a_game_that_ended_are_over_any_budget() -> None:
    theta = {"max_depth": 1}
    runs = [{"program": "tree", "seed": 1, "method": "tpe", "picks": [[BUDGETS[0], theta, 0, 1]]}]
    failed = {"n": 0, "n_failed": 9, "score": None, "deviation": None, "cost": None}
    row = pick_rows(runs, [{"program": "tree", "theta": theta, **failed}]).iloc[0]
    assert row["is_over"] is True
    assert math.isnan(row["true_score"])


def test_at_true_costs_the_best_answer_within_a_budget_counts() -> None:
    """All cost more than the first budget; at the second one, theirs of all runs count, too."""
    kept = best_answers(made_up()).set_index(["budget", "method", "seed"]).sort_index()
    assert kept.loc[BUDGETS[0], "true_score"].isna().all()
    assert kept.loc[BUDGETS[0], "n_games"].isna().all()
    for budget in BUDGETS[1:]:
        assert kept.loc[(budget, "thetafront", 3), "true_score"] == pytest.approx(0.3)
        assert kept.loc[(budget, "tpe", 2), "true_score"] == pytest.approx(0.25)
        assert kept.loc[(budget, "tpe", 2), "n_games"] == 200


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
