"""A study's database: checked before anything is made in it, opened, and its errors in one line.

How durable it is: SQLite runs with ``synchronous=FULL`` and its usual journal, so each transaction
has reached the disk when it is committed. A kill loses the games of the last 50 ms; a power cut may
also undo the last transaction. Both are played again from their seeds, and nothing else is lost. A
PostgreSQL server has its own ``synchronous_commit``, which is on by default.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import NoSuchModuleError as NoSuchDriverError
from sqlalchemy.exc import SQLAlchemyError

from thetafront.study.errors import DamageError, InputError, RunError
from thetafront.study.log.location import Location
from thetafront.study.log.server_lock import SOON_LOST
from thetafront.study.log.tables import TABLES

REPAIR_HINT = "`thetafront verify NAME --repair` repairs what it can; or restore a copy"
SECONDS_TO_WAIT = 60  # for another process, such as a reader during a sweep
DURABLE = "PRAGMA synchronous = FULL"
SQLITE_HEADER = b"SQLite format 3\0"
EARLIER_TABLE = "thetafront_games"
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
"""Those of the mirror, and of studies of earlier versions."""


def engine_options(url: URL) -> dict[str, Any]:
    """Return the connection options of a storage."""
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": SECONDS_TO_WAIT}}
    # No connection is tested before it is used, and replaced in silence: a run must know that it
    # was lost, since its lock was lost with it.
    return {"connect_args": SOON_LOST}


def make_engine(location: Location) -> Engine:
    """Return the engine of a storage."""
    engine = create_engine(location.url, **engine_options(location.parsed_url))
    if location.database is not None:
        event.listen(engine, "connect", prepare_connection)
    return engine


def prepare_connection(connection: Any, _: Any) -> None:
    """Set up a connection to SQLite; texts are read even if their bytes are invalid."""
    connection.text_factory = lambda content: content.decode(errors="surrogateescape")
    connection.execute(DURABLE)


@contextmanager
def storage_errors_reported(location: Location) -> Iterator[None]:
    """Turn errors of a broken storage into one line: InputError, or RunError if the disk fails."""
    try:
        yield
    except (SQLAlchemyError, NoSuchDriverError, ImportError) as error:
        cause = error.__cause__ or getattr(error, "orig", None) or error
        reason = str(cause).strip().splitlines()[0]
        if is_damage(cause):
            place = location.url_without_password
            raise DamageError(f"storage: {place} is damaged: {reason}; {REPAIR_HINT}") from None
        kind = RunError if "disk" in reason else InputError  # SQLite's: a full one, an I/O error
        raise kind(f"storage: {location.url_without_password} cannot be used: {reason}") from None


def open_engine(location: Location, for_writing: bool, may_lack: bool = False) -> Engine:
    """Open a storage; InputError if that cannot be done.

    It ``may_lack`` tables if it is to be repaired.
    """
    if location.database is not None:
        check_database(location.database, for_writing, may_lack)
    elif not for_writing and is_new(location):
        raise InputError(f"storage {location.url_without_password} holds no study yet")
    return make_engine(location)


def is_new(location: Location) -> bool:
    """Return whether no study was ever stored there; InputError if it cannot be reached."""
    if location.database is not None:
        return not location.database.exists()
    with storage_errors_reported(location):
        engine = make_engine(location)
        try:
            return not (TABLES | {"studies"}) & set(inspect(engine).get_table_names())
        finally:
            engine.dispose()


def optuna_names(engine: Engine) -> set[str]:
    """Return the names of optuna's studies in a database: mirrors, and those of before."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("studies"):
            return set()
        return {str(name) for name in connection.scalars(text("SELECT study_name FROM studies"))}


def check_database(path: Path, for_writing: bool, may_lack: bool = False) -> None:
    """Raise InputError for a file that is not an SQLite database, or not that of a study.

    For writing, a missing file is allowed, and so is one with some of the tables, all of them
    empty: a kill during their creation leaves such a file, and the next sweep creates the others.
    """
    name = repr(str(path))
    if path.is_symlink():  # though links were followed
        raise InputError(f"storage {name} is a link that leads to itself")
    if not path.exists():
        if not for_writing:
            raise InputError(f"storage: there is no study database at {name}")
        if not path.parent.is_dir():
            raise InputError(f"storage: folder {str(path.parent)!r} does not exist")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(f"storage: folder {str(path.parent)!r} cannot be written")
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
    tables = tables_in(path)
    if not tables <= {*OPTUNA_TABLES, *TABLES, EARLIER_TABLE}:
        raise InputError(
            f"storage {name} is not the database of a study (its tables: "
            f"{', '.join(sorted(tables)[:5])})"
        )
    if not may_lack and (missing := missing_tables(path, tables)):
        raise DamageError(
            f"storage: {name} is damaged: no table {', '.join(sorted(missing))}; {REPAIR_HINT}"
        )
    if not for_writing and not tables & {*TABLES, "studies"}:
        raise InputError(f"storage {name} holds no study yet")


def missing_tables(path: Path, tables: set[str]) -> set[str]:
    """Return the tables that a database has lost: some are there, and not all of them are empty.

    Optuna's tables count only in databases of earlier versions, since a mirror is rebuilt.
    """
    there = tables & TABLES
    expected = TABLES if there else OPTUNA_TABLES
    if not there and is_mirror(path, tables):
        return TABLES
    is_empty = not any(
        texts_in(path, f"SELECT 1 FROM {each} LIMIT 1")
        for each in (tables & expected) - {"alembic_version", "version_info"}
    )
    return set() if is_empty else expected - tables


def is_mirror(path: Path, tables: set[str]) -> bool:
    """Return whether optuna's tables hold the mirror of a study; its log is then lost."""
    if "study_user_attributes" not in tables:
        return False
    query = "SELECT value_json FROM study_user_attributes WHERE key = 'thetafront'"
    return any(str(each) == '{"format": 3}' for each in texts_in(path, query))


def tables_in(path: Path) -> set[str]:
    """Return the names of a database's tables; RunError if it cannot be read."""
    return texts_in(path, "SELECT name FROM sqlite_master WHERE type = 'table'")


def studies_in(path: Path) -> set[str]:
    """Return the names of a database's studies, none if it is not there yet."""
    tables = tables_in(path) if path.exists() else set()
    queries = {
        "thetafront_study": "SELECT name FROM thetafront_study",
        "studies": "SELECT study_name FROM studies",
    }
    return {name for table in queries.keys() & tables for name in texts_in(path, queries[table])}


def texts_in(path: Path, query: str) -> set[str]:
    """Return the results of a query for one column of text; RunError if it cannot be read."""
    # Whoever opens the file next, and may write, rolls back what a kill left half-written.
    mode = "rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "ro"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode={mode}", uri=True, timeout=30)) as database:
            return {found for (found,) in database.execute(query)}
    except sqlite3.Error as error:
        if is_damage(error):
            raise DamageError(
                f"storage: {str(path)!r} is damaged: {error}; {REPAIR_HINT}"
            ) from None
        # Held by another program, or the disk fails: no input is to blame.
        raise RunError(f"storage: {str(path)!r} cannot be read: {error}") from None


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite reports a damaged file, or an invalid text."""
    is_malformed = type(error) is sqlite3.DatabaseError
    return is_malformed or (isinstance(error, sqlite3.Error) and "decode" in str(error))
