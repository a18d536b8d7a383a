"""Fronts from a study's folder, and which of their points are compared."""

import json
import math
import shutil
from pathlib import Path

import pandas as pd
import pytest

from thetafront.study.compare.equal_time import contender_of
from thetafront.study.compare.fronts import Front, front_in_folder, within
from thetafront.study.errors import InputError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.manifest import ROOT

PUBLISHED = ROOT / "results" / "reference" / "mcmdp"


def test_a_published_front_is_read() -> None:
    front = front_in_folder(PUBLISHED)
    assert (front.name, front.seed, front.experiment) == ("mcmdp", 0, EXPERIMENTS["mcmdp"])
    contender = contender_of(front)
    table = pd.read_csv(PUBLISHED / "front.csv")
    expected = table[table["on_front"] & (table["origin"] != "author's θ")]
    assert len(contender.agents) == len(expected)
    first = next(iter(contender.agents.values()))
    assert first == EXPERIMENTS["mcmdp"].build(
        {f"theta{k}": expected.iloc[0][f"theta{k}"] for k in range(1, 7)}
    )


def test_points_beyond_the_other_front_are_left_out() -> None:
    front = front_in_folder(PUBLISHED)
    by_cost = front.validated.sort_values("playout_moves_per_move", ignore_index=True)
    front = Front(front.name, front.seed, front.experiment, by_cost)
    other = Front("x", 1, front.experiment, front.validated.iloc[2:5])
    inside = within(front, other).validated
    assert inside["point"].tolist() == front.validated["point"].tolist()[2:5]
    assert len(within(other, front).validated) == 3
    baseline = by_cost[by_cost["origin"] == "author's θ"]
    few = within(front, Front("x", 1, front.experiment, baseline))
    with pytest.raises(InputError, match=r"'mcmdp' must have 2 points or more"):
        contender_of(few)


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no front\.csv"):
        front_in_folder(tmp_path)
    shutil.copy(PUBLISHED / "front.csv", tmp_path)
    with pytest.raises(InputError, match=r"has no manifest\.json"):
        front_in_folder(tmp_path)
    manifest = json.loads((PUBLISHED / "manifest.json").read_text())
    for damaged in ("{", "[]", json.dumps(manifest | {"seed": "x"}), '{"study": "a"}'):
        (tmp_path / "manifest.json").write_text(damaged)
        with pytest.raises(InputError, match="is not a manifest of a study"):
            front_in_folder(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"experiment": "chess"}))
    with pytest.raises(InputError, match="experiment must be one of"):
        front_in_folder(tmp_path)
    shutil.copy(PUBLISHED / "manifest.json", tmp_path)
    pd.read_csv(PUBLISHED / "front.csv").drop(columns="theta3").to_csv(tmp_path / "front.csv")
    with pytest.raises(InputError, match="has no column theta3"):
        front_in_folder(tmp_path)
    (tmp_path / "front.csv").write_text("")
    with pytest.raises(InputError, match="is not a table"):
        front_in_folder(tmp_path)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        # A word in a column of a table makes words of all of it.
        ("theta1", "x", r"row 1, theta1 must be a whole number from 0 to 1000000 \(got '\d+'\)"),
        ("theta1", -5, r"row 2, theta1 must be a whole number from 0 to 1000000 \(got -5\)"),
        ("theta6", math.nan, r"row 2, theta6 must be above 0 and up to 1 \(got nan\)"),
        (
            "score_mean_points",
            math.nan,
            r"score_mean_points must be a finite number of 0 or more \(got nan in row 2\)",
        ),
        (
            "score_mean_points",
            "many",
            r"score_mean_points must be a finite number of 0 or more \(got many in row 2\)",
        ),
        (
            "seconds_per_move",
            -1,
            r"seconds_per_move must be a finite number of 0 or more \(got -1.* in row 2\)",
        ),
        (
            "playout_moves_per_move",
            math.inf,
            r"playout_moves_per_move must be a finite number of 0 or more \(got inf in row 2",
        ),
    ],
)
def test_a_damaged_row_is_named(tmp_path: Path, column: str, value: object, said: str) -> None:
    shutil.copy(PUBLISHED / "manifest.json", tmp_path)
    published = pd.read_csv(PUBLISHED / "front.csv").astype(object)
    published.loc[1, column] = value
    published.to_csv(tmp_path / "front.csv", index=False)
    with pytest.raises(InputError, match=said):
        front_in_folder(tmp_path)


def test_a_front_with_words_is_read_and_a_wrong_word_named(tmp_path: Path) -> None:
    published = pd.read_csv(PUBLISHED / "front.csv").drop(
        columns=[f"theta{k}" for k in range(1, 7)]
    )
    (values,) = EXPERIMENTS["uct"].baselines.values()
    table = published.assign(**values)
    manifest = json.loads((PUBLISHED / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"experiment": "uct"}))
    table.to_csv(tmp_path / "front.csv", index=False)
    contender = contender_of(front_in_folder(tmp_path))
    assert set(contender.agents.values()) == {EXPERIMENTS["uct"].build(values)}
    assert set(contender.thetas.values()) == {"U random, m 100, d 10, c 100, k′ 30.00, α′ 0.50"}
    table.assign(leaf_value="best").to_csv(tmp_path / "front.csv", index=False)
    with pytest.raises(InputError, match=r"front\.csv, row 1, leaf_value must be one of random"):
        front_in_folder(tmp_path)
