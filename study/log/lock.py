"""The lock that admits one sweep to a study at a time.

On a PostgreSQL server it is the server's (:mod:`study.log.server_lock`). Else it is the operating
system's lock of a file beside the database (for other storages: in the study's folder). The file
says who holds it, and is deleted at the end. Both end with their process, even after kill -9, so
there is no stale lock to clear.
"""

import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Protocol

from thetafront.study.errors import InputError, RunError
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
    file = acquired(path, location.name)
    with file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()} ({command_line()})")
        file.flush()
        try:
            yield FileLock()
        finally:
            path.unlink(missing_ok=True)


def acquired(path: Path, name: str) -> TextIOWrapper:
    """Open and lock the file of the study with this name."""
    while True:
        file = opened(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            with file:
                holder = file.read().strip() or "an unknown process"
            raise RunError(
                f"study: {name!r} is held by another run, {holder}; wait for it, or stop it"
            ) from None
        # Who held it may have deleted it since it was opened: then nobody else would see this lock.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


def opened(path: Path, flags: int) -> TextIOWrapper:
    """Open a lock file; InputError if it is no file, or cannot be opened."""
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)  # a fifo may block
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"lock: '{path}' cannot be opened: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"lock: '{path}' is not a file; move it away")
    return open(descriptor, "r+" if flags & os.O_RDWR else "r", encoding="utf-8", errors="replace")


def holder_of(location: Location) -> str:
    """Say which sweep holds a study now; empty if none does."""
    if location.is_on_postgresql:
        return holder_on_server(location)
    try:
        file = opened(lock_file(location), os.O_RDONLY)
    except FileNotFoundError:
        return ""
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return file.read().strip()
    return ""


def lock_file(location: Location) -> Path:
    """Return the path of a study's lock file."""
    database = location.database
    if database is None:
        return location.folder / ".sweep.lock"
    return database.parent / f".{database.name}.lock"
