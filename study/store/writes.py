"""What a run writes often, and how it lies in the tables: ours, and optuna's as optuna writes them.

A transaction may be tried again after a lost connection, when nobody knows whether it was
committed: so whatever is written twice is there once. Trials go by their number, since one process
begins all of them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from optuna.storages._rdb.models import BaseModel, TrialValueModel
from optuna.trial import TrialState
from sqlalchemy import Connection, Table, bindparam, insert, select, update

from thetafront.agents.agent import Outcome
from thetafront.study.store.games_table import GAMES, KEY
from thetafront.study.store.seeds import game_to_record
from thetafront.study.store.upsert import Row, write_rows

TABLES: Mapping[str, Table] = BaseModel.metadata.tables
TRIALS, PARAMS, VALUES = (TABLES[name] for name in ("trials", "trial_params", "trial_values"))
ATTRIBUTES, NOTES = TABLES["trial_user_attributes"], TABLES["trial_system_attributes"]
OF_STUDY = TABLES["study_user_attributes"]


def now() -> datetime:
    """Return the time as optuna stores it: UTC, without its zone."""
    return datetime.now(UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class BegunTrial:
    """A trial that begins: one that waits, or a new one; one that has begun keeps what it has.

    Attributes
    ----------
    number : int
        The trial's.
    params : mapping
        By name, the value as optuna stores it, and the distribution as JSON.
    origin : str
        Who proposed it, unless that is stored already.
    notes : mapping
        What the sampler keeps with it, as system attributes.
    at : datetime
        When.
    """

    number: int
    params: Mapping[str, tuple[float, str]]
    origin: str
    notes: Mapping[str, Any] = field(default_factory=dict)
    at: datetime = field(default_factory=now)


@dataclass(frozen=True)
class PlayedGame:
    """A game of a trial or of a point, ended or failed, and the class of its machine."""

    phase: str
    unit: str
    replicate: int
    game: Outcome
    machine: str = ""

    def row(self, study_id: int) -> Row:
        """Return its row of the table of games."""
        return {
            "study_id": study_id,
            "phase": self.phase,
            "unit": self.unit,
            "replicate": self.replicate,
            "machine": self.machine or None,
            "record": json.dumps(game_to_record(self.game)),
        }


@dataclass(frozen=True)
class EndedTrial:
    """A trial that ends: complete with its values, or failed; user attributes say more."""

    number: int
    values: Sequence[float] | None
    attributes: Mapping[str, Any]
    at: datetime = field(default_factory=now)


@dataclass(frozen=True)
class StudyAttribute:
    """A user attribute of the study, which replaces one of the same name."""

    key: str
    value: Any


Write = BegunTrial | PlayedGame | EndedTrial | StudyAttribute


class StudyTables:
    """Where a study's writes go.

    Parameters
    ----------
    study_id : int
        The study's.
    """

    def __init__(self, study_id: int) -> None:
        self.study_id = study_id
        self.trial_ids: dict[int, int] = {}

    def write(self, connection: Connection, writes: Iterable[Write]) -> None:
        """Write in the connection's transaction; of each sort all at once."""
        sorts: dict[type, list[Any]] = {}
        for each in writes:
            sorts.setdefault(type(each), []).append(each)
        # A trial begins before it ends, and a point is there before its games.
        self.begin(connection, sorts.get(BegunTrial, []))
        latest = {each.key: json.dumps(each.value) for each in sorts.get(StudyAttribute, [])}
        rows: list[Row] = [
            {"study_id": self.study_id, "key": key, "value_json": value}
            for key, value in latest.items()
        ]
        write_rows(connection, OF_STUDY, ("study_id", "key"), rows, ("value_json",))
        rows = [each.row(self.study_id) for each in sorts.get(PlayedGame, [])]
        write_rows(connection, GAMES, KEY, rows)
        self.end(connection, sorts.get(EndedTrial, []))

    def forget(self) -> None:
        """Forget which trials there are: a transaction that failed may not have made them."""
        self.trial_ids.clear()

    def look_up(self, connection: Connection) -> None:
        """Read which trials there are, beyond those that are known."""
        newest = max(self.trial_ids.values(), default=-1)
        query = select(TRIALS.c.number, TRIALS.c.trial_id).where(
            TRIALS.c.study_id == self.study_id, TRIALS.c.trial_id > newest
        )
        self.trial_ids.update((number, row) for number, row in connection.execute(query))

    def begin(self, connection: Connection, begun: Sequence[BegunTrial]) -> None:
        """Write trials that begin."""
        if not begun:
            return
        if any(each.number not in self.trial_ids for each in begun):
            self.look_up(connection)
        new = [each for each in begun if each.number not in self.trial_ids]
        created = {each.number for each in new}
        if new:
            rows = [
                {
                    "number": each.number,
                    "study_id": self.study_id,
                    "state": TrialState.RUNNING,
                    "datetime_start": each.at,
                }
                for each in sorted(new, key=lambda each: each.number)
            ]
            connection.execute(insert(TRIALS), rows)
            self.look_up(connection)
        if waiting := [each for each in begun if each.number not in created]:
            statement = update(TRIALS).where(
                TRIALS.c.trial_id == bindparam("row"), TRIALS.c.state == TrialState.WAITING
            )
            connection.execute(
                statement.values(state=TrialState.RUNNING, datetime_start=bindparam("at")),
                [{"row": self.trial_ids[each.number], "at": each.at} for each in waiting],
            )
        params = [
            {
                "trial_id": self.trial_ids[each.number],
                "param_name": name,
                "param_value": value,
                "distribution_json": distribution,
            }
            for each in begun
            for name, (value, distribution) in each.params.items()
        ]
        write_rows(connection, PARAMS, ("trial_id", "param_name"), params)
        self.write_attributes(
            connection, ATTRIBUTES, {each.number: {"origin": each.origin} for each in begun}, ()
        )
        self.write_attributes(connection, NOTES, {each.number: each.notes for each in begun})

    def end(self, connection: Connection, ended: Sequence[EndedTrial]) -> None:
        """Write trials that end."""
        if not ended:
            return
        if any(each.number not in self.trial_ids for each in ended):
            self.look_up(connection)
        self.write_attributes(
            connection, ATTRIBUTES, {each.number: each.attributes for each in ended}
        )
        rows = []
        for each in ended:
            for objective, value in enumerate(each.values or ()):
                stored, kind = TrialValueModel.value_to_stored_repr(value)
                row = {"trial_id": self.trial_ids[each.number], "objective": objective}
                rows.append({**row, "value": stored, "value_type": kind})
        write_rows(
            connection, VALUES, ("trial_id", "objective"), rows, replaced=("value", "value_type")
        )
        statement = update(TRIALS).where(
            TRIALS.c.trial_id == bindparam("row"), TRIALS.c.state == TrialState.RUNNING
        )
        connection.execute(
            statement.values(state=bindparam("new_state"), datetime_complete=bindparam("at")),
            [
                {
                    "row": self.trial_ids[each.number],
                    "new_state": TrialState.FAIL if each.values is None else TrialState.COMPLETE,
                    "at": each.at,
                }
                for each in ended
            ],
        )

    def write_attributes(
        self,
        connection: Connection,
        table: Table,
        of_trials: Mapping[int, Mapping[str, Any]],
        replaced: Sequence[str] = ("value_json",),
    ) -> None:
        """Write attributes of trials, by number."""
        rows: list[Row] = [
            {"trial_id": self.trial_ids[number], "key": key, "value_json": json.dumps(value)}
            for number, attributes in of_trials.items()
            for key, value in attributes.items()
        ]
        write_rows(connection, table, ("trial_id", "key"), rows, replaced)
