"""The command `reproduce`, on a few games: results, resuming, refusals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.study.made_studies import add_point, add_trials, spread
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.study.cli import app
from thetafront.study.experiments.definition import Experiment
from thetafront.study.reproduce.mcts.design import Case, Design
from thetafront.study.run.settings import SearchSettings
from thetafront.study.store.location import locate
from thetafront.study.store.storage import create_or_resume

SCORES = {"n_games", "score_mean_points", "score_low95_points", "score_high95_points"}
TABLES: dict[str, set[str]] = {
    "games": {"agent", "seed"},
    "mcts": {"leaf_value", "n_simulations", "seconds_per_move", *SCORES},
    "timings": {"leaf_value", "depth", "seconds_per_decision", "relative_to_random"},
    "equal_time": {"seconds_per_move", "leaf_value", "leader", "ahead_of_low95_points"},
    "timing_rounds": {"round", "leaf_value", "depth", "seconds_per_decision", "call_seconds"},
    "calibration": {"widened", "k", "alpha", "n_simulations", "relative_time"},
    "widening": {"widened", "k", "alpha", "n_simulations", "relative_time", *SCORES},
    "readings": {"reading", "leaf_value", "less_default_points", *SCORES},
    "exploration": {"leaf_value", "exploration_points", "less_c_100_points", *SCORES},
}


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, (done.output, done.stderr, done.exception)
    return done.output


@pytest.mark.usefixtures("quick")
def test_two_studies_are_compared_at_equal_time(tmp_path: Path, quick: Experiment) -> None:
    """Two studies of one quick experiment: differences with intervals, on seeds of neither.

    Their times are given, so that their fronts are the same on a busy machine.
    """
    results = ["--results", str(tmp_path)]
    for seed, (name, front) in enumerate([("a", (1, 5, 10, 36)), ("b", (2, 10, 30, 40))], 1):
        (tmp_path / name).mkdir()
        settings = SearchSettings(seed=seed)
        study, _ = create_or_resume(locate(name, tmp_path, None), settings.record(quick))
        add_trials(study, quick)
        for n in front:
            add_point(study, n, spread(1000 * n, 100, 8), 0.01 * n)
    output = tmp_path / "out"
    asked = ["reproduce", "switching", "a", "b", "--games", "4", "--jobs", "1"]
    text = run(*asked, "--output", str(output), *results)
    assert "# b against a at equal CPU time" in text
    table = pd.read_csv(output / "equal_time.csv")
    assert len(table) == 3
    assert (table["difference_low95_points"] <= table["difference_points"]).all()
    assert (table["difference_points"] <= table["difference_high95_points"]).all()
    games = pd.read_csv(output / "games.csv")
    assert set(games["seed"]) == {1_000_000_000 + k for k in range(4)}
    assert len(games) == 4 * len({5, 10, 36} | {2, 10, 30})  # equal θ share their games
    assert (output / "equal_time.png").stat().st_size > 10_000
    done = CliRunner().invoke(app, [*asked, "--seed", "2", "--output", str(output), *results])
    assert done.exit_code == 2
    assert "seed: 2 given, which study 'b' has used" in done.stderr
    # Of any two studies, all points of both fronts; the games that are there count.
    run("equal-time", "a", "b", "--games", "4", "--jobs", "1", "--output", str(output), *results)
    again = pd.read_csv(output / "games.csv")
    assert again[: len(games)].equals(games)
    assert len(again) == 4 * len({1, 5, 10, 36} | {2, 10, 30, 40})


def test_table1_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """Killed with -9 in the middle: finished games stay, and the table becomes complete."""
    command = [
        sys.executable,
        "-m",
        "thetafront",
        "reproduce",
        "table1",
        "--games",
        "2",
        "--jobs",
        "1",
    ]
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


SMALL = Design(
    simulations=(1, 3, 40),
    depths=(1, 10),
    n_rounds=2,
    cases=(Case(LeafValue.RANDOM, 40),),
    ks=(1.0,),
    action_ks=(1.0,),
    alphas=(0.0, 0.5),
    n_calibration_rounds=2,
    explorations=(1000.0,),
    exploration_cases=(Case(LeafValue.RANDOM, 40),),
    reading_simulations=3,
)


def test_tree_search_is_played_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second call plays no game and keeps the calibration; a third adds games."""
    monkeypatch.setattr("thetafront.study.reproduce.mcts.design.DESIGN", SMALL)
    asked = ["reproduce", "mcts", "--jobs", "1", "--output", str(tmp_path)]
    text = run(*asked, "--games", "2")
    assert "calibrating 4 settings (a minute or two)" in text
    assert "timing decisions (half a minute)" in text
    assert text.endswith((tmp_path / "mcts.md").read_text())
    assert "# Monte Carlo tree search on 2048" in text
    for picture in ("mcts", "execution_time", "equal_time", "widening", "action_widening"):
        assert (tmp_path / f"{picture}.png").stat().st_size > 10_000
    tables = {name: pd.read_csv(tmp_path / f"{name}.csv") for name in TABLES}
    for name, columns in TABLES.items():
        assert columns <= set(tables[name])
    n_agents, n_readings = 5 * 3 + 2 * 2 + 1, 5 + 2
    assert len(tables["games"]) == 2 * n_agents + 2 * 2 * n_readings + 2 * 5
    assert set(tables["readings"]["n_games"]) == {4}
    assert len(tables["mcts"]) == 15
    first = tables["mcts"][tables["mcts"]["n_simulations"] == 1]
    assert first["score_mean_points"].nunique() == 1, "m = 1 leaves nothing to a leaf's value"
    chosen = tables["calibration"]["n_simulations"].tolist()
    assert tables["widening"]["n_simulations"].tolist() == [40, *chosen]
    assert tables["widening"]["widened"].fillna("").tolist() == [
        "",
        *2 * ["states"],
        *2 * ["actions"],
    ]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert set(manifest["rows"]) == set(tables["games"]["agent"])

    measured = ("calibration.csv", "timing_rounds.csv", "timings.csv", "games.csv")
    kept = {name: (tmp_path / name).read_bytes() for name in measured}
    again = run(*asked, "--games", "2")
    assert "calibrating" not in again
    assert "timing_rounds.csv is kept; move it away to time again" in again
    assert kept == {name: (tmp_path / name).read_bytes() for name in kept}
    run(*asked, "--games", "3")
    assert (tmp_path / "calibration.csv").read_bytes() == kept["calibration.csv"]
    games = (tmp_path / "games.csv").read_bytes()
    assert games.startswith(kept["games.csv"])
    assert len(games.splitlines()) == 1 + 3 * n_agents + 3 * 2 * n_readings + 3 * 5


