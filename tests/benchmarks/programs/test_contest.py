"""Tables of the contest against what made-up runs must give."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

PROGRAMS = Path(__file__).parents[3] / "results" / "benchmarks" / "programs"
BUDGETS = (3e3, 5e3, 8e3, 13e3, 20e3, 30e3, 50e3)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    import tables

    return tables


def made_up(tables: Any) -> pd.DataFrame:
    """Make runs on the tree: ours has errors of 0.1, 0.2, 0.3, theirs 0.05 more, one too large."""
    runs, fresh = [], []
    for seed in (1, 2, 3):
        for method, more in (("thetafront", 0.0), ("tpe", 0.05)):
            theta = {"seed": seed, "method": method}
            answer = [BUDGETS[0], theta, 0.0, 2e3]
            runs.append({"program": "tree", "seed": seed, "method": method, "picks": [answer]})
            played = {"n": 200, "n_failed": 0, "score": 0.1 * seed + more, "deviation": 0.02}
            cost = BUDGETS[0] * (1.2 if (method, seed) == ("tpe", 2) else 1.05)
            fresh.append({"program": "tree", "theta": theta, "cost": cost, **played})
    return tables.picks_of(runs, fresh)


def test_intervals_are_over_runs_and_gains_are_paired(tables: Any) -> None:
    summary = tables.summary_of(made_up(tables)).set_index(["budget", "method"])
    ours, theirs = summary.loc[(BUDGETS[0], "thetafront")], summary.loc[(BUDGETS[0], "tpe")]
    assert ours["score_mean"] == pytest.approx(0.2)
    assert ours["score_half95"] == pytest.approx(4.3027 * 0.1 / math.sqrt(3), rel=1e-4)
    assert theirs["gain_mean"] == pytest.approx(0.05)  # errors: less is better
    assert theirs["gain_half95"] == pytest.approx(0.0, abs=1e-12)
    assert (theirs["n_over"], ours["n_over"]) == (1, 0)
    assert (ours["n_games"], ours["n_runs"]) == (600, 3)


def test_a_budget_without_an_answer_has_no_number(tables: Any) -> None:
    summary = tables.summary_of(made_up(tables)).set_index(["budget", "method"])
    row = summary.loc[(BUDGETS[1], "tpe")]
    assert row["n_runs"] == row["n_pairs"] == 0
    assert row["n_without"] == 3
    assert tables.cell(row["score_mean"], math.nan, 3, 0) == "–"


def test_at_true_costs_the_best_answer_within_a_budget_counts(tables: Any) -> None:
    """All cost more than the first budget; at the second one, theirs of all runs count, too."""
    kept = tables.kept_of(made_up(tables)).set_index(["budget", "method", "seed"]).sort_index()
    assert kept.loc[BUDGETS[0], "true_score"].isna().all()
    assert kept.loc[BUDGETS[0], "n_games"].isna().all()
    for budget in BUDGETS[1:]:
        assert kept.loc[(budget, "thetafront", 3), "true_score"] == pytest.approx(0.3)
        assert kept.loc[(budget, "tpe", 2), "true_score"] == pytest.approx(0.25)
        assert kept.loc[(budget, "tpe", 2), "n_games"] == 200


@pytest.mark.slow
def test_a_contest_goes_on_where_it_was_and_writes_its_tables(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAMS / "contest.py"), "--output", str(tmp_path)]
    command += ["--seconds", "3", "--seeds", "1", "--programs", "tree"]
    subprocess.run(command, check=True, capture_output=True)
    runs = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(runs) == 5
    (tmp_path / "runs.jsonl").write_text("\n".join(runs[:4]) + "\n" + runs[4][:50])
    subprocess.run(command, check=True, capture_output=True)
    again = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert again[:4] == runs[:4]
    assert "A decision tree" in (tmp_path / "programs.md").read_text(encoding="utf-8")
    assert (tmp_path / "programs.png").stat().st_size > 10_000
