"""The log: rows are there once, never changed, whole or named; on SQLite and in memory."""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event as sql_event
from sqlalchemy import inspect, text

from tests.study.conftest import QUICK, CoinGame
from tests.study.made_studies import add_trials, new_study, new_study_in, record_of
from thetafront.agents.agent import FailedGame, Outcome
from thetafront.study.errors import RunError
from thetafront.study.log.database import make_engine
from thetafront.study.log.location import locate
from thetafront.study.log.log import (
    FAILED,
    Log,
    Rows,
    event,
    failure,
    game_row,
    point_row,
    row_to_outcome,
)
from thetafront.study.log.tables import SEARCH, VALIDATION, StudyRow, is_whole, sealed

GAME = CoinGame(3, 500.5, 7, 0.1 + 0.2, True, 70)
POINT = point_row(SEARCH, 0, {"n_playouts": 3}, "nehvi", 2, {"nsga2:parents": [1, 2]})


def game(replicate: int, outcome: Outcome = GAME) -> object:
    return game_row((SEARCH, 0), replicate, outcome, "znver4")


@pytest.mark.parametrize("outcome", [GAME, FailedGame(2**63 - 1, "ends: 'θ'\n…")])
def test_a_game_comes_back_to_the_bit(outcome: Outcome) -> None:
    log = new_study()
    log.write(POINT, game(1, outcome))
    (row,) = log.rows().games
    assert row_to_outcome(row, CoinGame if outcome is GAME else type(GAME).__mro__[1]) == outcome
    assert (row.replicate, row.machine, row.seed) == (1, "znver4", outcome.seed)


def test_a_negative_zero_is_no_damage() -> None:
    """A program may well print -0.0, but SQLite stores 0.0."""
    log = new_study()
    log.write(POINT, game(1, replace(GAME, score=-0.0, seconds=-0.0)))
    rows = log.rows()
    assert [str(rows.games[0].score), str(rows.games[0].seconds)] == ["0.0", "0.0"]
    assert is_whole(rows.games[0])


def test_what_is_written_twice_is_there_once() -> None:
    """As after a commit whose answer was lost; by a log that knows nothing of the first."""
    log = new_study()
    for _ in range(2):
        again = Log.find(log.engine, "s")
        assert again is not None
        again.write(POINT, game(0), game(1))
        rows = again.rows()
        assert rows.points == [POINT]
        assert [(row.replicate, row.sequence) for row in rows.games] == [(0, 1), (1, 2)]
    again.write(game(2), event("run", index=0, run={}))
    rows = again.rows()
    assert [row.sequence for row in rows.games] == [1, 2, 3]
    assert [row.n_games for row in rows.events] == [3]
    assert rows.problems() == []


def test_what_is_there_is_not_replaced() -> None:
    log = new_study()
    log.write(POINT, game(0))
    log.write(game(0, FailedGame(4, "another one")))
    (row,) = log.rows().games
    assert row_to_outcome(row, CoinGame) == GAME


def test_events_are_numbered_and_count_what_was_there() -> None:
    log = new_study()
    log.write(POINT, game(0), failure((SEARCH, 0), "no luck"))
    log.write(game(1), event("run", index=0, run={}))
    rows = log.rows()
    assert [(row.number, row.n_points, row.n_games) for row in rows.events] == [
        (0, 1, 1),
        (1, 1, 2),
    ]
    assert rows.latest(FAILED) == [{"phase": SEARCH, "number": 0, "error": "no luck"}]
    assert log.newest() == (2, 2)


def test_a_transaction_that_fails_leaves_nothing_and_numbers_continue() -> None:
    log = new_study()
    log.write(POINT, game(0))

    def full(_: object, __: object, statement: str, *___: object) -> None:
        if "thetafront_event" in statement and "INSERT" in statement:
            raise OSError("disk is full")

    sql_event.listen(log.engine, "before_cursor_execute", full)
    with pytest.raises(OSError, match="disk is full"):
        log.write(game(1), event("run", index=0, run={}))
    sql_event.remove(log.engine, "before_cursor_execute", full)
    log.write(game(2))
    rows = log.rows()
    assert [(row.replicate, row.sequence) for row in rows.games] == [(0, 1), (2, 2)]
    assert rows.problems() == []


