"""A folder that one run at a time writes to.

The lock is the operating system's, and ends with its process, even after kill -9.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thetafront.study.errors import RunError


@contextmanager
def held_folder(folder: Path, otherwise: str = "", waits: bool = False) -> Iterator[None]:
    """Hold a folder for a run that replaces its files.

    Parameters
    ----------
    folder : Path
        The folder.
    otherwise : str
        What to say if another run holds it: the message of the RunError.
    waits : bool
        Wait for the other run instead.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        except BlockingIOError:
            raise RunError(
                otherwise
                or f"output: '{folder}' is held by another run; wait for it, or use another folder"
            ) from None
        yield
    finally:
        os.close(descriptor)
