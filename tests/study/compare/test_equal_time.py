"""Scores at equal time: interpolation as numpy's, differences by hand."""

import numpy as np
import pandas as pd
import pytest

from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.compare.equal_time import (
    Contender,
    common_budgets,
    difference_frame,
    equal_time_figure,
    equal_time_markdown,
    points_frame,
    weights_at,
)
from thetafront.study.errors import InputError


def games_of(mean: float, micros: float, n: int = 60) -> list[Game]:
    noise = np.random.default_rng(1).normal(0, 2000, n)
    noise -= noise.mean()
    return [
        Game(seed, round(mean + each), 1000, micros * 1e-6 * 1000, 10, 2048, 1)
        for seed, each in enumerate(noise)
    ]


def contender(name: str, n: int) -> Contender:
    keys = [f"{name}, point {k}" for k in range(n)]
    return Contender(name, name, "seconds_per_move", {}, dict.fromkeys(keys, "θ₁ 1"))


def test_weights_make_the_straight_line_over_log_cost() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        costs = np.sort(rng.uniform(1e-5, 1e-3, 6))
        scores = rng.uniform(0, 60_000, 6)
        budget = rng.uniform(costs[0], costs[-1])
        expected = np.interp(np.log(budget), np.log(costs), scores)
        weights = weights_at(costs, budget)
        assert weights @ scores == pytest.approx(expected)
        assert weights.sum() == pytest.approx(1)
        assert (weights >= -1e-12).all()


def test_differences_at_three_budgets() -> None:
    both = [contender("plain", 3), contender("deep", 2)]
    games = {
        "plain, point 0": games_of(30_000, 10),
        "plain, point 1": games_of(40_000, 100),
        "plain, point 2": games_of(50_000, 1000),
        "deep, point 0": games_of(33_000, 10),
        "deep, point 1": games_of(53_000, 1000),
    }
    frame = points_frame(both, games)
    assert frame["seconds_per_move"].to_numpy() == pytest.approx([1e-5, 1e-4, 1e-3, 1e-5, 1e-3])
    differences = difference_frame(both, frame, games)
    assert differences["seconds_per_move"].to_numpy() == pytest.approx(
        [10 ** (-5 + 1 / 3), 1e-4, 10 ** (-3 - 1 / 3)]
    )
    assert differences["difference_points"].to_numpy() == pytest.approx([3000] * 3, abs=2)
    # The noise is the same on all seeds and goes out of a paired difference, but for rounding.
    assert (
        differences["difference_high95_points"] - differences["difference_low95_points"]
    ).max() < 5
    assert (differences["first_high95_points"] - differences["first_low95_points"]).min() > 500
    text = equal_time_markdown(both, frame, differences, range(60), overlap_only=True)
    assert text.count("deep is stronger") == 3
    assert text.count("(`--overlap-only`)") == 1
    assert len(equal_time_figure(both, frame, differences).axes) == 1


def test_fronts_without_a_time_in_common_are_named() -> None:
    frame = pd.DataFrame(
        {"study": ["a", "a", "b", "b"], "seconds_per_move": [1e-6, 1e-5, 1e-4, 1e-3]}
    )
    with pytest.raises(InputError, match=r"got one from 100 µs per move and one up to 10\.0 µs"):
        common_budgets(frame)
