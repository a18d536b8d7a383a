"""The lock on a file: what stopped a run is said even if the lock's file cannot be deleted."""

import errno
import os
from pathlib import Path

import pytest

from thetafront.study.log.location import locate
from thetafront.study.log.lock import lock_file, locked


def test_a_disk_that_becomes_read_only_hides_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = locate("s", tmp_path, None)
    location.folder.mkdir()

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ValueError, match="what stopped the run"), locked(location):
        raise ValueError("what stopped the run")
    monkeypatch.undo()
    assert lock_file(location).exists()
    with locked(location):  # it was released
        pass
    assert not lock_file(location).exists()
