"""Errors that name what a user can mend: a full disk by the file that was written."""

import errno
from pathlib import Path

import pytest

from thetafront.study.errors import naming_file


def test_an_error_without_a_file_gets_one() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with (
        pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: 'a/b'$"),
        naming_file(Path("a/b")),
    ):
        raise full


def test_a_message_without_a_number_gets_one_too() -> None:
    with pytest.raises(OSError, match=r"^a/b: no room$"), naming_file(Path("a/b")):
        raise OSError("no room")


def test_other_errors_stay_as_they_are() -> None:
    for error in (
        FileNotFoundError(errno.ENOENT, "gone", "other"),
        ValueError("x"),
    ):
        with pytest.raises(type(error)) as caught, naming_file(Path("a/b")):
            raise error
        assert caught.value is error
