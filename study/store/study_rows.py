"""A study as the rows of its tables: what optuna reads, or fails to read if a row is damaged.

Rows are read by plain SQL and nothing is taken for granted: a value may be of any type, a text need
not be UTF-8. So each value that optuna cannot read is found and named.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from optuna.distributions import json_to_distribution
from optuna.trial import TrialState
from sqlalchemy import Connection, Engine, text

from thetafront.study.store.cell import Cell
from thetafront.study.store.games_table import Cells, Unit, games_in
from thetafront.study.store.objectives import POSSIBLE_DIRECTIONS
from thetafront.study.store.seeds import shortened
from thetafront.study.store.trial_games import GAME_PREFIX

FINITE = "FINITE"  # optuna's mark of a number that is stored as it is


@dataclass
class TrialRows:
    """A row of ``trials`` and the rows that belong to it.

    Attributes
    ----------
    id, number, state
        As stored.
    began, ended
        Its times, as stored.
    attributes, notes : dict of str to Cell
        User attributes, and system attributes, which samplers keep.
    params : dict of str to (Cell, Cell)
        Value and distribution, by name.
    values : dict of int to (Cell, Cell)
        Value and type of each objective.
    """

    id: int
    number: Any
    state: Any
    began: Any
    ended: Any
    attributes: dict[str, Cell] = field(default_factory=dict)
    notes: dict[str, Cell] = field(default_factory=dict)
    params: dict[str, tuple[Cell, Cell]] = field(default_factory=dict)
    values: dict[int, tuple[Cell, Cell]] = field(default_factory=dict)

    @property
    def games(self) -> dict[str, Cell]:
        """Games among its attributes, as in studies of before, by replicate as it is stored."""
        return {
            key.removeprefix(GAME_PREFIX): cell
            for key, cell in self.attributes.items()
            if key.startswith(GAME_PREFIX)
        }

    @property
    def is_numbered(self) -> bool:
        """Whether its number can be one."""
        return type(self.number) is int and self.number >= 0

    @property
    def has_state(self) -> bool:
        """Whether optuna knows its state."""
        return self.state in TrialState.__members__

    def theta(self) -> dict[str, Any]:
        """Return its parameters; ValueError if one cannot be read."""
        return {name: self.param(name) for name in self.params}

    def param(self, name: str) -> Any:
        """Return one parameter; ValueError if it cannot be read."""
        value, distribution = self.params[name]
        try:
            return json_to_distribution(distribution.value).to_external_repr(value.value)
        except Exception as error:  # optuna checks nothing: any error may come of it
            raise ValueError(f"{name} {shortened(value.value)} given: {error}") from None

    def objectives(self) -> list[float]:
        """Return its objectives; ValueError if one cannot be read."""
        found = []
        for number in range(len(self.values)):
            value, kind = self.values.get(number, (None, None))
            if value is None or kind is None:
                raise ValueError(f"no value of objective {number}")
            if kind.value != FINITE or type(value.value) not in {int, float}:
                given = shortened(value.value), shortened(kind.value)
                raise ValueError(f"value {given[0]} of type {given[1]} given, a number expected")
            found.append(float(value.value))
        return found

    def unreadable(self) -> Iterator[str]:
        """Say of each value that optuna cannot read where it is and what."""
        if not self.has_state:
            yield f"state {shortened(self.state)} given, one of optuna's expected"
        for moment in (self.began, self.ended):
            if moment is not None and not is_time(moment):
                yield f"time {shortened(moment)} given, a date and time expected"
        for key, cell in (self.attributes | self.notes).items():
            if flaw := flaw_of(cell):
                yield f"{key}: {flaw}"
        for name in self.params:
            try:
                self.param(name)
            except ValueError as error:
                yield str(error)
        try:
            self.objectives()
        except ValueError as error:
            yield str(error)


@dataclass
class StudyRows:
    """A study's rows.

    Attributes
    ----------
    id : int
        Of the study.
    directions : list
        Of the objectives, in order.
    attributes, notes : dict of str to Cell
        The study's user and system attributes.
    trials : list of TrialRows
        In the order of their rows.
    orphans : list of TrialRows
        Trials whose own row is lost: others still belong to it.
    games : mapping
        The rows of the table of games, by phase and trial or point, and by replicate.
    """

    id: int
    directions: list[Any]
    attributes: dict[str, Cell]
    notes: dict[str, Cell]
    trials: list[TrialRows]
    orphans: list[TrialRows]
    games: Mapping[Unit, Cells]

    @classmethod
    def read(cls, engine: Engine, name: str) -> "StudyRows":
        """Read the rows of a study, at one moment; KeyError if there is none of that name."""
        with engine.connect() as connection, undecoded(connection):
            if connection.dialect.name == "sqlite":
                connection.execute(text("BEGIN"))  # sqlite3 itself begins only before it writes
            else:
                connection.execution_options(isolation_level="REPEATABLE READ")
            return cls.read_from(connection, name)

    @classmethod
    def read_from(cls, connection: Connection, name: str) -> "StudyRows":
        """Read the rows of a study by a connection."""

        def rows(sql: str, **values: Any) -> list[Any]:
            return list(connection.execute(text(sql), values))

        named = rows("SELECT study_id FROM studies WHERE study_name = :name", name=name)
        if not named:
            raise KeyError(name)
        study = named[0][0]
        directions = rows(
            "SELECT direction FROM study_directions WHERE study_id = :study ORDER BY objective",
            study=study,
        )

        def of_study(kind: str) -> dict[str, Cell]:
            table = f"study_{kind}_attributes"
            found = rows(
                f"SELECT study_{kind}_attribute_id, key, value_json FROM {table} "
                f"WHERE study_id = :study ORDER BY study_{kind}_attribute_id",
                study=study,
            )
            return {str(key): Cell(table, row, value) for row, key, value in found}

        trials = {
            row[0]: TrialRows(*row)
            for row in rows(
                "SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials "
                "WHERE study_id = :study ORDER BY trial_id",
                study=study,
            )
        }

        others = {row for (row,) in rows("SELECT trial_id FROM trials")} - set(trials)
        is_only = len(rows("SELECT study_id FROM studies")) == 1
        orphans: dict[int, TrialRows] = {}

        def of_trials(table: str, columns: str) -> Iterator[Any]:
            for trial, *row in rows(f"SELECT trial_id, {columns} FROM {table} ORDER BY 2"):
                if trial in trials:
                    yield trials[trial], *row
                elif is_only and trial not in others and isinstance(trial, int):
                    yield orphans.setdefault(trial, TrialRows(trial, None, None, None, None)), *row

        for kind in ("user", "system"):
            table = f"trial_{kind}_attributes"
            columns = f"trial_{kind}_attribute_id, key, value_json"
            for trial, row, key, value in of_trials(table, columns):
                kept = trial.attributes if kind == "user" else trial.notes
                kept[str(key)] = Cell(table, row, value)
        table = "trial_params"
        columns = "param_id, param_name, param_value, distribution_json"
        for trial, row, key, value, distribution in of_trials(table, columns):
            both = Cell(table, row, value), Cell(table, row, distribution)
            trial.params[str(key)] = both
        table, columns = "trial_values", "trial_value_id, objective, value, value_type"
        for trial, row, number, value, of_type in of_trials(table, columns):
            trial.values[number] = Cell(table, row, value), Cell(table, row, of_type)
        return cls(
            study,
            [direction for (direction,) in directions],
            of_study("user"),
            of_study("system"),
            list(trials.values()),
            list(orphans.values()),
            games_in(connection, study),
        )

    def unreadable(self) -> Iterator[str]:
        """Say of each value that optuna cannot read where it is and what."""
        possible = [[each.name for each in both] for both in POSSIBLE_DIRECTIONS]
        if self.directions not in possible:
            expected = " or ".join(", ".join(both) for both in possible)
            yield f"directions {shortened(self.directions)} given, {expected} expected"
        for key, cell in (self.attributes | self.notes).items():
            if flaw := flaw_of(cell):
                yield f"{key}: {flaw}"
        for place, trial in enumerate(self.trials):
            name = f"trial {trial.number}" if trial.is_numbered else f"{place + 1}-th trial"
            if not trial.is_numbered:
                yield f"{name}: number {shortened(trial.number)} given"
            for flaw in trial.unreadable():
                yield f"{name}: {flaw}"


def flaw_of(cell: Cell) -> str:
    """Say why a JSON text cannot be read; empty if it can."""
    try:
        cell.json  # noqa: B018
    except ValueError as error:
        return str(error)
    return ""


def is_time(stored: Any) -> bool:
    """Return whether a stored value is a date and time."""
    try:
        return isinstance(stored, datetime) or bool(datetime.fromisoformat(stored))
    except (TypeError, ValueError):
        return False


@contextmanager
def undecoded(connection: Connection) -> Iterator[None]:
    """Read texts of SQLite that are not UTF-8, too."""
    if connection.dialect.name != "sqlite":
        yield
        return
    raw: Any = connection.connection.dbapi_connection
    raw.text_factory = lambda content: content.decode(errors="backslashreplace")
    try:
        yield
    finally:
        raw.text_factory = str
