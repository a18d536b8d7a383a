"""``python -m thetafront``: checks that run before anything slow is imported."""

import os
import resource
import sys
import warnings

from thetafront.study import interrupt

LEAST_ADDRESS_SPACE = 3 * 2**29  # bytes; a sweep on two cores takes a gigabyte of it
LARGEST_SIZE = 9999  # of a terminal, in characters
STREAMS = ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY))


def main() -> None:
    """Run the command line."""
    problems = [*open_streams(), *small_limits()]
    if problems:
        print(f"thetafront: {problems[0]}", file=sys.stderr)
        sys.exit(2)
    drop_impossible_sizes()
    warnings.formatwarning = one_line
    interrupt.watch()
    from thetafront.study.cli import main as run  # noqa: PLC0415

    run()


def open_streams() -> list[str]:
    """Open closed streams, so that files opened later do not take their place.

    Returns
    -------
    list of str
        Problems: none, unless there is nowhere to print to.
    """
    closed = []
    for descriptor, mode in STREAMS:
        try:
            os.fstat(descriptor)
        except OSError:
            # Takes the lowest free number; workers need it, too.
            os.set_inheritable(os.open(os.devnull, mode), True)
            closed.append(descriptor)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    if 1 not in closed:
        return []
    return ["standard output must be open (redirect it to /dev/null if you do not need it)"]


def drop_impossible_sizes() -> None:
    """Drop impossible sizes from the environment, so that the terminal's own size is used."""
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "")
        if size.isdecimal() and not 1 <= int(size[:9]) <= LARGEST_SIZE:
            del os.environ[name]


def one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Write a library's warning in one line: that of numba about a variable has a traceback."""
    return f"thetafront: {str(message).splitlines()[0]}\n"


def small_limits() -> list[str]:
    """Say which limit on memory is too small: below it, libraries end the process."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= LEAST_ADDRESS_SPACE:
        return []
    return [
        f"memory must be limited to {LEAST_ADDRESS_SPACE // 1024} KiB or more (ulimit -v; got "
        f"{limit // 1024} KiB)"
    ]


if __name__ == "__main__":
    main()
