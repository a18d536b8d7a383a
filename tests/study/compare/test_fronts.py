"""Fronts of studies, and which of their points are compared."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.study.charts.published import REFERENCE, published
from tests.study.made_studies import analysis_with
from tests.study.program import refused
from thetafront.study.compare.champions import front_rows
from thetafront.study.compare.equal_time import make_contender, within
from thetafront.study.compare.scores import validated_front
from thetafront.study.errors import InputError
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.registry import EXPERIMENTS


@pytest.fixture
def points() -> pd.DataFrame:
    return pd.DataFrame(published("mcmdp")[1].rows)


def test_a_published_front_is_read(points: pd.DataFrame) -> None:
    table = pd.read_csv(REFERENCE / "mcmdp" / "front.csv")
    costs = ["seconds_per_move", "playout_moves_per_move"]
    for column in ("point", "origin", "on_front", "score_mean_points", *costs):
        assert points[column].tolist() == table[column].tolist()
    front = validated_front(published("mcmdp")[1])
    contender = make_contender("mcmdp", EXPERIMENTS["mcmdp"], front)
    expected = table[table["on_front"] & (table["origin"] != "author's θ")]
    assert len(contender.agents) == len(expected)
    first = next(iter(contender.agents.values()))
    assert first == EXPERIMENTS["mcmdp"].build(
        {f"theta{k}": expected.iloc[0][f"theta{k}"] for k in range(1, 7)}
    )


def test_points_beyond_the_other_front_are_left_out(points: pd.DataFrame) -> None:
    by_cost = points.sort_values("playout_moves_per_move", ignore_index=True)
    other = by_cost.iloc[2:5]
    assert within(by_cost, other)["point"].tolist() == other["point"].tolist()
    assert len(within(other, by_cost)) == 3
    few = within(by_cost, by_cost[by_cost["origin"] == "author's θ"])
    with pytest.raises(InputError, match=r"'mcmdp' must have at least 2 points"):
        make_contender("mcmdp", EXPERIMENTS["mcmdp"], few)


def test_neither_a_baseline_nor_a_dominated_point_belongs_to_a_front() -> None:
    """Such a point may be more expensive than the whole front."""
    mcmdp = published("mcmdp")[1]
    front = validated_front(mcmdp)
    assert not {"author's θ"} & set(front["origin"])
    baselines = [row for row in mcmdp.rows if row["origin"] == "author's θ"]
    none = validated_front(analysis_with(mcmdp.data, rows=baselines))
    assert (len(none), list(none.columns)) == (0, list(front.columns))
    costs = dict.fromkeys(("combined_seconds_per_move", "playout_moves_per_move"), 1e9)
    worse = {**mcmdp.rows[0], "point": "worse", "combined_mean_points": -1.0, **costs}
    more = validated_front(analysis_with(mcmdp.data, rows=[*mcmdp.rows, worse]))
    assert more["point"].tolist() == front["point"].tolist()


def test_champions_are_drawn_with_tuned_points() -> None:
    """Of the published fronts, one has a baseline."""
    table = pd.read_csv(REFERENCE / "uct" / "front.csv").sort_values("seconds_per_move")
    tuned = table[table["on_front"] & ~table["origin"].isin(EXPERIMENTS["uct"].baselines)]
    assert len(tuned) < table["on_front"].sum()
    drawn = front_rows([published("uct")[1].data])
    assert drawn["score_mean_points"].tolist() == tuned["score_mean_points"].tolist()


def test_a_front_with_words_has_them_in_its_thetas(points: pd.DataFrame) -> None:
    (values,) = EXPERIMENTS["uct"].baselines.values()
    contender = make_contender("x", EXPERIMENTS["uct"], points.assign(**values))
    assert set(contender.agents.values()) == {EXPERIMENTS["uct"].build(values)}
    assert set(contender.thetas.values()) == {"U random, m 100, d 10, c 100, k′ 30.00, α′ 0.50"}


def test_what_cannot_be_compared_is_named(tmp_path: Path) -> None:
    other = str(REFERENCE / "mcmdp")
    assert "does not exist" in refused("equal-time", f"{tmp_path}/none", other)
    assert "has no manifest.json" in refused("equal-time", str(tmp_path), other)
    assert "must play 2048" in refused("equal-time", str(REFERENCE / "dice_study"), other)
    line = refused("equal-time", str(REFERENCE / "heuristic"), other, "--overlap-only")
    assert "--overlap-only needs studies with playout moves (got 'heuristic')" in line


def test_fronts_beside_champions_have_names_and_scores_of_their_own() -> None:
    data = published("mcmdp")[1].data
    with pytest.raises(InputError, match=r"must have different names \(got 'mcmdp' twice\)"):
        front_rows([data, data])
    percent = replace(data.experiment, goal=mean("score", unit="%"))
    with pytest.raises(InputError, match=r"'mcmdp' must have score_mean_points in its front\.csv"):
        front_rows([replace(data, experiment=percent)])
