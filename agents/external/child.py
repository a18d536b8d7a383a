"""A child process that plays games, in a session other than the worker's.

The environment of each such process has a variable that marks it as a process of its worker. If the
worker ends, a guardian (:mod:`agents.external.guardian`) finds these processes and ends them.
"""

import atexit
import math
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from thetafront.agents.agent import GameError
from thetafront.agents.external import guardian
from thetafront.agents.external.limits import Limits
from thetafront.agents.external.processes import (
    Orphans,
    cpu_seconds_with_ended,
    kill,
    process_tree,
    read_memory,
    sum_cpu_seconds,
)

T = TypeVar("T")
MAX_ANSWER = 2**18  # bytes
MAX_TAIL = 2**12  # bytes of standard error that are kept
SHOWN_OF_TAIL = 200  # characters
SHOWN = 60  # characters of an answer in a message
POLL_SECONDS = 0.05  # time between two checks of limits
THREADS = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Variables that give linear algebra one thread, so that the workers do not compete for cores.

Values that the user has set take precedence.
"""
MAIN = """import sys
sys.path[:] = sys.argv.pop().splitlines()
from {module} import main
main()
"""


def python_command(module: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs a module's ``main`` with the import path of this process."""
    return (sys.executable, "-P", "-c", MAIN.format(module=module), *words, "\n".join(sys.path))


@cache
def guarded(worker: int) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Return the mark of this worker's games, and their guardian, which the first call starts."""
    mark = f"{worker}-{secrets.token_hex(8)}"
    null = subprocess.DEVNULL
    guard = subprocess.Popen(
        python_command(guardian.__name__, mark),
        stdin=subprocess.PIPE,
        stdout=null,
        stderr=null,
        start_new_session=True,
    )
    Orphans.kept.add(guard.pid)
    return mark, guard


os.register_at_fork(after_in_child=guarded.cache_clear)  # the guardian belongs to the parent


@atexit.register
def end_programs() -> None:
    """End all processes of this worker's games, and the guardian; a later game starts a new one."""
    for server in SERVERS.values():
        server.end()
    SERVERS.clear()
    if guarded.cache_info().currsize:
        _, guard = guarded(os.getpid())
        guarded.cache_clear()
        guard.communicate()  # closes its input, and waits
        Orphans.kept.discard(guard.pid)
    Orphans.end()


