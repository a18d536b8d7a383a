"""Scores by largest tile on made-up games, and the worth of boards by listing their tiles."""

import numpy as np
import pytest

from results.papers.table1 import (
    BELOW_4096,
    correlation_ratio,
    milestones_figure,
    milestones_frame,
    numbers,
)
from tests.papers.made_up import games_of
from thetafront.engine.twenty48 import parse
from thetafront.engine.twenty48.board import worth

SCORES = {
    2048: range(35_000, 37_000, 100),
    1024: range(20_000, 20_005),
    4096: (50_000, 61_000, 65_000, 70_000, 79_000),
    8192: range(85_000, 85_005),
}
GAMES = {
    "MDP, common": games_of(
        [score for scores in SCORES.values() for score in scores],
        [tile for tile, scores in SCORES.items() for _ in scores],
    )
}


def test_worths_that_the_text_names() -> None:
    below = "2048 1024 512 256 / 128 64 32 16 / 8 4 . . / . . . ."
    assert worth(parse(below)) == BELOW_4096 == 36_868
    assert worth(parse("4096 2048 1024 512 / 256 128 64 32 / 16 8 4 . / . . . .")) == 81_924
    assert worth(parse("4096 1024 512 256 / 128 64 32 16 / 8 4 . . / . . . .")) == 61_444


def test_figures_of_a_row() -> None:
    row = milestones_frame(GAMES).iloc[0]
    assert (row["n_games"], row["n_without"], row["n_with"]) == (35, 25, 10)
    assert row["without_median_points"] == 35_700
    assert row["without_near_share"] == 20 / 25
    assert row["with_below_60000_share"] == 1 / 10
    assert row["with_60000_to_80000_share"] == 4 / 10
    assert row["with_below_60000_share_low95"] < 0.1 < row["with_below_60000_share_high95"]


def test_correlation_ratio_is_the_share_between_groups() -> None:
    """Two groups without spread have 1; a tile that tells nothing has nearly 0."""
    rng = np.random.default_rng(0)
    reached = np.arange(400) % 2 == 0
    assert correlation_ratio(np.where(reached, 7.0, 3.0), reached, rng).value == pytest.approx(1.0)
    noise = rng.normal(0, 1, 400)
    assert correlation_ratio(noise, reached, rng).value < 0.02
    # Means ± 1, variance 1 around them: half of the variance lies between.
    half = correlation_ratio(noise + np.where(reached, 1.0, -1.0), reached, rng)
    between = np.corrcoef(noise + np.where(reached, 1.0, -1.0), reached)[0, 1] ** 2
    assert half.value == pytest.approx(between)
    assert half.low < 0.5 < half.high


def test_numbers_and_picture() -> None:
    found = numbers(milestones_frame(GAMES), GAMES)
    assert found["over_rows"]["without_median_points"].tolist() == [35_700, 35_700]
    assert (found["n_4096"], found["n_above"], found["most"]) == (25, 1, 36_900)
    of_common, of_cascade = milestones_figure(GAMES | {"MDP, cascade": GAMES["MDP, common"]}).axes
    for axes in (of_common, of_cascade):
        assert sum(bar.get_height() for bar in axes.patches) == 35, "every game is in a bar"
