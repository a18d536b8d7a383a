"""Studies of before: read as they are, migrated when they are written, whole after a kill."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import optuna
import pytest
from sqlalchemy import create_engine, event

from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.errors import DamageError, InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.run.settings import SearchSettings
from thetafront.study.store import migration
from thetafront.study.store.games_table import VALIDATION
from thetafront.study.store.location import locate
from thetafront.study.store.seeds import game_to_record
from thetafront.study.store.storage import (
    create_or_resume,
    existing,
    open_for_games,
    open_for_reading,
    open_storage,
)
from thetafront.study.store.study_data import StudyData
from thetafront.study.store.writer import StudyWriter
from thetafront.study.store.writes import PlayedGame, StudyAttribute

DATA = Path(__file__).parent / "data"
NAME = "pacman_small"
COUNTS = """
SELECT (SELECT count(*) FROM trial_user_attributes WHERE key LIKE 'game:%')
     + (SELECT count(*) FROM study_user_attributes WHERE key LIKE 'validation:%')
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (tmp_path / NAME).mkdir()
    shutil.copy(DATA / NAME / "study.db", tmp_path / NAME)
    return tmp_path


def database(results: Path) -> Path:
    return results / NAME / "study.db"


def value(results: Path, sql: str) -> int:
    with closing(sqlite3.connect(database(results))) as connection:
        return int(connection.execute(sql).fetchone()[0])


def contents(data: StudyData) -> tuple[object, ...]:
    """All that is read of a study."""
    return data.trials, data.points, data.moments, data.record, data.runs


def n_games(data: StudyData) -> int:
    return sum(len(each.games) for each in (*data.trials, *data.points))


def test_reading_leaves_a_study_of_before_as_it_is(results: Path) -> None:
    before = database(results).read_bytes()
    _, _, data = open_for_reading(NAME, results)
    assert n_games(data) == value(results, COUNTS) > 0
    assert existing(locate(NAME, results, None)) is not None
    assert database(results).read_bytes() == before


def test_its_games_move_to_the_table_when_it_is_written(results: Path) -> None:
    _, location, before = open_for_reading(NAME, results)
    n = n_games(before)
    for _ in range(2):
        study = open_for_games(location)
        after = StudyData.read(study)
        assert contents(after) == contents(before)
        assert value(results, COUNTS) == 0
        assert value(results, "SELECT count(*) FROM thetafront_games") == n
        assert study.user_attrs["thetafront"]["format"] == 2
        for trial in study.trials:
            assert not any(key.startswith("game:") for key in trial.user_attrs)
            assert trial.values is None or "moments:win_rate" in trial.user_attrs
    assert contents(open_for_reading(NAME, results)[2]) == contents(before)


def test_another_format_is_refused(results: Path) -> None:
    with closing(sqlite3.connect(database(results))) as connection, connection:
        connection.execute(
            "UPDATE study_user_attributes SET value_json = json_set(value_json, '$.format', 3) "
            "WHERE key = 'thetafront'"
        )
    with pytest.raises(InputError, match=r"another version of thetafront \(format 3, not 1 or 2\)"):
        open_for_reading(NAME, results)


def test_what_is_damaged_is_not_moved(results: Path) -> None:
    with closing(sqlite3.connect(database(results))) as connection, connection:
        connection.execute(
            "UPDATE trial_user_attributes SET value_json = '{}' WHERE trial_id = 3 "
            "AND key = 'game:1'"
        )
    n = value(results, COUNTS)
    with pytest.raises(DamageError, match="trial 2, game:1"):
        open_for_games(locate(NAME, results, None))
    assert value(results, COUNTS) == n


KILLED = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from thetafront.study.store.games_table import VALIDATION
from thetafront.study.store.location import locate
from thetafront.study.store.storage import open_for_games

n_left = int(sys.argv[2])

def count(connection, cursor, statement, *_):
    global n_left
    if statement.startswith(("INSERT", "DELETE", "UPDATE")) and "version" not in statement:
        n_left -= 1
        if n_left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

event.listen(Engine, "before_cursor_execute", count)
event.listen(Engine, "commit", lambda connection: n_left or os.kill(os.getpid(), signal.SIGKILL))
open_for_games(locate("pacman_small", Path(sys.argv[1]), None))
"""


@pytest.mark.slow
def test_a_kill_within_leaves_it_as_it_was_or_as_it_will_be(results: Path) -> None:
    before = contents(open_for_reading(NAME, results)[2])
    n, endings = value(results, COUNTS), set()
    for n_statements in range(8):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(results), str(n_statements)], check=False
        )
        assert contents(open_for_reading(NAME, results)[2]) == before
        left = value(results, COUNTS)
        assert left in {0, n}
        endings.add((done.returncode, left))
        if not left:
            break
    assert (-signal.SIGKILL, n) in endings
    assert (0, 0) in endings


def test_a_large_study_is_migrated_in_one_go(quick: Experiment, tmp_path: Path) -> None:
    """Twenty thousand games by a handful of statements."""
    location = locate("s", tmp_path, None)
    location.folder.mkdir()
    study, storage = create_or_resume(location, SearchSettings().record(quick))
    study.set_user_attr("thetafront", {**study.user_attrs["thetafront"], "format": 1})
    key = "0123456789"
    study.set_user_attr(f"point:{key}", {"params": {"n_playouts": 4}, "origin": "proposal"})
    game = Game2048(5, 1000, 100, 0.1, 5000, 64, 0)
    record = json.dumps(game_to_record(game))
    with closing(sqlite3.connect(location.folder / "study.db")) as connection, connection:
        connection.executemany(
            "INSERT INTO study_user_attributes (study_id, key, value_json) VALUES (?, ?, ?)",
            [(study._study_id, f"validation:{key}:{r}", record) for r in range(20_000)],
        )
    statements: list[str] = []
    event.listen(
        storage.engine,
        "before_cursor_execute",
        lambda _, __, statement, *___: statements.append(statement),
    )
    data = StudyData.read(study)
    statements.clear()
    assert migration.migrate(storage.engine, study._study_id, data) == 20_000
    assert len(statements) < 10
    after = StudyData.read(study)
    assert len(after.points[0].games) == 20_000
    assert after.points == data.points


def test_games_of_a_study_that_is_gone_are_not_a_new_ones(
    quick: Experiment, tmp_path: Path
) -> None:
    """SQLite gives a deleted study's identifier to the next."""
    location = locate("s", tmp_path, f"sqlite:///{tmp_path}/study.db")
    for _ in range(2):
        study, storage = create_or_resume(location, SearchSettings().record(quick))
        assert StudyData.read(study).points == []
        writer = StudyWriter(study)
        point = {"params": {"n_playouts": 4}, "origin": "proposal"}
        game = Game2048(5, 1000, 100, 0.1, 5000, 64, 0)
        writer.write(StudyAttribute("point:a", point), PlayedGame(VALIDATION, "a", 0, game))
        writer.close()
        assert len(StudyData.read(study).points[0].games) == 1
        optuna.delete_study(study_name="s", storage=storage)


def test_a_table_of_ours_is_no_database_of_something_else(
    quick: Experiment, tmp_path: Path
) -> None:
    location = locate("s", tmp_path, None)
    location.folder.mkdir()
    create_or_resume(location, SearchSettings().record(quick))
    engine = create_engine(location.url)
    with engine.connect() as connection:
        assert connection.dialect.has_table(connection, "thetafront_games")
    open_storage(location, for_writing=False)
