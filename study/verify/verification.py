"""A study or a folder verified: examined, a sample of its games played again, and repaired."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from sqlalchemy import Engine, text

from thetafront.agents.agent import Outcome
from thetafront.study.errors import InputError
from thetafront.study.store.append_only import AppendOnlyFile
from thetafront.study.store.games_table import GAMES as GAMES_TABLE
from thetafront.study.store.location import Location
from thetafront.study.store.lock import locked
from thetafront.study.store.same_game import difference
from thetafront.study.store.study_rows import StudyRows
from thetafront.study.text import counted
from thetafront.study.verify.examination import Examination
from thetafront.study.verify.games_table import GAMES, GamesTable, table_in
from thetafront.study.verify.mending import Mending
from thetafront.study.verify.replay import Entry, play_again, sample
from thetafront.study.verify.report import Check, Report, flaws_of
from thetafront.study.verify.stored_points import StoredPoints
from thetafront.study.verify.stored_trials import StoredTrials

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


def verify_study(
    location: Location, name: str, engine: Engine, settings: Settings, repair: bool
) -> Report:
    """Verify a study, and repair it if asked to.

    Parameters
    ----------
    location : Location
        Where it is.
    name : str
        The study's name in its storage.
    engine : Engine
        Of the storage.
    settings : Settings
        How.
    repair : bool
        Whether to mend what can be mended, in one transaction, after a copy of the database.

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
        return examined(location, name, engine, settings)[0]
    with locked(location):
        report, trials, different = examined(location, name, engine, settings)
        if report.ok:
            return report
        repaired = []
        if location.database is not None:
            copy = copy_of(location.database)
            repaired.append(f"a copy as it was is {str(copy)!r}")
        study = trials.of
        repaired += restore(study.entries, different, settings)
        trials.settle()
        n_rows = len(study.mending.statements)
        mend_orphans(engine, study.mending)
        study.mending.make(engine)
        repaired.append(f"{counted(n_rows, 'change')} of the study's rows, in one transaction")
        report, _, _ = examined(location, name, engine, settings)
        report.repaired = repaired
        return report


def examined(
    location: Location, name: str, engine: Engine, settings: Settings
) -> tuple[Report, StoredTrials, list[tuple[Entry, Outcome]]]:
    """Examine a study; return the report, its trials, and the games that differ as played."""
    integrity = integrity_of(engine)
    rows = StudyRows.read(engine, name)
    unreadable = list(rows.unreadable())
    study = Examination(rows, name, location.folder)
    trials = StoredTrials(study)
    StoredPoints(study)
    if unreadable and not flaws_of(study.checks):
        study.values.flaws += unreadable
    check, different = replayed(study.entries, settings)
    return Report(f"study {name!r}", [integrity, *study.checks, check]), trials, different


def integrity_of(engine: Engine) -> Check:
    """Check the database file; for another storage say that it does so itself."""
    check = Check("database integrity", 1)
    if engine.dialect.name != "sqlite":
        return Check("database integrity", 0, note="left to the database server")
    with engine.connect() as connection:
        found = [row[0] for row in connection.execute(text("PRAGMA integrity_check"))]
        orphans = [tuple(row) for row in connection.execute(text("PRAGMA foreign_key_check"))]
    if found != ["ok"]:
        check.flaws += [str(each) for each in found]
    check.flaws += [
        f"{table}, row {row}: belongs to no {owner}" for table, row, owner, _ in orphans
    ]
    return check


def mend_orphans(engine: Engine, mending: Mending) -> None:
    """Delete rows that belong to no trial or study once the rest is mended; make indices anew."""
    if engine.dialect.name == "sqlite":
        with engine.begin() as connection:
            connection.execute(text("REINDEX"))
    for table in (
        "trial_params",
        "trial_values",
        "trial_user_attributes",
        "trial_system_attributes",
    ):
        sql = f"DELETE FROM {table} WHERE trial_id NOT IN (SELECT trial_id FROM trials)"
        mending.statements.append((sql, {}))
    sql = f"DELETE FROM {GAMES_TABLE.name} WHERE study_id NOT IN (SELECT study_id FROM studies)"
    mending.statements.append((sql, {}))


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
