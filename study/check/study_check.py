"""The check and the repair of a study's log: whole rows are copied, lost games are played again.

A row is whole if its checksum is right. Here, a point is a trial or a validated point. If the row
of a point is lost or damaged, its θ is sought in Optuna's copy of the study (the mirror), in an
earlier export, in the initial design, among the baselines, and in the damaged row. A θ is accepted
if it reproduces a whole game of the point.
"""

import json
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DatabaseError

from thetafront.agents.agent import Agent, Outcome
from thetafront.study.check.games_table import GAMES
from thetafront.study.check.replay import Entry, Settings, replayed
from thetafront.study.check.report import Check, CheckReport
from thetafront.study.errors import DamageError, InputError, first_line
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.earlier import EarlierStudy
from thetafront.study.log.location import Location
from thetafront.study.log.log import (
    FAILED,
    IN_COLUMNS,
    RECORD,
    RUN,
    Log,
    Rows,
    Unit,
    event,
    failure,
    game_row,
    lost,
    point_row,
    row_to_outcome,
    unit_name,
    with_earlier,
)
from thetafront.study.log.mirror import Mirror, optuna_study
from thetafront.study.log.point import DESIGN, Point
from thetafront.study.log.published_study import (
    manifest_in,
    read_published,
    record_in,
    recorded_runs,
)
from thetafront.study.log.same_game import timed_fields
from thetafront.study.log.seeds import search_seed, validation_seed
from thetafront.study.log.study_data import StudyData, StudySource, check_theta
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.log.tables import (
    SEARCH,
    TABLE_OF,
    TABLES,
    VALIDATION,
    EventRow,
    GameRow,
    PointRow,
    StudyRow,
    is_whole,
)
from thetafront.study.run.workers import PlayError
from thetafront.study.text import counted


