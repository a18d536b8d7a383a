"""A process of a program that plays games: started in a session of its own, watched, ended.

A worker's processes carry a mark in their environment, by which a guardian finds them when the
worker has ended (:mod:`agents.outside.guardian`).
"""

import math
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from thetafront.agents.agent import GameError
from thetafront.agents.outside import guardian
from thetafront.agents.outside.limits import Limits
from thetafront.agents.outside.processes import (
    Orphans,
    cpu_seconds_of_all,
    cpu_seconds_with_ended,
    kill,
    proportional,
    resident,
    tree_of,
)

LONGEST_ANSWER = 2**18  # bytes
LONGEST_TAIL = 2**12  # bytes of standard error that are kept
SHOWN_OF_TAIL = 200  # characters
MILLISECONDS_BETWEEN_LOOKS = 50
SECONDS_BETWEEN_LOOKS = 0.05  # at what it takes
READS_AT_THE_END = 16
THREADS = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""One thread for linear algebra, unless a user says otherwise: the cores are the workers'."""


@cache
def mark_of(worker: int) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Return the mark of this process's games, and its guardian, which is started."""
    mark = f"{worker}-{secrets.token_hex(8)}"
    command = [sys.executable, "-I", "-S", guardian.__file__, mark]
    null = subprocess.DEVNULL
    watching = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True
    )
    Orphans.kept.add(watching.pid)
    return mark, watching


os.register_at_fork(after_in_child=mark_of.cache_clear)  # the guardian is the parent's


def end_children() -> None:
    """End all processes of this worker's games; a guardian is started anew when it is needed."""
    if mark_of.cache_info().currsize:
        _, watching = mark_of(os.getpid())
        mark_of.cache_clear()
        if watching.stdin is not None:
            watching.stdin.close()
        watching.wait()
        Orphans.kept.discard(watching.pid)
    Orphans.end()