def test_a_log_that_another_run_has_continued_is_not_written_to(tmp_path: Path) -> None:
    """As after a lost lock, which the other run has taken and released."""
    one = new_study_in(tmp_path, record_of(QUICK))
    other = Log.find(one.engine, one.name)
    assert other is not None
    one.write(event("run", index=0, run={}))
    one.write(point_row(SEARCH, 0, {"n_playouts": 3}, "nehvi"))
    other.write(event("run", index=1, run={}))
    with pytest.raises(RunError, match=r"'.*' was continued by another run"):
        one.write(point_row(SEARCH, 1, {"n_playouts": 3}, "nehvi"))
    assert len(one.rows().points) == 1


def test_the_tables_are_created_with_the_study_or_not_at_all(tmp_path: Path) -> None:
    """A reader in between would take the missing ones for lost."""
    engine = make_engine(locate("s", tmp_path.parent, f"sqlite:///{tmp_path}/study.db"))

    def full(_: object, __: object, statement: str, *___: object) -> None:
        if statement.startswith("INSERT"):
            raise OSError("disk is full")

    sql_event.listen(engine, "before_cursor_execute", full)
    with pytest.raises(OSError, match="disk is full"):
        Log.create(engine, Rows(sealed(StudyRow("s", "{}"))))
    assert inspect(engine).get_table_names() == []


def test_studies_of_one_database_have_rows_of_their_own(tmp_path: Path) -> None:
    one = new_study_in(tmp_path, record_of(QUICK))
    other = Log.create(one.engine, Rows(sealed(StudyRow("other", "{}"))))
    one.write(POINT, game(0), game(1))
    other.write(POINT, game(0))
    assert (one.newest(), other.newest()) == ((2, 0), (1, 0))
    other.rebuild(other.rows())
    assert len(one.rows().games) == 2


def test_a_row_with_another_value_is_not_whole() -> None:
    """Any value of it, of any type that SQLite may give back."""
    log = new_study()
    log.write(POINT, game(0), failure((VALIDATION, 3), "no luck"))
    rows = log.rows()
    for row in (*rows.points, *rows.games, *rows.events):
        for name in row._fields:
            value = getattr(row, name)
            for other in (None, str(value) + "x", 1 if value != 1 else 2):
                assert not is_whole(row._replace(**{name: other}))
        assert is_whole(row)


def test_rows_are_those_of_one_moment(tmp_path: Path) -> None:
    log = new_study_in(tmp_path, record_of(QUICK))
    add_trials(log, QUICK)
    before, n_tries = log.rows(), 0

    def write_another(_: object, __: object, statement: str, *___: object) -> None:
        nonlocal n_tries
        if not statement.startswith("SELECT") or "FROM thetafront_game" not in statement:
            return
        n_tries += 1
        path = tmp_path / "s" / "study.db"
        with (
            suppress(sqlite3.OperationalError),  # locked meanwhile: as good
            closing(sqlite3.connect(path, timeout=0)) as other,
            other,
        ):
            other.execute("DELETE FROM thetafront_game WHERE number = 1")

    sql_event.listen(log.engine, "before_cursor_execute", write_another)
    assert log.rows() == before
    assert n_tries == 1


def test_a_commit_is_on_the_disk(tmp_path: Path) -> None:
    """SQLite waits for the disk at each commit: synchronous is 2, FULL, and there is a journal."""
    log = new_study_in(tmp_path, record_of(QUICK))
    with log.engine.connect() as connection:
        assert connection.scalar(text("PRAGMA synchronous")) == 2
        assert connection.scalar(text("PRAGMA journal_mode")) == "delete"
        assert connection.scalar(text("PRAGMA busy_timeout")) == 60_000
    assert os.listdir(tmp_path / "s") == ["study.db"]
