"""The log's four tables. Rows are inserted, never changed, and each carries a checksum.

The statements are the same on SQLite and PostgreSQL. A row whose key exists is left as it is, so a
transaction may be repeated if it is unknown whether it was committed.
"""

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    delete,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import ARRAY

SEARCH, VALIDATION = "search", "validation"
METADATA = MetaData()


def keyed_by(*names: str) -> list[Column[Any]]:
    """Return the columns that name a row: its study, and its place there."""
    key = [Column("study", Integer, primary_key=True, autoincrement=False)]
    for name in names:
        kind: Any = String(16) if name == "phase" else Integer
        key.append(Column(name, kind, primary_key=True, autoincrement=False))
    return key


def text(name: str) -> Column[Any]:
    """Return a column of text."""
    return Column(name, Text, nullable=False)


def whole(name: str) -> Column[Any]:
    """Return a column of whole numbers."""
    return Column(name, BigInteger, nullable=False)


def real(name: str) -> Column[Any]:
    """Return a column of numbers; a failed game has no score."""
    return Column(name, Float(53), nullable=name != "at")


STUDIES = Table(
    "thetafront_study",
    METADATA,
    Column("study", Integer, primary_key=True),
    Column("name", String(255), nullable=False, unique=True),
    text("record"),
    whole("checksum"),
)
POINTS = Table(
    "thetafront_point",
    METADATA,
    *keyed_by("phase", "number"),
    text("theta"),
    text("origin"),
    whole("n_games"),
    text("notes"),
    real("at"),
    whole("checksum"),
)
GAMES = Table(
    "thetafront_game",
    METADATA,
    *keyed_by("phase", "number", "replicate"),
    whole("sequence"),
    whole("seed"),
    real("score"),
    Column("n_moves", BigInteger),
    real("seconds"),
    text("machine"),
    text("record"),
    real("at"),
    whole("checksum"),
)
EVENTS = Table(
    "thetafront_event",
    METADATA,
    *keyed_by("number"),
    text("kind"),
    text("record"),
    whole("n_points"),
    whole("n_games"),
    real("at"),
    whole("checksum"),
)
TABLES = {each.name for each in METADATA.tables.values()}


class StudyRow(NamedTuple):
    """A study: its name, and what made it, as JSON."""

    name: str
    record: str
    checksum: int = 0


class PointRow(NamedTuple):
    """A θ that is to be played.

    ``n_games`` are the replicates that make a trial complete, as asked for when it began. ``notes``
    are its sampler's.
    """

    phase: str
    number: int
    theta: str
    origin: str
    n_games: int
    notes: str
    at: float
    checksum: int = 0


class GameRow(NamedTuple):
    """A game that has ended, or failed: then ``record`` says why.

    ``sequence`` counts the games of a study in the order in which they were written, from 1 on.
    """

    phase: str
    number: int
    replicate: int
    sequence: int
    seed: int
    score: float | None
    n_moves: int | None
    seconds: float | None
    machine: str
    record: str
    at: float
    checksum: int = 0


class EventRow(NamedTuple):
    """What happened when the log had ``n_points`` points and ``n_games`` games."""

    number: int
    kind: str
    record: str
    n_points: int
    n_games: int
    at: float
    checksum: int = 0


Row = TypeVar("Row", PointRow, GameRow, EventRow, StudyRow)
TABLE_OF: dict[type, Table] = {
    StudyRow: STUDIES,
    PointRow: POINTS,
    GameRow: GAMES,
    EventRow: EVENTS,
}


def row_checksum(row: tuple[Any, ...]) -> int:
    """Return the checksum of all values of a row but the last, which is the checksum."""
    return zlib.crc32("\x1f".join(map(str, row[:-1])).encode(errors="surrogateescape"))


def sealed(row: Row) -> Row:
    """Return a row with its checksum."""
    return row._replace(checksum=row_checksum(row))


def is_whole(row: tuple[Any, ...]) -> bool:
    """Return whether a row is as it was written."""
    return bool(row_checksum(row) == row[-1])


def insert_rows(connection: Connection, study: int, rows: Sequence[Any]) -> None:
    """Insert rows of one kind, in the connection's transaction; those that are there stay."""
    if not rows:
        return
    table = TABLE_OF[type(rows[0])]
    key = [each.name for each in table.primary_key.columns]
    names = ["study", *rows[0]._fields]
    values: list[tuple[Any, ...]] = [(study, *row) for row in rows]
    if connection.dialect.name == "sqlite":
        statement: Any = sqlite.insert(table).on_conflict_do_nothing(index_elements=key)
        connection.execute(statement, [dict(zip(names, each, strict=True)) for each in values])
        return
    # Columns as arrays: a statement a row takes the server longer.
    columns = zip(names, zip(*values, strict=True), strict=True)
    arrays = [func.unnest(bindparam(name, type_=ARRAY(table.c[name].type))) for name in names]
    statement = postgresql.insert(table).from_select(names, select(*arrays))
    statement = statement.on_conflict_do_nothing(index_elements=key)
    connection.execute(statement, {name: list(column) for name, column in columns})


def read_rows(connection: Connection, study: int, kind: type[Row]) -> list[Row]:
    """Read all rows of one kind, in the order of their keys, whole or not."""
    table = TABLE_OF[kind]
    columns = [table.c[name] for name in kind._fields]
    query = select(*columns).where(table.c.study == study)
    return [kind(*row) for row in connection.execute(query.order_by(*table.primary_key.columns))]


def delete_rows(connection: Connection, study: int) -> None:
    """Delete all rows of a study, before they are rewritten."""
    for table in METADATA.tables.values():
        connection.execute(delete(table).where(table.c.study == study))
