"""Reads studies of earlier versions, which Optuna stored, as if they were logs.

In these studies, a trial's θ, state and values are in Optuna's tables. The study's record, runs and
validated points are user attributes of Optuna's study. Games are in a table ``thetafront_games``;
in the earliest studies, they are user attributes of their trial or of the study. Reading such a
study does not change the database. Before anything else is written to the study, its rows are
stored as a log.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import Connection, Engine, inspect, text

from thetafront.agents.agent import FailedGame
from thetafront.study.errors import DamageError, error_context, first_line
from thetafront.study.log.database import OLD_GAMES, location_of
from thetafront.study.log.location import study_context
from thetafront.study.log.log import (
    MACHINE,
    RUN,
    Log,
    Rows,
    Unit,
    create_tables,
    event,
    failure,
    insert_study,
    lost,
    point_row,
    record_to_row,
)
from thetafront.study.log.mirror import mirrored, optuna_storage
from thetafront.study.log.point import theta_key
from thetafront.study.log.seeds import KIND, parse_replicate
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import ATTRIBUTE, FORMAT, StudyRecord
from thetafront.study.log.tables import (
    SEARCH,
    VALIDATION,
    EventRow,
    GameRow,
    PointRow,
    StudyRow,
)

RUN_PREFIX, MACHINE_PREFIX, POINT_PREFIX = "run:", "machine:", "point:"
GAME_PREFIX, VALIDATION_PREFIX = "game:", "validation:"
STORED_GAMES = text(
    f"SELECT g.phase, g.unit, g.replicate, g.machine, g.record FROM {OLD_GAMES} g "
    "JOIN studies s ON s.study_id = g.study_id WHERE s.study_name = :name ORDER BY g.game_id"
)
DELETED_GAMES = text(
    f"DELETE FROM {OLD_GAMES} WHERE study_id IN "
    "(SELECT study_id FROM studies WHERE study_name = :name)"
)
FIXED = "fixed_params"

Games = dict[int, tuple[Mapping[str, Any], str]]
"""The record of each game and the key of its machine, by replicate."""


@dataclass(frozen=True)
class EarlierStudy:
    """A study of an earlier version, which is read as if it were a log."""

    engine: Engine  # engine of the study's database
    name: str  # name of the study

    def newest(self) -> tuple[int, int]:
        """Return constant numbers, since nothing is added to a study of an earlier version."""
        return 0, 0

    def rows(self) -> Rows:
        """Return the study as the rows of a log.

        InputError if thetafront did not make the study; DamageError if a value cannot be read.
        """
        try:
            study = optuna.load_study(study_name=self.name, storage=optuna_storage(self.engine))
            attributes, trials = study.user_attrs, study.get_trials(deepcopy=False)
        except Exception as error:  # optuna does not check what it reads: any error may follow
            raise DamageError(f"{type(error).__name__}: {first_line(error)}") from None
        if attributes.get(ATTRIBUTE) == {"format": FORMAT}:  # the mirror of a study
            raise DamageError("record: missing")
        record = StudyRecord.read(attributes.get(ATTRIBUTE), self.name)
        with error_context("study"), self.engine.connect() as connection:
            has_table = inspect(connection).has_table(OLD_GAMES)
            if attributes[ATTRIBUTE]["format"] > 1 and not has_table:
                raise DamageError(f"no table {OLD_GAMES}; restore a copy")
            record = replace(record, direction=study.directions[0].name.lower())
            return imported(self.name, record, attributes, trials, games_in(connection, self.name))

    @property
    def is_empty(self) -> bool:
        """Whether a kill left this study empty before its record was stored.

        Without a record, only the directions show that the study may be one of thetafront's.
        """
        study = optuna.load_study(study_name=self.name, storage=optuna_storage(self.engine))
        is_ours = study.directions[1:] == [StudyDirection.MINIMIZE]
        return is_ours and not (study.user_attrs or study.get_trials(deepcopy=False))

    def store(self, say: Callable[[str], None]) -> Log:
        """Store the study as a log in one transaction, write its mirror, and return the log.

        The games' rows in the old table are deleted, and ``say`` is called with a message.
        """
        with study_context(location_of(self.engine, self.name)):
            rows = self.rows()
        with self.engine.begin() as connection:
            create_tables(connection)
            study = insert_study(connection, rows)
            if inspect(connection).has_table(OLD_GAMES):
                connection.execute(DELETED_GAMES, {"name": self.name})
        log = Log(self.engine, self.name, study)
        data = StudyData.read(log)
        mirrored(log, data.experiment, data.trials)
        say(
            f"study {self.name!r} was converted from an earlier version: "
            f"{len(data.trials):,} trials, {len(data.points):,} points and all of their games"
        )
        return log


def games_in(connection: Connection, name: str) -> dict[tuple[str, str], Games]:
    """Return the games in the old table, by phase and by a trial's number or a point's key."""
    found: dict[tuple[str, str], Games] = {}
    if inspect(connection).has_table(OLD_GAMES):
        for phase, unit, replicate, machine, record in connection.execute(
            STORED_GAMES, {"name": name}
        ):
            found.setdefault((phase, unit), {})[replicate] = json.loads(record), machine or ""
    return found


def imported(
    name: str,
    record: StudyRecord,
    attributes: Mapping[str, Any],
    trials: list[FrozenTrial],
    games: Mapping[tuple[str, str], Games],
) -> Rows:
    """Return the rows of a log, made from what Optuna stored."""
    points: list[PointRow] = []
    played: list[GameRow] = []
    events: list[EventRow] = []
    runs = {parse_replicate(key): run for key, run in with_prefix(RUN_PREFIX, attributes)}
    events += [event(RUN, index=index, run=runs[index]) for index in sorted(runs)]
    experiment = record.experiment_as_made()
    usual = [run["n_replicates"] for run in runs.values() if "n_replicates" in run]
    for trial in trials:
        own = dict(games.get((SEARCH, str(trial.number)), {})) | attached(trial.user_attrs)
        if trial.state == TrialState.WAITING or not (
            trial.state.is_finished() or experiment.space.is_whole(trial.params)
        ):
            continue  # its θ will be drawn or proposed again
        n_games = len(own)
        if experiment.goal.penalty is None:
            n_games -= sum(game.get(KIND) == FailedGame.kind for game, _ in own.values())
        if trial.state != TrialState.COMPLETE:  # the number of games asked for
            n_games = max([n_games, *usual[-1:]])
        unit = SEARCH, trial.number
        origin, notes = trial.user_attrs.get("origin", ""), dict(trial.system_attrs)
        notes.pop(FIXED, None)
        began, ended = moment(trial.datetime_start), moment(trial.datetime_complete)
        points.append(point_row(*unit, trial.params, origin, max(1, n_games), notes, began))
        played += [record_to_row(unit, r, *own[r], ended or began) for r in sorted(own)]
        if trial.state == TrialState.FAIL:
            events.append(failure(unit, trial.user_attrs.get("error") or "failed"))
    begun = {row.number for row in points}
    events += [lost((SEARCH, n)) for n in range(max(begun, default=0)) if n not in begun]
    for unit, stored, own in points_in(attributes, games):
        points.append(point_row(*unit, stored["params"], stored["origin"], at=0.0))
        played += [record_to_row(unit, r, *own[r], 0.0) for r in sorted(own)]
        if stored.get("error"):
            events.append(failure(unit, stored["error"]))
    events += [
        event(MACHINE, key=key, machine=machine)
        for key, machine in with_prefix(MACHINE_PREFIX, attributes)
    ]
    return Rows.numbered(StudyRow(name, json.dumps(record.as_data())), points, played, events)


def with_prefix(prefix: str, attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes whose names begin with a prefix, with the rest of their names."""
    for name, value in attributes.items():
        if name.startswith(prefix):
            yield name.removeprefix(prefix), value


