"""Ends the processes of a worker's games when the worker has ended, in whatever way.

A worker starts it with :func:`started`. It runs by itself, with the standard library alone, and
waits until the worker's end of a pipe is closed: even a killed worker closes that. Then it ends all
processes that have the worker's mark in their environment, their descendants, and whatever is in
one session with them: after a second, in which programs may end by themselves.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

MARK = "THETAFRONT_WORKER"
SECONDS_TO_END = 1.0
SECONDS_BETWEEN_LOOKS = 0.02
MOST_LOOKS = 500


def main(mark: str) -> None:
    """Wait for the end of standard input; then end all processes with a mark."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    deadline = time.monotonic() + SECONDS_TO_END
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    for _ in range(MOST_LOOKS):
        if not end_all(marked(mark)):
            return
        time.sleep(SECONDS_BETWEEN_LOOKS)


def end_all(processes: set[int]) -> set[int]:
    """Kill processes; return those that were still there."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return processes


def marked(mark: str) -> set[int]:
    """Return the processes with a mark, their descendants, and all in one session with them."""
    wanted = f"{MARK}={mark}".encode()
    parents, sessions, found = {}, {}, set()
    for process in processes():
        try:
            with open(f"/proc/{process}/stat", "rb") as file:
                state, parent, _, session = file.read().rpartition(b")")[2].split()[:4]
            if state in {b"Z", b"X"}:
                continue
            with open(f"/proc/{process}/environ", "rb") as file:
                environment = file.read()
        except OSError:  # it has ended, or is somebody else's
            continue
        parents[process], sessions[process] = int(parent), int(session)
        if wanted in environment.split(b"\0"):
            found.add(process)
    shared = {sessions[each] for each in found}
    found |= {each for each, session in sessions.items() if session in shared}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def processes() -> Iterator[int]:
    """Yield the numbers of all processes."""
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


if __name__ == "__main__":
    main(sys.argv[1])
