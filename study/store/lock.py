"""The lock that admits one sweep to a study at a time.

It is the operating system's lock of a file beside the database (for other storages: in the study's
folder). It ends with its process, even after kill -9, so there is no stale lock to clear. The file
says who holds it.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from study.errors import InputError
from study.store.location import Location
from study.store.manifest import command_line


@contextmanager
def locked(location: Location) -> Iterator[None]:
    """Hold the study for one sweep; InputError if another sweep holds it."""
    with lock_file(location).open("a+") as file:
        file.seek(0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = file.read().strip() or "an unknown process"
            raise InputError(
                f"study: {location.name!r} is held by another sweep, {holder}; "
                "wait for it, or stop it"
            ) from None
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()} ({command_line()})")
        file.flush()
        yield


def holder_of(location: Location) -> str:
    """Say which sweep holds a study now; empty if none does."""
    path = lock_file(location)
    if not path.exists():
        return ""
    with path.open() as file:
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
