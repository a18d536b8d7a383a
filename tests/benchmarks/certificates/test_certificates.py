"""Certificates of simulated studies: the machine that drifts, a short study, published tables."""

import json

import numpy as np
import pandas as pd
import pytest

from results.benchmarks.certificates import __main__ as certificates
from results.benchmarks.certificates.study import DRIFT, GAMES_OF_MEMORY, Machine
from thetafront.study.log.manifest import ROOT

PUBLISHED = ROOT / "results" / "reference" / "certificates"


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


def test_published_tables_follow_from_the_published_studies() -> None:
    """All but the last one, of games saved, which an earlier version made."""
    lines = (PUBLISHED / "studies.jsonl").read_text("utf-8").splitlines()
    made = certificates.tables(pd.DataFrame([row for line in lines for row in json.loads(line)]))
    published = (PUBLISHED / "certificates.md").read_text("utf-8")
    assert made.rstrip() == published.partition("\n## Stopping by the certificate")[0].rstrip()
