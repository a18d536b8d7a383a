"""Errors that a user can correct."""

from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from pathlib import Path
from typing import SupportsIndex

MAX_CHARACTERS = 200  # of an error that a message quotes


class InputError(Exception):
    """An input is not allowed or does not exist: one line names it, and says what is allowed.

    The command line prints the line and exits with code 2.
    """


class RunError(Exception):
    """A run cannot continue, although its input is valid; finished games are stored.

    The command line prints the line and exits with code 1.
    """


class DamageError(RunError):
    """A stored value is damaged: one line names it, and says how to repair it."""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, or the error's class if it has no text."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def check_range(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """Return a value as int; InputError if it is not a whole number between low and high."""
    try:
        number = index(value)
    except TypeError:
        raise InputError(
            f"{name} must be a whole number between {low} and {high} (got {value!r})"
        ) from None
    if not low <= number <= high:
        raise InputError(f"{name} must be between {low} and {high} (got {number})")
    return number


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Add the path to an OSError that names no file, such as the error for a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        if error.errno is None:  # raised by numpy
            raise OSError(f"{path}: {error}") from error
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def error_context(where: str) -> Iterator[None]:
    """Raise DamageError for an invalid stored value, and name its place: ``trial 3, game:2``."""
    try:
        yield
    except KeyError as error:
        raise DamageError(f"{where}: no {error}") from None
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise DamageError(f"{where}: {' '.join(str(error).split())[:MAX_CHARACTERS]}") from None
