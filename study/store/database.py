"""Checks of a SQLite file, before optuna creates its tables in whatever it is pointed at."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from thetafront.study.errors import DamageError, InputError, RunError

MENDED = "`thetafront verify NAME --repair` mends indices and values; else restore a copy"
GAMES = "thetafront_games"
SQLITE_HEADER = b"SQLite format 3\0"
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

MADE_FIRST = {"alembic_version", "version_info"}
"""Those into which optuna writes rows while it makes tables."""


def check_database(path: Path, for_writing: bool) -> None:
    """Refuse, by InputError, a file that is no SQLite database, or one of something else.

    To write, a missing file is allowed, and one with some of optuna's tables: a kill while they
    were made leaves that, and the next sweep makes the others.
    """
    name = repr(str(path))
    if path.is_symlink():  # though links were followed
        raise InputError(f"storage: {name} given, a link that leads to itself")
    if not path.exists():
        if not for_writing:
            raise InputError(f"storage: there is no study database at {name}")
        if not path.parent.is_dir():
            raise InputError(f"storage: folder {str(path.parent)!r} does not exist")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(f"storage: folder {str(path.parent)!r} cannot be written")
        return
    if not path.is_file():
        raise InputError(f"storage: {name} given, which is not a file")
    try:
        with path.open("rb") as file:
            header = file.read(len(SQLITE_HEADER))
    except OSError as error:
        raise InputError(f"storage: {name} cannot be read: {error.strerror}") from None
    if header and header != SQLITE_HEADER:
        raise InputError(f"storage: {name} given, which is not a SQLite database")
    if for_writing and not os.access(path, os.W_OK):
        raise InputError(f"storage: {name} given, which cannot be written")
    tables = tables_in(path)
    if not tables <= {*OPTUNA_TABLES, GAMES}:
        raise InputError(
            f"storage: {name} given, a database of something else "
            f"(its tables: {', '.join(sorted(tables)[:5])})"
        )
    missing = {*OPTUNA_TABLES, GAMES} - tables
    is_lost = has_rows(path, tables - MADE_FIRST) if missing - {GAMES} else has_lost_games(path)
    if missing and is_lost:
        raise DamageError(
            f"storage: {name} is damaged: no table {', '.join(sorted(missing))}; restore a copy"
        )
    if missing - {GAMES} and not for_writing:
        raise InputError(f"storage: {name} given, which holds no study yet")


def has_rows(path: Path, tables: set[str]) -> bool:
    """Return whether anything is in these tables: a kill while they were made leaves them empty."""
    return any(texts_in(path, f"SELECT 1 FROM {table} LIMIT 1") for table in tables)


def has_lost_games(path: Path) -> bool:
    """Return whether a study must have a table of games, as all have but the earliest."""
    records = texts_in(path, "SELECT value_json FROM study_user_attributes WHERE key='thetafront'")
    return any('"format": 2' in str(record) for record in records)


def tables_in(path: Path) -> set[str]:
    """Return the names of a database's tables; RunError if it cannot be read."""
    return texts_in(path, "SELECT name FROM sqlite_master WHERE type = 'table'")


def studies_in(path: Path) -> set[str]:
    """Return the names of a database's studies, none if it is not there yet."""
    if not path.exists() or "studies" not in tables_in(path):
        return set()
    return texts_in(path, "SELECT study_name FROM studies")


def texts_in(path: Path, query: str) -> set[str]:
    """Return what a query for one column of text finds; RunError if it cannot be read."""
    # Whoever opens the file next, and may write, rolls back what a kill left half-written.
    mode = "rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "ro"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode={mode}", uri=True, timeout=30)) as database:
            return {text for (text,) in database.execute(query)}
    except sqlite3.Error as error:
        if is_damage(error):
            raise DamageError(f"storage: {str(path)!r} is damaged: {error}; {MENDED}") from None
        # Held by another program, or the disk fails: no input is to blame.
        raise RunError(f"storage: {str(path)!r} cannot be read: {error}") from None


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite reports a damaged file, or a text that is none."""
    is_malformed = type(error) is sqlite3.DatabaseError
    return is_malformed or (isinstance(error, sqlite3.Error) and "decode" in str(error))
