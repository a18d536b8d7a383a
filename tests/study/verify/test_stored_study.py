"""A damaged study: reading names what is damaged, verify finds it, --repair plays it again."""

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import create_engine, event
from thetafront.study.store.study_rows import StudyRows
from typer.testing import CliRunner

from thetafront.agents.agent import Game
from thetafront.study.cli import app
from thetafront.study.page import results as results_written
from thetafront.study.page.document import BEGINNING
from thetafront.study.report import export
from thetafront.study.store.location import locate
from thetafront.study.store.lock import locked
from thetafront.study.store.storage import open_for_games
from thetafront.study.verify import verification
from thetafront.study.verify.replay import Entry

DATA = Path(__file__).parents[1] / "store" / "data"
NAME = "pacman_small"
TABLES = ("games.csv", "trials.csv", "front.csv")
VERIFY = ("verify", NAME, "--games", "all", "--jobs", "1")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results folder with a study of an earlier revision, exported; games are played here."""

    def play_here(entries: list[Entry], *_: object) -> list[Game]:
        return [entry.agent.play(entry.seed) for entry in entries]

    monkeypatch.setattr(verification, "play_again", play_here)
    monkeypatch.setattr(export, "save_figures", lambda *_: [])
    monkeypatch.setattr(results_written, "page_html", lambda *_: BEGINNING)
    (tmp_path / NAME).mkdir()
    shutil.copy(DATA / NAME / "study.db", tmp_path / NAME)
    assert thetafront(tmp_path, "export", NAME)[0] == 0
    return tmp_path


def thetafront(results: Path, *words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [*words, "--results", str(results)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def execute(results: Path, sql: str) -> None:
    with closing(sqlite3.connect(results / NAME / "study.db")) as database, database:
        assert database.execute(sql).rowcount == 1


ATTRIBUTES = "UPDATE trial_user_attributes SET value_json = "
GAME = " WHERE trial_id = 3 AND key = 'game:1'"
DAMAGES = {
    "a game that is no record": (
        ATTRIBUTES + "'{}'" + GAME,
        "trial 2, game:1: a game of '2048' given, of pacman allowed",
    ),
    "a game that is no JSON": (ATTRIBUTES + "'{\"seed'" + GAME, "trial 2: game:1: "),
    "a list for a number": (
        ATTRIBUTES + "json_set(value_json, '$.n_moves', json('[1]'))" + GAME,
        "trial 2, game:1: row: no game of pacman",
    ),
    "a number beyond all tables": (
        ATTRIBUTES + "json_set(value_json, '$.n_backups', 1e300)" + GAME,
        "trial 2, game:1: ",
    ),
    "another score": (ATTRIBUTES + "json_set(value_json, '$.score', 7)" + GAME, ""),
    "another seed": (ATTRIBUTES + "json_set(value_json, '$.seed', 7)" + GAME, ""),
    "a game less": ("DELETE FROM trial_user_attributes" + GAME, ""),
    "another objective": ("UPDATE trial_values SET value = 0.75 WHERE trial_value_id = 3", ""),
    "an objective that is no number": (
        "UPDATE trial_values SET value = NULL WHERE trial_value_id = 3",
        "trial 1: value None of type 'FINITE' given, a number expected",
    ),
    "a state that optuna does not know": (
        "UPDATE trials SET state = 'HAPPY' WHERE number = 2",
        "trial 2: state 'HAPPY' given",
    ),
    "another state": (
        "UPDATE trials SET state = 'FAIL' WHERE number = 2",
        "none expected of a trial that failed",
    ),
    "another parameter": ("UPDATE trial_params SET param_value = 0.6 WHERE param_id = 1", ""),
    "a parameter out of bounds": (
        "UPDATE trial_params SET param_value = 60 WHERE param_id = 1",
        "trial 0: gamma: 60 given, 0.5 to 0.99 allowed",
    ),
    "a trial's number": (
        "UPDATE trials SET number = 9 WHERE number = 2",
        "trial 2: not there once",
    ),
    "a point that is no point": (
        "UPDATE study_user_attributes SET value_json = '[]' WHERE study_user_attribute_id = "
        "(SELECT min(study_user_attribute_id) FROM study_user_attributes WHERE key LIKE 'point:%')",
        "[] given, a point expected",
    ),
    "a validation game": (
        "UPDATE study_user_attributes SET value_json = json_set(value_json, '$.score', 9) "
        "WHERE study_user_attribute_id = (SELECT max(study_user_attribute_id) "
        "FROM study_user_attributes WHERE key LIKE 'validation:%')",
        "",
    ),
}


ROW = "UPDATE thetafront_games SET "
GAME_ROW = " WHERE phase = 'search' AND unit = '2' AND replicate = 1"
VALIDATED = (
    " WHERE game_id = (SELECT max(game_id) FROM thetafront_games WHERE phase = 'validation')"
)
DAMAGES_OF_THE_TABLE = {
    "a game that is no record": (
        ROW + "record = '{}'" + GAME_ROW,
        "trial 2, game:1: a game of '2048' given, of pacman allowed",
    ),
    "a game that is no JSON": (ROW + "record = '{\"seed'" + GAME_ROW, "trial 2, game:1: "),
    "another score": (ROW + "record = json_set(record, '$.score', 7)" + GAME_ROW, ""),
    "another seed": (ROW + "record = json_set(record, '$.seed', 7)" + GAME_ROW, ""),
    "a game less": ("DELETE FROM thetafront_games" + GAME_ROW, ""),
    "a replicate that is none": (ROW + "replicate = -3" + GAME_ROW, "trial 2, game:-3: '-3' given"),
    "another phase": (ROW + "phase = 'other'" + GAME_ROW, "a game of phase 'other' given"),
    "a trial that is not there": (
        ROW + "unit = '77'" + GAME_ROW,
        "a game of trial '77' given, and there is no such trial",
    ),
    "a machine that is none": (ROW + "machine = x'00ff'" + GAME_ROW, ""),
    "a validation game": (ROW + "record = json_set(record, '$.score', 9)" + VALIDATED, ""),
    "a point that is not there": (
        ROW + "unit = 'abc'" + VALIDATED.replace("max", "min"),
        "a game of point 'abc' given, and there is no such point",
    ),
    "a trial's number": ("UPDATE trials SET number = 9 WHERE number = 2", "trial 2: not there"),
    "a number there twice": ("UPDATE trials SET number = 4 WHERE number = 2", "trial 2: not there"),
    "the last trial's number": (
        "UPDATE trials SET number = 9 WHERE number = (SELECT max(number) FROM trials)",
        "not there once",
    ),
    "a trial's row": ("DELETE FROM trials WHERE number = 2", "trial 2: not there once"),
    "another state": (
        "UPDATE trials SET state = 'FAIL' WHERE number = 2",
        "none expected of a trial that failed",
    ),
}

# Those of games in attributes, as studies of before have them, are like those of the table.
LIKE_THOSE_OF_THE_TABLE = [
    pytest.param(name, marks=pytest.mark.slow if name in DAMAGES_OF_THE_TABLE else ())
    for name in DAMAGES
]


@pytest.mark.parametrize("damage", LIKE_THOSE_OF_THE_TABLE)
def test_damage_is_named_found_and_mended(results: Path, damage: str) -> None:
    sql, named = DAMAGES[damage]
    folder = results / NAME
    before = {name: (folder / name).read_bytes() for name in TABLES}
    execute(results, sql)
    code, _, error = thetafront(results, "status", NAME)
    assert code == (1 if named else 0)
    if named:
        assert error.startswith(f"thetafront: study '{NAME}': ")
        assert named in error
        assert f"`thetafront verify {NAME} --repair`" in error
        assert error.count("\n") == 1
    assert thetafront(results, *VERIFY)[0] == 1
    code, output, _ = thetafront(results, *VERIFY, "--repair")
    assert code == 0, output
    assert "study.db.before-repair-1" in output
    assert thetafront(results, "export", NAME)[0] == 0
    n_same = sum((folder / name).read_bytes() == before[name] for name in TABLES)
    whole = damage not in {"a game that is no record", "a game that is no JSON", "a game less"}
    assert n_same == 3 or not whole  # such a game has lost its seconds, too


LOST_SECONDS = {
    "a game that is no record",
    "a game that is no JSON",
    "a game less",
    "a replicate that is none",
    "another phase",
    "a trial that is not there",
    "a point that is not there",
}


@pytest.mark.sweeps
@pytest.mark.parametrize("damage", DAMAGES_OF_THE_TABLE)
def test_damage_of_the_table_of_games_is_named_found_and_mended(results: Path, damage: str) -> None:
    open_for_games(locate(NAME, results, None))
    sql, named = DAMAGES_OF_THE_TABLE[damage]
    folder = results / NAME
    before = {name: (folder / name).read_bytes() for name in TABLES}
    execute(results, sql)
    code, _, error = thetafront(results, "status", NAME)
    assert code == (1 if named else 0)
    assert named in error
    assert thetafront(results, *VERIFY)[0] == 1
    code, output, _ = thetafront(results, *VERIFY, "--repair")
    assert code == 0, output
    assert thetafront(results, "export", NAME)[0] == 0
    if damage not in LOST_SECONDS:
        assert {name: (folder / name).read_bytes() for name in TABLES} == before
    else:
        with closing(sqlite3.connect(folder / "study.db")) as database:
            count = "SELECT count(*) FROM thetafront_games"
            assert database.execute(count).fetchone()[0] == before["games.csv"].count(b"\n") - 1


@pytest.mark.parametrize(
    ("sql", "code", "named"),
    [
        ("UPDATE study_directions SET direction = 'MINIMIZE' WHERE objective = 0", 2, "minimize"),
        ("DELETE FROM study_directions WHERE objective = 1", 1, "directions: MAXIMIZE given"),
    ],
)
def test_other_directions_are_refused_found_and_mended(
    results: Path, sql: str, code: int, named: str
) -> None:
    execute(results, sql)
    found, _, error = thetafront(results, "status", NAME)
    assert found == code
    assert named in error
    assert "directions" in thetafront(results, *VERIFY)[1]
    assert thetafront(results, *VERIFY, "--repair")[0] == 0
    assert thetafront(results, "status", NAME)[0] == 0


def test_a_study_in_order_is_left_as_it_is(results: Path) -> None:
    path = results / NAME / "study.db"
    before = path.read_bytes()
    code, output, _ = thetafront(results, *VERIFY, "--repair")
    assert (code, path.read_bytes()) == (0, before)
    assert "repaired" not in output
    assert not list(path.parent.glob("*before-repair*"))


def without_seconds(path: Path) -> pd.DataFrame:
    """An exported table of games, but for what its clock said."""
    frame = pd.read_csv(path, dtype=str)
    return frame[[column for column in frame if "seconds" not in column]]


@pytest.mark.parametrize("number", [1, 2, -1])
def test_a_game_that_an_exported_table_lacks_is_missed(results: Path, number: int) -> None:
    (results / NAME / "study.db").unlink()
    path = results / NAME / "games.csv"
    whole = without_seconds(path)
    assert thetafront(results, *VERIFY)[0] == 0
    lines = path.read_text().splitlines()
    del lines[number]
    path.write_text("\n".join(lines) + "\n")
    code, output, _ = thetafront(results, *VERIFY)
    assert code == 1
    assert "expected" in output
    assert thetafront(results, *VERIFY, "--repair")[0] == 0
    pd.testing.assert_frame_equal(without_seconds(path), whole)


def test_rows_are_those_of_one_moment(results: Path) -> None:
    path = results / NAME / "study.db"
    engine = create_engine(f"sqlite:///{path}")
    before = StudyRows.read(engine, NAME)
    n_tries = 0

    def begin_a_trial(_: object, __: object, statement: str, *___: object) -> None:
        nonlocal n_tries
        if "FROM trial_user_attributes" not in statement:
            return
        n_tries += 1
        with (
            suppress(sqlite3.OperationalError),  # locked meanwhile: as good
            closing(sqlite3.connect(path, timeout=0)) as other,
            other,
        ):
            other.execute(
                "INSERT INTO trials (trial_id, study_id, number, state) "
                "VALUES (99, 1, 99, 'RUNNING')"
            )
            other.execute("INSERT INTO trial_params (trial_id, param_name) VALUES (99, 'gamma')")
            other.execute(
                "INSERT INTO trial_user_attributes (trial_id, key, value_json) "
                "VALUES (99, 'origin', '1')"
            )

    event.listen(engine, "before_cursor_execute", begin_a_trial)
    assert StudyRows.read(engine, NAME) == before
    assert n_tries == 1


def test_a_study_that_a_sweep_holds_is_not_repaired(results: Path) -> None:
    execute(results, DAMAGES["another score"][0])
    with locked(locate(NAME, results, None)):
        assert thetafront(results, *VERIFY)[0] == 1
        code, _, error = thetafront(results, *VERIFY, "--repair")
    assert code == 1
    assert "is held by another run" in error


@pytest.mark.parametrize("words", [("--games", "-1"), ("--games", "some"), ("--games", "9" * 30)])
def test_bad_numbers_of_games_are_refused(words: tuple[str, str], tmp_path: Path) -> None:
    code, _, error = thetafront(tmp_path, "verify", NAME, *words)
    assert code == 2
    assert error.startswith("thetafront: games: ")


def test_a_folder_without_games_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, error = thetafront(tmp_path, "verify", "empty")
    assert code == 2
    assert "nothing to verify" in error
