"""``thetafront`` is ``python -m study``: what must be right before anything slow is imported."""

import os
import resource
import sys

from study import interrupt

LEAST_ADDRESS_SPACE = 3 * 2**29  # bytes; a sweep on two cores takes a gigabyte of it
STREAMS = ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY))


def main() -> None:
    """Run the command line."""
    flaws = [*open_streams(), *small_limits()]
    if flaws:
        print(f"thetafront: {flaws[0]}", file=sys.stderr)
        sys.exit(2)
    interrupt.watch()
    from study.cli import main as run  # noqa: PLC0415

    run()


def open_streams() -> list[str]:
    """Open closed streams, lest files that are opened later take their place.

    Returns
    -------
    list of str
        What is wrong with that: nothing, unless there is nowhere to print to.
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
    return ["standard output: closed, an open one needed (>/dev/null if nobody reads it)"]


def small_limits() -> list[str]:
    """Say which limit on memory is too small: below it, libraries end the process by themselves."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= LEAST_ADDRESS_SPACE:
        return []
    return [
        f"memory: limited to {limit // 1024} KiB (ulimit -v), "
        f"{LEAST_ADDRESS_SPACE // 1024} KiB or more needed"
    ]


if __name__ == "__main__":
    main()
