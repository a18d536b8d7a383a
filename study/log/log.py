"""A study's log: its record, points, games and events, from which all results are computed.

A :class:`Log` stores rows; :class:`Rows` has the rows of a log at one moment.
"""

import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, func, inspect, select, text
from sqlalchemy.pool import StaticPool

from thetafront.agents.agent import Game, Outcome
from thetafront.study.errors import DamageError, RunError, error_context
from thetafront.study.log.seeds import game_to_record, record_to_outcome
from thetafront.study.log.server_lock import lock_key
from thetafront.study.log.tables import (
    EVENTS,
    GAMES,
    METADATA,
    POINTS,
    SEARCH,
    STUDIES,
    TABLE_OF,
    EventRow,
    GameRow,
    PointRow,
    StudyRow,
    delete_rows,
    insert_rows,
    is_whole,
    read_rows,
    sealed,
)

FAILED, RUN, MACHINE, RECORD, LOST = "failed", "run", "machine", "record", "lost"
"""Kinds of events. In this order: a point was left out, a run began or changed, a class of machines
was used for the first time, the record changed, and a point's row was lost."""
IN_COLUMNS = ("seed", "score", "n_moves", "seconds")

Unit = tuple[str, int]
"""A point: its phase, and its number in that phase."""


def point_row(
    phase: str,
    number: int,
    theta: Mapping[str, Any],
    origin: str,
    n_games: int = 0,
    notes: Mapping[str, Any] | None = None,
    at: float | None = None,
) -> PointRow:
    """Return the row of a new point."""
    now = time.time() if at is None else at
    stored = json.dumps(dict(theta)), origin, n_games, json.dumps(dict(notes or {}))
    return sealed(PointRow(phase, number, *stored, now))


def game_row(
    unit: Unit, replicate: int, game: Outcome, machine: str = "", at: float | None = None
) -> GameRow:
    """Return the row of a game that ended or failed; the log adds its number and checksum."""
    return record_to_row(unit, replicate, game_to_record(game), machine, at)


def record_to_row(
    unit: Unit, replicate: int, record: Mapping[str, Any], machine: str, at: float | None
) -> GameRow:
    """Return the row of a game from its record."""
    rest = dict(record)
    seed, score, n_moves, seconds = (rest.pop(name, None) for name in IN_COLUMNS)
    return GameRow(
        *unit,
        replicate,
        0,
        seed,
        # SQLite returns 0.0 for -0.0, and their checksums differ; so -0.0 becomes 0.0 here.
        None if score is None else float(score) + 0.0,
        n_moves,
        None if seconds is None else float(seconds) + 0.0,
        machine,
        json.dumps(rest),
        time.time() if at is None else at,
    )


def row_to_outcome(row: GameRow, kind: type[Game] = Game) -> Outcome:
    """Return the game of a row; ValueError if it is not of class ``kind``."""
    stored = {name: value for name in IN_COLUMNS if (value := getattr(row, name)) is not None}
    return record_to_outcome({**json.loads(row.record), **stored}, kind)


def unit_name(unit: Unit) -> str:
    """Return the name of a trial or point, such as ``trial 3`` or ``point 2``."""
    phase, number = unit
    return f"{'trial' if phase == SEARCH else 'point'} {number}"


def with_earlier(units: Iterable[Unit]) -> set[Unit]:
    """Return points, and those that must exist because they precede one of these in its phase."""
    last = dict(sorted(units))  # the largest number of each phase
    return {(phase, number) for phase, n in last.items() for number in range(n + 1)}


def row_name(row: tuple[Any, ...]) -> str:
    """Say which row of the log this is."""
    if isinstance(row, GameRow):
        return f"{unit_name((row.phase, row.number))}, replicate {row.replicate}"
    if isinstance(row, PointRow):
        return unit_name((row.phase, row.number))
    return f"event {row.number}" if isinstance(row, EventRow) else "record"


