"""Dice and Pacman through the commands: played, tuned, and refused where only 2048 is allowed."""

import json
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import binomtest

from tests.study.program import refused, succeeded
from thetafront.agents.catalog import build
from thetafront.study.errors import InputError
from thetafront.study.experiments.agent_parser import build_agent

pytestmark = pytest.mark.usefixtures("no_processes")

LAYOUT = "%%%%%\n%P .%\n%%%%%"


def played(*words: str) -> str:
    return succeeded(None, "play", *words, "--jobs", "1")


def test_play_prints_how_many_games_were_won() -> None:
    summary = json.loads(played("pacman_astar", "--games", "30", "--json"))
    n_won = sum(game["outcome"] == "won" for game in summary["games"])
    assert 0 < n_won < 30
    wilson = binomtest(n_won, 30).proportion_ci(method="wilson")
    assert summary["win_rate"]["mean"] == n_won / 30
    assert summary["win_rate"]["low95"] == pytest.approx(wilson.low, abs=1e-6)
    assert summary["win_rate"]["high95"] == pytest.approx(wilson.high, abs=1e-6)
    words = played("pacman_astar", "--games", "30")
    assert f"win rate           {n_won / 30:.1%} ({wilson.low:.1%} to {wilson.high:.1%})" in words
    assert "reached" not in words


def test_play_tells_points_of_dice_with_decimals() -> None:
    words = played("dice", "--games", "20")
    scores = [build("dice", {}).play(seed).score for seed in range(20)]
    assert f"score              {sum(scores) / 20:.1f} ± " in words
    assert f" points, 95% interval; single games {min(scores)} to {max(scores)}\n" in words
    assert "win rate" not in words
    assert "score              13.34827 points\n" in played("dice_solver", "--games", "1")


def test_pacman_is_played_in_a_maze_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "[").mkdir()
    maze = tmp_path / "[" / "x] :x:.lay"  # shown as it is, though rich would take it for markup
    maze.write_text(LAYOUT)
    assert f"(layout {maze}, ghosts random" in played(
        "pacman_random", "--layout", str(maze), "--games", "1"
    )
    maze = tmp_path / "alley.lay"
    maze.write_text(LAYOUT)
    words = played("pacman_random", "--layout", str(maze), "--games", "3")
    assert "win rate           100.0%" in words, "there is no ghost"
    assert f"layout {maze}" in words


def test_what_is_true_or_false_takes_words_and_digits() -> None:
    for words, expected in ((("true", "True", "1"), True), (("false", "0"), False)):
        for word in words:
            agent, params = build_agent("pacman_mdp", None, [f"cut={word}"])
            assert agent.cut is expected  # type: ignore[attr-defined]  # of this agent
            assert params["cut"] == int(expected)
    for word, shown in (("maybe", "'maybe'"), ("2", "2")):
        with pytest.raises(InputError, match=rf"^cut must be 0 or 1 \(got {shown}\)$"):
            build_agent("pacman_mdp", None, [f"cut={word}"])


@pytest.mark.parametrize("name", ["dice", "pacman_astar"])
def test_what_is_for_2048_alone_refuses_them(name: str) -> None:
    line = refused("act", "--board", "2", "--agent", name)
    assert f"'{name}', which plays another game" in line


def test_dice_are_tuned(tmp_path: Path) -> None:
    words = ["sweep", "dice", "--trials", "6", "--design-size", "4", "--jobs", "1"]
    assert "6 trials, 1 game each" in succeeded(tmp_path, *words)
    trials = pd.read_csv(tmp_path / "dice" / "trials.csv")
    for _, row in trials.iterrows():
        theta = {"gamma": row["gamma"], "tolerance": row["tolerance"]}
        assert row["score_mean_points"] == build("dice_solver", theta).play(0).score
    front = pd.read_csv(tmp_path / "dice" / "front.csv")
    (post,) = front.loc[front["origin"] == "the post's", "score_mean_points"]
    assert post == pytest.approx(13.1397, abs=5e-5)
    answer = json.loads(
        succeeded(tmp_path, "pick", "dice", "--min-score", "13.1", "--jobs", "1", "--json")
    )
    assert answer["expected_score"]["mean"] >= 13.1