def attached(attributes: Mapping[str, Any]) -> Games:
    """Return the games that are stored as user attributes of a trial."""
    return {parse_replicate(key): (game, "") for key, game in with_prefix(GAME_PREFIX, attributes)}


def points_in(
    attributes: Mapping[str, Any], games: Mapping[tuple[str, str], Games]
) -> Iterator[tuple[Unit, Mapping[str, Any], Games]]:
    """Yield the validated points with their games; each point gets a different number.

    In earlier versions, all points had the seeds of the first point, and therefore its number.
    """
    known = dict(with_prefix(POINT_PREFIX, attributes))
    of_points = {key: dict(games.get((VALIDATION, key), {})) for key in known}
    for name, game in with_prefix(VALIDATION_PREFIX, attributes):
        key, _, replicate = name.partition(":")
        of_points[key][parse_replicate(replicate)] = game, ""
    lost = {key for phase, key in games if phase == VALIDATION} - set(known)
    if lost:
        raise ValueError(f"a game of point {min(lost)} exists, but the point does not")
    taken: set[int] = set()
    for key, point in known.items():
        if theta_key(point["params"]) != key:
            raise ValueError(f"{POINT_PREFIX}{key}: this key does not belong to the point's θ")
        number = point.get("number", 0)
        while number in taken:
            number += 1
        taken.add(number)
        yield (VALIDATION, number), point, of_points[key]


def moment(at: datetime | None) -> float:
    """Convert a time from Optuna's tables (UTC, without a time zone) to seconds since 1970."""
    return 0.0 if at is None else at.replace(tzinfo=UTC).timestamp()
