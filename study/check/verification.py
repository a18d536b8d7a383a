"""A study or a folder verified: examined, a sample of its games played again, and repaired."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from optuna.trial import FrozenTrial
from rich.console import Console
from sqlalchemy import Engine, text
from sqlalchemy.exc import DatabaseError

from thetafront.agents.agent import Outcome
from thetafront.study.check.games_table import GAMES, GamesTable, table_in
from thetafront.study.check.replay import Entry, play_again, sample
from thetafront.study.check.report import Check, Report
from thetafront.study.check.study_check import StudyCheck, Told, rows_left
from thetafront.study.errors import InputError
from thetafront.study.log.append_only import AppendOnlyFile
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.database import make_engine
from thetafront.study.log.earlier import EarlierStudy, earlier_names
from thetafront.study.log.location import Location
from thetafront.study.log.lock import locked
from thetafront.study.log.log import Log, Rows, Unit, names_in
from thetafront.study.log.mirror import Mirror, drop_tables, mirrored, optuna_study
from thetafront.study.log.same_game import difference
from thetafront.study.log.storage import Study, log_to_write
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import METADATA
from thetafront.study.run.workers import PlayError
from thetafront.study.text import counted

DEFAULT_GAMES = 30


@dataclass(frozen=True)
class Settings:
    """How to verify: games to play again (None for all), workers, and where progress goes."""

    n_games: int | None
    jobs: int
    out: Console


def replayed(
    entries: Sequence[Entry], settings: Settings
) -> tuple[Check, list[tuple[Entry, Outcome]]]:
    """Play a sample again and compare; return the check, and the games that differ as played."""
    drawn = sample(entries, settings.n_games)
    played = play_again(drawn, settings.jobs, settings.out, "played again, to be compared")
    n_readable = sum(entry.game is not None for entry in entries)
    check = Check("games played again", len(drawn), note=f"ok, of {n_readable:,}")
    different = []
    for entry, game in zip(drawn, played, strict=True):
        if entry.game is not None and (how := difference(entry.game, game)):
            check.flaws.append(f"{entry.where}, seed {entry.seed}: {how}")
            different.append((entry, game))
    if check.flaws:
        check.note = f"of {len(drawn):,} played of {n_readable:,}"
    return check, different


def restore(
    entries: Sequence[Entry], different: Sequence[tuple[Entry, Outcome]], settings: Settings
) -> list[str]:
    """Play damaged games, and keep them and those that differ; say how many."""
    damaged = [entry for entry in entries if entry.game is None]
    played = play_again(damaged, settings.jobs, settings.out, "damaged, played again")
    for entry, game in [*zip(damaged, played, strict=True), *different]:
        entry.keep(entry.restored(game))
    done = []
    if damaged:
        done.append(f"{counted(len(damaged), 'game')} played again, damaged or missing before")
    if different:
        done.append(f"{counted(len(different), 'game')} replaced that came out differently")
    return done


# A study in its storage


def verify_study(study: Study, location: Location, settings: Settings, repair: bool) -> Report:
    """Verify a study, and repair it if asked to: its log is built anew.

    Parameters
    ----------
    study : Log or EarlierStudy
        The study; one of an earlier version is brought to today's format first, if it is to be
        repaired.
    location : Location
        Where it is.
    settings : Settings
        How.
    repair : bool
        Whether to mend what can be mended, after a copy of the database.

    Raises
    ------
    InputError
        If it is to be repaired, and a sweep holds it.
    DamageError
        If what made the study cannot be read, so that nothing else can.
    PlayError
        If a game cannot be played.
    """
    if not repair:
        return Examination.of(study, location, settings).report
    with locked(location):
        found = Examination.of(study, location, settings)
        if found.report.ok:
            return found.report
        repaired = []
        if location.database is not None:
            repaired.append(f"a copy as it was is {str(copy_of(location.database))!r}")
        if isinstance(study, EarlierStudy):
            study = log_to_write(study, repaired.append)
            found = Examination.of(study, location, settings)
        for unit in found.study.lost_points:
            found.study.take(unit, theta_told(found.study, unit, settings))
        repaired += restore(found.study.entries, found.different, settings)
        study = written(study, location, found)
        repaired.append("the log was written anew, in one transaction")
        repaired += [f"{each}: lost" for each in found.study.all_lost]
        report = Examination.of(study, location, settings).report
        report.repaired = repaired
        return report


@dataclass
class Examination:
    """What was found of a study: the report, its rows checked, and games that differ as played."""

    report: Report
    study: StudyCheck
    different: list[tuple[Entry, Outcome]]
    is_sound: bool

    @classmethod
    def of(cls, study: Study, location: Location, settings: Settings) -> "Examination":
        """Examine a study."""
        integrity = integrity_of(study.engine)
        if isinstance(study, Log):
            rows, unreadable = rows_left(study.engine, study)
        else:
            rows, unreadable = study.rows(), []
        copy, trials = copy_in(study)
        found = StudyCheck(rows, location, trials)
        found.of_rows.flaws[:0] = unreadable
        if isinstance(study, Log) and not found.of_rows.flaws:
            data = StudyData.from_rows(rows, found.experiment)
            copy.flaws += Mirror(study, found.experiment, data.trials).problems_of(trials)
        check, different = replayed(found.entries, settings)
        report = Report(f"study {study.name!r}", [integrity, *found.checks, copy, check])
        return cls(report, found, different, not integrity.flaws)


def copy_in(study: Study) -> tuple[Check, dict[int, FrozenTrial]]:
    """Check that optuna's copy of a study can be read; return its trials by number."""
    check = Check("optuna's copy")
    if isinstance(study, EarlierStudy):
        check.note = "it is the study itself"
        return check, {}
    try:
        copy = optuna_study(study.engine, study.name)
        trials = [] if copy is None else copy.get_trials(deepcopy=False)
    except Exception as error:  # optuna checks nothing that it reads: any error may come of it
        check.flaws.append(f"cannot be read: {str(error).splitlines()[0]}")
        return check, {}
    check.n = len(trials)
    return check, {trial.number: trial for trial in trials}


