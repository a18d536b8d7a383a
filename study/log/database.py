"""Checks and opens a study's database, and reports each of its errors in one line.

SQLite runs with ``synchronous=FULL`` and its default journal, so each transaction has reached the
disk when it is committed. A kill loses the games of the last 50 ms; a power cut may also undo the
last transaction. These games are played again from their seeds, and nothing else is lost. On
PostgreSQL, durability depends on the server's ``synchronous_commit``, which is on by default.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from sqlalchemy.exc import NoSuchModuleError as NoSuchDriverError

from thetafront.study.errors import DamageError, InputError, RunError
from thetafront.study.log.location import RESULTS, Location, how_to_repair, why_unusable
from thetafront.study.log.server_lock import CLIENT_OPTIONS
from thetafront.study.log.tables import TABLES

SECONDS_TO_WAIT = 60  # for another process, such as a reader during a sweep
DURABLE = "PRAGMA synchronous = FULL"
# SQLite then also reads a file that is shorter than its header says, up to the first missing page.
READS_CUT_FILE = "PRAGMA writable_schema = ON"
SQLITE_HEADER = b"SQLite format 3\0"
OLD_GAMES = "thetafront_games"
"""The table of games in studies of earlier versions."""
OPTUNA_TABLES = {
    "alembic_version",
    "studies",
    "study_directions",
    "study_system_attributes",
    "study_user_attributes",
    "trial_heartbeats",
    "trial_intermediate_values",
    "trial_params",
    "trial_system_attributes",
    "trial_user_attributes",
    "trial_values",
    "trials",
    "version_info",
}
"""Optuna's tables: they hold mirrors (:mod:`study.log.mirror`) and studies of earlier versions."""
SIGNS_OF_STUDIES = {*TABLES, "studies"}
"""Tables of which a database that has held a study has at least one."""
MIRROR = '{"format": 3}'
"""Value of the user attribute that marks a mirror, as Optuna stores it."""


def engine_options(url: URL) -> dict[str, Any]:
    """Return the connection options of a storage."""
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": SECONDS_TO_WAIT}}
    # SQLAlchemy must not replace a lost connection silently. The run must learn of the loss: the
    # connection that holds its lock is probably lost, too. Then the lock must be taken again.
    return {"connect_args": CLIENT_OPTIONS}


def make_engine(location: Location, may_lack: bool = False) -> Engine:
    """Return the engine of a storage; with ``may_lack``, a file may lack its end."""
    options = {"location": location}  # SQLAlchemy keeps it for location_of
    engine = create_engine(
        location.url, execution_options=options, **engine_options(location.parsed_url)
    )
    if location.database is not None:
        event.listen(engine, "connect", partial(prepare_connection, may_lack))
    return engine


def location_of(engine: Engine, name: str) -> Location:
    """Return the location of a study in an open database."""
    in_memory = Location(name, str(engine.url), RESULTS / name)
    opened: Location = engine.get_execution_options().get("location", in_memory)
    return opened.of_study(name)


def prepare_connection(may_lack: bool, connection: Any, _: Any) -> None:
    """Set up a connection to SQLite; texts are read even if they are not valid UTF-8."""
    connection.text_factory = lambda content: content.decode(errors="surrogateescape")
    try:
        if may_lack:
            connection.execute(READS_CUT_FILE)
        connection.execute(DURABLE)
    except UnicodeDecodeError:  # SQLite's message quotes the damaged schema, and cannot be read
        raise sqlite3.DatabaseError("malformed database schema") from None


@contextmanager
def storage_errors_reported(location: Location, is_repair: bool = False) -> Iterator[None]:
    """Replace an error of a database by one with a message of one line.

    The new error is a DamageError for a damaged file, a RunError if the disk fails or another
    program has locked the file, and otherwise an InputError. ``is_repair`` says that the command
    that meets the error is the one that repairs.
    """
    try:
        yield
    except (SQLAlchemyError, NoSuchDriverError, ImportError) as error:
        cause = error.__cause__ or getattr(error, "orig", None) or error
        reason = str(cause).strip().splitlines()[0]
        if is_damage(cause):
            place, advice = location.url_without_password, how_to_repair(location)
            advice = "it cannot be repaired, so restore a copy" if is_repair else advice
            raise DamageError(f"storage: {place} is damaged: {reason}; {advice}") from None
        # Words in SQLite's messages about a full disk, an I/O error or a file that is locked.
        is_of_world = any(word in reason for word in ("disk", "locked"))
        kind = RunError if is_of_world else InputError
        raise kind(f"storage: {location.url_without_password} cannot be used: {reason}") from None


@contextmanager
def engine_of(location: Location, may_lack: bool = False) -> Iterator[Engine]:
    """Yield the engine of a storage; errors are reported, and its connections are closed."""
    with storage_errors_reported(location, may_lack):
        engine = make_engine(location, may_lack)
        try:
            yield engine
        finally:
            engine.dispose()


