"""PostgreSQL killed or restarted while a study is written: waited for, with nothing lost."""

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest
from rich.console import Console
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from tests.cluster.postgres import Server
from tests.study.check.test_stored_study import DATA
from tests.study.conftest import QUICK, CoinGame
from tests.study.program import invoked, succeeded
from thetafront.study import interrupt
from thetafront.study.errors import DamageError, RunError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log import connection as module
from thetafront.study.log.connection import StorageConnection, is_lost
from thetafront.study.log.location import Location
from thetafront.study.log.log import Log, event, game_row, point_row
from thetafront.study.log.mirror import mirrored
from thetafront.study.log.server_lock import ServerLock
from thetafront.study.log.storage import create_or_resume, existing, open_for_games
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH, GameRow
from thetafront.study.log.writer import StudyWriter
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import TaskList
from thetafront.study.run.sweep import Sweep
from thetafront.study.run.workers import Workers

GAME = CoinGame(3, 500.5, 7, 0.25, True, 70)
N_TRIALS = 400
N_GAMES = 4


@pytest.fixture
def study(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Log:
    monkeypatch.setitem(EXPERIMENTS, "quick", QUICK)
    location = Location("s", database, tmp_path / "s")
    location.folder.mkdir()
    return create_or_resume(location, SearchSettings().record(QUICK))


class Told:
    """What a connection says and does."""

    def __init__(self) -> None:
        self.told: list[str] = []

    @property
    def is_waiting(self) -> bool:
        return bool(self.told) and self.told[-1] != "storage: connected again, resuming"

    def connection(self, study: Log) -> StorageConnection:
        return StorageConnection(study.engine, self.told.append, self)

    def keep(self) -> None:
        """Hold the study, as far as this is told."""

    def retake(self) -> bool:
        self.told += ["!"] * self.is_waiting
        return True


def game(number: int, replicate: int) -> GameRow:
    return game_row((SEARCH, number), replicate, GAME)


def write_trials(writer: StudyWriter, disturb: Callable[[int], None]) -> None:
    for number in range(N_TRIALS):
        disturb(number)
        writer.write(point_row(SEARCH, number, {"x": 0.5}, "nehvi", N_GAMES))
        for replicate in range(N_GAMES):
            writer.write(game(number, replicate))


def check_whole(study: Log) -> None:
    """Every trial and game is there, once."""
    rows = study.rows()
    assert rows.problems() == []
    assert [row.number for row in rows.points] == list(range(N_TRIALS))
    expected = [(number, r) for number in range(N_TRIALS) for r in range(N_GAMES)]
    assert [(row.number, row.replicate) for row in rows.games] == expected


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_a_server_that_ends_is_waited_for(postgres: Server, study: Log, how: str) -> None:
    """Twice, in the middle of transactions."""
    told = Told()
    writer = StudyWriter(study, told.connection(study))
    threads: list[threading.Thread] = []

    def end_and_start() -> None:
        getattr(postgres, how)()
        time.sleep(1.5)
        postgres.start()

    def disturb(number: int) -> None:
        if number in {100, 300}:
            threads.append(threading.Thread(target=end_and_start))
            threads[-1].start()
        if number in {200, 399}:
            threads[-1].join()

    write_trials(writer, disturb)
    writer.close()
    check_whole(study)
    lost = "storage: connection lost, waiting for the server"
    back = "storage: connected again, resuming"
    assert told.told[:3] == [lost, "!", back]
    assert told.told == [lost, "!", back] * (len(told.told) // 3)


def test_a_lock_that_the_server_does_not_release_is_not_waited_for_without_end(
    study: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Kept(Told):
        def retake(self) -> bool:
            return False

    monkeypatch.setattr(module, "MAX_SECONDS", 0.5)
    writer = StudyWriter(study, Kept().connection(study))
    writer.write(game(0, 0))
    with pytest.raises(RunError, match="the study's lock is lost"):
        writer.close()
    assert study.rows().games == []


def test_reading_waits_too(postgres: Server, study: Log) -> None:
    told = Told()
    connection = told.connection(study)
    postgres.kill()
    starting = threading.Timer(2.0, postgres.start)
    starting.start()
    data = connection.retried(lambda: StudyData.read(study, QUICK))
    starting.join()
    assert data.trials == []
    assert len(told.told) == 3


def test_a_commit_whose_answer_is_lost_is_made_once(
    study: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has committed, and the connection breaks before it says so."""
    writer = StudyWriter(study, Told().connection(study))
    write, n_broken = study.write, 0

    def breaking(*rows: Any) -> None:
        nonlocal n_broken
        write(*rows)
        if n_broken < 3:
            n_broken += 1
            study.counts = None
            raise OperationalError("COMMIT", None, Exception(), connection_invalidated=True)

    monkeypatch.setattr(study, "write", breaking)
    write_trials(writer, lambda number: None)
    writer.close()
    assert n_broken == 3
    check_whole(study)


def test_a_server_that_stays_away_ends_the_run(
    postgres: Server, study: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SECONDS", 2.0)
    writer = StudyWriter(study, Told().connection(study))
    postgres.kill()
    try:
        writer.write(game(0, 0))
        with pytest.raises(SQLAlchemyError) as raised:
            writer.close()
        assert is_lost(raised.value)
    finally:
        postgres.start()


def test_a_lock_that_another_run_has_taken_ends_the_run(postgres: Server, study: Log) -> None:
    class Taken(Told):
        def retake(self) -> bool:
            if self.is_waiting:
                raise RunError("study: 's' is held by another run")
            return True

    connection = Taken().connection(study)
    writer = StudyWriter(study, connection)
    postgres.kill()
    postgres.start()
    writer.write(game(0, 0))
    with pytest.raises(RunError, match="held by another run"):
        writer.close()
    with pytest.raises(RunError, match="held by another run"):
        connection.retried(lambda: StudyData.read(study, QUICK))
    assert study.rows().games == []


def test_a_server_that_is_lost_again_before_the_lock_is_taken_is_waited_for(
    postgres: Server, study: Log
) -> None:
    class Late(Told):
        def retake(self) -> bool:
            super().retake()
            if len(self.told) == 2:  # as from a connection that breaks
                raise OperationalError("SELECT", None, Exception(), connection_invalidated=True)
            return len(self.told) != 3

    late = Late()
    connection = late.connection(study)
    writer = StudyWriter(study, connection)
    postgres.kill()
    postgres.start()
    writer.write(game(0, 0))
    writer.close()
    lost = "storage: connection lost, waiting for the server"
    back = "storage: connected again, resuming"
    assert late.told == [lost, "!", "!", "!", back]
    assert len(study.rows().games) == 1


def test_a_notebook_does_not_wait_after_an_interrupt(postgres: Server, study: Log) -> None:
    """There, the writer's thread does not see it."""
    connection = Told().connection(study)
    writer = StudyWriter(study, connection)
    postgres.kill()
    try:
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt), interrupt.as_guest(), interrupt.deferred():  # noqa: PT012
            writer.write(game(0, 0))
            signal.raise_signal(signal.SIGINT)
            with pytest.raises(SQLAlchemyError):
                connection.retried(lambda: StudyData.read(study, QUICK))
            with pytest.raises(SQLAlchemyError):
                writer.close()
        assert time.monotonic() - began < module.MAX_SECONDS / 2
    finally:
        postgres.start()


def test_a_machine_that_joins_while_the_server_is_away_is_stored(
    postgres: Server, study: Log, tmp_path: Path
) -> None:
    class Joined(Workers[Any]):
        machines = {"ab12": {"host": "node-1"}}  # noqa: RUF012

    display, workers = ProgressDisplay(Console(quiet=True)), Joined(1)
    sweep = Sweep(QUICK, Location("s", "", tmp_path), study, workers, display.console)
    sweep.dispatch = Dispatch(TaskList([], print), workers, display)
    postgres.kill()
    starting = threading.Timer(1.0, postgres.start)
    starting.start()
    try:
        sweep.turn()
    finally:  # or the next test has no server
        starting.join()
    assert StudyData.read(study).machines == Joined.machines


def test_what_is_no_lost_connection_is_raised_at_once(study: Log) -> None:
    """A seed that is none, say."""
    writer = StudyWriter(study, Told().connection(study))
    writer.write(game(0, 0)._replace(seed="none"))
    with pytest.raises(SQLAlchemyError, match="bigint"):
        writer.close()


def test_a_database_without_an_encoding_keeps_a_study(postgres: Server, tmp_path: Path) -> None:
    """As ``initdb`` makes it with LC_ALL=C."""
    postgres.execute("CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0")
    words = ("dice", "--storage", postgres.url("plain"), "--results", str(tmp_path), "--jobs", "1")
    succeeded(None, "sweep", *words, "--trials", "4", "--design-size", "4", "--no-validation")


def test_runs_that_begin_at_once_create_the_tables_once(database: str, tmp_path: Path) -> None:
    """Both their own and Optuna's."""

    def begin(name: str) -> None:
        location = Location(name, database, tmp_path / name)
        log = create_or_resume(location, SearchSettings().record(QUICK))
        mirrored(log, QUICK, [])

    with ThreadPoolExecutor() as pool:
        list(pool.map(begin, "abcd"))
    assert sorted(optuna.get_all_study_names(database)) == ["a", "b", "c", "d"]


def test_a_table_that_a_server_has_lost_is_named(postgres: Server, study: Log) -> None:
    name = str(study.engine.url.database)
    postgres.execute("DROP TABLE thetafront_study", name)
    study.write(event("run", index=0, run={}))
    error = invoked(None, "status", postgres.url(name), "--name", "s", code=1).stderr
    assert f"/{name} is damaged: no table thetafront_study; `thetafront verify" in error


def test_another_programs_tables_on_a_server_are_not_missed(
    postgres: Server, database: str, tmp_path: Path
) -> None:
    postgres.execute("CREATE TABLE trials AS SELECT 1", database.rpartition("/")[2])
    location = Location("s", database, tmp_path)
    log = create_or_resume(location, SearchSettings().record(QUICK))
    assert log.rows().problems() == []


def test_a_study_of_an_earlier_version_is_imported(database: str, tmp_path: Path) -> None:
    """One of format 1 on a server: the same trials and points afterwards, and Optuna's copy."""
    optuna.copy_study(
        from_study_name="pacman_small",
        from_storage=f"sqlite:///{DATA}/pacman_small/study.db",
        to_storage=database,
    )
    location = Location("pacman_small", database, tmp_path / "s")
    location.folder.mkdir()
    before = existing(location)
    assert before is not None
    log = open_for_games(location)
    after = StudyData.read(log)
    assert (after.trials, after.points) == (before.trials, before.points)
    assert len(log.rows().games) == 28
    study = optuna.load_study(study_name="pacman_small", storage=database)
    assert [tuple(each.values) for each in study.trials] == [each.values for each in after.trials]


def test_a_damaged_row_on_a_server_is_found_and_mended(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = Location("dice", database, tmp_path / "dice")
    words = ("--storage", database, "--results", str(tmp_path), "--jobs", "1")
    few = ("--trials", "4", "--design-size", "4", "--no-validation", "--sampler", "random")
    succeeded(None, "sweep", "dice", *few, *words)
    before = existing(location)
    assert before is not None
    log = open_for_games(location)
    with log.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE thetafront_game SET score = 7 WHERE number = 2")
        connection.exec_driver_sql("DELETE FROM thetafront_point WHERE number = 1")
    verify = ["verify", "dice", *words]
    invoked(None, *verify, code=1)
    with monkeypatch.context() as patched:
        patched.setattr(ServerLock, "is_alive", lambda lock: False)
        refused = invoked(None, *verify, "--repair", code=1).stderr
        assert "'dice' is not repaired: its lock was lost" in refused
    succeeded(None, *verify, "--repair")
    copy = tmp_path / "dice" / "study.db.before-repair-2"
    with pytest.raises(DamageError, match="trial 2, replicate 0: its checksum"):
        existing(replace(location, url=f"sqlite:///{copy}"))
    after = existing(location)
    assert after is not None
    assert [each.values[0] for each in after.trials] == [each.values[0] for each in before.trials]
    assert [each.params for each in after.trials] == [each.params for each in before.trials]
