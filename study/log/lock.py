"""The lock of a study: only the run that holds it may write to the study.

On PostgreSQL, it is a lock of the server (:mod:`study.log.server_lock`). Otherwise it is a lock on
a file (:mod:`study.log.file_lock`) in the folder of the SQLite database, or in the study's folder
if there is no such database. The file says which process holds the lock, and is deleted when that
process releases the lock. Both kinds of lock end when their process ends.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from thetafront.study.errors import InputError, RunError, naming_file
from thetafront.study.log.file_lock import acquire
from thetafront.study.log.invocation import command_line
from thetafront.study.log.location import Location
from thetafront.study.log.server_lock import ServerLock, held_by_another, holder_on_server


@contextmanager
def locked(location: Location) -> Iterator[ServerLock | None]:
    """Hold the study for one sweep; RunError if another run holds it.

    Yields the lock of a PostgreSQL server, so that the caller can notice if it is lost during the
    sweep. For the lock of a file, it yields None.
    """
    if location.is_on_postgresql:
        lock = ServerLock(location)
        lock.take()
        try:
            yield lock
        finally:
            lock.release()
        return
    path = lock_file(location)
    try:
        descriptor = acquired(path, os.O_RDWR | os.O_CREAT)
    except RunError as held:
        raise held_by_another(location, str(held)) from None
    holder = f"process {os.getpid()} on {socket.gethostname()} ({command_line()})"
    try:
        with naming_file(path):
            os.truncate(descriptor, 0)
            os.write(descriptor, holder.encode(errors="surrogateescape"))
        yield None
    finally:
        # A disk that has become read-only must not hide what stopped the run.
        with suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(descriptor)


def acquired(path: Path, flags: int, shared: bool = False) -> int:
    """Open and lock a lock file; InputError if it is not a file, or cannot be opened.

    RunError if another process holds the lock; the error names that process.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"lock: '{path}' is not a file; move it away")
        return acquire(path, flags, holder_in, shared)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"lock: '{path}' cannot be opened: {error.strerror}") from None


def holder_in(descriptor: int) -> str:
    """Return which process holds a lock, as its file says."""
    with open(descriptor, encoding="utf-8", errors="replace", closefd=False) as file:
        return file.read().strip() or "an unknown process"


def lock_holder(location: Location) -> str:
    """Say which sweep holds a study now; empty if none does."""
    if location.is_on_postgresql:
        return holder_on_server(location)
    with suppress(FileNotFoundError):
        try:
            os.close(acquired(lock_file(location), os.O_RDONLY, shared=True))
        except RunError as held:
            return str(held)
    return ""


def lock_file(location: Location) -> Path:
    """Return the path of a study's lock file."""
    database = location.database
    if database is None:
        return location.folder / ".sweep.lock"
    return database.parent / f".{database.name}.lock"
