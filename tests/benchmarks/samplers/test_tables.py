"""Tables of the published runs, and a run without a pick."""

import json
import math

import pandas as pd
import pytest

from results.benchmarks.samplers.__main__ import table_order
from results.benchmarks.samplers.tables import MEASURES, figure, markdown, summary_frame
from thetafront.study.log.manifest import ROOT

PUBLISHED = ROOT / "results" / "reference" / "samplers"


def test_a_seed_without_a_pick_is_left_out_of_the_optimism() -> None:
    of = {"surface": "saturating", "sampler": "nehvi", "n_trials": 80, "n_games": 9}
    records = [{**of, "seed": k, **dict.fromkeys(MEASURES, 0.8 + 0.1 * k)} for k in range(2)]
    records[0]["optimism_points_by_observed"] = math.nan
    row = summary_frame(records).iloc[0]
    assert row["optimism_points_by_observed_n"] == 1
    assert row["optimism_points_by_observed_mean"] == pytest.approx(0.9)


def test_a_size_has_one_colour_in_all_panels_and_is_in_the_legend() -> None:
    def records(surface: str, *lengths: int) -> list[dict]:
        of = {"surface": surface, "sampler": "random", "n_games": 9, **dict.fromkeys(MEASURES, 0.5)}
        return [{**of, "n_trials": n, "seed": seed} for n in lengths for seed in range(2)]

    few, many = (20, 40), (20, 30, 40, 50, 60, 70, 80)
    for lengths in (few, many):
        summary = summary_frame(records("recorded", *lengths[:-1]) + records("steps", *lengths[1:]))
        drawn = figure(summary)
        colours: dict[str, set[str]] = {}
        for axes in drawn.axes:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                colours.setdefault(label, set()).add(handle.lines[0].get_color())
        assert {len(each) for each in colours.values()} == {1}
        texts = [each.get_text() for each in drawn.legends[0].get_texts()]
        assert texts == [f"{n} × 9" for n in lengths]
    assert len(set.union(*colours.values())) > 2


def test_published_tables_follow_from_the_published_runs() -> None:
    lines = (PUBLISHED / "runs.jsonl").read_text("utf-8").splitlines()
    summary = summary_frame(sorted(map(json.loads, lines), key=table_order))
    published = pd.read_csv(PUBLISHED / "samplers.csv")
    pd.testing.assert_frame_equal(summary, published, rtol=1e-12, check_dtype=False)
    assert markdown(summary) == (PUBLISHED / "samplers.md").read_text("utf-8")
