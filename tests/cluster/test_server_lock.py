"""The lock of a study on PostgreSQL: one run at a time, from whatever folder or host."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.cluster.postgres import PASSWORD, Server
from tests.processes import wait_until
from tests.study.conftest import QUICK
from thetafront.study.errors import RunError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.log import server_lock
from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.location import Location
from thetafront.study.log.lock import lock_holder, locked
from thetafront.study.log.log import point_row
from thetafront.study.log.server_lock import ServerLock
from thetafront.study.log.storage import create_or_resume
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH
from thetafront.study.log.writer import StudyWriter
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.sweep import Sweep
from thetafront.study.run.workers import Workers

HOLD = """
import sys, time
from pathlib import Path
from thetafront.study.log.location import Location
from thetafront.study.log.lock import locked
with locked(Location("s", sys.argv[1], Path("elsewhere"))):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_is_refused_wherever_its_folder_is(database: str, tmp_path: Path) -> None:
    here, there = Location("s", database, tmp_path / "a"), Location("s", database, tmp_path / "b")
    other = Location("another", database, tmp_path)
    me = f"process {os.getpid()} on {socket.gethostname()}"[:40]
    assert lock_holder(here) == ""
    with locked(here):
        assert me in lock_holder(there)
        with pytest.raises(
            RunError, match=r"^study: 's' is held by another run, thetafront: pr"
        ) as e:
            locked(there).__enter__()
        assert me in str(e.value)
        assert PASSWORD not in str(e.value)
        with locked(other):
            assert me in lock_holder(other)
    assert lock_holder(there) == ""


def test_it_ends_with_its_process(database: str, tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, database], stdout=subprocess.PIPE)
    location = Location("s", database, tmp_path)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RunError, match=f"process {holder.pid} on "):
            locked(location).__enter__()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    wait_until_free(location)
    with locked(location):
        assert lock_holder(location)


def end_connections(postgres: Server, database: str, which: str = "thetafront%") -> None:
    """End connections to a database by their names, and nothing else of the server."""
    postgres.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE application_name LIKE '{which}' AND datname = '{database.rpartition('/')[2]}'"
    )


def wait_until_free(location: Location) -> None:
    wait_until(lambda: not lock_holder(location))


def retake(lock: ServerLock) -> None:
    wait_until(lock.retake)


def test_it_is_taken_again_whenever_the_server_was_killed(
    postgres: Server, database: str, tmp_path: Path
) -> None:
    """At once, and again a moment later."""
    location = Location("s", database, tmp_path)
    with locked(location) as lock:
        for _ in range(2):
            postgres.kill()
            postgres.start()
            assert lock_holder(location) == ""
            assert lock.retake()
            assert lock_holder(location)
        assert lock.retake(), "it is there: nothing is to be done"


def test_it_is_taken_from_a_lost_connection_of_this_run(
    postgres: Server, database: str, tmp_path: Path
) -> None:
    """Which the server has not missed yet: after a partition of the network, say."""
    location = Location("s", database, tmp_path)
    with locked(location) as lock:
        assert isinstance(lock, ServerLock)
        lost, lock.connection = lock.connection, None
        assert lost is not None
        assert lock_holder(location)
        retake(lock)
        assert lock_holder(location)
        with pytest.raises(DBAPIError):
            lost.execute(text("SELECT 1"))


def test_a_loop_notices_within_seconds_that_its_connection_has_ended(
    postgres: Server, database: str, tmp_path: Path
) -> None:
    location = Location("s", database, tmp_path)
    with locked(location) as lock:
        assert isinstance(lock, ServerLock)
        end_connections(postgres, database)
        wait_until_free(location)
        lock.keep()
        assert lock_holder(location) == "", "it looks every ten seconds"
        lock.checked -= server_lock.SECONDS_BETWEEN_CHECKS
        lock.keep()
        assert lock_holder(location)


def test_a_run_that_lost_it_to_another_stops(
    postgres: Server, database: str, tmp_path: Path
) -> None:
    location = Location("s", database, tmp_path)
    with locked(location) as lock:
        end_connections(postgres, database)
        wait_until_free(location)
        with locked(location), pytest.raises(RunError, match="is held by another run"):
            lock.retake()


def test_nothing_is_written_once_another_run_has_taken_it(
    postgres: Server, database: str, tmp_path: Path
) -> None:
    """Only the lock's connection has ended, and no check is due for ten seconds."""
    location = Location("s", database, tmp_path / "s")
    location.folder.mkdir()
    study = create_or_resume(location, SearchSettings().record(QUICK))
    points = [point_row(SEARCH, number, {"n_playouts": 3}, "nehvi") for number in range(2)]
    with locked(location) as lock:
        writer = StudyWriter(study, StorageConnection(study.engine, lock=lock))
        end_connections(postgres, database)
        wait_until_free(location)
        writer.write(points[0])
        writer.flush()
        assert lock_holder(location), "it was lost, but free"
        end_connections(postgres, database)
        wait_until_free(location)
        with locked(location):
            writer.write(points[1])
            with pytest.raises(RunError, match="is held by another run"):
                writer.close()
    assert len(study.rows().points) == 1


def test_a_sweep_that_lost_it_to_another_stops(
    postgres: Server, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the lock's connection has ended: the storage answers all the time."""
    monkeypatch.setitem(EXPERIMENTS, "quick", QUICK)
    monkeypatch.setattr(server_lock, "SECONDS_BETWEEN_CHECKS", 1.0)
    location = Location("s", database, tmp_path / "s")
    location.folder.mkdir()
    study = create_or_resume(location, SearchSettings().record(QUICK))
    settings = SearchSettings(n_trials=1_000_000, sampler="random", design_size=4)
    taken: list[bool] = []

    def take(other: ServerLock) -> None:
        while not len(StudyData.read(study, QUICK).trials) > 2:
            time.sleep(0.05)
        while not taken:
            end_connections(postgres, database)
            with contextlib.suppress(RunError):
                other.take()
                taken.append(True)

    other = ServerLock(location)
    out = Console(quiet=True)
    with locked(location) as lock, Workers[Any](1) as workers:
        sweep = Sweep(QUICK, location, study, workers, out, settings=settings, lock=lock)
        sweep.begin()
        thread = threading.Thread(target=take, args=(other,))
        thread.start()
        with pytest.raises(RunError, match="is held by another run"):
            sweep.search()
        thread.join()
        assert sweep.connection.writers == []
    other.release()