class Child:
    """A process of a program.

    Parameters
    ----------
    command : tuple of str
        The program and its arguments.
    folder : Path
        Where it runs.
    limits : Limits
        What an answer may take.

    Raises
    ------
    GameError
        If it cannot be started.
    """

    def __init__(self, command: tuple[str, ...], folder: Path, limits: Limits) -> None:
        if sys.platform != "linux":
            raise GameError("programs and Python functions are played on Linux only")
        mark, _ = mark_of(os.getpid())
        try:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**THREADS, **os.environ, **limits.environment, guardian.MARK: mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise GameError(f"{command[0]}: cannot be started: {error}") from None
        Orphans.kept.add(self.process.pid)
        self.limits = limits
        self.next_look = self.cpu_before = 0.0
        self.tail = b""
        self.pending = b""
        self.exited = False
        self.descriptor = os.pidfd_open(self.process.pid)
        self.poll = select.poll()
        for stream in (self.process.stdout, self.process.stderr):
            os.set_blocking(number_of(stream), False)
            self.poll.register(number_of(stream), select.POLLIN)
        self.poll.register(self.descriptor, select.POLLIN)
        os.set_blocking(number_of(self.process.stdin), False)

    def answer(self, line: bytes, *, last: bool) -> bytes:
        """Send a line and return the answer.

        Parameters
        ----------
        line : bytes
            What to send.
        last : bool
            Whether the process is to end; its answer is the last line then, and the next otherwise.

        Raises
        ------
        GameError
            If there is no answer in time, one too long, or too much is taken.
        """
        seconds = self.limits.seconds
        began = time.monotonic()
        deadline = began + seconds
        self.next_look = began + SECONDS_BETWEEN_LOOKS
        if self.is_cpu_limited and not last:
            self.cpu_before = self.cpu_seconds()
        unsent = self.send(memoryview(line))
        if unsent:
            self.poll.register(number_of(self.process.stdin), select.POLLOUT)
        elif last:
            self.close_input()
        while True:
            if not last and b"\n" in self.pending:
                found, _, self.pending = self.pending.partition(b"\n")
                return found
            if self.exited:
                if last and not self.returncode:
                    return self.pending.strip().rpartition(b"\n")[2]
                raise GameError(f"{ending(self.returncode)}{self.said}")
            left = deadline - time.monotonic()
            if left <= 0:
                raise GameError(f"no answer within {seconds:g} s (time_limit){self.said}")
            self.look(min(MILLISECONDS_BETWEEN_LOOKS, 1 + 1000.0 * left))
            if self.limits.memory or self.is_cpu_limited:
                self.check_limits()
            if unsent:
                unsent = self.send(unsent)
                if not unsent:
                    self.poll.unregister(number_of(self.process.stdin))
                    if last:
                        self.close_input()

    def send(self, line: memoryview) -> memoryview:
        """Write as much as the pipe accepts; return the rest (empty if the reader closed)."""
        try:
            return line[os.write(number_of(self.process.stdin), line) :]
        except BlockingIOError:
            return line
        except BrokenPipeError:
            return line[:0]

    def close_input(self) -> None:
        """Let the process read the end of its input."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def look(self, milliseconds: float) -> None:
        """Wait for output or the end, and take it."""
        ready = [descriptor for descriptor, _ in self.poll.poll(milliseconds)]
        # What a process said before its end is read, and nothing waited for that comes after.
        self.exited |= self.descriptor in ready
        for stream in (self.process.stdout, self.process.stderr):
            if number_of(stream) in ready or self.exited:
                self.take(stream)

    def take(self, stream: IO[bytes] | None) -> None:
        """Read some of what a stream has; GameError if that is more than any answer."""
        number = number_of(stream)
        for _ in range(READS_AT_THE_END if self.exited else 1):
            try:
                some = os.read(number, LONGEST_ANSWER)
            except BlockingIOError:
                return
            if not some:
                with suppress(KeyError):
                    self.poll.unregister(number)
                return
            if stream is self.process.stderr:
                self.tail = (self.tail + some)[-LONGEST_TAIL:]
                continue
            self.pending += some
            if len(self.pending) > LONGEST_ANSWER:
                raise GameError(f"more than {LONGEST_ANSWER:,} bytes of output{self.said}")

    @property
    def is_cpu_limited(self) -> bool:
        """Whether a game's CPU time has a limit."""
        return math.isfinite(self.limits.cpu_seconds)

    def check_limits(self) -> None:
        """Refuse, by GameError, more memory or CPU time than allowed: now and then."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + SECONDS_BETWEEN_LOOKS
        every = self.processes
        allowed = self.limits.memory
        taken = sum(map(resident, every)) if allowed else 0
        if taken > allowed:  # unless they share much of it
            taken = sum(map(proportional, every))
        if taken > allowed:
            raise GameError(
                f"{taken / 1e6:,.0f} MB of memory taken, {allowed / 1e6:,.0f} MB allowed{self.said}"
            )
        used = cpu_seconds_of_all(every) - self.cpu_before
        if used > self.limits.cpu_seconds:
            raise GameError(
                f"{used:.1f} s of CPU time taken, {self.limits.cpu_seconds:g} s allowed "
                f"(cpu_time_limit){self.said}"
            )

    @property
    def returncode(self) -> int:
        """How the process has ended, as :attr:`subprocess.Popen.returncode` says it."""
        status = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert status is not None
        code: int = status.si_status
        return code if status.si_code == os.CLD_EXITED else -code

    @property
    def said(self) -> str:
        """The end of what it wrote to standard error, for a message."""
        text = " ".join(self.tail.decode(errors="replace").split())
        if not text:
            return ""
        return f"; stderr: {text if len(text) <= SHOWN_OF_TAIL else '…' + text[-SHOWN_OF_TAIL:]}"

    @property
    def processes(self) -> list[int]:
        """The process, its descendants, and orphans of its session."""
        leader = self.process.pid
        return [*tree_of(leader), *Orphans.of(leader)]

    def cpu_seconds(self) -> float:
        """Return the CPU time so far: of it and its descendants, and those they have waited for.

        Raises
        ------
        OSError
            If the process has ended.
        """
        _, *others = self.processes
        return cpu_seconds_of_all(others) + cpu_seconds_with_ended(self.process.pid)

    def end(self) -> float:
        """End the process and all of its session; return the CPU seconds that they took."""
        leader, *others = self.processes
        used_by_others = cpu_seconds_of_all(others)
        kill([leader, *others])
        with suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)
        _, status, used = os.wait4(leader, 0)
        Orphans.kept.discard(leader)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        os.close(self.descriptor)
        return used.ru_utime + used.ru_stime + used_by_others


def number_of(stream: IO[bytes] | None) -> int:
    """Return the descriptor of a pipe."""
    assert stream is not None
    return stream.fileno()


def ending(returncode: int) -> str:
    """Say how a process has ended before it answered."""
    if returncode >= 0:
        return f"ended with exit status {returncode}" + (
            "" if returncode else ", without an answer"
        )
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"killed by signal {-returncode}"
