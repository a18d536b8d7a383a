"""Sweeps of our own agents on two workers and PostgreSQL, while everything is killed once."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.cluster.ground import COMMAND, Ground, playing, wait_for
from tests.cluster.postgres import PASSWORD, Server
from thetafront.study.cluster.machine import BENCHMARK

SECONDS = 600.0
CASES = {
    "mcmdp": ("--trials", "24", "--cost", "playout_moves_per_move"),
    "pacman_small": ("--trials", "40", "--replicates", "10", "--cost", "backups_per_move"),
}


def words_of(experiment: str) -> tuple[str, ...]:
    """Return a sweep whose trials do not depend on who played faster."""
    asked = ("--sampler", "random", "--seed", "3", "--budget", "none")
    few = ("--validation-games", "6", "--validation-points", "2")
    return (*COMMAND, "sweep", experiment, *CASES[experiment], *asked, *few)


def table(folder: Path, name: str, phase: str) -> pd.DataFrame:
    """Return the games of a phase, but for what a clock said."""
    games = pd.read_csv(folder / "results" / name / "games.csv").query("phase == @phase")
    theirs = {"machine", "first_seed", "n_side_by_side"}  # how games were timed, and where
    kept = [each for each in games if "seconds" not in each and each not in theirs]
    of = "trial" if phase == "search" else "point"
    return games[kept].sort_values([of, "replicate"]).reset_index(drop=True)


def n_games(postgres: Server, database: str) -> int:
    """Return how many games the server has stored."""
    try:
        ((n,),) = postgres.execute("SELECT count(*) FROM thetafront_game", database)
    except Exception:
        return 0  # no table yet
    return int(str(n))


@pytest.mark.parametrize("experiment", CASES)
def test_it_survives_and_gives_what_one_machine_gives(
    experiment: str, ground: Ground, postgres: Server, database: str
) -> None:
    words, name = words_of(experiment), database.rpartition("/")[2]
    alone = ground.start("alone", *words, "--name", "alone", "--jobs", "2")
    scheduler = ground.scheduler()
    first, second = (ground.workers(1, name, **{BENCHMARK: ""}) for name in ("first", "second"))
    cluster = ("--scheduler", ground.address, "--storage", database, "--name", "there")

    def begun() -> subprocess.Popen[bytes]:
        return ground.start("sweep", *words, *cluster)

    assert alone.wait(SECONDS) == 0, ground.said("alone")
    sweep = begun()
    wait_for("games are stored", lambda: n_games(postgres, name) >= 5)
    playing(first)[0].kill()
    wait_for("more games", lambda: n_games(postgres, name) >= 12)
    scheduler.kill()
    scheduler.wait()
    ground.scheduler()
    wait_for("both are back", lambda: len(playing(first)) == len(playing(second)) == 1)
    stored = n_games(postgres, name)
    wait_for("more games", lambda: n_games(postgres, name) > stored)
    postgres.kill()
    postgres.start()
    assert n_games(postgres, name) >= stored, "a stored game was lost"
    stored = n_games(postgres, name)
    wait_for("more games", lambda: n_games(postgres, name) > stored + 3)
    sweep.kill()
    sweep.wait()
    assert begun().wait(SECONDS) == 0, ground.said("sweep")
    said = ground.said("sweep")
    assert "2 workers on 1 machine" in said
    assert "storage: connected again" in said
    assert "already" in said  # games, or all of the search
    assert "Traceback" not in said
    both = [table(ground.folder, each, "search") for each in ("there", "alone")]
    pd.testing.assert_frame_equal(*both)
    trials = [
        pd.read_csv(ground.folder / "results" / each / "trials.csv") for each in ("there", "alone")
    ]
    theta = [each for each in trials[0] if each.startswith(("theta", "gamma", "ghost", "tol"))]
    pd.testing.assert_frame_equal(*(each[["trial", "state", *theta]] for each in trials))
    validated = table(ground.folder, "there", "validation")
    assert len(validated) >= 12
    # Their costs are the same on every machine, and so are the points that they choose.
    pd.testing.assert_frame_equal(validated, table(ground.folder, "alone", "validation"))
    verify = [*COMMAND, "verify", database, "--name", "there", "--games", "20"]
    done = subprocess.run(
        verify, cwd=ground.folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    files = [each for each in (ground.folder / "results").rglob("*") if each.is_file()]
    for path in [*files, *ground.folder.glob("*.log")]:
        assert PASSWORD.encode() not in path.read_bytes(), path


def test_a_second_coordinator_is_refused_from_another_folder(
    ground: Ground, postgres: Server, database: str, tmp_path: Path
) -> None:
    words = ("--storage", database, "--name", "there", "--jobs", "1")
    ground.start("one", *words_of("mcmdp"), *words)
    wait_for("games are stored", lambda: n_games(postgres, database.rpartition("/")[2]) >= 2)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "thetafront", *words_of("mcmdp")[3:], *words],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("thetafront: study: 'there' is held by another run, thetafront: ")
    assert done.stderr.count("\n") == 1
    assert PASSWORD not in done.stderr + done.stdout
