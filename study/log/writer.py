"""The writer: a thread for all frequent writes of a run, which stores many games per transaction.

A transaction is committed 50 ms after its first game came in, so even a thousand games per second
take only 20 transactions a second. When :meth:`StudyWriter.flush` returns, everything queued before
the call is on the disk. A kill loses the games of the last 50 ms, which are played again from their
seeds. If games come faster than the disk accepts them, the caller waits.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from thetafront.study.errors import RunError, first_line
from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.log import Log
from thetafront.study.log.mirror import Mirror
from thetafront.study.log.tables import EventRow, GameRow, PointRow

SECONDS_TOGETHER = 0.05
MAX_TOGETHER = 500
MAX_WAITING = 1000
POLL_INTERVAL = 0.25  # seconds between checks for an interrupt

Write = PointRow | GameRow | EventRow


class StudyWriter:
    """Writes rows into a log in a separate thread, which starts with the first write.

    This process must be the log's only writer. Writes are committed in order, and the mirror, if
    any, is updated between transactions. ``watch`` is called after each transaction with the number
    of its writes, and with the seconds that the oldest of them has waited. The connection waits for
    the storage's server if it is lost. An error of the thread is raised by the next call.
    """

    def __init__(
        self,
        log: Log,
        connection: StorageConnection | None = None,
        watch: Callable[[int, float], None] = lambda n, seconds: None,
        mirror: Mirror | None = None,
    ) -> None:
        self.log = log
        self.connection = StorageConnection(log.engine) if connection is None else connection
        self.watch = watch
        self.mirror = mirror
        self.waiting: deque[tuple[float, Write]] = deque()
        self.n_taken = self.n_written = self.n_flushed = 0
        self.changed = threading.Condition()
        self.thread: threading.Thread | None = None
        self.is_closing = False
        self.error: BaseException | None = None

    def write(self, *writes: Write) -> None:
        """Queue writes, to be committed soon; wait if the queue is full."""
        with self.changed:
            while len(self.waiting) >= MAX_WAITING and self.error is None:
                self.wait()
            self.raise_error()
            if self.thread is None:
                self.connection.writers.append(self)
                self.thread = threading.Thread(target=self.run, name="writer", daemon=True)
                self.thread.start()
            was_empty, began = not self.waiting, time.monotonic()
            self.waiting.extend((began, each) for each in writes)
            self.n_taken += len(writes)
            if was_empty or len(self.waiting) >= MAX_TOGETHER:
                self.changed.notify_all()

    def flush(self) -> None:
        """Return when all writes so far are committed."""
        with self.changed:
            self.n_flushed = wanted = self.n_taken
            self.changed.notify_all()
            while self.n_written < wanted and self.error is None:
                self.wait()
            self.raise_error()

    def wait(self) -> None:
        """Wait briefly; after an interrupt, the thread no longer waits for a lost server."""
        self.connection.heed_interrupt()
        self.changed.wait(POLL_INTERVAL)

    def close(self) -> None:
        """Commit all writes, and end the thread."""
        try:
            self.flush()
        finally:
            with self.changed:
                self.is_closing = True
                self.changed.notify_all()
            if self.thread is not None:
                self.thread.join()
            self.thread, self.is_closing = None, False
            if self in self.connection.writers:
                self.connection.writers.remove(self)

    def raise_error(self) -> None:
        """Raise the thread's error, if there is one."""
        if self.error is not None:
            raise self.error

    def run(self) -> None:
        """Commit queued writes, and update the mirror between transactions; runs in the thread."""
        try:
            while (together := self.next_together()) or not self.is_closing:
                if not together:
                    self.follow(Mirror.step)
                    continue
                writes = [each for _, each in together]
                self.connection.hold_lock()  # or two runs would number games alike
                self.connection.retried(partial(self.log.write, *writes))
                with self.changed:
                    self.n_written += len(writes)
                    self.changed.notify_all()
                self.watch(len(writes), time.monotonic() - together[0][0])
            self.follow(Mirror.complete)
        except BaseException as error:  # also rich's SystemExit for a message that nobody reads
            with self.changed:
                self.error = error
                self.changed.notify_all()

    def next_together(self) -> list[tuple[float, Write]]:
        """Wait for the writes of the next transaction, and return them.

        The list is empty if the mirror is due earlier, or if the thread is to end.
        """
        with self.changed:
            while not self.waiting:
                if self.is_closing or not self.waits(math.inf):
                    return []
            due = self.waiting[0][0] + SECONDS_TOGETHER
            while len(self.waiting) < MAX_TOGETHER and self.n_flushed <= self.n_written:
                if (left := due - time.monotonic()) <= 0.0:
                    break
                if not self.waits(left):
                    return []
            n = min(len(self.waiting), MAX_TOGETHER)
            together = [self.waiting.popleft() for _ in range(n)]
            self.changed.notify_all()
            return together

    def waits(self, seconds: float) -> bool:
        """Wait for a change, for some seconds at most; return False if the mirror is due."""
        left = math.inf if self.mirror is None else self.mirror.seconds_until_due
        if left <= 0.0:
            return False
        timeout = min(seconds, left)
        self.changed.wait(timeout if math.isfinite(timeout) else None)
        return True

    def follow(self, act: Callable[[Mirror], None]) -> None:
        """Update the mirror; if that fails, the run continues without it."""
        mirror = self.mirror
        if mirror is None:
            return
        try:
            self.connection.retried(partial(act, mirror))
        except RunError:
            raise
        except Exception as error:  # optuna may be of another version
            self.mirror = None
            reason = first_line(error.__cause__ or error)
            self.connection.message(f"Optuna's copy of the study cannot be written: {reason}")
