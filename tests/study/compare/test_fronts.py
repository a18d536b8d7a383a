"""Validated fronts, and which of their points are compared."""

import pandas as pd
import pytest

from thetafront.study.compare.equal_time import contender_of
from thetafront.study.compare.fronts import Front, front_of, within
from thetafront.study.errors import InputError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log.manifest import ROOT
from thetafront.study.log.published_study import read_published

PUBLISHED = ROOT / "results" / "reference" / "mcmdp"


def test_a_published_front_is_read() -> None:
    front = front_of(read_published(PUBLISHED)[1])
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
    front = front_of(read_published(PUBLISHED)[1])
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


def test_a_front_of_another_game_is_refused() -> None:
    with pytest.raises(InputError, match="'pacman'"):
        front_of(read_published(PUBLISHED.with_name("pacman"))[1])
