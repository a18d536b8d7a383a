"""Studies of earlier versions: read as they are, and logs before they are written to."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import optuna
import pandas as pd
import pytest

from tests.study.made_studies import stored_games
from tests.study.program import stored, succeeded
from thetafront.study.errors import DamageError, InputError
from thetafront.study.log.location import locate
from thetafront.study.log.storage import existing, open_for_games, open_for_reading
from thetafront.study.log.study_data import StudyData

DATA = Path(__file__).parent / "data"
STUDIES = ("mcmdp", "pacman_small", "begun")
"""The first two are of format 1, with games in attributes; the last is of format 2."""
OLD_GAMES = """
SELECT (SELECT count(*) FROM trial_user_attributes WHERE key LIKE 'game:%')
     + (SELECT count(*) FROM study_user_attributes WHERE key LIKE 'validation:%')
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results folder with the studies' databases alone."""
    for name in STUDIES:
        (tmp_path / name).mkdir()
        shutil.copy(DATA / name / "study.db", tmp_path / name)
    return tmp_path


def execute(results: Path, name: str, sql: str) -> None:
    with closing(sqlite3.connect(results / name / "study.db")) as database, database:
        assert database.execute(sql).rowcount > 0


def contents(data: StudyData) -> tuple[object, ...]:
    """All that is read of a study."""
    return data.trials, data.points, data.moments, data.record, data.runs


@pytest.mark.parametrize("name", STUDIES)
def test_reading_leaves_it_as_it_is_and_writing_stores_the_same(name: str, results: Path) -> None:
    path = results / name / "study.db"
    bytes_before = path.read_bytes()
    _, location, before = open_for_reading(name, results)
    assert existing(locate(name, results, None)) is not None
    assert path.read_bytes() == bytes_before
    ((n_games,),) = stored(path, OLD_GAMES)
    if name == "begun":
        n_games += len(stored(path, "SELECT * FROM thetafront_games"))
    said: list[str] = []
    for _ in range(2):
        log = open_for_games(location, said.append)
        assert contents(StudyData.read(log)) == contents(before)
        assert sum(map(len, stored_games(log).values())) == n_games > 0
    (line,) = said
    converted = f"study {name!r} was converted from an earlier version: {len(before.trials)} tri"
    assert line.startswith(converted)
    assert stored(path, OLD_GAMES) == [(0,)], "no game is there twice"
    study = optuna.load_study(study_name=name, storage=location.url)
    assert [each.values for each in study.trials] == [list(t.values or ()) for t in before.trials]


@pytest.mark.parametrize("name", ["mcmdp", "pacman_small"])
def test_its_objectives_are_those_that_it_had_stored(name: str, results: Path) -> None:
    """They are computed from the games now, and come out the same to the bit."""
    _, location, data = open_for_reading(name, results)
    study = optuna.load_study(study_name=name, storage=location.url)
    assert [list(each.values or ()) for each in data.trials] == [t.values for t in study.trials]


@pytest.mark.sweeps
@pytest.mark.parametrize("name", ["mcmdp", "pacman_small"])
def test_its_tables_are_exported_as_they_were(name: str, results: Path) -> None:
    """Of columns of a model, and of intervals of few games, only that they are there."""
    succeeded(results, "export", name)
    changed = ("posterior", "score_sem", "score_low95", "score_high95")
    for table in ("games.csv", "trials.csv", "front.csv"):
        found, stored = (pd.read_csv(folder / name / table) for folder in (results, DATA))
        assert set(stored) <= set(found)
        key = [each for each in ("phase", "trial", "point", "replicate") if each in stored]
        found, stored = (each.sort_values(key, ignore_index=True) for each in (found, stored))
        exact = [c for c in stored if not c.startswith(changed) and "on_front" not in c]
        pd.testing.assert_frame_equal(found[exact], stored[exact], check_dtype=False)


@pytest.mark.parametrize(
    ("name", "objective"), [("mcmdp", "expected_score"), ("pacman_small", "expected_win_rate")]
)
def test_a_point_is_picked(name: str, objective: str, results: Path) -> None:
    words = ("pick", name, "--seconds-per-move", "0.001", "--games", "0", "--json")
    answer = json.loads(succeeded(results, *words))
    expected = answer[objective]
    assert expected["low95"] <= expected["mean"] <= expected["high95"]
    assert answer["p_within_limit"] >= 0.95
    assert answer["seconds_per_move"] < 0.001
    assert "4 points" in succeeded(results, "status", name)


