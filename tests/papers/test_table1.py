"""The table's figures, on made-up games."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from results.papers.milestones import milestones_frame
from results.papers.table1 import (
    PAPER,
    ROWS,
    beyond,
    table1_figure,
    table1_frame,
    text_of,
)
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


def test_text_and_picture(games: dict[str, pd.DataFrame]) -> None:
    frame = table1_frame(games)
    plain = {row.name: games[row.name] for row in ROWS if not row.slip}
    text = text_of(frame, milestones_frame(plain), plain, range(40))
    assert "have a median of 36,000 to 36,000 points" in text
    assert text.count("\n| MDP (top 25%)") == 3 + 2
    assert "| 40 | 45,000 (" in text
    assert "0 of the 295 games that end without a 4096 tile score more, up to 36,000" in text
    assert "{" not in text
    figure = table1_figure(games, frame)
    assert len(figure.axes) == 1
    assert isinstance(frame, pd.DataFrame)


def test_table1_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """Killed with -9 in the middle: finished games stay, and the table becomes complete."""
    command = [sys.executable, "-m", "results.papers.table1", "--games", "2", "--jobs", "1"]
    command += ["--output", str(tmp_path)]
    path = tmp_path / "games.csv"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 1200
    while not (path.exists() and len(path.read_bytes().splitlines()) > 4):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = path.read_bytes()
    assert len(before.splitlines()) < 27
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1200)
    assert done.stdout.count("\n| MDP (top 25%)") == 3 + 2
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    games = pd.read_csv(path)
    assert len(games) == 13 * 2
    assert not games.duplicated(["agent", "seed"]).any()
    table = pd.read_csv(tmp_path / "table1.csv")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert set(manifest["rows"]) == set(games["agent"])
    means = games.groupby("agent")["score_points"].mean()
    named = {name: means[digest] for digest, name in manifest["rows"].items()}
    common = table[(table["rule"] == "common") & (table["model"] == "Pure MCTS")].iloc[0]
    assert named["Pure MCTS, common"] == common["score_mean_points"]
