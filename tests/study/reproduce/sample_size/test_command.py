"""The command `replicates`: sources of games, refusals, files."""

import json
from pathlib import Path

import optuna
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from tests.study.made_studies import store_point
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.cli import app
from thetafront.study.experiments.definition import Experiment

SCORES = {"cheap": [400, 800, 600, 500], "middle": [900, 1100, 1000, 950], "dear": [2000, 2400]}


def game(seed: int, score: int) -> Game:
    return Game(seed, score, 100, 0.1, 1000, 64, 0)


def replicates(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["replicates", *arguments])


@pytest.fixture
def results(tmp_path: Path, quick: Experiment) -> Path:
    """A folder with the study `s`: three validated points."""
    (tmp_path / "s").mkdir()
    study = optuna.create_study(
        study_name="s",
        storage=f"sqlite:///{tmp_path}/s/study.db",
        directions=["maximize", "minimize"],
    )
    record = {"experiment": quick.name, "seed": 0, "design": "lhs", "design_size": 1}
    record["space"] = quick.space.as_records()
    study.set_user_attr("thetafront", {"format": 1, **record})
    for n_playouts, (key, scores) in enumerate(SCORES.items(), 1):
        games = {r: game(500 + r, score) for r, score in enumerate(scores)}
        store_point(study, {"n_playouts": n_playouts}, games, key=key)
    return tmp_path


def test_a_study_is_read(results: Path) -> None:
    output = results / "out"
    done = replicates("--study", "s", "--results", str(results), "--output", str(output))
    assert done.exit_code == 0, done.stderr
    assert "The paper's example" in done.stdout
    assert "A: proposal, point cheap" in done.stdout
    assert "B: proposal, point middle" in done.stdout
    manifest = json.loads((output / "manifest.json").read_text())
    assert [each["theta"] for each in manifest["thetas"]] == ["1", "2"]
    games = pd.read_csv(output / "games.csv").set_index("agent")
    for each, key in zip(manifest["thetas"], SCORES, strict=False):
        assert games.loc[each["agent"], "score_points"].tolist() == SCORES[key]
        assert games.loc[each["agent"], "seed"].tolist() == [500, 501, 502, 503]
    ranking = pd.read_csv(output / "ranking.csv")
    assert ranking["n_games"].tolist() == list(range(1, 101))
    assert ranking["p_wrong"].iloc[0] == 0.0, "every score of the one is above the other's"
    text = (output / "replicates.md").read_text()
    assert "| 3 | P(4096 exactly once) | 0.375 | 0.288 | 0.375 is that of p = 0.5 |" in text
    assert (output / "replicates.png").read_bytes().startswith(b"\x89PNG")
    one = replicates("--study", "s", "--point", "dear", "--results", str(results))
    assert one.exit_code == 0
    assert "Games to rank the two" not in one.stdout


def test_games_are_played_kept_and_added_to(tmp_path: Path) -> None:
    output = tmp_path / "out"
    words = ["pmcts", "--theta", "1", "--versus", "8", "--jobs", "1", "--output", str(output)]
    first = replicates(*words, "--games", "4", "--seed", "7")
    assert first.exit_code == 0, first.stderr
    before = (output / "games.csv").read_text()
    assert sorted(pd.read_csv(output / "games.csv")["seed"]) == sorted([7, 8, 9, 10] * 2)
    with (output / "games.csv").open("a") as file:
        file.write("0123456789ab,99")  # torn by a kill
    again = replicates(*words, "--games", "5", "--seed", "7", "--standard-error", "123")
    assert again.exit_code == 0, again.stderr
    assert "going on: 8 games are there already" in again.stdout
    after = (output / "games.csv").read_text()
    assert after.startswith(before)
    assert after.count("\n") == before.count("\n") + 2
    games = pd.read_csv(output / "games.csv")
    thetas = json.loads((output / "manifest.json").read_text())["thetas"]
    assert [each["theta"] for each in thetas] == ["1", "8"]
    assert set(games["agent"]) == {each["agent"] for each in thetas}
    errors = pd.read_csv(output / "standard_errors.csv")
    assert 123.0 in set(errors["standard_error_points"])
    of_one_game = pd.read_csv(output / "replicates.csv").query("n_games == 1").set_index("theta")
    by_agent = games.groupby("agent")["score_points"].std()
    for each in thetas:
        deviation = of_one_game.loc[each["name"], "standard_error_points"]
        assert deviation == pytest.approx(by_agent[each["agent"]])


def test_a_damaged_manifest_is_refused_before_anything_is_played(results: Path) -> None:
    output = results / "out"
    output.mkdir()
    path = output / "manifest.json"
    path.write_text("[]")
    of_study = ["--study", "s", "--results", str(results)]
    for words in (of_study, ["pmcts", "--theta", "1", "--games", "2", "--jobs", "1"]):
        refused = replicates(*words, "--output", str(output))
        assert refused.exit_code == 2
        assert refused.stderr == (
            f"thetafront: {path}: no manifest; use another folder, or move it away\n"
        )
        assert [each.name for each in output.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chess"], "agent: 'chess' given; one of expectimax, mcmdp, "),
        (["dice"], "agent: 'dice' given, which plays another game; one of expectimax, "),
        (["mcmdp", "--theta", "1,2"], "theta"),
        (["mcmdp", "--versus", "500,54,18,9,6.25,1"], "which is the same θ; another allowed"),
        (["--games", "1"], "games: 1 given, 2 to 400000 allowed"),
        (["--games", "many"], "'many' given, a whole number allowed"),
        (["--seed", "-1"], "seed: -1 given, 0 to"),
        (["--jobs", "0"], "jobs: 0 given, 1 to "),
        (
            ["--standard-error", "0"],
            "standard error: 0 given, a finite number of 0.01 or more allowed",
        ),
        (["--point", "x"], "study: --point given without --study"),
        (["--study", "s", "--games", "9"], "--study and --games given, one of the two allowed"),
        (["mcmdp", "--study", "s"], "--study and AGENT given, one of the two allowed"),
        (["--study", "absent"], "study: 'absent' given"),
        (["--study", "s", "--point", "x"], "'x' given, one of cheap, dear, middle allowed"),
    ],
)
def test_bad_input_is_one_line(words: list[str], said: str, results: Path) -> None:
    refused = replicates(*words, "--results", str(results))
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert "Traceback" not in refused.output


def test_nothing_is_left_by_what_is_refused(tmp_path: Path) -> None:
    assert replicates("--games", "1", "--output", str(tmp_path / "out")).exit_code == 2
    assert not (tmp_path / "out").exists()
