"""The log's four tables. Rows are inserted and never changed, and each row has a checksum.

Inserts have the same effect on SQLite and PostgreSQL: if a row's key already exists, the stored row
is kept. So a transaction may be repeated if it is unknown whether it was committed.
"""

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

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
from sqlalchemy.dialects import sqlite

SEARCH, VALIDATION = "search", "validation"
METADATA = MetaData()


class StudyRow(NamedTuple):
    """A study: its name, and its record as JSON."""

    name: str
    record: str
    checksum: int = 0


class PointRow(NamedTuple):
    """A θ that is to be played.

    ``n_games`` is the number of games that makes a trial complete; it was set when the trial
    began. ``notes`` is what the trial's sampler stores with it.
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
    """A game that has ended or failed; ``record`` has its other fields, or why it failed.

    ``sequence`` numbers the games of a study in the order in which they were written, beginning
    with 1.
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
    """An event that happened when the log had ``n_points`` points and ``n_games`` games."""

    number: int
    kind: str
    record: str
    n_points: int
    n_games: int
    at: float
    checksum: int = 0


Row = TypeVar("Row", PointRow, GameRow, EventRow, StudyRow)
KEYS: dict[str, Any] = {"phase": String(16), "number": Integer, "replicate": Integer}
KINDS: dict[type, Any] = {str: Text, int: BigInteger, float: Float(53)}


def make_table(name: str, row: type, *key: str) -> Table:
    """Return the table for a kind of rows; the ``key`` columns identify a row within a study."""
    columns = [Column("study", Integer, primary_key=True, autoincrement=False)]
    for field, hint in get_type_hints(row).items():
        kind, *others = get_args(hint) or (hint,)
        if field in key:
            columns.append(Column(field, KEYS[field], primary_key=True, autoincrement=False))
        else:
            columns.append(Column(field, KINDS[kind], nullable=bool(others)))
    return Table(name, METADATA, *columns)


STUDIES = Table(
    "thetafront_study",
    METADATA,
    Column("study", Integer, primary_key=True),
    Column("name", String(255), nullable=False, unique=True),
    Column("record", Text, nullable=False),
    Column("checksum", BigInteger, nullable=False),
)
POINTS = make_table("thetafront_point", PointRow, "phase", "number")
GAMES = make_table("thetafront_game", GameRow, "phase", "number", "replicate")
EVENTS = make_table("thetafront_event", EventRow, "number")
TABLE_OF = {StudyRow: STUDIES, PointRow: POINTS, GameRow: GAMES, EventRow: EVENTS}
TABLES = {each.name for each in TABLE_OF.values()}


def row_checksum(row: tuple[Any, ...]) -> int:
    """Return the checksum of all values of a row except the last, which is the checksum itself."""
    return zlib.crc32("\x1f".join(map(str, row[:-1])).encode(errors="surrogateescape"))


def sealed(row: Row) -> Row:
    """Return a row with its checksum."""
    return row._replace(checksum=row_checksum(row))


def is_whole(row: tuple[Any, ...]) -> bool:
    """Return whether a row is intact, as its checksum shows."""
    return bool(row_checksum(row) == row[-1])


def insert_rows(connection: Connection, study: int, rows: Sequence[Any]) -> None:
    """Insert rows of one kind, in the connection's transaction; existing rows are kept."""
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
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415, slow, and SQLite does not need it

    # One statement with an array per column: one statement per row would be slower.
    columns = zip(names, zip(*values, strict=True), strict=True)
    arrays = [
        func.unnest(bindparam(name, type_=postgresql.ARRAY(table.c[name].type))) for name in names
    ]
    statement = postgresql.insert(table).from_select(names, select(*arrays))
    statement = statement.on_conflict_do_nothing(index_elements=key)
    connection.execute(statement, {name: list(column) for name, column in columns})


def read_rows(connection: Connection, study: int, kind: type[Row]) -> list[Row]:
    """Read all rows of one kind, intact or damaged, in the order of their keys."""
    table = TABLE_OF[kind]
    columns = [table.c[name] for name in kind._fields]
    query = select(*columns).where(table.c.study == study)
    return [kind(*row) for row in connection.execute(query.order_by(*table.primary_key.columns))]


def delete_rows(connection: Connection, study: int) -> None:
    """Delete all rows of a study, before they are rewritten."""
    for table in METADATA.tables.values():
        connection.execute(delete(table).where(table.c.study == study))
