"""Rows written by key: one that is there already is left, or its value is replaced."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Float, Table, and_, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import ARRAY

OWN_INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
Row = dict[str, Any]


def write_rows(
    connection: Connection,
    table: Table,
    key: Sequence[str],
    rows: Sequence[Row],
    replaced: Sequence[str] = (),
) -> None:
    """Insert rows; of those whose key is there already, only some columns are written.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    table : Table
        Where to.
    key : sequence of str
        The columns that name a row; the table keeps them unique.
    rows : sequence of dict
        By column, all with the same ones.
    replaced : sequence of str
        The columns written if the key is there; none leave such a row as it is.
    """
    if not rows:
        return
    if (own_insert := OWN_INSERTS.get(connection.dialect.name)) is None:
        for row in rows:
            write_row(connection, table, key, row, replaced)
        return
    statement = own_insert(table)
    given: Any = rows
    if connection.dialect.name == "postgresql":
        # Columns as arrays, by one statement: a statement a row takes the server longer.
        # A row may not be written twice by one, so the last of a key counts.
        if replaced:
            rows = list({tuple(row[name] for name in key): row for row in rows}.values())
        given = {name: [row[name] for row in rows] for name in rows[0]}
        for name, column in given.items():
            if isinstance(table.c[name].type, Float):  # an array is of one type
                given[name] = [None if each is None else float(each) for each in column]
        arrays = [func.unnest(bindparam(name, type_=ARRAY(table.c[name].type))) for name in given]
        statement = statement.from_select(list(given), select(*arrays))
    if replaced:
        new = {name: statement.excluded[name] for name in replaced}
        statement = statement.on_conflict_do_update(index_elements=key, set_=new)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=key)
    connection.execute(statement, given)


def write_row(
    connection: Connection, table: Table, key: Sequence[str], row: Row, replaced: Sequence[str]
) -> None:
    """Do the same with one row, in any dialect; this process must be the only writer."""
    same = and_(*(table.c[name] == row[name] for name in key))
    if connection.execute(select(table.c[key[0]]).where(same)).first() is None:
        connection.execute(insert(table).values(row))
    elif replaced:
        values = {name: row[name] for name in replaced}
        connection.execute(update(table).where(same).values(values))
