"""The writer: nothing lost, nothing out of order, and whoever is too fast waits."""

import threading
import time
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from tests.processes import wait_until
from tests.study.conftest import CoinGame
from tests.study.made_studies import data_of, new_study
from thetafront.study.errors import RunError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log import writer as module
from thetafront.study.log.location import locate
from thetafront.study.log.log import event as log_event
from thetafront.study.log.log import game_row
from thetafront.study.log.mirror import Mirror
from thetafront.study.log.tables import SEARCH, GameRow
from thetafront.study.log.writer import StudyWriter
from thetafront.study.run.sweep import Sweep
from thetafront.study.run.workers import PlayError, Workers

GAME = CoinGame(3, 500.5, 7, 0.25, True, 70)


def games(n: int, first: int = 0) -> list[GameRow]:
    return [game_row((SEARCH, 0), replicate, GAME) for replicate in range(first, first + n)]


def stored(writer: StudyWriter) -> int:
    return len(writer.log.rows().games)


def test_a_flush_returns_when_all_is_committed() -> None:
    study = new_study()
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
    assert max(sizes) <= module.MAX_TOGETHER
    rows = study.rows().games
    assert [row.sequence for row in rows] == [row.replicate + 1 for row in rows], "in order"


def test_games_are_committed_without_a_flush() -> None:
    writer = StudyWriter(new_study())
    writer.write(*games(5))
    wait_until(lambda: writer.n_written >= 5)
    assert stored(writer) == 5
    writer.close()
    writer.write(*games(5, 5))  # a thread begins anew
    writer.close()
    assert stored(writer) == 10


def test_what_comes_in_within_50_ms_is_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_TOGETHER", 3600.0)
    sizes: list[int] = []
    writer = StudyWriter(new_study(), watch=lambda n, _: sizes.append(n))
    for game in games(30):
        writer.write(game)
    writer.close()
    assert sizes == [30]


def test_whoever_is_faster_than_the_disk_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    study, gate = new_study(), threading.Event()
    monkeypatch.setattr(module, "MAX_WAITING", 10)
    monkeypatch.setattr(module, "MAX_TOGETHER", 5)
    writer = StudyWriter(study)
    write = study.write

    def slow(*given: object) -> None:
        gate.wait(60.0)
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(study, "write", slow)
    n_taken = 0

    def bring() -> None:
        nonlocal n_taken
        for game in games(100):
            writer.write(game)
            n_taken += 1

    bringing = threading.Thread(target=bring)
    bringing.start()
    wait_until(lambda: n_taken >= 15)
    time.sleep(0.2)
    assert n_taken == 15, "five in the transaction, ten that wait"
    gate.set()
    bringing.join(60.0)
    writer.close()
    assert stored(writer) == 100


def test_an_error_is_raised_where_games_are_brought() -> None:
    """And a transaction that failed leaves nothing of itself."""
    writer = StudyWriter(new_study())

    def full(_: object, __: object, statement: str, *___: object) -> None:
        if "INSERT" in statement and "thetafront_game" in statement:
            raise OperationalError(statement, None, Exception("database or disk is full"))

    event.listen(writer.log.engine, "before_cursor_execute", full)
    writer.write(log_event("run", index=0, run={}), *games(1))
    for call in (writer.flush, writer.flush, writer.close, lambda: writer.write(*games(1))):
        with pytest.raises(OperationalError, match="disk is full"):
            call()
    event.remove(writer.log.engine, "before_cursor_execute", full)
    assert stored(writer) == 0
    assert writer.log.rows().events == []


def test_an_exit_of_the_thread_is_raised_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich exits when the pipe that a message goes to is closed."""
    writer = StudyWriter(new_study())

    def leave(*_: object) -> None:
        raise SystemExit(1)

    monkeypatch.setattr(writer.log, "write", leave)
    writer.write(*games(1))
    for call in (writer.flush, writer.close):
        with pytest.raises(SystemExit):
            call()


@pytest.mark.parametrize("error", [PlayError("3 trials in a row failed"), KeyboardInterrupt()])
def test_a_phase_that_fails_leaves_no_writer(
    quick: Experiment, tmp_path: Path, error: BaseException
) -> None:
    """Before its loop has begun, too, which would close it."""
    study = new_study()
    sweep = Sweep(quick, locate("s", tmp_path, None), study, Workers(1), Console(quiet=True))
    writer = StudyWriter(study, sweep.connection)
    writer.write(*games(5))
    with pytest.raises((RunError, KeyboardInterrupt)), sweep.stops("search"):
        raise error
    assert writer.thread is None
    assert stored(writer) == 5
    assert sweep.connection.writers == []


class BrokenMirror(Mirror):
    """One that optuna cannot write."""

    def write_one(self) -> None:
        raise RuntimeError("tables of another version")


def test_a_mirror_that_cannot_be_written_is_reported_once_and_games_are_written(
    quick: Experiment,
) -> None:
    log = new_study()
    data_of(log, quick)
    writer = StudyWriter(log, mirror=BrokenMirror(log, quick, []))
    said: list[str] = []
    writer.connection.message = said.append
    for n in range(3):
        writer.write(*games(5, 5 * n))
        writer.flush()
    writer.close()
    assert stored(writer) == 15
    assert said == ["Optuna's copy of the study cannot be written: tables of another version"]