def test_a_calibration_that_is_none_is_refused_before_anything_is_timed(tmp_path: Path) -> None:
    (tmp_path / "calibration.csv").write_text("hello\n")
    done = CliRunner().invoke(app, ["reproduce", "mcts", "--output", str(tmp_path)])
    assert done.exit_code == 2
    assert done.stderr == (
        f"thetafront: {tmp_path}/calibration.csv: no calibration of this version; use another "
        "folder, or move it away\n"
    )
    assert not (tmp_path / "timings.csv").exists()


@pytest.mark.parametrize("command", ["table1", "dice", "pacman"])
@pytest.mark.parametrize("content", ["{", "[1]", '{"earlier_runs": 3}'])
def test_a_manifest_that_is_none_is_refused_before_anything_is_played(
    command: str, content: str, tmp_path: Path
) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(content)
    done = CliRunner().invoke(app, ["reproduce", command, "--output", str(tmp_path)])
    assert done.exit_code == 2
    assert done.stderr == f"thetafront: {path}: no manifest; use another folder, or move it away\n"
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == content


def test_without_a_name_it_says_what_there_is() -> None:
    done = CliRunner().invoke(app, ["reproduce"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert "pacman" in done.stdout
    assert done.stdout.count("\n") > 10


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["table1", "--games", "1"], "games: 1 given, 2 to 100000 allowed"),
        (["table1", "--seed", "-1"], "seed: -1 given, 0 to 2147483647 allowed"),
        (["table1", "--jobs", "0"], "jobs: 0 given"),
        (["bellman", "--theta", "1,2"], "theta: 2 values given, 6 expected"),
        (
            ["bellman", "--reuse", "nowhere"],
            "reuse: 'nowhere' given, a folder with a games.csv allowed",
        ),
        (["switching", "a", "a"], "'a' given twice, two different ones allowed"),
        (["mcts", "--games", "1"], "games: 1 given, 2 to 100000 allowed"),
        (["mcts", "--games", "x"], "'x' given, a whole number allowed"),
        (["dice", "--games", "1"], "games: 1 given, 2 to 100000 allowed"),
        (["dice", "--seed", "-1"], "seed: -1 given, 0 to 2147483647 allowed"),
        (["pacman", "--games", "0"], "games: 0 given, 2 to 100000 allowed"),
        (["pacman", "--jobs", "0"], "jobs: 0 given, 1 to"),
        (["dice", "--output", "/nowhere/at/all"], "output: "),
        (["pacman", "--output", "/nowhere/at/all"], "output: "),
        (["tables"], "command: 'tables' given, one of"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: list[str], part: str) -> None:
    output = ["--output", str(tmp_path / "out")] if len(arguments) > 1 else []
    done = CliRunner().invoke(app, ["reproduce", arguments[0], *output, *arguments[1:]])
    assert done.exit_code == 2
    assert part in done.stderr
    assert done.stderr.count("\n") == 1
