"""Verification of a study or a folder: checks, a sample of games played again, and repair."""

import shutil
from pathlib import Path

from thetafront.agents.agent import Outcome
from thetafront.study.check.games_table import GAMES, GamesTable, table_in
from thetafront.study.check.replay import Entry, Settings, replayed, restore
from thetafront.study.check.report import CheckReport
from thetafront.study.check.study_check import StudyCheck
from thetafront.study.errors import InputError, RunError
from thetafront.study.log.append_only import AppendOnlyFile
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.database import make_engine, optuna_names_left
from thetafront.study.log.location import Location, sqlite_url
from thetafront.study.log.lock import locked
from thetafront.study.log.log import Log, Rows, studies_in
from thetafront.study.log.mirror import drop_tables, mirrored
from thetafront.study.log.storage import log_to_write
from thetafront.study.log.study_data import StudyData, StudySource
from thetafront.study.text import counted

# A study in its storage


def verify_study(
    study: StudySource, location: Location, settings: Settings, repair: bool
) -> CheckReport:
    """Verify a study, and repair it if requested: its log is rebuilt.

    The study is copied before it is changed, and a study of an earlier version is converted to
    today's format. RunError if a repair is requested while a sweep is writing the study, or if
    its lock is lost meanwhile; InputError if games are lost and none can be played, since the
    definition is gone or has changed; DamageError if the study's record cannot be read, since the
    other rows have no meaning without it; PlayError if a game cannot be played.
    """
    if not repair:
        return StudyCheck(study, location, settings).report
    with locked(location) as lock:
        found = StudyCheck(study, location, settings)
        if found.report.ok:
            return found.report
        found.check_repairable()
        for unit in found.lost_points:
            found.restore_point(unit)
        restored = restore(found.entries, found.different, settings)
        rows = found.rebuilt()
        data = StudyData.from_rows(rows, found.experiment)  # if it cannot be read, nothing changes
        repaired = [f"a copy of the original is {str(copy_study(location, found.rows))!r}"]
        if lock is not None and not lock.is_alive():  # another run may have written meanwhile
            raise RunError(f"study: {study.name!r} is not repaired: its lock was lost; try again")
        log = log_to_write(study, repaired.append)
        study = written(log, location, data, rows, is_sound=not found.integrity.problems)
        repaired += [*restored, *(f"left out: {each}" for each in found.of_thetas.problems)]
        repaired.append("the log was rewritten in one transaction")
        report = StudyCheck(study, location, settings).report
        report.repaired, report.lost = repaired, found.all_lost
        return report


def written(log: Log, location: Location, data: StudyData, rows: Rows, is_sound: bool) -> Log:
    """Rewrite a study's log and Optuna's copy of the study.

    If the database file is not sound and holds no other study, a new file replaces it.
    """
    engine = log.engine
    others = (studies_in(engine).keys() | optuna_names_left(engine)) - {log.name}
    if not is_sound and not others:
        assert location.database is not None
        log = Log(make_engine(location), location.name, write_file(location.database, rows))
    else:
        log.rebuild(rows)
    try:
        mirrored(log, data.experiment, data.trials)
    except Exception:  # any error may occur, because optuna does not check what it reads
        if optuna_names_left(engine) - studies_in(engine).keys():
            raise
        drop_tables(log.engine)
        mirrored(log, data.experiment, data.trials)
    return log


def write_file(path: Path, rows: Rows) -> int:
    """Write the rows of a study into a new SQLite file; return the number that identifies it."""
    with atomic_write(path) as draft:
        engine = make_engine(Location(rows.study.name, sqlite_url(draft), path.parent))
        study = Log.create(engine, rows).study
        engine.dispose()
    return study


def copy_study(location: Location, rows: Rows) -> Path:
    """Copy a study's file; if a server has the study, write its rows into a file in its folder."""
    if location.database is not None:
        return copy_file(location.database)
    location.folder.mkdir(parents=True, exist_ok=True)
    copy = unused_name(location.folder / "study.db")
    write_file(copy, rows)
    return copy


def copy_file(path: Path) -> Path:
    """Copy a file to an unused name in its folder."""
    copy = unused_name(path)
    with atomic_write(copy) as draft:
        shutil.copy2(path, draft)
    return copy


def unused_name(path: Path) -> Path:
    """Return an unused name for the copy of a file."""
    number = 1
    while (copy := path.with_name(f"{path.name}.before-repair-{number}")).exists():
        number += 1
    return copy


# A folder of published results


def verify_folder(folder: Path, settings: Settings, repair: bool) -> CheckReport:
    """Verify the table of games in a folder, and repair what can be repaired if requested.

    It is the folder of a reproduced paper, or of an exported study without its database. InputError
    if there is no such table; RunError if a repair is requested while a run is writing it;
    PlayError if a game cannot be played.
    """
    if not (folder / GAMES).is_file():
        raise InputError(f"{folder}: nothing to verify: it contains neither {GAMES} nor study.db")
    if not repair:
        return examined_table(folder, settings)[0]
    with AppendOnlyFile(folder / GAMES, "a games table").held(len):
        report, table, different = examined_table(folder, settings)
        if report.ok:
            return report
        if table.n_dropped > len(table.lines) / 2:
            raise InputError(
                f"{table.path}: repair would drop {table.n_dropped} of {len(table.lines)} lines, "
                f"because no game can be assigned to them; restore the folder's other files"
            )
        repaired = restore(table.entries, different, settings)
        if table.content == table.path.read_bytes():
            return report  # nothing can be repaired
        repaired.insert(0, f"a copy of the original is {str(copy_file(table.path))!r}")
        with atomic_write(table.path) as draft:
            draft.write_bytes(table.content)
    if table.n_dropped:
        lines = counted(table.n_dropped, "line")
        repaired.append(f"{lines} dropped, because no game can be assigned to them")
    report, _, _ = examined_table(folder, settings)
    report.repaired = repaired
    return report


def examined_table(
    folder: Path, settings: Settings
) -> tuple[CheckReport, GamesTable, list[tuple[Entry, Outcome]]]:
    """Examine a table of games; return the report, the table, and the games that differ."""
    table = table_in(folder)
    check, different = replayed(table.entries, settings)
    return CheckReport(f"games in {folder}", [*table.checks, check]), table, different
