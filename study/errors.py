"""What a user can mend."""

__all__ = ["InputError"]


class InputError(Exception):
    """Something given is not allowed, or not there: one line says what, and what would be allowed.

    The command line prints the line and exits with code 2.
    """