@dataclass(frozen=True)
class Rows:
    """The rows of a study at one moment."""

    study: StudyRow  # the study's own row
    # In the order of their keys.
    points: Sequence[PointRow] = ()
    games: Sequence[GameRow] = ()
    events: Sequence[EventRow] = ()

    @classmethod
    def numbered(
        cls,
        study: StudyRow,
        points: Iterable[PointRow],
        games: Iterable[GameRow],
        events: Iterable[EventRow],
    ) -> "Rows":
        """Return the rows of a new log: ordered and numbered, with checksums."""
        in_order, played = sorted(points), sorted(games)
        n_points, n_games = len(in_order), len(played)
        return cls(
            sealed(study),
            in_order,
            [sealed(row._replace(sequence=n)) for n, row in enumerate(played, 1)],
            [
                sealed(row._replace(number=n, n_points=n_points, n_games=n_games))
                for n, row in enumerate(events)
            ],
        )

    def problems(self) -> list[str]:
        """Return which rows are damaged or missing."""
        damaged = self.damaged
        found = [f"{row_name(row)}: its checksum is wrong" for row in damaged]
        bad = {row[:2] for row in damaged if isinstance(row, PointRow)}
        whole = self.whole
        units = {(row.phase, row.number) for row in whole.points}
        lost = {(each["phase"], each["number"]) for each in whole.latest(LOST)}
        played = {(row.phase, row.number) for row in whole.games}
        missing = with_earlier(units | played) - units - bad - lost
        found += [f"{unit_name(each)}: missing" for each in sorted(missing)]
        known = {row.number for row in whole.events}
        gaps = sorted({*range(max(known, default=-1) + 1)} - known)
        found += [f"event {each}: missing" for each in gaps]
        n_games = len(whole.games)
        if self.n_games != n_games:
            found.append(f"games: {n_games:,} present, {self.n_games:,} were written")
        n_points = max((row.n_points for row in whole.events), default=0)
        if n_points > len(units) and not found:
            found.append(f"points: {len(units):,} present, {n_points:,} were written")
        return found

    @cached_property
    def damaged(self) -> list[tuple[Any, ...]]:
        """The rows with a wrong checksum."""
        rows: list[tuple[Any, ...]] = [self.study, *self.points, *self.games, *self.events]
        return [row for row in rows if not is_whole(row)]

    @cached_property
    def whole(self) -> "Rows":
        """The intact rows."""
        if not self.damaged:
            return self
        return Rows(
            self.study,
            [row for row in self.points if is_whole(row)],
            [row for row in self.games if is_whole(row)],
            [row for row in self.events if is_whole(row)],
        )

    @cached_property
    def n_games(self) -> int:
        """How many games were written, according to the games' numbers and the events."""
        of_games = [row.sequence for row in self.whole.games]
        return max([0, *of_games, *(row.n_games for row in self.whole.events)])

    def latest(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of all events of a kind, the earliest first."""
        found = []
        for row in self.events:
            if row.kind == kind:
                with error_context(row_name(row)):
                    found.append(json.loads(row.record))
        return found


def event(kind: str, **record: Any) -> EventRow:
    """Return the row of an event; the log adds its number and checksum."""
    return EventRow(-1, kind, json.dumps(record), 0, 0, time.time())


def lost(unit: Unit) -> EventRow:
    """Return an event which records that a point's row is lost; the number may be used again."""
    return event(LOST, phase=unit[0], number=unit[1])


def failure(unit: Unit, error: str) -> EventRow:
    """Return an event which records that a point is left out because of an error.

    An event with an empty ``error`` says that the point counts again.
    """
    return event(FAILED, phase=unit[0], number=unit[1], error=error)


@dataclass
class LogCounts:
    """How many points and games a log has, and the number of its next event."""

    n_points: int
    n_games: int
    next_event: int


class Log:
    """A study's log in a database, whose tables exist; the number ``study`` identifies it there."""

    def __init__(self, engine: Engine, name: str, study: int) -> None:
        self.engine = engine
        self.name = name
        self.study = study
        self.mutex = threading.Lock()
        self.counts: LogCounts | None = None
        self.expected: set[int] = set()  # possible numbers of the next event, once it is known

    @classmethod
    def find(cls, engine: Engine, name: str) -> "Log | None":
        """Return a study's log; None if the database has no study of that name."""
        study = studies_in(engine).get(name)
        return None if study is None else cls(engine, name, study)

    @classmethod
    def create(cls, engine: Engine, rows: Rows) -> "Log":
        """Write the rows of a new study in one transaction; return its log."""
        with engine.begin() as connection:
            create_tables(connection)
            return cls(engine, rows.study.name, insert_study(connection, rows))

    @classmethod
    def in_memory(cls, name: str, record: Mapping[str, Any]) -> "Log":
        """Return a new log in memory; only one thread at a time may use it."""
        engine = create_engine(
            "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
        return cls.create(engine, Rows(sealed(StudyRow(name, json.dumps(record)))))

    @property
    def is_in_memory(self) -> bool:
        """Whether the log is only in this process's memory."""
        return self.engine.dialect.name == "sqlite" and not self.engine.url.database

    def rows(self) -> Rows:
        """Read all rows in one snapshot, even damaged ones; DamageError if the study has no row."""
        with self.engine.connect() as connection:
            begin_snapshot(connection)
            if not (own := read_rows(connection, self.study, StudyRow)):
                raise DamageError("record: missing")
            points = read_rows(connection, self.study, PointRow)
            games = read_rows(connection, self.study, GameRow)
            events = read_rows(connection, self.study, EventRow)
        return Rows(own[0], points, games, events)

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Read the records of all events of a kind, the earliest first."""
        with self.engine.connect() as connection:
            events = read_rows(connection, self.study, EventRow)
        return Rows(StudyRow(self.name, ""), events=events).latest(kind)

    def write(self, *rows: PointRow | GameRow | EventRow) -> None:
        """Write rows in one transaction, points before their games.

        RunError if another run has written events since this log's last transaction; every run
        begins with one.
        """
        with self.mutex:
            try:
                with self.engine.begin() as connection:
                    counts = self.insert(connection, rows)
                self.counts, self.expected = counts, {counts.next_event}
            except BaseException:
                self.counts = None  # unknown after an error
                raise

    def insert(
        self, connection: Connection, rows: Sequence[PointRow | GameRow | EventRow]
    ) -> LogCounts:
        """Insert rows with their numbers and checksums; return what is there then."""
        counts = self.counts or self.count(connection)
        points = [row for row in rows if isinstance(row, PointRow)]
        games = [row for row in rows if isinstance(row, GameRow)]
        events = [row for row in rows if isinstance(row, EventRow)]
        next_event = self.next_event(connection)
        if self.expected and next_event not in self.expected:
            raise RunError(
                f"study: {self.name!r} was continued by another run; start this one again"
            )
        self.expected = {next_event, next_event + len(events)}  # the commit's answer may be lost
        insert_rows(connection, self.study, points)
        numbered = [
            sealed(row._replace(sequence=sequence))
            for sequence, row in enumerate(games, counts.n_games + 1)
        ]
        insert_rows(connection, self.study, numbered)
        if self.counts is not None:
            counts.n_points += len(points)
            counts.n_games += len(games)
        else:  # an earlier commit may have stored some rows, although its answer was lost
            counts = self.count(connection)
        rows = [
            sealed(row._replace(number=n, n_points=counts.n_points, n_games=counts.n_games))
            for n, row in enumerate(events, counts.next_event)
        ]
        insert_rows(connection, self.study, rows)
        counts.next_event += len(events)
        return counts

    def next_event(self, connection: Connection) -> int:
        """Return the number of the next event."""
        newest = select(func.max(EVENTS.c.number)).where(EVENTS.c.study == self.study)
        found = connection.scalar(newest)
        return 0 if found is None else int(found) + 1

    def count(self, connection: Connection) -> LogCounts:
        """Count the rows in the database."""

        def value(of: Any, table: Table) -> int:
            found = connection.scalar(select(of).where(table.c.study == self.study))
            return 0 if found is None else int(found)

        return LogCounts(
            value(func.count(), POINTS),
            max(0, value(func.max(GAMES.c.sequence), GAMES)),
            self.next_event(connection),
        )

    def newest(self) -> tuple[int, int]:
        """Return the numbers of games and events; they change when the log grows."""
        with self.engine.connect() as connection:
            counts = self.count(connection)
        return counts.n_games, counts.next_event

    def machines(self) -> set[str]:
        """Return the keys of machines that played games, with "" for games without a cluster."""
        query = select(GAMES.c.machine).where(GAMES.c.study == self.study).distinct()
        with self.engine.connect() as connection:
            return set(connection.scalars(query))

    def rebuild(self, rows: Rows) -> None:
        """Replace all rows of the log, in one transaction."""
        with self.mutex, self.engine.begin() as connection:
            create_tables(connection)
            delete_rows(connection, self.study)
            insert_study(connection, rows, self.study)
            self.counts, self.expected = None, set()


def create_tables(connection: Connection) -> None:
    """Create the tables that are missing, all in the transaction that begins here."""
    begin_creation(connection)
    METADATA.create_all(connection)


def begin_creation(connection: Connection) -> None:
    """Begin a transaction that creates tables; other runs that would create them, too, wait."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("BEGIN IMMEDIATE"))  # sqlite3 would not begin before CREATE TABLE
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock_key("")})


