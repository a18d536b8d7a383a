"""Files that are written whole: a kill or a full disk leaves either the old file or the new one.

An interrupt (Ctrl-C) during the writing takes effect only when the file is complete. A second
interrupt ends the process at once, and deletes the temporary file. If several processes write the
same file, they do so one after the other.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thetafront.study.errors import naming_file
from thetafront.study.interrupt import deferred, unfinished
from thetafront.study.log.file_lock import file_lock


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there replaces ``path`` when the block ends.

    If the block fails, the temporary file is deleted. If it raises an OSError, the error names
    ``path``.
    """
    temporary = path.with_name(f".{path.name}.part")
    with deferred(), naming_file(path), file_lock(temporary, os.O_RDWR | os.O_CREAT):
        unfinished.add(str(temporary))
        try:
            temporary.write_bytes(b"")  # a kill may have left an earlier draft
            yield temporary
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            unfinished.discard(str(temporary))
