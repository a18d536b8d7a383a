"""The writer: nothing lost, nothing out of order, and whoever is too fast waits."""

import threading
import time
from pathlib import Path

import optuna
import pytest
from rich.console import Console
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from tests.study.conftest import CoinGame
from tests.study.made_studies import new_study, writable_study
from thetafront.study.experiments.definition import Experiment
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.sweep import StoppedError, Sweep
from thetafront.study.run.workers import PlayError
from thetafront.study.store import writer as module
from thetafront.study.store.games_table import SEARCH, StoredGames, newest_game
from thetafront.study.store.location import locate
from thetafront.study.store.storage import create_or_resume
from thetafront.study.store.writer import StudyWriter
from thetafront.study.store.writes import PlayedGame, StudyAttribute

GAME = CoinGame(3, 500.5, 7, 0.25, True, 70)


def games(n: int, first: int = 0) -> list[PlayedGame]:
    return [PlayedGame(SEARCH, "0", replicate, GAME) for replicate in range(first, first + n)]


def stored(writer: StudyWriter) -> int:
    with writer.engine.connect() as connection:
        return int(connection.scalar(text("SELECT count(*) FROM thetafront_games")) or 0)


def test_a_flush_returns_when_all_is_committed() -> None:
    study = writable_study()
    sizes: list[int] = []
    writer = StudyWriter(study, watch=lambda n, _: sizes.append(n))
    writer.flush()
    for n in (1, 2000, 3):
        before = stored(writer)
        for game in games(n, before):
            writer.write(game)
        writer.flush()
        assert stored(writer) == before + n
    writer.close()
    assert sum(sizes) == 2004
    assert max(sizes) <= module.MOST_TOGETHER
    assert list(StoredGames.read(study).of_trial(0)) == [str(n) for n in range(2004)], "in order"


def test_games_are_committed_without_a_flush() -> None:
    writer = StudyWriter(writable_study())
    writer.write(*games(5))
    deadline = time.monotonic() + 60.0
    while writer.n_written < 5:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert stored(writer) == 5
    writer.close()
    writer.write(*games(5, 5))  # a thread begins anew
    writer.close()
    assert stored(writer) == 10


def test_what_comes_in_within_50_ms_is_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_TOGETHER", 3600.0)
    sizes: list[int] = []
    writer = StudyWriter(writable_study(), watch=lambda n, _: sizes.append(n))
    for game in games(30):
        writer.write(game)
    writer.close()
    assert sizes == [30]


def test_whoever_is_faster_than_the_disk_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    study, gate = writable_study(), threading.Event()
    monkeypatch.setattr(module, "MOST_WAITING", 10)
    monkeypatch.setattr(module, "MOST_TOGETHER", 5)
    writer = StudyWriter(study)
    write = writer.tables.write

    def slow(*given: object) -> None:
        gate.wait(60.0)
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(writer.tables, "write", slow)
    n_taken = 0

    def bring() -> None:
        nonlocal n_taken
        for game in games(100):
            writer.write(game)
            n_taken += 1

    bringing = threading.Thread(target=bring)
    bringing.start()
    deadline = time.monotonic() + 60.0
    while n_taken < 15:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.2)
    assert n_taken == 15, "five in the transaction, ten that wait"
    gate.set()
    bringing.join(60.0)
    writer.close()
    assert stored(writer) == 100


def test_an_error_is_raised_where_games_are_brought() -> None:
    """And a transaction that failed leaves nothing of itself."""
    writer = StudyWriter(writable_study())

    def full(_: object, __: object, statement: str, *___: object) -> None:
        if "thetafront_games" in statement:
            raise OperationalError(statement, None, Exception("database or disk is full"))

    event.listen(writer.engine, "before_cursor_execute", full)
    writer.write(StudyAttribute("point:a", {}), *games(1))
    for call in (writer.flush, writer.flush, writer.close, lambda: writer.write(*games(1))):
        with pytest.raises(OperationalError, match="disk is full"):
            call()
    event.remove(writer.engine, "before_cursor_execute", full)
    assert stored(writer) == 0
    with writer.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM study_user_attributes")) == 0


def test_the_newest_game_is_the_studys_own() -> None:
    """Another study of the same database is written meanwhile."""
    study = writable_study()
    other = optuna.create_study(
        study_name="other", storage=study._storage, directions=["maximize", "minimize"]
    )
    writers = [StudyWriter(each) for each in (study, other)]
    newest = []
    for writer in writers:
        writer.write(*games(3))
        writer.close()
        newest.append((newest_game(study), newest_game(other)))
    assert newest == [(3, 0), (3, 6)]


@pytest.mark.parametrize("error", [PlayError("3 trials in a row failed"), KeyboardInterrupt()])
def test_a_phase_that_fails_leaves_no_writer(
    quick: Experiment, tmp_path: Path, error: BaseException
) -> None:
    """Before its loop has begun, too, which would close it."""
    study = writable_study()
    sweep = Sweep(quick, locate("s", tmp_path, None), study, 1, Console(quiet=True))
    writer = StudyWriter(study, sweep.connection)
    writer.write(*games(5))
    with pytest.raises((StoppedError, KeyboardInterrupt)), sweep.stops("search"):
        raise error
    assert writer.thread is None
    assert stored(writer) == 5
    assert sweep.connection.writers == []


def test_a_study_in_a_dictionary_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="is in memory, a database expected"):
        StudyWriter(new_study())


def test_a_commit_is_on_the_disk(quick: Experiment, tmp_path: Path) -> None:
    """SQLite's own default, which nobody may lower: synchronous is 2, FULL."""
    location = locate("s", tmp_path, None)
    location.folder.mkdir()
    study, _ = create_or_resume(location, SearchSettings().record(quick))
    writer = StudyWriter(study)
    with writer.engine.connect() as connection:
        assert connection.scalar(text("PRAGMA synchronous")) == 2