def insert_study(connection: Connection, rows: Rows, study: int | None = None) -> int:
    """Insert the rows of a study; return the number that identifies it, by default a new one."""
    if study is None:  # rows may be left of a study that has lost its record
        tables = TABLE_OF.values()
        known = [connection.scalar(select(func.max(table.c.study))) for table in tables]
        study = 1 + max(each or 0 for each in known)
    for each in ([rows.study], rows.points, rows.games, rows.events):
        insert_rows(connection, study, each)
    return study


def begin_snapshot(connection: Connection) -> None:
    """Make all reads of a connection see one snapshot."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("BEGIN"))  # sqlite3 would begin only before a write
    else:
        connection.execution_options(isolation_level="REPEATABLE READ")


def studies_in(engine: Engine) -> dict[str, int]:
    """Return the number that identifies each study in a database, by the study's name."""
    if not inspect(engine).has_table(STUDIES.name):
        return {}
    with engine.connect() as connection:
        found = connection.execute(select(STUDIES.c.name, STUDIES.c.study))
        return {str(name): int(study) for name, study in found}


def studies_lost(engine: Engine) -> list[int]:
    """Return the identifying numbers of studies with points or events, but no whole study row."""
    with engine.connect() as connection:
        begin_snapshot(connection)
        there = set(inspect(connection).get_table_names())

        def numbers(table: Table) -> set[int]:
            query = select(table.c.study).distinct()
            return set(connection.scalars(query)) if table.name in there else set()

        rows = connection.execute(select(STUDIES)) if STUDIES.name in there else ()
        whole = {number for number, *row in rows if is_whole(StudyRow(*row))}
        return sorted((numbers(POINTS) | numbers(EVENTS)) - whole)
