"""Errors that name what a user can mend: a full disk by the file that was written."""

import errno
from pathlib import Path

import pytest

from thetafront.study.errors import naming_file


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device"),
            r"^\[Errno 28\] No space left on device: 'a/b'$",
        ),
        (OSError("no room"), "^a/b: no room$"),
    ],
)
def test_an_error_without_a_file_gets_one(error: OSError, said: str) -> None:
    with pytest.raises(OSError, match=said), naming_file(Path("a/b")):
        raise error


@pytest.mark.parametrize(
    "error", [FileNotFoundError(errno.ENOENT, "gone", "other"), ValueError("x")]
)
def test_other_errors_stay_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, naming_file(Path("a/b")):
        raise error
    assert caught.value is error