def theta_told(study: StudyCheck, unit: Unit, settings: Settings) -> Told | None:
    """Return θ of a lost point, with which one of its games comes out the same; None if lost.

    Where none of its games is whole, the first that is told by something else than its own row.
    """
    for told, entry in study.tests(unit):
        if entry is None or entry.game is None:
            return told if told.is_sure else None
        try:
            (played,) = play_again([entry], 1, settings.out)
        except PlayError:
            continue
        if not difference(entry.game, played):
            return told
    return None


def written(log: Log, location: Location, found: Examination) -> Log:
    """Write a study's log anew, and its mirror; into another file if this one is damaged."""
    rows, engine = found.study.rebuilt(), log.engine
    others = (names_in(engine) | earlier_names(engine)) - {log.name}
    if not found.is_sound and location.database is not None and not others:
        log = moved(location, rows)
    else:
        log.rebuild(rows)
    data = StudyData.from_rows(rows, found.study.experiment)
    try:
        mirrored(log, data.experiment, data.trials)
    except Exception:  # whatever optuna makes of damaged tables
        if earlier_names(engine) - names_in(engine):
            raise
        drop_tables(log.engine)
        mirrored(log, data.experiment, data.trials)
    return log


def moved(location: Location, rows: Rows) -> Log:
    """Write rows into a new file in place of a damaged one."""
    assert location.database is not None
    with atomic_write(location.database) as draft:
        engine = make_engine(replace(location, url=f"sqlite:///{draft}"))
        METADATA.create_all(engine)
        Log.create(engine, rows)
        engine.dispose()
    engine = make_engine(location)
    log = Log.find(engine, location.name)
    assert log is not None
    return log


def integrity_of(engine: Engine) -> Check:
    """Check the database file; for another storage say that it does so itself."""
    if engine.dialect.name != "sqlite":
        return Check("database integrity", 0, note="left to the database server")
    try:
        with engine.connect() as connection:
            found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    except DatabaseError as error:
        found = [str(error.orig)]
    return Check("database integrity", 1, found if found != ["ok"] else [])


def copy_of(path: Path) -> Path:
    """Copy a file beside itself, under a name that is not taken."""
    number = 1
    while (copy := path.with_name(f"{path.name}.before-repair-{number}")).exists():
        number += 1
    shutil.copy2(path, copy)
    return copy


# A folder of published results


def verify_folder(folder: Path, settings: Settings, repair: bool) -> Report:
    """Verify the table of games in a folder, and repair it if asked to.

    Parameters
    ----------
    folder : Path
        A paper's, or that of an exported study without its database.
    settings : Settings
        How.
    repair : bool
        Whether to mend what can be mended.

    Raises
    ------
    InputError
        If there is no such table, or it is to be repaired, and a run is writing it.
    PlayError
        If a game cannot be played.
    """
    if not (folder / GAMES).is_file():
        raise InputError(f"{folder}: no {GAMES} in it, nor a study.db: nothing to verify")
    if not repair:
        return examined_table(folder, settings)[0]
    with AppendOnlyFile(folder / GAMES, "a table of games").held(len):
        report, table, different = examined_table(folder, settings)
        if report.ok:
            return report
        if table.n_dropped > len(table.lines) / 2:
            raise InputError(
                f"{table.path}: repair would drop {table.n_dropped} of {len(table.lines)} lines, "
                "since nothing tells what games they are; restore the files beside it"
            )
        repaired = restore(table.entries, different, settings)
        if table.content == table.path.read_bytes():
            return report  # nothing of it can be mended
        repaired.insert(0, f"a copy as it was is {str(copy_of(table.path))!r}")
        table.write()
    if table.n_dropped:
        lines = counted(table.n_dropped, "line")
        repaired.append(f"{lines} dropped: nothing tells what game it was")
    report, _, _ = examined_table(folder, settings)
    report.repaired = repaired
    return report


def examined_table(
    folder: Path, settings: Settings
) -> tuple[Report, GamesTable, list[tuple[Entry, Outcome]]]:
    """Examine a table of games; return the report, the table, and the games that differ."""
    table = table_in(folder)
    check, different = replayed(table.entries, settings)
    return Report(f"games in {folder}", [*table.checks, check]), table, different
