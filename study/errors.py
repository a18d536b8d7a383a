"""What a user can mend."""

__all__ = ["InputError", "check_range"]


class InputError(Exception):
    """Something given is not allowed, or not there: one line says what, and what would be allowed.

    The command line prints the line and exits with code 2.
    """


def check_range(name: str, value: int, low: int, high: int) -> None:
    """Refuse a whole number that is out of range; InputError names it and what is allowed."""
    if not low <= value <= high:
        raise InputError(f"{name}: {value} given, {low} to {high} allowed")
