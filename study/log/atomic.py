"""Files that are written whole: a kill or a full disk leaves the old file or the new one.

An interrupt waits for the end of the writing, and a second one deletes the temporary file. Several
processes that write the same file do so one after the other.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from thetafront.study.errors import naming_file
from thetafront.study.interrupt import deferred, unfinished


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside a file; it replaces the file when the block ends.

    If the block fails, the temporary file is deleted; an OSError names the file.
    """
    temporary = path.with_name(f".{path.name}.part")
    with deferred(), naming_file(path), held(temporary):
        unfinished.add(str(temporary))
        try:
            yield temporary
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            unfinished.discard(str(temporary))


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a file, made if there is none, until the block ends; wait for others that hold it."""
    is_there = False
    while not is_there:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):  # who held it has moved it
            is_there = os.path.samestat(os.fstat(descriptor), path.stat())
        if not is_there:
            os.close(descriptor)
    try:
        yield
    finally:
        os.close(descriptor)
