"""What the benchmarks' commands share: progress on standard error, errors in one line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import thetafront


def say(text: str) -> None:
    """Tell on standard error what goes on."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def told() -> Iterator[None]:
    """End the program with one line, and the exit code of the command line, for an error."""
    try:
        yield
    except thetafront.InputError as error:
        say(str(error))
        sys.exit(2)
    except (thetafront.RunError, OSError) as error:
        say(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
