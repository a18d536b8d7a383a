"""Three dice: exact values of both recursions, noise in the post's order, the published games."""

import json
import shutil
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.papers import dice, paper
from results.papers.dice import CORRECT, POST, PROGRAM, FinalScoreTwice
from tests.oracles import dice as oracle
from thetafront.agents.dice.agent import DiceAgent

PUBLISHED = Path("results", "reference", "dice")
N = 20_000
EXACT = {PROGRAM: {0.95: 13.3087, 0.97: 13.3470}, CORRECT: {0.95: 12.9739, 0.97: 13.1397}}
TIMES = ["solving_seconds", "seconds_per_game"]


@pytest.fixture(scope="module")
def played() -> tuple[pd.DataFrame, pd.DataFrame]:
    return dice.play(3_000_000, N)


@pytest.mark.parametrize("post", POST, ids=lambda row: f"{row[0]:g}-{row[1]:g}")
def test_the_program_of_the_post(post: tuple[float, ...]) -> None:
    """The post's own program, written out, finds the same policy after as many sweeps."""
    theta, gamma, *_ = post
    agent = FinalScoreTwice(gamma, theta)
    policy, n_sweeps = oracle.of_the_post(gamma, theta, doubled=True)
    assert {roll: agent.act(roll).held for roll in oracle.states()} == policy
    assert agent.solved.n_sweeps == n_sweeps
    assert agent != DiceAgent(gamma, theta)


def test_exact_means_beside_simulated_ones(played: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    frame, _ = played
    assert len(frame) == 10
    for _, row in frame.iterrows():
        exact = EXACT[row["recursion"]][row["gamma"]]
        assert row["exact_score_points"] == pytest.approx(exact, abs=5e-5)
        assert row["standard_error_points"] == row["exact_sd_points"] / sqrt(N)
        assert abs(row["standard_errors_from_exact"]) < 4
        assert row["score_max_points"] == 18
    program = frame[frame["recursion"] == PROGRAM]
    assert program["post_standard_errors_from_exact"].abs().max() < 2, "they are what it played"
    assert frame.loc[5:, "post_standard_errors_from_exact"].min() > 8, "and not the correct ones"


def test_how_much_of_the_order_is_noise(played: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """By closed forms for two averages of one policy, and by hand for shares of variance."""
    part = played[0][:5]
    found = dice.order_noise(part)
    assert found["gap"] == pytest.approx(13.3966 - 13.3415)
    errors, exact = part["post_standard_error_points"], part["exact_score_points"]
    # Both averages are of γ = 0.97, whose policy scatters more than that of 0.95.
    assert found["gap_errors"] == pytest.approx(found["gap"] / (sqrt(2) * errors[3]))
    noise = (errors**2).mean()
    assert found["noise_share"] == pytest.approx(noise / (noise + exact.var(ddof=1)))
    # Probability of the gap for the higher γ's pair alone; the lower γ's three pairs add to it.
    alone = 1 - erf(found["gap"] / (2 * errors[3]))
    assert alone < found["p_gap"] < 4 * alone
    draws = np.random.default_rng(5).normal(exact, errors, (200_000, 5))
    ordered = (np.sort(draws, axis=1) == draws).all(axis=1).mean()
    assert found["p_order"] == pytest.approx(ordered, abs=0.003)
    above = (draws[:, 3:].min(axis=1) > draws[:, :3].max(axis=1)).mean()
    assert found["p_gammas"] == pytest.approx(above, abs=0.006)


def test_the_published_folder_comes_out_again(tmp_path: Path) -> None:
    """All of its games are played again; only times may differ."""
    shutil.copy(PUBLISHED / "manifest.json", tmp_path)
    paper.script(dice.dice, "dice", 10_000, given=["--output", str(tmp_path)])
    assert (tmp_path / "games.csv").read_bytes() == (PUBLISHED / "games.csv").read_bytes()
    for name in ("dice.csv", "grid.csv"):
        mine, theirs = (
            pd.read_csv(folder / name).drop(columns=TIMES, errors="ignore")
            for folder in (tmp_path, PUBLISHED)
        )
        pd.testing.assert_frame_equal(mine, theirs, rtol=1e-9, atol=0, obj=name)
    text = (tmp_path / "dice.md").read_text()
    for part in ("13.34827", "14 of 56", "13.3087 (γ = 0.95)"):
        assert part in text
    assert "nan" not in text
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["seed"], manifest["games_a_row"]) == (0, 10_000)
    assert len(manifest["earlier_runs"]) >= 1
    for picture in ("dice.png", "table.png"):
        assert (tmp_path / picture).stat().st_size > 10_000


def test_games_of_another_script_are_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games.csv").write_text("agent,seed,score_points\n")
    with pytest.raises(SystemExit):
        paper.script(dice.dice, "dice", 10, given=["--output", str(tmp_path)])
    said = capsys.readouterr().err
    assert said.endswith("games.csv: games of another script; use another folder\n")
    assert [each.name for each in tmp_path.iterdir()] == ["games.csv"]
