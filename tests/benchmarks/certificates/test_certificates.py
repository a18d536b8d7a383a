"""Certificates of simulated studies: the machine that drifts, a short study, published tables."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from results.benchmarks.certificates import __main__ as certificates
from results.benchmarks.certificates import stopping
from results.benchmarks.certificates.study import DRIFT, GAMES_OF_MEMORY, Machine
from thetafront.study.log.manifest import ROOT


def test_the_machine_drifts_as_it_should() -> None:
    """Deviation 5%; after 840 games 0.7/e of the variance is remembered; within 15%."""
    logs = np.log(Machine(0).factors(200_000))
    assert logs.std() == pytest.approx(DRIFT, rel=0.15)
    apart = int(GAMES_OF_MEMORY)
    correlation = np.corrcoef(logs[:-apart], logs[apart:])[0, 1]
    assert correlation == pytest.approx(0.7 / np.e, abs=0.1)


def test_a_short_study_is_compared_with_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MAX_GAMES", 1500)
    first, *_, last = rows = certificates.play(("saturating", 1000))
    assert (first["n_trials"], first["n_games"]) == (16, 9 * 16 + 100 * first["n_points"])
    assert last["n_games"] >= 1500 > first["n_games"]
    assert [row["n_trials"] for row in rows] == sorted(row["n_trials"] for row in rows)
    for row in rows:
        assert row["holds"] == (row["share"] == 1.0)
        assert 0.0 <= row["regret"] <= row["largest"] <= 1.0
        assert row["tested_inside"][1] == row["n_points"]
        assert len(row["scores"]) == 25
    assert f"{last['n_trials']}, {last['n_points']} |" in certificates.tables(pd.DataFrame(rows))


def test_a_study_that_stops_is_compared_with_fixed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "MAX_TRIALS", 54)
    monkeypatch.setattr(stopping, "LENGTHS", [16, 54])
    stopped, first, last = rows = stopping.play(("saturating", 1000))
    assert json.loads(json.dumps(rows)) == rows
    assert [row["arm"] for row in rows] == ["stops", "fixed", "fixed"]
    assert stopped["target"] == stopping.TARGETS["saturating"][1000 % 3]
    assert stopped["reached"] == (stopped["bound"] <= stopped["target"])
    assert 16 <= stopped["n_trials"] <= 54
    assert (first["n_trials"], first["n_games"]) == (16, 9 * 16 + 100 * first["n_points"])
    assert last["bound"] < first["bound"]
    said = stopping.tables(pd.DataFrame(rows))
    assert f"| {stopped['n_games']:,} | {stopped['n_trials']}, {stopped['n_points']} |" in said


def test_the_first_number_of_games_with_a_mean_is_interpolated() -> None:
    games, means = np.array([100.0, 200.0, 300.0, 400.0]), np.array([0.6, 0.2, 0.4, 0.0])
    assert stopping.games_needed(games, means, 0.4) == (150.0, True)
    assert stopping.games_needed(games, means, 0.2) == (200.0, True), "the first of two"
    assert stopping.games_needed(games, means, 0.1) == (350.0, True)
    assert stopping.games_needed(games, means, 0.7) == (100.0, True)
    assert stopping.games_needed(games[:3], means[:3], 0.1) == (300.0, False)


@pytest.mark.parametrize(
    ("program", "name"), [(certificates, "certificates"), (stopping, "stopping")]
)
def test_published_tables_follow_from_the_published_studies(program: Any, name: str) -> None:
    folder = ROOT / "results" / "reference" / name
    lines = (folder / "studies.jsonl").read_text("utf-8").splitlines()
    made = program.tables(pd.DataFrame([row for line in lines for row in json.loads(line)]))
    assert made == (folder / f"{name}.md").read_text("utf-8")


def test_pairs_of_published_studies_are_as_documented() -> None:
    """Stopped studies beside the first step of growing ones with no bound above the target."""
    reference = ROOT / "results" / "reference"
    studies: dict[str, dict[Any, list[dict[str, Any]]]] = {}
    for name in ("stopping", "certificates"):
        lines = (reference / name / "studies.jsonl").read_text("utf-8").splitlines()
        rows = map(json.loads, lines)
        studies[name] = {(each[0]["surface"], each[0]["seed"]): each for each in rows}
    pairs, alone = [], []
    for key, (stopped, *_) in studies["stopping"].items():
        steps = studies["certificates"][key]
        found = next((row for row in steps if row["bound"] <= stopped["target"]), None)
        if stopped["reached"] and found is not None:
            pairs.append([stopped["n_games"], found["n_games"], stopped["regret"], found["regret"]])
        else:
            alone.append((stopped["reached"], found is not None))
    games, grown, regret, grown_regret = np.mean(pairs, axis=0)
    said = " ".join((ROOT / "docs" / "explanation" / "certificate.md").read_text("utf-8").split())
    assert f"in {len(pairs)} of 180 cases: with {games:,.0f} games on average" in said
    assert f"if validation was delayed, and {grown:,.0f} otherwise" in said
    assert f"Mean regrets were {regret:.1%} and {grown_regret:.1%} of the highest score" in said
    assert (alone.count((True, False)), alone.count((False, True))) == (17, 2)
    reached = [rows[0] for rows in studies["stopping"].values() if rows[0]["reached"]]
    n_held = sum(row["holds"] for row in reached)
    assert f"{len(reached)} of the 180 studies reached their target" in said
    assert f"held** in {n_held} of the {len(reached)}" in said