def open_engine(location: Location, for_writing: bool, may_lack: bool = False) -> Engine:
    """Open a storage; InputError if that is impossible, or if there are no studies to read.

    With ``for_writing``, a file may be missing. With ``may_lack``, tables or the end of the file
    may be missing, so that the storage can be repaired.
    """
    path = location.database
    if path is not None:
        check_file(path, for_writing)
    with engine_of(location, may_lack) as engine:
        if path is None or path.exists():
            check_tables(engine, location, for_writing, may_lack)
    return engine


def is_new(location: Location) -> bool:
    """Return whether a storage has never held a study; InputError if it cannot be reached."""
    if location.database is not None:
        # A process that was killed while it created the file leaves it empty.
        return not location.database.exists() or location.database.stat().st_size == 0
    with engine_of(location) as engine:
        return not tables_in(engine) & SIGNS_OF_STUDIES


def optuna_names(engine: Engine) -> set[str]:
    """Return the names of Optuna's studies: mirrors, and studies of earlier versions."""
    if not inspect(engine).has_table("studies"):
        return set()
    return set(map(str, values_in(engine, "SELECT study_name FROM studies")))


def optuna_names_left(engine: Engine) -> set[str]:
    """Return the names of Optuna's studies; none if its tables are damaged."""
    try:
        return optuna_names(engine)
    except DatabaseError:
        return set()


def mirror_names(engine: Engine) -> set[str]:
    """Return the names of mirrors; none if Optuna's tables are damaged."""
    query = (
        "SELECT study_name FROM studies JOIN study_user_attributes USING (study_id) "
        f"WHERE key = 'thetafront' AND value_json = '{MIRROR}'"
    )
    try:
        return set(map(str, values_in(engine, query)))
    except DatabaseError:
        return set()


def check_file(path: Path, for_writing: bool) -> None:
    """Raise InputError if a storage's file is not a SQLite database, or cannot be used."""
    name = repr(str(path))
    if path.is_symlink():  # all other links were followed before
        raise InputError(f"storage {name} is a link that leads to itself")
    if not path.exists():
        if not for_writing:
            raise InputError(f"storage: there is no study database at {name}")
        if problem := why_unusable(path.parent):
            raise InputError(f"storage: folder {str(path.parent)!r} {problem}")
        return
    if not path.is_file():
        raise InputError(f"storage {name} is not a file")
    try:
        with path.open("rb") as file:
            header = file.read(len(SQLITE_HEADER))
    except OSError as error:
        raise InputError(f"storage: {name} cannot be read: {error.strerror}") from None
    if header and header != SQLITE_HEADER:
        raise InputError(f"storage {name} is not a SQLite database")
    if for_writing and not os.access(path, os.W_OK):
        raise InputError(f"storage {name} cannot be written")


def check_tables(engine: Engine, location: Location, for_writing: bool, may_lack: bool) -> None:
    """Raise InputError if there are no studies to read, or DamageError if tables are lost.

    A file that has only some of the tables is allowed if these are empty: a kill while tables are
    created leaves such a file, and the next sweep creates the others.
    """
    tables = there = tables_in(engine)
    if location.database is None:
        name = location.url_without_password
        there = tables & TABLES  # others may be those of other programs, even named as Optuna's are
    else:
        name = repr(str(location.database))
        if not tables <= {*OPTUNA_TABLES, *TABLES, OLD_GAMES}:
            raise InputError(
                f"storage {name} is not a study database (its tables: "
                f"{', '.join(sorted(tables)[:5])})"
            )
    if not may_lack and (missing := missing_tables(engine, there)):
        lost = ", ".join(sorted(missing))
        repairs = how_to_repair(location)
        raise DamageError(f"storage: {name} is damaged: no table {lost}; {repairs}")
    if not for_writing and not tables & SIGNS_OF_STUDIES:
        raise InputError(f"storage {name} holds no study yet")


def missing_tables(engine: Engine, tables: set[str]) -> set[str]:
    """Return the tables that a database has lost; none if the tables that it has are empty.

    Optuna's tables are required only in databases of earlier versions, since a mirror can be
    rebuilt. If there is a mirror, but none of the log's tables, the log is lost.
    """
    expected = TABLES
    if not tables & TABLES:
        expected = OPTUNA_TABLES
        query = "SELECT value_json FROM study_user_attributes WHERE key = 'thetafront'"
        has_attributes = "study_user_attributes" in tables
        if has_attributes and MIRROR in set(map(str, values_in(engine, query))):
            return TABLES
    is_empty = not any(
        values_in(engine, f"SELECT 1 FROM {each} LIMIT 1")
        for each in (tables & expected) - {"alembic_version", "version_info"}
    )
    return set() if is_empty else expected - tables


def tables_in(engine: Engine) -> set[str]:
    """Return the names of a database's tables."""
    return set(inspect(engine).get_table_names())


def values_in(engine: Engine, query: str) -> list[Any]:
    """Return the values that a query for one column finds."""
    with engine.connect() as connection:
        return list(connection.scalars(text(query)))


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite reports a damaged file, or a text that it cannot decode."""
    is_malformed = type(error) is sqlite3.DatabaseError
    return is_malformed or (isinstance(error, sqlite3.Error) and "decode" in str(error))
