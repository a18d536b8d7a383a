"""The command ``play``: the same games for people and for programs."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from tests.study.program import invoked, refused, run, succeeded


def test_play_prints_one_json_object() -> None:
    arguments = ["play", "mcmdp", "--theta", "16,8,4,2,2,0.5", "--games", "5", "--seed", "40"]
    played = run(*arguments, "--jobs", "2", "--json")
    assert played.returncode == 0
    result = json.loads(played.stdout)
    assert result["agent"] == "mcmdp"
    assert result["params"]["theta6"] == 0.5
    assert result["n_games"] == 5
    assert set(result["score"]) == {"mean", "sem", "low95", "high95", "min", "max"}
    assert [game["seed"] for game in result["games"]] == [40, 41, 42, 43, 44]
    scores = pd.Series([game["score"] for game in result["games"]])
    assert result["score"]["mean"] == pytest.approx(scores.mean())
    assert result["score"]["sem"] == pytest.approx(scores.sem())
    reached = [game["max_tile"] >= 1024 for game in result["games"]]
    assert result["reach"]["1024"] == pytest.approx(sum(reached) / 5)
    assert result["n_moves_mean"] > 0
    for key in ("seconds_per_move", "playout_moves_per_move"):
        assert 0 < result[f"{key}_low95"] < result[key] < result[f"{key}_high95"]
    alone = json.loads(run(*arguments, "--jobs", "1", "--json").stdout)
    for game, other in zip(result["games"], alone["games"], strict=True):
        assert {**game, "seconds": 0} == {**other, "seconds": 0}


def test_a_parameter_may_be_set_to_a_word() -> None:
    settings = ["--set", "leaf_value = score", "--set", "n_simulations=5"]
    arguments = ["play", "uct", *settings, "--games", "1", "--jobs", "1"]
    params = json.loads(succeeded(None, *arguments, "--json"))["params"]
    assert (params["leaf_value"], params["n_simulations"]) == ("score", 5)
    assert "leaf_value score, weights none," in succeeded(None, *arguments)


def test_play_sums_up_for_people() -> None:
    said = succeeded(None, "play", "random", "--games", "3", "--jobs", "1")
    assert "3 games from seed 0" in said
    assert " points, 95% interval; single games " in said
    assert re.search(r"^CPU time per move +\S+ [nµm]?s ± [\d.,]+%$", said, re.MULTILINE), said


def test_what_is_left_out_of_a_maze_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "wide.lay"
    path.write_text("%%%%%%  \n%P.2 %%\n%%%%%%\n")
    arguments = ["play", "pacman_random", "--games", "1", "--jobs", "1", "--layout", str(path)]
    assert invoked(None, *arguments).stderr == (
        "layout wide: line 1 ends at column 6; walls further right are cut off in line 2\n"
    )


def test_how_certain_pacmans_motion_is_can_be_set() -> None:
    words = ["play", "pacman_astar", "--games", "3", "--jobs", "1", "--json", "--set"]
    found = [succeeded(None, *words, f"p_chosen={p}") for p in ("1", "0.8")]
    games = [json.loads(each)["games"] for each in found]
    plain = json.loads(succeeded(None, *words[:-1]))["games"]
    assert [game["score"] for game in games[1]] == [game["score"] for game in plain]
    assert [game["score"] for game in games[0]] != [game["score"] for game in plain]
    assert "p_chosen must be between 0 and 1 (got 1.5)" in refused(*words, "p_chosen=1.5")
