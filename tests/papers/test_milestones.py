"""Scores by largest tile on made-up games, and the worth of boards by listing their tiles."""

import numpy as np
import pytest

from results.papers.milestones import (
    answer,
    correlation_ratio,
    milestones_figure,
    milestones_frame,
    section,
    worth_below,
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
    "one": games_of(
        [score for scores in SCORES.values() for score in scores],
        [tile for tile, scores in SCORES.items() for _ in scores],
    )
}


def test_the_worth_of_a_board_with_one_of_each_tile_below() -> None:
    board = parse("2048 1024 512 256 / 128 64 32 16 / 8 4 . . / . . . .")
    assert worth_below(4096) == worth(board) == 36_868
    with_4096 = parse("4096 2048 1024 512 / 256 128 64 32 / 16 8 4 . / . . . .")
    assert worth_below(8192) == worth(with_4096) == 81_924


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


def test_text_and_picture() -> None:
    frame = milestones_frame(GAMES)
    said = " ".join(answer(frame).split())
    assert "a median of 35,700 to 35,700 points" in said
    assert "10.0% to 10.0% stay below 60,000 points" in said
    text = section(frame, GAMES)
    assert "61,444" in text
    assert "1 of the\n25 games" in text, "36,900 is above 36,868"
    assert len(milestones_figure({"Common rule": GAMES, "Cascade": GAMES}).axes) == 2