class StudyCheck:
    """A check of a study's rows, whole or damaged, and of the other places that have its data.

    Tables and a manifest in the study's folder may have what the rows lack. DamageError if neither
    the study's record nor an export of it can be read.
    """

    def __init__(self, study: StudySource, location: Location, settings: Settings) -> None:
        self.name = location.name
        self.settings = settings
        self.integrity = check_integrity(study.engine)
        self.copy, self.mirrored = copy_in(study)
        self.of_thetas, self.of_seeds = Check("points' θ"), Check("seeds")
        rows, problems = rows_left(study) if isinstance(study, Log) else (study.rows(), [])
        self.rows = rows
        n_rows = len(rows.points) + len(rows.games) + len(rows.events)
        of_rows = Check("log rows", 1 + n_rows, problems + rows.problems())
        self.manifest = manifest_in(location.folder)
        self.record = self.read_record(rows, bool(of_rows.problems or not rows.events))
        if not rows.events and recorded_runs(self.manifest):
            of_rows.problems.append("events: missing")
        # The rebuilt study's row has the record, which replaces all earlier ones.
        self.events = [row for row in rows.whole.events if row.kind != RECORD]
        self.experiment: Experiment = self.record.experiment_as_made()
        self.unplayable = ""  # why no game can be played again
        try:
            self.experiment.build({})
            self.record.check_named(self.experiment)
        except (InputError, ValueError) as error:  # its definition is gone, or has changed
            self.unplayable = str(error).removeprefix("study: ")
        self.design = StudyData(self.name, self.experiment, self.record).design
        self.exported: StudyData | None = None
        with suppress(InputError):  # there is no export, or its tables contradict each other
            self.exported = read_published(location.folder)[1] if self.manifest else None
        self.points, self.damaged_points = (
            {(row.phase, row.number): row for row in rows.points if is_whole(row) == whole}
            for whole in (True, False)
        )
        self.games: dict[Unit, dict[int, GameRow]] = {}
        self.damaged_games: dict[Unit, dict[int, GameRow]] = {}
        for row in rows.games:
            kept = self.games if is_whole(row) else self.damaged_games
            kept.setdefault((row.phase, row.number), {})[row.replicate] = row
        self.n_lost = max(rows.n_games, len(rows.games)) - sum(map(len, self.games.values()))
        self.lost: list[str] = []  # what cannot be recovered
        self.entries: list[Entry] = []  # all games that exist or should exist
        failed = rows.whole.latest(FAILED)  # of the events about a point, the newest counts
        errors = {(each["phase"], each["number"]): each["error"] for each in failed}
        self.left_out = {unit for unit, error in errors.items() if error}
        for unit in sorted(self.points):
            self.examine(unit)
        if isinstance(study, Log) and not (of_rows.problems or self.of_thetas.problems):
            trials = StudyData.from_rows(rows, self.experiment).trials
            mirror = Mirror(study, self.experiment, trials)
            self.copy.problems += mirror.find_problems(self.mirrored)
        # ``different`` has the entries that differ when played again, each with the new game.
        played, self.different = replayed(self.entries, settings)
        played.note = f"none: {self.unplayable}" if self.unplayable else played.note
        checks = [self.integrity, of_rows, self.of_thetas, self.of_seeds, self.copy, played]
        if (location.folder / GAMES).exists():
            command = shlex.join(["thetafront", "export", *location.words])
            note = f"not read, because they are copies; to write them again: {command}"
            checks.append(Check("tables in the folder", 0, note=note))
        self.report = CheckReport(f"study {study.name!r}", checks)

    def read_record(self, rows: Rows, is_damaged: bool) -> StudyRecord:
        """Return the newest record, which the manifest may have if rows are damaged or missing.

        The manifest is ignored if it is left from another study of this name.
        """
        events = [row for row in rows.events if row.kind == RECORD]
        stored: list[StudyRow | EventRow] = [*reversed(events), rows.study]
        found = [
            StudyRecord.read(json.loads(row.record), self.name) for row in stored if is_whole(row)
        ]
        if (source := record_in(self.manifest)) is not None:
            with suppress(DamageError, InputError):
                published = StudyRecord.read(source, self.name)
                if not all(each.is_of_same_study(published) for each in found):
                    self.manifest = {}
                elif is_damaged:
                    found.append(published)
        if not found:
            raise DamageError(
                f"study {self.name!r}: its record is damaged; restore the storage from a backup"
            )
        return max(found, key=lambda each: len(each.widened) + len(each.accepted))

    def examine(self, unit: Unit) -> None:
        """Check a point, and collect its stored and lost games."""
        row = self.points[unit]
        self.of_thetas.n += 1
        try:
            theta = json.loads(row.theta)
            check_theta(self.experiment.space, theta, all_of_it=unit not in self.left_out)
            agent = None if self.unplayable else self.experiment.build_again(theta)
        except ValueError as error:
            if unit not in self.left_out:
                self.of_thetas.problems.append(f"{unit_name(unit)}: {error}")
                self.events.append(failure(unit, str(error)))  # a repair leaves the point out
            return
        for replicate, game in self.games.get(unit, {}).items():
            self.check_seed(unit, replicate, game.seed)
        if agent is None:
            return
        for replicate in sorted({*self.games.get(unit, {}), *self.missing(unit, row)}):
            self.entries.append(self.entry(unit, replicate, agent))

    def check_seed(self, unit: Unit, replicate: int, given: int) -> None:
        """Compare a stored game's seed with the one that it must have."""
        self.of_seeds.n += 1
        seed = self.seed(unit, replicate)
        # In earlier versions, all points had the seeds of point 0.
        if given not in {seed, self.seed((unit[0], 0), replicate)}:
            where = f"{unit_name(unit)}, replicate {replicate}"
            self.of_seeds.problems.append(f"{where}: seed must be {seed} (got {given})")

    def missing(self, unit: Unit, row: PointRow) -> Iterator[int]:
        """Yield the replicates that a point has lost, or none if the study has lost no game."""
        if not self.n_lost:
            return
        there, damaged = self.games.get(unit, {}), self.damaged_games.get(unit, {})
        n = max(there, default=-1) + 1
        if row.phase == SEARCH and unit not in self.left_out:
            is_replaced = self.experiment.goal.penalty is None
            n_failed = sum(each.score is None for each in there.values())
            n = max(n, row.n_games + n_failed * is_replaced)
        exported = self.exported_games(unit)
        yield from (each for each in {*range(n), *exported} if each not in there)
        yield from (each for each in damaged if each in range(n, n + self.n_lost))

    def entry(self, unit: Unit, replicate: int, agent: Agent) -> Entry:
        """Return the entry of a game; it has no game if the stored one is damaged or missing."""
        where = f"{unit_name(unit)}, replicate {replicate}"
        seed = self.seed(unit, replicate)
        game: Outcome | None = None
        stored: Mapping[str, Any] = {}
        if (row := self.games.get(unit, {}).get(replicate)) is not None:
            game = row_to_outcome(row, self.experiment.summary.game)
            seed = game.seed
        elif (damaged := self.damaged_games.get(unit, {}).get(replicate)) is not None:
            stored = damaged_fields(damaged)
        elif replicate in (exported := self.exported_games(unit)):
            stored = exported[replicate].to_row()

        def keep(played: Outcome) -> None:
            like = row or next(iter(self.games.get(unit, {}).values()), None)
            every = (each for games in self.games.values() for each in games.values())
            at, other = (like.at, like) if like else (None, next(every, None))
            new = game_row(unit, replicate, played, other.machine if other else "", at)
            self.games.setdefault(unit, {})[replicate] = new
            self.n_lost -= game is None

        return Entry(where, agent, seed, game, stored, keep, timed_fields(self.experiment))

    def exported_games(self, unit: Unit) -> Mapping[int, Outcome]:
        """Return the games of a point from an earlier export."""
        phase, number = unit
        data = self.exported
        owners = [] if data is None else data.trials if phase == SEARCH else data.points
        theta = json.loads(self.points[unit].theta)
        return next((e.outcomes for e in owners if e.number == number and e.params == theta), {})

    def seed(self, unit: Unit, replicate: int) -> int:
        """Return the seed that a game must have."""
        phase, number = unit
        seed_of = search_seed if phase == SEARCH else validation_seed
        return seed_of(self.record.seed, number, replicate)

    # What is lost

    @property
    def lost_points(self) -> list[Unit]:
        """Points that have no whole row but must exist: they have games, or precede others."""
        return sorted(with_earlier({*self.games, *self.points}) - {*self.points})

    def recover_theta(self, unit: Unit) -> Point | None:
        """Return a lost point with the first θ that reproduces one of its games; None if none does.

        If the point has no whole game, the first valid θ is taken, but only if this θ certainly
        belongs to the point.
        """
        first = min(self.games.get(unit, {}), default=None)
        for source, is_sure in self.theta_sources(unit):
            try:
                check_theta(self.experiment.space, source.params, all_of_it=True)
                agent = self.experiment.build_again(source.params)
                if first is None:
                    return source if is_sure else None
                entry = self.entry(unit, first, agent)
                check, _ = replayed([entry], replace(self.settings, n_games=None))
            except (ValueError, PlayError):
                continue
            if not check.problems:
                return source
        return None

    def theta_sources(self, unit: Unit) -> Iterator[tuple[Point, bool]]:
        """Yield points that may have the lost θ, and whether each certainly has it."""
        phase, number = unit
        if phase == SEARCH:
            if (trial := self.mirrored.get(number)) is not None:
                origin = str(trial.user_attrs.get("origin", ""))
                yield Point(trial.params, origin, notes=trial.system_attrs), True
            if number < len(self.design):
                yield Point(self.design[number], DESIGN), True
        if self.exported is not None:
            for each in self.exported.trials if phase == SEARCH else self.exported.points:
                if each.number == number:
                    yield each, True
        if phase == VALIDATION:
            for name, theta in self.experiment.baselines.items():
                yield Point(self.experiment.space.clip(theta), name), False
        if (row := self.damaged_points.get(unit)) is not None:
            with suppress(ValueError, TypeError):
                theta, notes = dict(json.loads(row.theta)), json.loads(row.notes)
                yield Point(theta, row.origin, notes=notes), False

    def restore_point(self, unit: Unit) -> None:
        """Restore a lost point, or drop it with its games if its θ cannot be recovered."""
        games = self.games.get(unit, {})
        if (source := self.recover_theta(unit)) is None:
            self.games.pop(unit, None)
            # If it was left out, this says nothing of a new point with its number.
            self.events += [failure(unit, ""), lost(unit)]
            self.lost.append(
                f"{unit_name(unit)} with {counted(len(games), 'game')}: its θ cannot be recovered"
            )
            return
        known = max(games, default=0) + 1
        others = (row.n_games for row in self.points.values() if row.phase == unit[0])
        n_games = min((each for each in others if each >= known), default=known)
        before = [
            row.at for (phase, n), row in self.points.items() if phase == unit[0] and n < unit[1]
        ]
        at = min((row.at for row in games.values()), default=max(before, default=0.0))
        at = at or time.time()  # Optuna needs one
        row = point_row(*unit, source.params, source.origin, n_games, source.notes, at)
        self.points[unit] = row
        self.examine(unit)

    def check_repairable(self) -> None:
        """Raise InputError if games must be played for a repair, but none can be played."""
        if self.unplayable and (self.lost_points or self.n_lost > 0):
            raise InputError(
                f"study: {self.name!r} cannot be repaired, because no game can be played again: "
                f"{self.unplayable}"
            )

    @property
    def all_lost(self) -> list[str]:
        """What remains lost after a repair."""
        if self.n_lost <= 0:
            return self.lost
        return [
            *self.lost,
            f"{counted(self.n_lost, 'game')} whose points are unknown",
        ]

    def rebuilt(self) -> Rows:
        """Return the rows of a new log."""
        games = (row for each in self.games.values() for row in each.values())
        events = [*self.events, *self.manifest_events()]
        study = StudyRow(self.name, json.dumps(self.record.as_data()))
        return Rows.numbered(study, self.points.values(), games, events)

    def manifest_events(self) -> list[EventRow]:
        """Return events that the log has lost, from the manifest and the mirror."""
        rows = Rows(StudyRow(self.name, ""), events=self.events)
        known = {each["index"] for each in rows.latest(RUN)}
        runs = enumerate(recorded_runs(self.manifest))
        found = [event(RUN, index=n, run=run) for n, run in runs if n not in known]
        for number, trial in self.mirrored.items():
            unit = SEARCH, number
            if trial.state == TrialState.FAIL and unit in self.points and unit not in self.left_out:
                found.append(failure(unit, str(trial.user_attrs.get("error", "failed"))))
        return found


