"""A point: what names it, its games as they come back, and its state."""

import json

import pandas as pd
import pytest

from tests.study.external_games import compressor
from thetafront.agents.agent import FailedGame
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.manifest import ROOT
from thetafront.study.log.point import Point, theta_key

__all__ = ["compressor"]


def test_a_key_names_the_values_whatever_their_order() -> None:
    one, other = {"a": 1, "b": 0.25}, {"b": 0.25, "a": 1}
    assert theta_key(one) == theta_key(other)
    assert len(theta_key(one)) == 10
    assert int(theta_key(one), 16) >= 0
    assert theta_key(json.loads(json.dumps(one))) == theta_key(one), "read back, the same"
    others = ({"a": 0.25, "b": 1}, {"a": 1}, {"a": 2}, {"a": "score"}, {"a": "random"})
    assert len({theta_key(each) for each in (one, *others)}) == 6


def test_published_points_keep_their_names() -> None:
    """A θ of numbers is named as it was before there were words: its games stay its own."""
    published = pd.read_csv(ROOT / "results" / "reference" / "mcmdp" / "front.csv")
    for _, row in published.iterrows():
        assert theta_key({f"theta{k}": row[f"theta{k}"] for k in range(1, 7)}) == row["point"]


@pytest.mark.parametrize("penalty", [None, 0.0])
def test_games_that_fail_are_replaced_or_count(
    compressor: Experiment, penalty: float | None
) -> None:
    """Three are asked for; the second one fails."""
    point, game, failed = Point({"level": 7}, n_games=3), compressor.build({"level": 7}).play(7), 8
    assert point.missing(penalty) == [0, 1, 2]
    assert point.add(2, game, penalty) is game
    counts = point.add(1, FailedGame(failed, "it failed"), penalty)
    assert (counts is None) == (penalty is None)
    assert point.missing(penalty) == ([0, 3] if penalty is None else [0])
    assert {n: type(each) for n, each in point.outcomes.items()} == {1: FailedGame, 2: type(game)}
    assert (list(point.outcomes), point.n_ended) == ([1, 2], 1)
    assert point.in_order[-1] is game
    assert len(point.in_order) == (1 if penalty is None else 2)


def test_the_state_follows_from_what_is_there() -> None:
    assert Point({}).state == "running"
    assert Point({}, values=(1.0, 2.0)).state == "complete"
    assert Point({}, values=(1.0, 2.0), error="a reason").state == "fail"
