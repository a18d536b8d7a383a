"""Errors that the command line reports in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class InputError(Exception):
    """Something given is not allowed, or not there: one line says what, and what would be allowed.

    The command line prints the line and exits with code 2.
    """


class RunError(Exception):
    """A run cannot go on, and no input is to blame; what has finished is stored.

    The command line prints the line and exits with code 1.
    """


def check_range(name: str, value: int, low: int, high: int) -> None:
    """Refuse a whole number that is out of range; InputError names it and what is allowed."""
    if not low <= value <= high:
        raise InputError(f"{name}: {value} given, {low} to {high} allowed")


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Have an error of the system name the file that is written meanwhile: a full disk's, left alone, names none."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
