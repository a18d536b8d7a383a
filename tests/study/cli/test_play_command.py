"""The command ``play``: the same games for people and for programs."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from study.cli import app
from tests.study.program import run


def test_play_prints_one_json_object() -> None:
    arguments = ["play", "mcmdp", "--theta", "16,8,4,2,2,0.5", "--games", "5", "--seed", "40"]
    played = run(*arguments, "--jobs", "2", "--json")
    assert played.returncode == 0
    result = json.loads(played.stdout)
    assert result["agent"] == "mcmdp"
    assert result["params"]["theta6"] == 0.5
    assert result["n_games"] == 5
    assert set(result["score"]) == {"mean", "sem", "min", "max"}
    assert [game["seed"] for game in result["games"]] == [40, 41, 42, 43, 44]
    scores = pd.Series([game["score"] for game in result["games"]])
    assert result["score"]["mean"] == pytest.approx(scores.mean())
    assert result["score"]["sem"] == pytest.approx(scores.sem())
    reached = [game["max_tile"] >= 1024 for game in result["games"]]
    assert result["reach"]["1024"] == pytest.approx(sum(reached) / 5)
    for key in ("n_moves_mean", "seconds_per_move", "playout_moves_per_move"):
        assert result[key] > 0
    alone = json.loads(run(*arguments, "--jobs", "1", "--json").stdout)
    for game, other in zip(result["games"], alone["games"], strict=True):
        assert {**game, "seconds": 0} == {**other, "seconds": 0}


def test_a_parameter_may_be_set_to_a_word() -> None:
    settings = ["--set", "leaf_value = score", "--set", "n_simulations=5"]
    arguments = ["play", "uct", *settings, "--games", "1", "--jobs", "1"]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0
    params = json.loads(result.stdout)["params"]
    assert (params["leaf_value"], params["n_simulations"]) == ("score", 5)
    assert "leaf_value score" in CliRunner().invoke(app, arguments).stdout


def test_play_sums_up_for_people() -> None:
    result = CliRunner().invoke(app, ["play", "random", "--games", "3", "--jobs", "1"])
    assert result.exit_code == 0
    assert "3 games from seed 0" in result.stdout
    assert "standard error" in result.stdout
