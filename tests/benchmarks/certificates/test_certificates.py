"""Certificates of simulated studies: the machine that drifts, a short study, published tables."""

import json
import re
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


def test_what_stopping_saves_is_as_documented() -> None:
    folder = ROOT / "results" / "reference" / "stopping"
    lines = (folder / "studies.jsonl").read_text("utf-8").splitlines()
    stopped = [json.loads(line)[0] for line in lines]
    said = " ".join((ROOT / "docs" / "explanation" / "certificate.md").read_text("utf-8").split())
    assert f"on average instead of {np.mean([row['n_games'] for row in stopped]):,.0f}" in said
    assert f"and {np.mean([row['regret'] for row in stopped]):.1%} of the highest score" in said
    reached = [row for row in stopped if row["reached"]]
    n_held = sum(row["holds"] for row in reached)
    assert f"{len(reached)} of the 180 studies reached their target" in said
    assert f"held** in {n_held} of the {len(reached)}" in said
    table = (folder / "stopping.md").read_text("utf-8").splitlines()
    saved = np.array([re.findall(r"([+-]\d+)%", row) for row in table if " of 15 |" in row], float)
    (regret, bound, sure), most, least = np.median(saved, axis=0), saved.max(0), saved.min(0)
    assert f"needs {regret:.0f}% fewer games than" in said
    assert f"mean regret (from {most[0]:.0f}% fewer to {-least[0]:.0f}% more)" in said
    assert f"and {bound:.0f}% fewer than those with the same mean bound" in said
    assert f"(from {most[1]:.0f}% fewer to {-least[1]:.0f}% more)" in said
    assert f"It needs {sure:.0f}% fewer than those" in said
    assert f"({least[2]:.0f}% to {most[2]:.0f}% fewer)" in said
