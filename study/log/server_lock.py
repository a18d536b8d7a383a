"""The lock of a study on a PostgreSQL server; it excludes other runs in any folder, on any host.

It is an advisory lock, held by a separate connection. The server releases the lock when the process
or its host is gone. The connection's name says which process holds the lock.
"""

import contextlib
import hashlib
import os
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from thetafront.study.errors import RunError
from thetafront.study.log.location import Location

SECONDS_BETWEEN_CHECKS = 10.0
MAX_NAME_LENGTH = 63  # of a connection, in bytes
CLIENT_OPTIONS = {
    "client_encoding": "utf8",  # if the database has no encoding, texts would be bytes
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,  # ms
}
"""Options of PostgreSQL's client; with most of them, it notices a lost server within a minute."""
SETTINGS = {  # the server finds out within a minute that a host is gone
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "idle_session_timeout": "0",
}
SET = text("SELECT set_config(name, :value, false) FROM pg_settings WHERE name = :name")
TAKE = text("SELECT pg_try_advisory_lock(:key)")
SESSION = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
HOLDER = text(
    "SELECT pid, a.backend_start, a.application_name, host(a.client_addr) FROM pg_locks AS l "
    "JOIN pg_stat_activity AS a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND l.classid::bigint << 32 | l.objid::bigint = :key"
)
END = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :pid AND backend_start = :began"
)

Session = tuple[Any, Any]
"""A connection as the server knows it: the server process's number, and when it began."""


def lock_key(study: str) -> int:
    """Return the number of a study's lock in its database."""
    return int.from_bytes(hashlib.sha256(f"thetafront {study}".encode()).digest()[:8], signed=True)


def unpooled(location: Location) -> Engine:
    """Return an engine without a connection pool."""
    return create_engine(
        location.url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=CLIENT_OPTIONS
    )


def holder_by(connection: Connection, study: str) -> tuple[Session | None, str]:
    """Return the connection that holds a study, and its name; None and "" if there is none."""
    found = connection.execute(HOLDER, {"key": lock_key(study)}).first()
    if found is None:
        return None, ""
    pid, began, name, address = found
    who = f"{name or 'an unnamed connection'}{f' from {address}' if address else ''}"
    return (pid, began), who


def holder_on_server(location: Location) -> str:
    """Say who holds a study; empty if nobody does."""
    with unpooled(location).connect() as connection:
        return holder_by(connection, location.name)[1]


def held_by_another(location: Location, holder: str) -> RunError:
    """Return the error which says that another run holds a study."""
    return RunError(
        f"study: {location.name!r} is held by another run, {holder}; wait for it, or stop it"
    )


@dataclass
class ServerLock:
    """The lock of a study on its server; threads may share it once it is taken."""

    location: Location  # where the study is
    connection: Connection | None = None
    checked: float = field(default_factory=time.monotonic)
    sessions: set[Session] = field(default_factory=set)
    mutex: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> None:
        """Take the lock on a new connection.

        RunError if another run holds it; SQLAlchemyError if the server cannot be reached.
        """
        if not self.is_taken_anew():
            raise held_by_another(self.location, "which has just begun")

    def keep(self) -> None:
        """Check whether the lock is held, and take it if not.

        A run calls this method often; the lock is checked only every ten seconds. RunError if
        another run has taken it meanwhile; SQLAlchemyError if the server cannot be reached.
        """
        is_due = time.monotonic() - self.checked >= SECONDS_BETWEEN_CHECKS
        if (is_due or self.connection is None) and not self.mutex.locked():  # by another thread
            self.retake()

    def retake(self) -> bool:
        """Check at once whether the lock is held, and take it if not; return whether it is held.

        It counts as not held while the server still keeps it for a lost connection of this run.
        RunError and SQLAlchemyError as in :meth:`keep`.
        """
        with self.mutex:
            self.checked = time.monotonic()
            return self.is_alive() or self.is_taken_anew()

    def is_alive(self) -> bool:
        """Return whether the connection that holds the lock still works."""
        if self.connection is None:
            return False
        try:
            self.connection.execute(text("SELECT 1"))
        except DBAPIError:
            return False
        return True

    def is_taken_anew(self) -> bool:
        """Try to take the lock; return whether that succeeded. RunError if another run holds it.

        After a network failure, the server may still keep the lock for a lost connection of this
        run. The server may notice only after a minute that the connection is lost, so this method
        ends the connection at once.
        """
        self.release()
        with contextlib.ExitStack() as unless_taken:
            connection = unless_taken.enter_context(unpooled(self.location).connect())
            name = f"thetafront: process {os.getpid()} on {socket.gethostname()}"
            shown = name.encode()[:MAX_NAME_LENGTH].decode(errors="ignore")
            for setting, value in {"application_name": shown, **SETTINGS}.items():
                connection.execute(SET, {"name": setting, "value": value})
            # Read before the lock is requested, since the answer to that request may be lost.
            pid, began = connection.execute(SESSION).one()
            self.sessions.add((pid, began))
            if connection.execute(TAKE, {"key": lock_key(self.location.name)}).scalar():
                self.connection = connection
                unless_taken.pop_all()
                return True
            session, who = holder_by(connection, self.location.name)
            if session is not None:
                if session not in self.sessions:
                    raise held_by_another(self.location, who)
                connection.execute(END, dict(zip(("pid", "began"), session, strict=True)))
            return False

    def release(self) -> None:
        """Release the lock."""
        connection, self.connection = self.connection, None
        if connection is not None:
            with contextlib.suppress(DBAPIError):  # if it is lost, the server releases the lock
                connection.close()
