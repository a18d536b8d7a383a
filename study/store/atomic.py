"""Files that are written whole: a kill, or a full disk, leaves the old one or the new one, and nothing between."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from study.errors import naming_file


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a place beside a file to write its draft to, which takes the file's place when all of it is there.

    If it cannot be written, the draft is taken away, and the system's error names the file.
    """
    draft = path.with_name(f".{path.name}.part")
    with naming_file(path):
        try:
            yield draft
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
