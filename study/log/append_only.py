"""Files that only grow: a run appends whole lines, and only one run at a time may do so."""

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from thetafront.study.errors import InputError, naming_file
from thetafront.study.log.file_lock import file_lock


class AppendOnlyFile:
    """A file, which need not exist, to which lines are appended while it is :meth:`held`.

    ``kind`` says in messages what the file is, such as ``a table of games``.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self.kind = kind
        self.file: io.FileIO | None = None

    @property
    def is_held(self) -> bool:
        """Whether this process may append."""
        return self.file is not None

    def content(self) -> bytes:
        """Return the file's content, empty if it does not exist; InputError if it is not a file."""
        if self.path.exists() and not self.path.is_file():
            raise InputError(f"{self.path} must be {self.kind} (it is not a file)")
        return self.path.read_bytes() if self.path.exists() else b""

    @contextmanager
    def held(self, read: Callable[[bytes], int]) -> Iterator[None]:
        """Hold the file, so that no other run writes to it meanwhile.

        ``read`` is called with the file's current content, which another run may have changed. It
        returns the length of the intact part, and raises InputError if the file is not of this
        kind. Anything after the intact part is a line cut short by a kill, and is deleted.
        RunError if another run holds the file; InputError if the path is not a file.
        """
        self.content()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        busy = f"{self.path}: another run is writing to it; wait for it, or use another folder"
        with (
            file_lock(self.path, flags, lambda _: busy) as descriptor,
            open(descriptor, "ab+", buffering=0, closefd=False) as file,
        ):
            file.seek(0)
            content = file.readall()
            n_whole = read(content)
            if n_whole < len(content):
                file.truncate(n_whole)
            self.file = file
            try:
                yield
            finally:
                self.file = None

    def append(self, lines: bytes) -> None:
        """Write all lines; if a full disk accepts only some, write none and raise OSError."""
        if self.file is None:
            raise RuntimeError(f"{self.path}: lines may be appended only while it is held")
        end = self.file.seek(0, os.SEEK_END)
        with naming_file(self.path):
            n_written = self.file.write(lines)
        if n_written != len(lines):
            self.file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
