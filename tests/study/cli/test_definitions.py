"""Experiments of users on the command line, from a folder of their own, as real processes."""

import contextlib
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from tests.agents.external.test_program import alive, wait_until_gone
from tests.study.experiments.definitions import COINS, ENGINE, ONCE, SEARCHER, SERVE
from tests.study.program import invoked, run, signalled, stored

SWEEP = ["--trials", "10", "--design-size", "8", "--replicates", "4", "--validation-games", "6"]
SWEEP += ["--validation-points", "3", "--budget", "none", "--jobs", "2"]
VERIFY = ["verify", "coins", "--games", "all"]
FEW = ["--design-size", "4", "--replicates", "3", "--no-validation", "--budget", "none"]
DOORS = {"coins.py": "coins", "search.py:SEARCH": "searcher", "once.toml": "engine"}
DOORS |= {"serve.toml": "server"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder with a user's definitions."""
    for name, text in {
        "coins.py": COINS,
        "search.py": SEARCHER,
        "engine.py": ENGINE,
        "once.toml": ONCE,
        "serve.toml": SERVE,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def thetafront(folder: Path, *words: str, code: int = 0) -> str:
    """Run a command in a folder; return what it prints, on both streams."""
    with contextlib.chdir(folder):
        return invoked(None, *words, code=code).output


def refused(folder: Path, *words: str) -> str:
    """Give bad input: one line, exit code 2, nothing written."""
    before = sorted(folder.rglob("*"))
    said = thetafront(folder, *words, code=2).removeprefix("playing a first game\n")
    assert sorted(folder.rglob("*")) == before
    assert said.startswith("thetafront: ")
    assert said.count("\n") == 1
    return said


def n_trials(database: Path) -> int:
    """Return how many trials a database has finished."""
    query = (
        "SELECT 1 FROM thetafront_point p WHERE phase = 'search' AND n_games <= ("
        "SELECT COUNT(*) FROM thetafront_game g WHERE g.phase = p.phase AND g.number = p.number)"
    )
    return len(stored(database, query))


def check_published(folder: Path, name: str, door: str, program: str = "engine.py") -> None:
    """Tables that lie with their definition are verified and drawn with it, wherever they are."""
    there = folder / "published"
    there.mkdir()
    for path in (folder / "results" / name).glob("*.[cj]s[vo]*"):
        (there / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((there / "manifest.json").read_text())
    assert manifest["definition"]["source"] == door
    for each in (door, program):
        (there / each).write_bytes((folder / each).read_bytes())
        (folder / each).rename(folder / f"{each}.away")
    assert re.search(r"ok \(\d+ of \d+ games\)", thetafront(folder, "verify", "published/"))
    thetafront(folder, "plot", "published/")
    assert (there / "pareto.png").exists()
    for each in (door, program):
        (folder / f"{each}.away").rename(folder / each)


SLOW = ("once.toml", "serve.toml")


@pytest.mark.sweeps
@pytest.mark.parametrize(
    "door", [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW)) for each in DOORS]
)
def test_a_sweep_is_killed_and_continues_and_all_commands_work(folder: Path, door: str) -> None:
    name = DOORS[door]
    database = folder / "results" / name / "study.db"
    words = ["sweep", door, *SWEEP, "--trials", "16"]
    thetafront(folder, "try", door, "--corners", "2")
    signalled(words, folder, lambda: n_trials(database) >= 1)
    wait_until_gone("engine.py", folder)
    n_before = n_trials(database)
    said = thetafront(folder, *words)
    assert "resuming: " in said
    assert n_trials(database) == 16 > n_before
    trials = pd.read_csv(folder / "results" / name / "trials.csv")
    assert set(trials["state"]) == {"complete"}
    assert "nothing yet" not in thetafront(folder, "status", name)
    header = (folder / "results" / name / "games.csv").read_text().splitlines()[0]
    assert ("n_moves" in header) == (name != "searcher")
    assert "points" not in header
    if name == "searcher":
        assert "error_bits" in header
        assert "per move" not in thetafront(folder, "front", name)
    front = json.loads(
        thetafront(folder, "pick", name, *limit_words(name), "--games", "0", "--json")
    )
    assert front["command"].startswith(f"thetafront play {folder}/")
    played = thetafront(folder, *front["command"].split()[1:], "--games", "3")
    assert "3 games from seed 0" in played
    thetafront(folder, "pick", name, *limit_words(name), "--games", "4")
    for command in ("status", "front", "plot", "export", "compare"):
        thetafront(folder, command, name)
    thetafront(folder, "plot", f"results/{name}")
    thetafront(folder, "validate", name, "--validation-games", "8", "--validation-points", "3")
    assert "ok" in thetafront(folder, "verify", name)
    if door.endswith(".toml"):
        check_published(folder, name, door)
    (shown,) = json.loads(thetafront(folder, "experiments", door, "--json"))
    assert shown["experiment"] == name


def limit_words(name: str) -> list[str]:
    """Return what to ask for."""
    return ["--max-error", "0.5"] if name == "searcher" else ["--min-won", "0.2"]


@pytest.mark.sweeps
def test_a_changed_definition_is_refused_with_what_changed(folder: Path) -> None:
    few = ["--trials", "4", *FEW]
    thetafront(folder, "sweep", "once.toml", *few)
    thetafront(folder, "sweep", "coins.py", *few)
    (folder / "engine.py").write_text(ENGINE.replace("90", "80"))
    line = refused_study(folder, "sweep", "once.toml", *few)
    assert "'engine': its definition has changed: the program or a file of its command now" in line
    assert "accept the changes with --accept-change" in line
    line = refused_study(folder, "validate", "engine", "--validation-games", "2")
    assert "has changed: the program or a file of its command now" in line
    assert "; to accept this, resume the sweep with --accept-change" in line
    (folder / "once.toml").write_text(ONCE.replace("time_limit = 20", "time_limit = 30"))
    line = refused_study(folder, "sweep", "once.toml", *few)
    assert "program.time_limit is now 30.0, not 20.0; the program or a file" in line
    few[1] = "6"
    thetafront(folder, "sweep", "once.toml", *few, "--accept-change")
    thetafront(folder, "sweep", "once.toml", *few)
    said = thetafront(folder, "status", "engine")
    assert "accepted     after 4 trials: program.time_limit is now 30.0, not 20.0" in said
    (folder / "coins.py").write_text(COINS.replace("0.05", "0.06"))
    assert "the code now" in refused_study(folder, "sweep", "coins.py", *few)
    (folder / "coins.py").write_text(
        COINS.replace('rate("won")', 'rate("won", direction="minimize")')
    )
    line = refused_study(folder, "sweep", "coins.py", *few, "--accept-change")
    assert "other objectives: objective's direction is now minimize, not maximize" in line
    (folder / "coins.py").write_text(COINS.replace("1, 100", "1, 200"))
    line = refused_study(folder, "sweep", "coins.py", *few, "--accept-change")
    assert "another search space (effort 1 to 100)" in line


def refused_study(folder: Path, *words: str) -> str:
    """Give a command what it refuses, of a study that is there: the study stays as it is."""
    databases = {path: path.read_bytes() for path in folder.rglob("study.db")}
    line = thetafront(folder, *words, code=2).splitlines()[-1]
    assert {path: path.read_bytes() for path in folder.rglob("study.db")} == databases
    return line


@pytest.mark.sweeps
def test_a_study_whose_definition_is_gone_is_still_shown(folder: Path) -> None:
    few = ["--trials", "4", "--design-size", "4", "--validation-games", "4", "--budget", "none"]
    thetafront(folder, "sweep", "coins.py", *few, "--replicates", "3", "--validation-points", "3")
    (folder / "coins.py").unlink()
    thetafront(folder, "front", "coins")
    thetafront(folder, "plot", "coins")
    thetafront(folder, "export", "coins")
    assert "expect" in thetafront(folder, "pick", "coins", "--min-won", "10%", "--games", "0")
    assert "no game was played: " in thetafront(folder, "pick", "coins", "--min-won", "0.1")
    line = refused_study(folder, "validate", "coins", "--validation-games", "6")
    assert f"its definition {folder}/coins.py:COINS cannot be read" in line


BAD = ONCE.replace('"engine.py", "{depth}", "{seed}"]', '"-c", "import sys; sys.exit(3)"]')


def test_a_program_that_fails_is_refused_before_anything_is_written(folder: Path) -> None:
    (folder / "bad.toml").write_text(BAD)
    line = refused(folder, "sweep", "bad.toml")
    assert "a game at the middle of the space fails: ended with exit status 3 (seed " in line
    said = thetafront(folder, "try", "bad.toml", code=2)
    assert "ended with exit status 3 (seed 0)" in said
    assert said.splitlines()[-1] == "thetafront: try: 4 of 4 games failed"


def test_try_shows_the_seconds_that_a_game_reports_beside_cpu_time(folder: Path) -> None:
    (folder / "timed.py").write_text(
        "from thetafront import Experiment, NumericParameter, Space, mean\n"
        "def play(seed, x):\n"
        "    return {'score': x, 'seconds': 4321.5}\n"
        "TIMED = Experiment('timed', play, Space((NumericParameter('x', 0, 1),)), mean())\n"
    )
    said = thetafront(folder, "try", "timed.py", "--corners", "0")
    assert "CPU time per game" in said
    assert "4321.5" in said


@pytest.mark.sweeps
def test_games_that_no_seed_decides_are_warned_of_and_refused_by_try(folder: Path) -> None:
    text = COINS.replace("random.Random(seed + 1)", "random")
    text = text.replace('"luck": rng.random()', '"luck": random.random()')
    (folder / "coins.py").write_text(text)
    few = ["--trials", "2", *FEW]
    said = thetafront(folder, "sweep", "coins.py", *few)
    assert "warning: two games with seed 0 differ (" in said
    said = thetafront(folder, "try", "coins.py", code=2)
    assert "differ (" in said.splitlines()[-1]


@pytest.mark.sweeps
def test_a_part_of_the_space_may_kill_its_process(folder: Path) -> None:
    killed = "import os\n    if effort > 60:\n        os._exit(1)\n    rng ="
    (folder / "coins.py").write_text(COINS.replace("rng =", killed, 1))
    said = thetafront(folder, "sweep", "coins.py", "--trials", "6", *FEW)
    assert re.search(r"[3-6] of [3-6] games failed; the first: ended with exit status 1", said), (
        said
    )
    trials = pd.read_csv(folder / "results" / "coins" / "trials.csv")
    assert (trials.loc[trials["state"] == "fail", "effort"] > 60).all()
    assert (trials["state"] == "complete").sum() == 6


def test_daemons_of_games_end_with_the_command(folder: Path) -> None:
    daemon = "setsid -f env -i sleep 98765{} </dev/null >/dev/null 2>&1"
    coins = COINS.replace("rng =", f"import os\n    os.system({daemon.format(8)!r})\n    rng =", 1)
    (folder / "coins.py").write_text(coins)
    (folder / "flips.toml").write_text(
        f"command = ['sh', '-c', '{daemon.format(9)}; echo 1']\n"
        "[parameters.depth]\nlow = 1\nhigh = 30\n"
    )
    for definition in ("coins.py", "flips.toml"):
        thetafront(folder, "try", definition, "--corners", "0", "--jobs", "1")
        assert not alive("98765")


@pytest.mark.sweeps
def test_a_game_that_hangs_and_its_daemon_end_with_the_budget(folder: Path) -> None:
    (folder / "hangs.py").write_text(
        "import os\nfrom thetafront import Experiment, NumericParameter, Space, mean\n"
        "def play(seed, x):\n"
        "    if x > 0.55:\n"
        "        os.system('setsid -f env -i sleep 987657 </dev/null >/dev/null 2>&1')\n"
        "        while True: pass\n"
        "    return x\n"
        "HANGS = Experiment('hangs', play, Space((NumericParameter('x', 0, 1),)), mean())\n"
    )
    done = run("sweep", "hangs.py", "--budget", "6s", cwd=folder)
    assert "games that outlast the budget are stopped" in done.stdout
    assert done.returncode == 0
    assert not alive("987657")


@pytest.mark.sweeps
def test_points_that_failed_for_another_reason_are_repaired_and_lose_no_game(folder: Path) -> None:
    broken = "if (pathlib.Path(__file__).parent / 'broken').exists(): raise OSError('disk full')"
    text = COINS.replace("    rng =", f"    {broken}\n    rng =", 1)
    (folder / "coins.py").write_text(text.replace("import random", "import pathlib\nimport random"))
    more = ["--validation-points", "3", "--validation-games"]
    thetafront(
        folder, "sweep", "coins.py", "--trials", "4", *FEW[:-3], "--budget", "none", *more, "4"
    )
    games = folder / "results" / "coins" / "games.csv"
    n_games = len(pd.read_csv(games))
    (folder / "broken").touch()
    said = thetafront(folder, "validate", "coins", *more, "6", code=1)
    assert "OSError: disk full (coins.py, line " in said.replace("\n", " ")
    assert len(pd.read_csv(games)) == n_games
    (folder / "broken").unlink()
    assert "disk full" in thetafront(folder, *VERIFY, code=1)
    thetafront(folder, *VERIFY, "--repair")
    thetafront(folder, "validate", "coins", *more, "8")
    front = pd.read_csv(folder / "results" / "coins" / "front.csv")
    assert (front["n_games"] >= 8).all()  # those repaired are more
    assert len(front) >= 3
    assert "ok" in thetafront(folder, "verify", "coins")


@pytest.mark.sweeps
def test_a_definition_that_moves_stays_the_study_s(folder: Path) -> None:
    thetafront(folder, "sweep", "coins.py", "--trials", "4", *FEW)
    (folder / "new").mkdir()
    (folder / "coins.py").rename(folder / "new" / "coins.py")
    thetafront(folder, "sweep", "new/../new/coins.py", "--trials", "5", *FEW)
    assert f"definition   {folder}/new/coins.py:COINS" in thetafront(folder, "status", "coins")
    thetafront(folder, "validate", "coins", "--validation-games", "2", "--validation-points", "2")


def test_what_is_published_has_no_path_and_no_secret(folder: Path) -> None:
    (folder / "once.toml").write_text(f'{ONCE}[environment]\nAPI_KEY = "hunter2"\n')
    thetafront(folder, "sweep", "once.toml", "--trials", "4", *FEW)
    manifest = (folder / "results" / "engine" / "manifest.json").read_text()
    assert "hunter2" not in manifest
    assert str(folder / "once.toml") not in manifest
    assert json.loads(manifest)["definition"]["source"] == "once.toml"
    assert b"hunter2" not in (folder / "results" / "engine" / "study.db").read_bytes()


def test_files_named_like_modules_do_not_take_their_place_in_workers(folder: Path) -> None:
    (folder / "random.py").write_text("raise SystemExit('not this one')\n")
    done = run("try", "coins.py", "--corners", "0", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.sweeps
def test_objectives_may_be_called_what_is_no_name_in_python(folder: Path) -> None:
    (folder / "search.py").write_text(SEARCHER.replace('"error"', '"return"'))
    thetafront(folder, "sweep", "search.py", "--trials", "4", *FEW)
    assert "expect" in thetafront(folder, "pick", "searcher", "--return", "0.5", "--games", "0")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("sweep none.py", "none.py must be a Python file (it does not exist)"),
        ("sweep none.toml", "none.toml must be a TOML file (No such file or directory)"),
        ("sweep coins.py:NOTHING", "is not an Experiment; its module defines COINS"),
        ("sweep coins.py:play", "is not an Experiment; its module defines COINS"),
        ("sweep no_package:X", "no_package: cannot be imported: ModuleNotFoundError"),
        ("try none.py", "none.py must be a Python file (it does not exist)"),
        ("try coins.py --corners -1", "corners must be between 0 and 1024 (got -1)"),
        ("play none.toml", "none.toml must be a TOML file"),
        ("play coins.py --set effort=x", "effort must be an integer (got 'x')"),
        ("play coins.py --set effort=1.5", "effort must be an integer (got '1.5')"),
        ("play bound.toml --set x=60", "x must be an integer from 0 to 50 (got 60)"),
        ("try ~nobody-here/coins.toml", "nobody-here/coins.toml must be a TOML file"),
        ("try ~nobody-here/coins.py", "nobody-here/coins.py must be a Python file"),
        ("play coins.py --set side=top", "side must be one of face, edge (got 'top')"),
        ("play coins.py --set speed=1", "--set must name one of effort, side (got 'speed')"),
        ("play coins.py --set speed", "--set must be name=value (got 'speed')"),
        ("play coins.py --theta 1,2", "theta must have 1 value: effort (got 2)"),
        (
            "play coins.py --layout small",
            "layout must be left out for coins.py, which has no maze (got 'small')",
        ),
        ("experiments none.py", "none.py must be a Python file"),
        ("sweep coins.py --cost euros", "cost must be one of seconds_per_move, seconds_p"),
        ("sweep coins.py --widen speed", "widen must be "),
    ],
)
def test_bad_input_is_one_line(folder: Path, words: str, part: str) -> None:
    (folder / "bound.toml").write_text(
        'command = ["echo", "{x}"]\n[parameters.x]\ninteger = true\n'
        "low = 1\nhigh = 9\nleast = 0\nmost = 50\n"
    )
    assert part in refused(folder, *words.split())


def test_a_missing_folder_of_studies_is_reported_before_a_game_is_played(folder: Path) -> None:
    said = thetafront(folder, "sweep", "coins.py", "--results", "none", code=2)
    assert said == "thetafront: results folder 'none' does not exist\n"


@pytest.mark.sweeps
def test_pick_takes_the_objectives_of_the_study_alone(folder: Path) -> None:
    few = ["--trials", "4", *FEW]
    thetafront(folder, "sweep", "search.py", *few)
    for words, part in (
        ("--min-score 3", "pick must have --max-seconds-per-game or --max-error (got --min-score)"),
        ("--max-error much", "--max-error must be a number (got 'much')"),
        ("--max-error nan", "error must be a finite number (got nan)"),
        (
            "--max-error -2 --max-seconds-per-game 1",
            "pick must have exactly one of --max-seconds-per-game and --max-error",
        ),
        ("", "pick must have exactly one of --max-seconds-per-game and --max-error"),
    ):
        assert part in thetafront(folder, "pick", "searcher", *words.split(), code=2)
    said = thetafront(folder, "pick", "searcher", "--max-error", "-1.5", "--games", "0")
    assert "reaches -1.5" in said
