"""Opens a study in its storage: creates it, or resumes it if the settings are the same.

A study is stored completely in its log (:mod:`study.log.log`). Studies of earlier versions are
read as if they were logs, and become logs before they are written to (:mod:`study.log.earlier`).
"""

import json
import warnings
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine

from thetafront.study.errors import DamageError, InputError
from thetafront.study.experiments.registry import experiment
from thetafront.study.log.database import (
    is_new,
    mirror_names,
    open_engine,
    optuna_names,
    optuna_names_left,
    storage_errors_reported,
)
from thetafront.study.log.invocation import option
from thetafront.study.log.location import (
    RESULTS,
    Location,
    check_url,
    locate,
    make_folder,
    real_path,
    study_context,
)
from thetafront.study.log.log import RECORD, Log, Rows, event, studies_in, studies_lost
from thetafront.study.log.published_study import server_in
from thetafront.study.log.study_data import StudyData, StudySource, record_in, whole_rows
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.log.tables import SEARCH, StudyRow, sealed

Say = Callable[[str], None]


def prepare_location(location: Location) -> None:
    """Refuse a location that cannot store a study; otherwise create the study's folder."""
    if location.folder.parent == RESULTS:
        make_folder(RESULTS)
    database = location.database
    if database is not None and database.parent == real_path(location.folder):
        make_folder(location.folder)
    open_engine(location, for_writing=True)  # raises InputError if the storage cannot be used
    make_folder(location.folder)


def check_no_games(location: Location) -> None:
    """Refuse to create a study in a folder that has the games of another study."""
    if (games := location.folder / "games.csv").exists():
        raise InputError(
            f"study: {location.name!r} has no trials, but {str(games)!r} is left from a deleted "
            f"study; move it away, or give another name"
        )


def find(engine: Engine, name: str) -> "StudySource | None":
    """Return the study of that name, made by any version; None if the database has none."""
    if (log := Log.find(engine, name)) is not None:
        return log
    if name not in optuna_names(engine):
        return None
    from thetafront.study.log.earlier import EarlierStudy  # noqa: PLC0415, optuna is slow to import

    return EarlierStudy(engine, name)


def log_to_write(source: StudySource, say: Say) -> Log:
    """Return a study's log. A study of an earlier version is converted, with a message."""
    return source if isinstance(source, Log) else source.store(say)


def create_or_resume(
    location: Location,
    record: StudyRecord,
    accept_change: bool = False,
    say: Say = lambda text: None,
) -> Log:
    """Open the study for a sweep; create it, with the settings in ``record``, if it is new.

    With ``accept_change``, a definition that has changed is accepted, and the study records the
    change. ``say`` is called with a line of text if the study is converted to the current format.
    InputError if the study was made by another program, or with another experiment, space, seed or
    design; or if it is new, and its folder has the games of another study.
    """
    engine = open_engine(location, for_writing=True)
    source = find(engine, location.name)
    if source is None or (not isinstance(source, Log) and source.is_empty):
        check_no_games(location)
        row = StudyRow(location.name, json.dumps(record.as_data()))
        return Log.create(engine, Rows(sealed(row)))
    with study_context(location):
        rows = whole_rows(source)
        made = record_in(rows)
    made.check_direction(made.experiment_as_made(), location.name)
    check_same(made, record, location, accept_change)
    log = log_to_write(source, say)
    if made.changes(record):
        n_trials = sum(row.phase == SEARCH for row in rows.points)
        log.write(event(RECORD, **made.accepting(record, n_trials).as_data()))
    elif (same := made.found_again(record)) != made:
        if made.source == record.source:
            warnings.warn(
                f"study {location.name!r}: an earlier version did not record everything that the "
                "definition's code depends on; changes are detected from now on",
                stacklevel=2,
            )
        log.write(event(RECORD, **same.as_data()))
    return log


def open_for_games(location: Location, say: Say = lambda text: None) -> Log:
    """Open an existing study to add games to it; the caller must hold its lock."""
    source = find(open_engine(location, for_writing=True), location.name)
    if source is None:
        raise InputError(f"study {location.name!r} no longer exists")
    return log_to_write(source, say)


