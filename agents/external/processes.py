"""Processes and their descendants: finding, measuring and ending them.

The processes of a game are in a separate session. So if a descendant of a worker is in a session
other than the worker's, a game has started it. When the parent of a descendant ends, the worker
becomes the descendant's parent (see :class:`Orphans`), so even a daemon is found.

Data that are needed for every game are read from ``/proc``, not with psutil. psutil finds the
children of a process by reading all processes of the machine, which takes a hundred times as long.
The CPU times that psutil gives are only in ticks.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import ClassVar

import psutil

CLOCK_OF_PROCESS = 2
PR_SET_CHILD_SUBREAPER = 36
TICKS = os.sysconf("SC_CLK_TCK")
POLL_SECONDS, MAX_ROUNDS = 0.02, 250


def content(path: str) -> bytes:
    """Return the content of a file of ``/proc``, in a third of the time that ``open`` takes."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(descriptor, 2**16), b""))
    finally:
        os.close(descriptor)


def list_children(process: int) -> list[int]:
    """Return the children of a process; an empty list if it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError):  # the thread has ended since
                found += map(int, content(f"/proc/{process}/task/{thread}/children").split())
    return found


def process_tree(process: int) -> list[int]:
    """Return a process and its descendants."""
    found = [process]
    for each in found:  # the loop also reaches the processes that it adds
        found += list_children(each)
    return found


def get_session(process: int) -> int:
    """Return the session that a process is in; 0 if it has ended."""
    try:
        return os.getsid(process)
    except OSError:
        return 0


class Orphans:
    """Descendants of this process whose own parents have ended.

    If ``are_adopted`` is true, this process becomes their parent. This flag is set only in
    processes that belong to this project. ``before`` has the children that existed before the flag
    was set: no game has started these. ``kept`` has the children that other code waits for.
    ``ended`` has the CPU seconds of orphans that have ended, by session.
    """

    are_adopted = False
    before: ClassVar[set[int]] = set()
    kept: ClassVar[set[int]] = set()
    ended: ClassVar[dict[int, float]] = {}

    @classmethod
    def adopt(cls, is_wanted: bool = True) -> None:
        """Start or stop adopting orphans; Linux only."""
        if sys.platform != "linux":
            return
        cls.are_adopted = is_wanted
        cls.before = set(list_children(os.getpid()))
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(is_wanted), 0, 0, 0)

    @classmethod
    def now(cls) -> list[int]:
        """Return the orphans that are alive."""
        if not cls.are_adopted:
            return []
        adopted = content(f"/proc/self/task/{os.getpid()}/children")  # the main thread adopts them
        children = set(map(int, adopted.split())) - cls.kept - cls.before
        found = [each for each in children if get_session(each) != os.getsid(0)]
        for each in found:
            session = get_session(each)
            with suppress(ChildProcessError):
                number, _, used = os.wait4(each, os.WNOHANG)  # forgets it if it has ended
                if number:
                    seconds = used.ru_utime + used.ru_stime
                    cls.ended[session] = cls.ended.get(session, 0.0) + seconds
        return found

    @classmethod
    def in_session(cls, session: int) -> list[int]:
        """Return the orphans of a session, and their descendants."""
        return [x for each in cls.now() if get_session(each) == session for x in process_tree(each)]

    @classmethod
    def end(cls) -> None:
        """Kill the descendants that games have left behind: those not in this process's session."""
        own = os.getsid(0)
        for _ in range(MAX_ROUNDS if cls.are_adopted else 0):
            cls.now()
            since = set(list_children(os.getpid())) - cls.before
            every = [x for each in since for x in process_tree(each)]
            found = [x for x in every if get_session(x) not in {0, own}]
            if not found:
                return
            kill(found)
            time.sleep(POLL_SECONDS)


def kill(processes: Iterable[int]) -> None:
    """Kill processes; ignore those that have ended or belong to another user."""
    for each in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)


def cpu_seconds_with_ended(process: int) -> float:
    """Return the CPU seconds of a process and of the children it has waited for.

    The time of the process, with all its threads, is exact to the nanosecond. The time of the
    children is in ticks of 10 ms. So it is accurate for the sum of many games, but not for a single
    game.
    """
    own = time.clock_gettime((~process << 3) | CLOCK_OF_PROCESS)
    waited_for = content(f"/proc/{process}/stat").rpartition(b")")[2].split()[13:15]
    return own + sum(map(int, waited_for)) / TICKS


def sum_cpu_seconds(processes: list[int]) -> float:
    """Return the CPU seconds of processes and of the children they have waited for."""
    total = 0.0
    for each in processes:
        with suppress(OSError):  # the process has ended, so its parent's time includes it
            total += cpu_seconds_with_ended(each)
    return total


def cpu_seconds_of_descendants() -> float:
    """Return the CPU seconds of this process's descendants, including those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)  # precise, unlike /proc
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        alive = sum_cpu_seconds(process_tree(os.getpid())[1:])
    except ChildProcessError:  # there are no descendants, so a short game need not read /proc
        alive = 0.0
    return ended.ru_utime + ended.ru_stime + alive


def read_memory(processes: Iterable[int], *, is_shared: bool = False) -> int:
    """Return the total number of bytes that processes have in memory.

    Memory that several processes share is counted once for each of them. If ``is_shared`` is true,
    it is divided among them instead, which takes longer.
    """
    total = 0
    for each in processes:
        with suppress(psutil.Error):  # it has ended since
            process = psutil.Process(each)
            taken = process.memory_info().rss
            if is_shared:
                with suppress(psutil.AccessDenied):
                    taken = process.memory_full_info().pss
            total += taken
    return total
