"""The writer: a thread that writes all that a run writes often, many games in a transaction.

A game waits until 50 ms after the first of its transaction came in, so a thousand games a second
take no more transactions than twenty. Whatever was written before :meth:`StudyWriter.flush` is on
the disk when that returns, and a kill loses the games of those 50 ms, which their seeds play again.
Where games come faster than the disk takes them, whoever brings them waits.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import optuna

from thetafront.study.store.connection import StorageConnection
from thetafront.study.store.games_table import engine_of
from thetafront.study.store.writes import StudyTables, Write

SECONDS_TOGETHER = 0.05
MOST_TOGETHER = 500
MOST_WAITING = 1000
SECONDS_BETWEEN_LOOKS = 0.25  # for an interrupt


class StudyWriter:
    """Writes into a study by a thread of its own, which begins with the first write.

    Writes are committed in order. An error of the thread is raised by the next call.

    Parameters
    ----------
    study : optuna.Study
        Where to: this process must be its only writer, and it must be in a database.
    connection : StorageConnection, optional
        What waits for a server that is lost.
    watch : callable
        Called after each transaction with the number of writes and the seconds that the oldest of
        them has waited.
    """

    def __init__(
        self,
        study: optuna.Study,
        connection: StorageConnection | None = None,
        watch: Callable[[int, float], None] = lambda n, seconds: None,
    ) -> None:
        engine = engine_of(study)
        if engine is None:
            raise TypeError(f"study {study.study_name!r} is in memory, a database expected")
        self.engine = engine
        self.connection = StorageConnection(engine) if connection is None else connection
        self.watch = watch
        self.tables = StudyTables(study._study_id)
        self.waiting: deque[tuple[float, Write]] = deque()
        self.n_taken = self.n_written = self.n_flushed = 0
        self.changed = threading.Condition()
        self.thread: threading.Thread | None = None
        self.is_closing = False
        self.error: Exception | None = None

    def write(self, *writes: Write) -> None:
        """Take writes, to be committed soon; wait if too many are waiting."""
        with self.changed:
            while len(self.waiting) >= MOST_WAITING and self.error is None:
                self.wait()
            self.raise_error()
            if self.thread is None:
                self.connection.writers.append(self)
                self.thread = threading.Thread(target=self.run, name="writer", daemon=True)
                self.thread.start()
            was_empty, began = not self.waiting, time.monotonic()
            self.waiting.extend((began, each) for each in writes)
            self.n_taken += len(writes)
            if was_empty or len(self.waiting) >= MOST_TOGETHER:
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
        """Wait for the thread, which does not see an interrupt where this program is a guest."""
        self.connection.heed_interrupt()
        self.changed.wait(SECONDS_BETWEEN_LOOKS)

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
        """Commit what comes in; runs in the thread."""
        try:
            while together := self.next_together():
                writes = [each for _, each in together]
                self.connection.retried(partial(self.commit, writes))
                with self.changed:
                    self.n_written += len(writes)
                    self.changed.notify_all()
                self.watch(len(writes), time.monotonic() - together[0][0])
        except Exception as error:  # whatever it is, who writes or flushes next raises it
            with self.changed:
                self.error = error
                self.changed.notify_all()

    def next_together(self) -> list[tuple[float, Write]]:
        """Wait for the writes of the next transaction; none when the thread is to end."""
        with self.changed:
            while not self.waiting:
                if self.is_closing:
                    return []
                self.changed.wait()
            due = self.waiting[0][0] + SECONDS_TOGETHER
            while len(self.waiting) < MOST_TOGETHER and self.n_flushed <= self.n_written:
                if (left := due - time.monotonic()) <= 0.0:
                    break
                self.changed.wait(left)
            n = min(len(self.waiting), MOST_TOGETHER)
            together = [self.waiting.popleft() for _ in range(n)]
            self.changed.notify_all()
            return together

    def commit(self, writes: list[Write]) -> None:
        """Make one transaction."""
        try:
            with self.engine.begin() as connection:
                self.tables.write(connection, writes)
        except BaseException:
            self.tables.forget()
            raise
