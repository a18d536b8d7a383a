"""The table's figures, on made-up games."""

import pandas as pd
import pytest

from results.papers.table1 import PAPER, ROWS, beyond, table1_frame
from tests.papers.made_up import games_of
from thetafront.agents.twenty48.mcmdp import Table1
from thetafront.engine.twenty48 import Rule
from thetafront.study.estimate import Estimate


def made_up(n: int, high: int) -> pd.DataFrame:
    """Games of 36,000 points and 2048, the first ``high`` of them of 72,000 and 4096."""
    above = [seed < high for seed in range(n)]
    return games_of(
        [72_000 if each else 36_000 for each in above],
        [4096 if each else 2048 for each in above],
        [3000 if each else 2000 for each in above],
        [0.3 if each else 0.2 for each in above],
    )


@pytest.fixture
def games() -> dict[str, pd.DataFrame]:
    return {
        row.name: made_up(
            10 if row.slip else 40, (2 if row.slip else 10) + (row.rule is Rule.CASCADE)
        )
        for row in ROWS
    }


def test_rows_are_the_papers_under_two_rules_and_its_slips() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) == 13
    for rule in Rule:
        plain = [row.model for row in ROWS if row.rule is rule and not row.slip]
        assert plain == list(PAPER.index)
    assert all(row.agent.rule is row.rule for row in ROWS)
    shares = [row.agent.theta6 for row in ROWS if isinstance(row.agent, Table1)]
    assert shares == [1.0, 0.75, 0.5, 0.25] * 2


def test_figures_of_a_row(games: dict[str, pd.DataFrame]) -> None:
    frame = table1_frame(games)
    row = frame[(frame["model"] == "MDP (top 100%)") & (frame["rule"] == "common")].iloc[0]
    assert row["n_games"] == 40
    assert row["score_mean_points"] == pytest.approx(36_000 * 1.25)
    assert row["share_reaching_4096"] == pytest.approx(0.25)
    assert row["share_reaching_2048"] == 1.0
    assert not row["share_inside_4096"]
    assert row["share_beyond_4096"] == pytest.approx(0.575 - row["share_high95_4096"])
    assert row["score_low95_points"] < 45_000 < row["score_high95_points"]
    assert row["difference_points"] == 0
    assert row["seconds_per_move"] == pytest.approx((10 * 0.3 + 30 * 0.2) / (10 * 3000 + 30 * 2000))
    slip = frame[(frame["slip"] != "")].iloc[0]
    assert slip["slip_effect_points"] == pytest.approx(-7 * 36_000 / 10)
    assert row["slip_effect_points"] == 0
    # 3 of ten games are high, and all of the reference's first ten.
    assert slip["n_games"] == 10
    assert slip["difference_points"] == pytest.approx(-7 * 36_000 / 10)


def test_how_far_beyond() -> None:
    estimate = Estimate(5.0, 4.0, 6.0)
    assert [beyond(estimate, x) for x in (3.0, 4.0, 5.5, 6.0, 8.5)] == [-1.0, 0.0, 0.0, 0.0, 2.5]
    assert [beyond(estimate, x, 0.5) for x in (3.0, 3.5, 6.5, 8.5)] == [-0.5, 0.0, 0.0, 2.0]
