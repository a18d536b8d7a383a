"""Lost connections to a storage's server, and how a run connects again.

A server may be restarted during a run. If an operation fails because the connection is lost, the
run tries to connect again every second, for up to two minutes, and then repeats the operation. No
operation of a run does harm when it is done twice. A SQLite file has no connection that could be
lost, so its errors are raised at once.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from optuna.exceptions import StorageInternalError
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from thetafront.study import interrupt
from thetafront.study.errors import RunError
from thetafront.study.log.server_lock import ServerLock

if TYPE_CHECKING:
    from thetafront.study.log.writer import StudyWriter

MAX_SECONDS = 120.0
PAUSE_SECONDS = 1.0
LOST_STATES = ("08", "57P", "53300")
"""First characters of SQLSTATE codes: 08 for connection errors, 57P for a server that stops or
starts, 53300 for too many connections."""

T = TypeVar("T")


def is_lost(error: BaseException | None) -> bool:
    """Return whether an error of a storage says that the connection to its server is lost."""
    if isinstance(error, StorageInternalError):
        error = error.__cause__
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    is_state = state is None or str(state).startswith(LOST_STATES)
    return isinstance(error, OperationalError) and is_state


class StorageConnection:
    """Waits for a storage's server, on behalf of all threads of a run.

    ``message`` is called with a line of text when the connection is lost, and when it is back.
    After a loss, the study's ``lock`` is taken again before anything is written. If another run
    holds the lock by then, every use of the storage raises RunError.
    """

    def __init__(
        self,
        engine: Engine,
        message: Callable[[str], None] = lambda text: None,
        lock: ServerLock | None = None,
    ) -> None:
        self.engine = engine
        self.message = message
        self.lock = lock
        self.writers: list[StudyWriter] = []  # those that are still open
        self.n_losses = 0
        self.ended: Exception | None = None
        self.given_up = threading.Event()
        self.mutex = threading.Lock()

    def retried(self, act: Callable[[], T]) -> T:
        """Call ``act``; if the connection is lost, wait for the server, and call ``act`` again.

        After two minutes of waiting, or after an interrupt, the error of ``act`` is raised.
        """
        if self.engine.dialect.name == "sqlite":
            return act()
        while True:
            if self.ended is not None:
                raise self.ended
            n_losses = self.n_losses
            try:
                return act()
            except (SQLAlchemyError, StorageInternalError) as error:
                if not is_lost(error):
                    raise
                self.wait(n_losses, error)

    def keep_lock(self) -> None:
        """Check that the study's lock is still held.

        A run calls this method often, but the lock is checked only every few seconds. If another
        run holds the lock, this method and all later uses of the storage raise RunError.
        """
        if self.lock is not None:
            self.ended_if_refused(self.lock.keep)

    def hold_lock(self) -> None:
        """Check at once that the study's lock is held, and take it if it is free.

        Until the server has ended a lost connection of this run, it is neither. Errors are those of
        :meth:`keep_lock`.
        """
        while self.lock is not None and not self.ended_if_refused(self.lock.retake):
            self.wait(self.n_losses, RunError("storage: the study's lock is lost"))

    def ended_if_refused(self, act: Callable[[], T]) -> T:
        """Call ``act`` like :meth:`retried`; if it raises RunError, later uses do, too."""
        try:
            return self.retried(act)
        except RunError as refused:
            self.ended = refused
            raise

    def wait(self, n_losses: int, error: Exception) -> None:
        """Wait until the server answers; if several threads wait, only one of them asks."""
        while not self.mutex.acquire(timeout=PAUSE_SECONDS):
            self.heed_interrupt()
        try:
            if self.ended is not None:
                raise self.ended
            if self.n_losses != n_losses:
                return
            self.message("storage: connection lost, waiting for the server")
            deadline = time.monotonic() + MAX_SECONDS
            while not self.is_back():
                self.heed_interrupt()
                if self.given_up.wait(PAUSE_SECONDS) or time.monotonic() > deadline:
                    raise error
            self.n_losses += 1
            self.message("storage: connected again, resuming")
        except (RunError, StorageInternalError, SQLAlchemyError) as last:
            self.ended = last
            raise
        finally:
            self.mutex.release()

    def heed_interrupt(self) -> None:
        """After an interrupt, make all threads stop waiting."""
        if interrupt.requested():
            self.given_up.set()

    def is_back(self) -> bool:
        """Return whether the server accepts a new connection, and the study's lock is held."""
        self.engine.dispose()
        try:
            with self.engine.connect():
                pass
            return self.lock is None or self.lock.retake()
        except DBAPIError as error:
            if isinstance(error, OperationalError) or is_lost(error):
                return False
            raise

    def close_writers(self) -> None:
        """Close those writers that an error has left open."""
        while self.writers:
            self.writers.pop().close()
