"""Damage: how an unreadable value of a study is reported."""

from collections.abc import Iterator
from contextlib import contextmanager

from thetafront.study.errors import DamageError

MOST_CHARACTERS = 200


@contextmanager
def locating(where: str) -> Iterator[None]:
    """Report an error of a value's kind as damage of a place, such as ``trial 3, game:2``."""
    try:
        yield
    except KeyError as error:
        raise DamageError(f"{where}: no {error}") from None
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise DamageError(f"{where}: {' '.join(str(error).split())[:MOST_CHARACTERS]}") from None


@contextmanager
def of_study(name: str) -> Iterator[None]:
    """Say of which study damage is, and what mends it."""
    try:
        yield
    except DamageError as error:
        raise DamageError(
            f"study {name!r}: {error}; `thetafront verify {name} --repair` mends what can be mended"
        ) from None
