"""A process of a program that plays games: started in a session of its own, watched, ended.

A worker's processes carry a mark in their environment, by which a guardian finds them when the
worker has ended (:mod:`agents.outside.guardian`).
"""

import os
import resource
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

from agents.agent import GameError
from agents.outside import guardian

LONGEST_ANSWER = 2**16  # bytes
LONGEST_TAIL = 2**12  # bytes of standard error that are kept
SHOWN_OF_TAIL = 200  # characters
MILLISECONDS_BETWEEN_LOOKS = 50
SECONDS_BETWEEN_LOOKS = 0.05  # at memory
LOOKS_AT_ONE = 10  # at the process alone, for each at all of its session
READS_AT_THE_END = 16
CLOCK_OF_PROCESS = 2
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = resource.getpagesize()


@cache
def mark_of(worker: int) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Return the mark of this process's games, and its guardian, which is started."""
    mark = f"{worker}-{secrets.token_hex(8)}"
    command = [sys.executable, "-I", "-S", guardian.__file__, mark]
    null = subprocess.DEVNULL
    return mark, subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True
    )


def end_children() -> None:
    """End all processes of this worker's games; a guardian is started anew when it is needed."""
    if mark_of.cache_info().currsize:
        _, watching = mark_of(os.getpid())
        mark_of.cache_clear()
        if watching.stdin is not None:
            watching.stdin.close()
        watching.wait()


def cpu_seconds_of(process: int) -> float:
    """Return the CPU time of a process so far, of all its threads."""
    return time.clock_gettime((~process << 3) | CLOCK_OF_PROCESS)


class Child:
    """A process of a program.

    Parameters
    ----------
    command : tuple of str
        The program and its arguments.
    folder : Path
        Where it runs.
    environment : dict of str to str
        Variables beside those of this process.
    memory : int
        Bytes that its session may have in memory; 0 for no limit.

    Raises
    ------
    GameError
        If it cannot be started.
    """

    def __init__(
        self, command: tuple[str, ...], folder: Path, environment: dict[str, str], memory: int
    ) -> None:
        mark, _ = mark_of(os.getpid())
        try:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **environment, guardian.MARK: mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise GameError(f"{command[0]}: cannot be started: {error}") from None
        self.memory = memory
        self.next_look = self.n_looks = 0.0
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

    def answer(self, line: bytes, seconds: float, *, last: bool) -> bytes:
        """Send a line and return the answer.

        Parameters
        ----------
        line : bytes
            What to send.
        seconds : float
            How long to wait.
        last : bool
            Whether the process is to end; its answer is the last line then, and the next otherwise.

        Raises
        ------
        GameError
            If there is no answer in time, one too long, or too much memory is taken.
        """
        deadline = time.monotonic() + seconds
        unsent = self.send(line)
        if last and not unsent:
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
                raise GameError(f"no answer within {seconds:g} s{self.said}")
            self.look(min(MILLISECONDS_BETWEEN_LOOKS, 1 + 1000.0 * left))
            if self.memory:
                self.check_memory()
            if unsent:
                unsent = self.send(unsent)
                if last and not unsent:
                    self.close_input()

    def send(self, line: bytes) -> bytes:
        """Write what the pipe takes of a line; return the rest. Who has left reads nothing."""
        try:
            return line[os.write(number_of(self.process.stdin), line) :]
        except BlockingIOError:
            return line
        except BrokenPipeError:
            return b""

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

    def check_memory(self) -> None:
        """Refuse, by GameError, more memory than allowed: now and then, of all of the session."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + SECONDS_BETWEEN_LOOKS
        self.n_looks += 1
        leader = self.process.pid
        of_all = self.n_looks % LOOKS_AT_ONE == 0
        every = guardian.processes() if of_all else (leader,)
        taken = sum(resident(each) for each in every if each == leader or is_in(each, leader))
        if taken > self.memory:
            raise GameError(
                f"{taken / 1e6:,.0f} MB of memory taken, {self.memory / 1e6:,.0f} MB allowed"
                f"{self.said}"
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

    def cpu_seconds(self) -> float:
        """Return the CPU time so far: of its threads, and of children that it has waited for."""
        own = cpu_seconds_of(self.process.pid)
        with open(f"/proc/{self.process.pid}/stat", "rb") as file:
            waited_for = file.read().rpartition(b")")[2].split()[13:15]
        return own + sum(map(int, waited_for)) / TICKS

    def end(self) -> float:
        """End the process and all of its session; return the CPU seconds that they took."""
        if not self.exited:  # it may have started others, in other sessions
            mark, _ = mark_of(os.getpid())
            guardian.end_all(guardian.marked(mark))
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        os.close(self.descriptor)
        return used.ru_utime + used.ru_stime


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


def is_in(process: int, session: int) -> bool:
    """Return whether a process is in a session; one that has ended is in none."""
    try:
        return os.getsid(process) == session
    except OSError:
        return False


def resident(process: int) -> int:
    """Return the bytes that a process has in memory; 0 if it has ended."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except OSError:
        return 0
