"""The lock that admits one sweep to a study at a time.

On a PostgreSQL server it is the server's (:mod:`study.log.server_lock`). Else it is that of a file
(:mod:`study.log.file_lock`) beside the database, or for other storages in the study's folder. The
file says who holds it, and is deleted at the end. Both end with their process.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from thetafront.study.errors import InputError, RunError
from thetafront.study.log.file_lock import acquire
from thetafront.study.log.invocation import command_line
from thetafront.study.log.location import Location
from thetafront.study.log.server_lock import ServerLock, holder_on_server


class Lock(Protocol):
    """A lock that is held."""

    def keep(self) -> None:
        """Take it again if it is lost; RunError if another run has it now. To be called often."""

    def retake(self) -> bool:
        """Do so after the storage was lost; return whether it is held, False to call again."""


class FileLock:
    """The lock of a file, which cannot be lost."""

    def keep(self) -> None:
        """Do nothing."""

    def retake(self) -> bool:
        """Return that it is held."""
        return True


@contextmanager
def locked(location: Location) -> Iterator[Lock]:
    """Hold the study for one sweep; RunError if another run holds it."""
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
        raise RunError(
            f"study: {location.name!r} is held by another run, {held}; wait for it, or stop it"
        ) from None
    with open(descriptor, "w", encoding="utf-8") as file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()} ({command_line()})")
        file.flush()
        try:
            yield FileLock()
        finally:
            path.unlink(missing_ok=True)


def acquired(path: Path, flags: int, shared: bool = False) -> int:
    """Open and lock a lock file; InputError if it is no file, or cannot be opened.

    RunError says who holds it.
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
    """Read who holds a lock file."""
    with open(descriptor, encoding="utf-8", errors="replace", closefd=False) as file:
        return file.read().strip() or "an unknown process"


def holder_of(location: Location) -> str:
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