class Child:
    """A process that plays one game, or many games one after the other.

    The process inherits the file descriptors ``inherited``. The caller sets ``is_warm`` after a
    first game, which is discarded. GameError if the process cannot be started.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        folder: Path,
        limits: Limits,
        inherited: Sequence[int] = (),
    ) -> None:
        if sys.platform != "linux":
            raise GameError("programs and Python functions can play games only on Linux")
        mark, _ = guarded(os.getpid())
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
                pass_fds=inherited,
            )
        except (OSError, ValueError) as error:
            raise GameError(f"{command[0]}: cannot be started: {error}") from None
        self.pid = self.process.pid
        Orphans.kept.add(self.pid)
        Orphans.ended.pop(self.pid, None)  # of an earlier process with this number
        self.limits = limits
        self.next_check = self.cpu_before = 0.0
        self.tail = self.pending = b""
        self.has_exited = self.is_warm = False
        self.used: float | None = None  # CPU seconds, once the process has been ended
        streams = (self.process.stdin, self.process.stdout, self.process.stderr)
        self.stdin, self.stdout, self.stderr = (each.fileno() for each in streams if each)
        self.descriptor = os.pidfd_open(self.pid)
        self.poll = select.poll()
        for number in (self.stdout, self.stderr, self.descriptor):
            self.poll.register(number, select.POLLIN)
        for number in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(number, False)

    @contextmanager
    def ended_by_errors(self) -> Iterator[None]:
        """End the process if the block raises an exception."""
        try:
            yield
        except BaseException as error:
            self.end()
            if isinstance(error, OSError):  # the process ended before its CPU time was read
                raise GameError(f"exited on its own{self.said}") from None
            raise

    def ask(self, line: bytes, read: Callable[[bytes], T], *, last: bool = False) -> T:
        """Send a line; return the answer, converted by ``read``.

        The answer is the next line of output. If ``last`` is true, it is the last line before the
        process ends. The line that is sent must fit into a pipe (64 KiB). GameError if the answer
        is late or too long, or the process exceeds a limit. Any error ends the process.
        """
        with self.ended_by_errors():
            self.look(0)
            if self.pending and not last:
                raise GameError(f"wrote more than one line: {shown(self.pending)}")
            return read(self.answer(line, last))

    def ask_timed(self, line: bytes, read: Callable[[bytes], T]) -> tuple[T, float]:
        """Return the converted answer, and the CPU seconds that it took."""
        with self.ended_by_errors():
            before = self.cpu_seconds()
            found = self.ask(line, read)
            # When a child ends, its time is rounded to ticks. This can lower the total, so the
            # difference may be below 0.
            return found, max(0.0, self.cpu_seconds() - before)

    def answer(self, line: bytes, last: bool) -> bytes:
        """Send a line and wait for the answer."""
        began = time.monotonic()
        deadline = began + self.limits.seconds
        self.next_check = began + POLL_SECONDS
        if self.is_cpu_limited and not last:
            self.cpu_before = self.cpu_seconds()
        with suppress(BrokenPipeError):  # it reads no more input; the code below finds out why
            if self.send(line) < len(line):
                raise GameError(f"does not read its input{self.said}")
        if last and self.process.stdin:
            self.process.stdin.close()
        while True:
            first, newline, others = self.pending.partition(b"\n")
            if newline and not last:
                self.pending = others
                return first
            if self.has_exited:
                if last and not self.returncode:
                    return self.pending.strip().rpartition(b"\n")[2]
                raise GameError(f"{ending(self.returncode)}{self.said}")
            left = deadline - time.monotonic()
            if left <= 0:
                raise GameError(
                    f"no report within {self.limits.seconds:g} s (time_limit){self.said}"
                )
            self.look(min(POLL_SECONDS, left + 0.001))
            self.check_limits()

    def send(self, line: bytes) -> int:
        """Write as many bytes as the pipe accepts without waiting; return their number."""
        try:
            return os.write(self.stdin, line)
        except BlockingIOError:
            return 0

    def look(self, seconds: float) -> None:
        """Wait until the process writes output or ends, or the time is up; then read the output."""
        ready = [descriptor for descriptor, _ in self.poll.poll(1000.0 * seconds)]
        # After the end of the process, only output that is already there is read.
        self.has_exited |= self.descriptor in ready
        for stream in (self.stdout, self.stderr):
            if stream in ready or self.has_exited:
                self.take(stream)

    def take(self, stream: int) -> None:
        """Read the available output of a stream; GameError if it is too long for an answer."""
        try:
            some = os.read(stream, MAX_ANSWER)
        except BlockingIOError:
            return
        if not some:
            with suppress(KeyError):
                self.poll.unregister(stream)
        elif stream == self.stderr:
            self.tail = (self.tail + some)[-MAX_TAIL:]
        else:
            self.pending += some
            if len(self.pending) > MAX_ANSWER:
                raise GameError(f"more than {MAX_ANSWER:,} bytes of output{self.said}")

    @property
    def is_cpu_limited(self) -> bool:
        """Whether there is a limit for the CPU time of a game."""
        return math.isfinite(self.limits.cpu_seconds)

    def check_limits(self) -> None:
        """Raise GameError if memory or CPU time exceeds its limit; check at most every 50 ms."""
        allowed, now = self.limits.memory, time.monotonic()
        if now < self.next_check or not (allowed or self.is_cpu_limited):
            return
        self.next_check = now + POLL_SECONDS
        every = self.processes
        taken = read_memory(every) if allowed else 0
        if taken > allowed:  # memory that processes share is counted more than once in this sum
            taken = read_memory(every, is_shared=True)
        if taken > allowed:
            raise GameError(
                f"{taken / 1e6:,.0f} MB of memory taken, {allowed / 1e6:,.0f} MB allowed{self.said}"
            )
        used = sum_cpu_seconds(every) - self.cpu_before
        if used > self.limits.cpu_seconds:
            raise GameError(
                f"{used:.1f} s of CPU time taken, {self.limits.cpu_seconds:g} s allowed "
                f"(cpu_time_limit){self.said}"
            )

    @property
    def returncode(self) -> int:
        """How the process has ended, as in :attr:`subprocess.Popen.returncode`."""
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        assert status is not None
        code: int = status.si_status
        return code if status.si_code == os.CLD_EXITED else -code

    @property
    def said(self) -> str:
        """The end of the process's standard error, in the form in which messages quote it."""
        text = " ".join(self.tail.decode(errors="replace").split())
        if not text:
            return ""
        return f"; stderr: {text if len(text) <= SHOWN_OF_TAIL else '…' + text[-SHOWN_OF_TAIL:]}"

    @property
    def processes(self) -> list[int]:
        """The process, its descendants, and the orphans in its session."""
        return [*process_tree(self.pid), *Orphans.in_session(self.pid)]

    def cpu_seconds(self) -> float:
        """Return the CPU seconds so far of the process and its descendants.

        Children that have ended are included. OSError if the process itself has ended.
        """
        _, *others = self.processes
        ended = cpu_seconds_with_ended(self.pid) + Orphans.ended.get(self.pid, 0.0)
        return sum_cpu_seconds(others) + ended

    def has_ended(self) -> bool:
        """Return whether the process has ended, which may have happened since its last answer."""
        if self.used is None:
            with self.ended_by_errors():
                self.look(0)
            Orphans.now()  # forgets orphans that have ended
            if self.has_exited:
                self.end()
        return self.used is not None

    def end(self) -> float:
        """End the process, its descendants and its session; return the CPU seconds of them all."""
        if self.used is None:
            _, *others = self.processes
            self.used = sum_cpu_seconds(others) + Orphans.ended.pop(self.pid, 0.0)
            kill([self.pid, *others])
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            _, status, used = os.wait4(self.pid, 0)
            Orphans.kept.discard(self.pid)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()
            os.close(self.descriptor)
            self.used += used.ru_utime + used.ru_stime
        return self.used


MAX_SERVERS = 2  # each may use much memory
SERVERS: dict[Hashable, Child] = {}
"""Processes that play one game after another, by player; the most recently used one is last."""
os.register_at_fork(after_in_child=SERVERS.clear)  # they belong to the parent


def get_server(player: Hashable, start: Callable[[], Child]) -> Child:
    """Return the process that plays the games of ``player``; start one if there is none."""
    server = SERVERS.pop(player, None)
    if server is None or server.has_ended():
        while len(SERVERS) >= MAX_SERVERS:
            SERVERS.pop(next(iter(SERVERS))).end()
        server = start()
    SERVERS[player] = server
    return server


def ending(returncode: int) -> str:
    """Return the message for a process that ended with this code before it answered."""
    if returncode >= 0:
        return f"ended with exit status {returncode}" + ("" if returncode else ", without a report")
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"killed by signal {-returncode}"


def shown(said: bytes) -> str:
    """Return an answer as messages quote it."""
    text = repr(said.decode(errors="replace"))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
