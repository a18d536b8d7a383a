"""The post's table: exact values of both recursions, the findings, and the folder."""

import json
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.oracles import dice as oracle
from thetafront.agents.dice.agent import DiceAgent
from thetafront.study.cli import app
from thetafront.study.reproduce.dice.ranking import order_noise
from thetafront.study.reproduce.dice.report import dice_markdown
from thetafront.study.reproduce.dice.table import (
    CORRECT,
    POST,
    PROGRAM,
    FinalScoreTwice,
    PlayedRow,
    PostRow,
    dice_frame,
    play_rows,
    scores_frame,
)

N = 20_000
EXACT = {PROGRAM: {0.95: 13.3087, 0.97: 13.3470}, CORRECT: {0.95: 12.9739, 0.97: 13.1397}}


@pytest.fixture(scope="module")
def played() -> list[PlayedRow]:
    return play_rows(range(3_000_000, 3_000_000 + N))


@pytest.fixture(scope="module")
def frame(played: list[PlayedRow]) -> pd.DataFrame:
    return dice_frame(played)


@pytest.mark.parametrize("post", POST, ids=lambda row: f"{row.theta:g}-{row.gamma:g}")
def test_the_program_of_the_post(post: PostRow) -> None:
    """The post's own program, written out, finds the same policy after as many sweeps."""
    agent = FinalScoreTwice(post.gamma, post.theta)
    policy, n_sweeps = oracle.of_the_post(post.gamma, post.theta, doubled=True)
    assert {roll: agent.act(roll).held for roll in oracle.states()} == policy
    assert agent.solved.n_sweeps == n_sweeps
    assert agent != DiceAgent(post.gamma, post.theta)


def test_exact_means_beside_simulated_ones(frame: pd.DataFrame) -> None:
    assert len(frame) == 10
    for _, row in frame.iterrows():
        assert row["exact_score_points"] == pytest.approx(
            EXACT[row["recursion"]][row["gamma"]], abs=5e-5
        )
        assert row["post_standard_error_points"] == pytest.approx(0.025, abs=0.002)
        assert row["standard_error_points"] == row["exact_sd_points"] / sqrt(N)
        assert abs(row["standard_errors_from_exact"]) < 4
        assert row["score_max_points"] == 18
        assert 0 < row["seconds_per_game"] < 1e-4
    program = frame[frame["recursion"] == PROGRAM]
    assert program["post_standard_errors_from_exact"].abs().max() < 2, "they are what it played"
    assert frame.loc[5:, "post_standard_errors_from_exact"].min() > 8, "and not the correct ones"


def test_every_row_has_seeds_of_its_own(played: list[PlayedRow], frame: pd.DataFrame) -> None:
    """An agent and its first seed replay a row; rows of one policy score differently."""
    assert [row.first_seed for row in played] == [3_000_000 + k * N for k in range(10)]
    row = played[3]
    again = FinalScoreTwice(row.post.gamma, row.post.theta)
    assert [again.play(row.first_seed + k).score for k in range(20)] == row.scores[:20].tolist()
    assert frame["score_mean_points"].nunique() == 10
    scores = scores_frame(played)
    keys = ["recursion", "theta", "gamma"]
    assert (scores.groupby(keys)["n_games"].sum() == N).all()
    totals = (scores["score_points"] * scores["n_games"]).groupby([scores[k] for k in keys]).sum()
    assert sorted(totals / N) == pytest.approx(sorted(frame["score_mean_points"]))


def test_how_much_of_the_order_is_noise(frame: pd.DataFrame) -> None:
    """By closed forms for two averages of one policy, and by hand for shares of variance."""
    found = order_noise(frame[frame["recursion"] == PROGRAM])
    assert found.gap == pytest.approx(13.3966 - 13.3415)
    errors = frame["post_standard_error_points"][:5].to_numpy()
    # Both averages are of γ = 0.97, whose policy scatters more than that of 0.95.
    assert found.gap_standard_errors == pytest.approx(found.gap / (sqrt(2) * errors[3]))
    assert found.gap_standard_errors == pytest.approx(1.48, abs=0.01)
    exact = frame["exact_score_points"][:5].to_numpy()
    noise = (errors**2).mean()
    assert found.noise_share == pytest.approx(noise / (noise + exact.var(ddof=1)))
    assert 0.5 < found.noise_share < 0.7
    # Probability of the gap for the higher γ's pair alone; the lower γ's three pairs add to it.
    alone = 1 - erf(found.gap / (2 * errors[3]))
    assert alone < found.p_gap < 4 * alone
    draws = np.random.default_rng(5).normal(exact, errors, (200_000, 5))
    ordered = (np.sort(draws, axis=1) == draws).all(axis=1).mean()
    assert found.p_order == pytest.approx(ordered, abs=0.003)
    above = (draws[:, 3:].min(axis=1) > draws[:, :3].max(axis=1)).mean()
    assert found.p_gammas == pytest.approx(above, abs=0.006)


def test_findings(frame: pd.DataFrame) -> None:
    text = dice_markdown(frame, 12_300_000)
    for part in ("13.34827", "14 of 56", "13.3087 (γ = 0.95) and 13.3470 (γ = 0.97)",
                 "12.9739 and 13.1397", "Seeds 3000000 to 3199999", "12.3 million"):  # fmt: skip
        assert part in text
    assert text.count("\n| 0.0001 | 0.97 |") == 2
    assert "nan" not in text


def test_the_command_writes_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from thetafront.study.reproduce.dice import table

    monkeypatch.setattr(table, "GAMMAS", (0.9, 0.97, 1.0))
    output = tmp_path / "out"
    asked = ["reproduce", "dice", "--games", "500", "--seed", "2", "--output", str(output)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, (done.output, done.stderr, done.exception)
    assert done.output == (output / "dice.md").read_text()
    assert len(pd.read_csv(output / "dice.csv")) == 10
    assert pd.read_csv(output / "games.csv")["n_games"].sum() == 5000
    grid = pd.read_csv(output / "grid.csv")
    assert len(grid) == 2 * 5 * 3
    assert grid["exact_score_points"].max() == pytest.approx(13.34827, abs=5e-6)
    best = grid[(grid["gamma"] == 1) & (grid["recursion"] == CORRECT)]
    assert best.sort_values("tolerance_points")["n_sweeps"].is_monotonic_decreasing
    manifest = json.loads((output / "manifest.json").read_text())
    assert (manifest["seed"], manifest["games_a_row"], manifest["n_games_played"]) == (2, 500, 5000)
    assert list(manifest["first_seeds"].values()) == [2_000_000 + 500 * k for k in range(10)]
    for picture in ("dice.png", "table.png"):
        assert (output / picture).stat().st_size > 10_000
