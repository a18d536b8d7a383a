"""The operating system's lock on a file or a folder: one process at a time holds it.

The lock ends with the process, even after kill -9, so nobody has to delete an old lock.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from thetafront.study.errors import RunError


def acquire(
    path: Path,
    flags: int,
    busy: Callable[[int], str] | None = None,
    shared: bool = False,
) -> int:
    """Open and lock a file or folder; return its descriptor, which keeps the lock until closed.

    ``flags`` are those of :func:`os.open`. If another process holds the lock, ``busy`` is called
    with the descriptor, and returns the message of the RunError that is raised; without ``busy``,
    this function waits for the lock. Processes that hold it ``shared`` may do so at the same time.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    while True:
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)  # a fifo may block
        with ExitStack() as unless_held:
            unless_held.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, kind if busy is None else kind | fcntl.LOCK_NB)
            except BlockingIOError:
                assert busy is not None
                raise RunError(busy(descriptor)) from None
            # If the last holder has moved or deleted the file, this lock does not exclude others:
            # they lock a new file at the same path.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    unless_held.pop_all()
                    return descriptor


@contextmanager
def file_lock(
    path: Path, flags: int = os.O_RDONLY, busy: Callable[[int], str] | None = None
) -> Iterator[int]:
    """Lock a file or folder until the block ends; the parameters are as for :func:`acquire`."""
    descriptor = acquire(path, flags, busy)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