def check_same(
    made: StudyRecord, asked: StudyRecord, location: Location, accept_change: bool = False
) -> None:
    """Raise InputError if a study was created with settings other than those requested."""
    if differences := made.differences(asked):
        raise InputError(
            f"study: {location.name!r} was made with {'; '.join(differences)}; "
            "give the same settings, or another name"
        )
    if made.defined is None or asked.defined is None:
        return
    if changes := made.defined.objectives_changed(asked.defined):
        raise InputError(
            f"study: {location.name!r} has trials with other objectives: {'; '.join(changes)}; "
            "give another name"
        )
    if not accept_change and (changes := made.changes(asked)):
        raise InputError(
            f"study: {location.name!r}: its definition has changed: {'; '.join(changes)}; "
            f"accept the changes with {option('accept-change')}, or give another name"
        )


def check_playable(location: Location, data: StudyData) -> None:
    """Raise InputError if the study cannot be written, or its experiment has changed."""
    open_engine(location, for_writing=True)
    make_folder(location.folder)
    if data.record.defined is not None:
        if data.record.source:
            data.record.current_player()  # refuses a definition that is gone or has changed
        else:
            data.record.check_named(data.experiment)
        return
    today = data.record.made_with(experiment(data.record.experiment))
    if changes := data.record.differences(today):
        raise InputError(
            f"study: {location.name!r} was made with {'; '.join(changes)}; "
            f"{data.experiment.name!r} has changed since"
        )


def location_given(name_or_url: str, results: Path, study_name: str | None = None) -> Location:
    """Return the location of a study that was given by its name or by a storage URL."""
    if "://" not in name_or_url:
        return locate(name_or_url, results, None)
    check_url(name_or_url)
    name = study_name or "study"
    return Location(name, name_or_url, results / name)


def open_for_reading(
    name_or_url: str, results: Path, study_name: str | None = None
) -> tuple[StudySource, Location, StudyData]:
    """Open and read a study that exists, also while a sweep is writing it.

    Parameters and errors are those of :func:`find_study`. In addition, DamageError is raised if a
    stored value cannot be read.
    """
    source, location = find_study(name_or_url, results, study_name)
    return source, location, StudyData.read(source)


def existing(location: Location) -> StudyData | None:
    """Read the study of a location without changing it; None if there is none.

    InputError if the storage cannot be used; DamageError if a stored value cannot be read.
    """
    with storage_errors_reported(location):
        if is_new(location):
            return None
        source = find(open_engine(location, for_writing=False), location.name)
        if source is None or (not isinstance(source, Log) and source.is_empty):
            return None
        return StudyData.read(source)


def find_study(
    name_or_url: str, results: Path, study_name: str | None = None, may_lack: bool = False
) -> tuple[StudySource, Location]:
    """Find a study that exists, and return its location; InputError if there is no such study.

    It is given by its name, as a folder in ``results``, or by a storage URL; then ``study_name``
    says which study, if the storage holds several. With ``may_lack``, tables and the study's own
    row may be missing, because a repair will restore them.
    """
    location, name = location_given(name_or_url, results, study_name), study_name
    if "://" not in name_or_url:
        name = location.name
        if location.database is not None and not location.database.exists():
            if not results.is_dir():
                raise InputError(f"results folder {str(results)!r} does not exist")
            if elsewhere := server_in(location.folder):
                raise InputError(
                    f"study {name!r} is stored at {elsewhere}; give that URL, with its password, "
                    f"and --name {name}"
                )
            known = ", ".join(sorted(path.parent.name for path in results.glob("*/study.db")))
            raise InputError(
                f"study {name!r} does not exist: there is no {location.database}; studies "
                f"here: {known or 'none'}"
            )
    engine = open_engine(location, for_writing=False, may_lack=may_lack)
    copies = optuna_names_left(engine) if may_lack else optuna_names(engine)
    names = sorted(studies_in(engine).keys() | copies)
    if name is None and len(names) == 1:
        (name,) = names
        location = Location(name, location.url, results / name)
    source = None if name is None else find(engine, name)
    if may_lack and name is not None and not isinstance(source, Log):
        lost, unnamed = studies_lost(engine), mirror_names(engine) - studies_in(engine).keys()
        if name in unnamed and len(lost) > 1:
            raise DamageError(
                f"study {name!r}: the records of {len(lost)} studies are missing; restore the "
                "storage from a backup"
            )
        if len(lost) == 1 and (name in unnamed or not (unnamed or source)):
            source = Log(engine, name, lost[0])
    if source is None:
        given = "no name is given" if name is None else f"{name!r} does not exist"
        known = ", ".join(names) or "none"
        way = f" ({option('name')} says which)" if names else ""
        raise InputError(f"study: {given}; {location.url_without_password} holds {known}{way}")
    return source, location
