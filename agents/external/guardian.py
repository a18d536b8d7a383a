"""The guardian: ends the processes of a worker's games when the worker has ended.

The guardian is a separate process. It waits until the worker's side of a pipe is closed, which
happens even when the worker is killed. Then it waits up to a second for the games' processes to end
by themselves. After that, it ends three kinds of processes: those with the worker's mark in their
environment, all others in the sessions of these, and the descendants of both.
"""

import os
import signal
import sys
import time

import psutil

from thetafront.agents.external.processes import get_session, kill

MARK = "THETAFRONT_WORKER"
SECONDS_TO_END = 1.0
POLL_SECONDS = 0.02
MAX_ROUNDS = 500


def main() -> None:
    """Wait for the end of standard input; then end all processes with the given mark."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    mark, deadline = sys.argv[1], time.monotonic() + SECONDS_TO_END
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    for _ in range(MAX_ROUNDS):
        if not (left := marked(mark)):
            return
        kill(left)
        time.sleep(POLL_SECONDS)


def marked(mark: str) -> set[int]:
    """Return the processes with a mark, all others in their sessions, and descendants of both."""
    every = psutil.process_iter(["status", "ppid", "environ"])
    infos = {x.pid: x.info for x in every if x.info["status"] != psutil.STATUS_ZOMBIE}
    found = {each for each, info in infos.items() if (info["environ"] or {}).get(MARK) == mark}
    shared = {get_session(each) for each in found} - {0}
    found |= {each for each in infos if get_session(each) in shared}
    while more := {each for each, info in infos.items() if info["ppid"] in found} - found:
        found |= more
    return found - {os.getpid()}
