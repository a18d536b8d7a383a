"""Means, standard errors and paired differences by hand; the readable table."""

import json
import math

import pandas as pd
import pytest

from results.benchmarks.samplers.__main__ import table_order
from results.benchmarks.samplers.tables import MEASURES, markdown, summary_frame
from thetafront.study.log.manifest import ROOT

PUBLISHED = ROOT / "results" / "reference" / "samplers"


def record(sampler: str, seed: int, value: float, n_trials: int = 80, n_games: int = 9) -> dict:
    name = {"surface": "saturating", "sampler": sampler, "n_trials": n_trials, "n_games": n_games}
    return {**name, "seed": seed, **dict.fromkeys(MEASURES, value)}


RECORDS = [
    record("nehvi", 0, 0.8),
    record("nehvi", 1, 0.9),
    record("tpe", 0, 0.5),
    record("tpe", 1, 0.7),
    record("tpe", 2, 0.9),
    record("tpe", 0, 0.1, 240, 3),
]


def test_means_errors_and_paired_differences_by_hand() -> None:
    summary = summary_frame(RECORDS).set_index(["sampler", "n_trials"])
    tpe = summary.loc[("tpe", 80)]
    assert tpe["n_seeds"] == 3
    assert tpe["hypervolume_by_posterior_mean"] == pytest.approx(0.7)
    assert tpe["hypervolume_by_posterior_sem"] == pytest.approx(0.2 / math.sqrt(3))
    # Seeds 0 and 1 are in both: −0.3 and −0.2.
    assert tpe["hypervolume_by_posterior_minus_nehvi_n"] == 2
    assert tpe["hypervolume_by_posterior_minus_nehvi_mean"] == pytest.approx(-0.25)
    assert tpe["hypervolume_by_posterior_minus_nehvi_sem"] == pytest.approx(0.05)
    alone = summary.loc[("tpe", 240)]
    assert math.isnan(alone["hypervolume_by_posterior_sem"])
    assert alone["hypervolume_by_posterior_minus_nehvi_n"] == 0


def test_a_seed_without_a_pick_is_left_out_of_the_optimism() -> None:
    records = [record("nehvi", 0, 0.8), record("nehvi", 1, 0.9)]
    records[0]["optimism_points_by_observed"] = math.nan
    row = summary_frame(records).iloc[0]
    assert row["optimism_points_by_observed_n"] == 1
    assert row["optimism_points_by_observed_mean"] == pytest.approx(0.9)


def test_the_readable_table_has_a_row_a_sampler_and_budget() -> None:
    text = markdown(summary_frame(RECORDS))
    rows = [line for line in text.splitlines() if line.startswith(("| nehvi", "| tpe"))]
    assert len(rows) == 3
    assert "| 80 × 9 | 3 | 0.700 ± 0.115 | -0.250 ± 0.050 |" in rows[1]
    assert "| 240 × 3 | 1 | 0.100 ± ? |  |" in rows[2]
    assert "1 to 3 seeds" in text


def test_published_tables_follow_from_the_published_runs() -> None:
    lines = (PUBLISHED / "runs.jsonl").read_text("utf-8").splitlines()
    summary = summary_frame(sorted(map(json.loads, lines), key=table_order))
    published = pd.read_csv(PUBLISHED / "samplers.csv")
    pd.testing.assert_frame_equal(summary, published, rtol=1e-12, check_dtype=False)
    assert markdown(summary) == (PUBLISHED / "samplers.md").read_text("utf-8")