def test_what_is_damaged_or_unknown_is_refused_and_stays(results: Path) -> None:
    game = "UPDATE trial_user_attributes SET value_json = '{' WHERE trial_id=3 AND key='game:1'"
    execute(results, "pacman_small", game)
    execute(results, "begun", "DELETE FROM study_user_attributes WHERE key LIKE 'point:%'")
    record = "UPDATE study_user_attributes SET value_json = json_set(value_json, '$.format', 9)"
    execute(results, "mcmdp", f"{record} WHERE key = 'thetafront'")
    before = {name: (results / name / "study.db").read_bytes() for name in STUDIES}
    for name, error, said in (
        ("pacman_small", DamageError, "JSONDecodeError"),
        ("begun", DamageError, "a game of point .* the point does not"),
        ("mcmdp", InputError, r"another version of thetafront \(format 9, not 1 or 2 or 3\)"),
    ):
        with pytest.raises(error, match=said):
            open_for_games(locate(name, results, None))
    assert {name: (results / name / "study.db").read_bytes() for name in STUDIES} == before


def test_trials_that_wait_or_lack_parameters_are_drawn_or_proposed_again(results: Path) -> None:
    execute(results, "begun", "UPDATE trials SET state = 'WAITING' WHERE number = 2")
    execute(results, "begun", "DELETE FROM trial_params WHERE trial_id = 3")
    execute(results, "begun", "DELETE FROM thetafront_games WHERE phase='search' AND unit='2'")
    execute(results, "begun", "DELETE FROM trial_values WHERE trial_id = 3")
    _, _, whole = open_for_reading("begun", DATA)
    _, _, data = open_for_reading("begun", results)
    assert [each.number for each in data.trials] == [0, 1]
    assert data.waiting[2] == whole.trials[2].params
    assert set(data.waiting) == {2, 3}


KILLED = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from thetafront.study.log.location import locate
from thetafront.study.log.storage import open_for_games

n_left = int(sys.argv[2])

def count(connection, cursor, statement, *_):
    global n_left
    if statement.startswith(("INSERT", "DELETE", "UPDATE")):
        n_left -= 1
        if n_left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

event.listen(Engine, "before_cursor_execute", count)
open_for_games(locate("begun", Path(sys.argv[1]), None))
"""


@pytest.mark.slow
def test_a_kill_within_leaves_it_as_it_was_or_as_it_will_be(results: Path) -> None:
    before = contents(open_for_reading("begun", results)[2])
    endings = set()
    for n_statements in (0, 2, 4, 5, 6, 8, 12, 1000):
        words = [sys.executable, "-c", KILLED, str(results), str(n_statements)]
        endings.add(subprocess.run(words, check=False).returncode)
        assert contents(open_for_reading("begun", results)[2]) == before
    assert endings == {-signal.SIGKILL, 0}


@pytest.mark.sweeps
def test_it_continues_as_the_version_that_began_it_would_have(results: Path) -> None:
    """Trials, games and seeds are those that the earlier version went on with."""
    words = ["sweep", "pacman_small", "--name", "begun", "--cost", "backups_per_move"]
    words += ["--trials", "7", "--design-size", "4", "--replicates", "2", "--jobs", "1"]
    words += ["--seed", "3", "--sampler", "random", "--no-validation", "--budget", "none"]
    assert "was converted from an earlier version" in " ".join(succeeded(results, *words).split())
    for table, key in (("trials", ["trial"]), ("games", ["phase", "trial", "point", "replicate"])):
        frames = []
        for folder in (results / "begun", DATA / "begun"):
            frame = pd.read_csv(folder / f"{table}.csv").sort_values(key, ignore_index=True)
            timed = ("seconds", "posterior", "on_front")
            frames.append(frame[[c for c in frame if not any(each in c for each in timed)]])
        pd.testing.assert_frame_equal(*frames)
    study = optuna.load_study(study_name="begun", storage=f"sqlite:///{results}/begun/study.db")
    assert len(study.trials) == 7


def test_a_trial_that_failed_early_was_asked_for_as_many_games(results: Path) -> None:
    """So trials after it have as many."""
    newest = "(SELECT max(number) FROM trials)"
    execute(results, "begun", f"UPDATE trials SET state = 'FAIL' WHERE number = {newest}")
    trials = open_for_reading("begun", results)[2].trials
    assert trials[-1].state == "fail"
    assert len(trials[-1].outcomes) <= 1
    assert {each.n_games for each in trials} == {trials[0].n_games}