def damaged_fields(row: GameRow) -> dict[str, Any]:
    """Return what a damaged row says about its game."""
    stored = {name: getattr(row, name) for name in IN_COLUMNS}
    try:
        return {**json.loads(row.record), **stored}
    except (ValueError, TypeError):
        return stored


def rows_left(log: Log) -> tuple[Rows, list[str]]:
    """Return the readable rows of a log, damaged or not, and say what cannot be read."""
    engine = log.engine
    with suppress(DatabaseError, DamageError):
        return log.rows(), []
    there = set(inspect(engine).get_table_names())
    problems = [f"table {name}: missing" for name in sorted(TABLES - there)]
    found: dict[type, set[Any]] = {kind: set() for kind in TABLE_OF}
    for kind, table in TABLE_OF.items():
        if table.name not in there:
            continue
        columns = ", ".join(kind._fields)  # type: ignore[attr-defined]
        query = f"SELECT {columns} FROM {table.name} WHERE study = {log.study}"
        ways = ("", " ORDER BY rowid DESC") if engine.dialect.name == "sqlite" else ("",)
        for way in ways:  # reads from the start, then from the end, each up to a damaged page
            try:
                with engine.connect() as connection:
                    found[kind].update(kind(*row) for row in connection.execute(text(query + way)))
                break
            except DatabaseError as error:
                if engine.dialect.name != "sqlite":
                    raise  # the server refuses, or cannot be reached: nothing is damaged
                problems.append(f"table {table.name}: {error.orig}")
    (study,) = [*found[StudyRow], StudyRow(log.name, "")][:1]
    points, games, events = (
        sorted(found[kind], key=lambda row: [(type(each).__name__, each) for each in row])
        for kind in (PointRow, GameRow, EventRow)  # values of damaged rows may have any type
    )
    return Rows(study, points, games, events), problems


def copy_in(study: StudySource) -> tuple[Check, dict[int, FrozenTrial]]:
    """Check that Optuna's copy of a study can be read; return its trials by number."""
    check = Check("Optuna's copy")
    if isinstance(study, EarlierStudy):
        check.note = "none: Optuna's tables contain the study itself"
        return check, {}
    try:
        copy = optuna_study(study.engine, study.name)
        trials = [] if copy is None else copy.get_trials(deepcopy=False)
    except Exception as error:  # any error may occur, because optuna does not check what it reads
        check.problems.append(f"cannot be read: {first_line(error)}")
        return check, {}
    check.n = len(trials)
    return check, {trial.number: trial for trial in trials}


def check_integrity(engine: Engine) -> Check:
    """Check the database file; a database server is left to check its own storage."""
    if engine.dialect.name != "sqlite":
        return Check("database integrity", 0, note="left to the database server")
    try:
        with engine.connect() as connection:
            found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    except DatabaseError as error:
        found = [str(error.orig)]
    return Check("database integrity", 1, found if found != ["ok"] else [])
