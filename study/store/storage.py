"""Opening a study in its storage: making it, resuming it, refusing what does not fit.

A study is one optuna study. Its user attribute ``thetafront`` records what made it
(:mod:`study.store.study_record`). Its games are in a table of our own beside optuna's
(:mod:`study.store.games_table`).
"""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import ExperimentalWarning, StorageInternalError
from optuna.storages import RDBStorage
from optuna.storages._rdb.models import BaseModel
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import NoSuchModuleError as NoSuchDriverError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from thetafront.study.errors import DamageError, InputError, RunError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.store.damage import of_study
from thetafront.study.store.database import MENDED, check_database, is_damage, studies_in
from thetafront.study.store.games_table import GAMES, delete_games
from thetafront.study.store.location import (
    RESULTS,
    Location,
    check_folder,
    check_url,
    locate,
    make_folder,
    real_path,
)
from thetafront.study.store.migration import migrate
from thetafront.study.store.objectives import POSSIBLE_DIRECTIONS, directions_of
from thetafront.study.store.server_lock import SOON_LOST
from thetafront.study.store.study_data import StudyData, stored_values
from thetafront.study.store.study_record import StudyRecord

LAST_TABLE = "alembic_version"  # of those that optuna makes
ALL_NAMES = "SELECT study_name FROM studies"


@contextmanager
def storage_errors_reported(location: Location) -> Iterator[None]:
    """Turn errors of a broken storage into one line: InputError, or RunError if the disk fails."""
    try:
        yield
    except LookupError as error:  # of an enum that SQLAlchemy reads
        raise DamageError(
            f"storage: {location.url_without_password} is damaged: {error}; {MENDED}"
        ) from None
    except (SQLAlchemyError, StorageInternalError, NoSuchDriverError, ImportError) as error:
        cause = error.__cause__ or getattr(error, "orig", None) or error
        reason = str(cause).strip().splitlines()[0]
        if is_damage(cause):
            place = location.url_without_password
            raise DamageError(f"storage: {place} is damaged: {reason}; {MENDED}") from None
        kind = RunError if "disk" in reason else InputError  # SQLite's: a full one, an I/O error
        raise kind(f"storage: {location.url_without_password} cannot be used: {reason}") from None


def prepare_location(location: Location) -> None:
    """Refuse a location that cannot store a study, before anything is written; make its folder."""
    if location.folder.parent == RESULTS:
        make_folder(RESULTS)
    check_folder(location.folder.parent)
    database = location.database
    if database is None:
        open_storage(location, for_writing=True)
    elif database.parent != real_path(location.folder):
        check_database(database, for_writing=True)
    make_folder(location.folder)
    if database is not None:
        check_database(database, for_writing=True)
        if location.name not in studies_in(database):
            check_no_games(location)


def check_no_games(location: Location) -> None:
    """Refuse to make a study in a folder that has the games of another one."""
    if (games := location.folder / "games.csv").exists():
        raise InputError(
            f"study: {location.name!r} has no trials, but {str(games)!r} is there, of a study "
            "that is gone; move it away, or give another name"
        )


def open_storage(location: Location, for_writing: bool) -> RDBStorage:
    """Open the storage; InputError if that cannot be done."""
    if location.database is not None:
        check_database(location.database, for_writing)
    elif not for_writing and is_new(location):
        raise InputError(
            f"storage: {location.url_without_password} given, which holds no study yet"
        )
    with storage_errors_reported(location):
        try:
            storage = RDBStorage(
                location.url, engine_options(location), skip_table_creation=not for_writing
            )
            if for_writing:
                make_indices(storage)
                GAMES.create(storage.engine, checkfirst=True)
            return storage
        except RuntimeError as error:  # optuna's, for tables of another version
            reason = str(error).strip().splitlines()[0]
            raise InputError(
                f"storage: {location.url_without_password} cannot be used: {reason}"
            ) from None


def is_new(location: Location) -> bool:
    """Return whether no study was ever stored there; InputError if it cannot be reached."""
    if location.database is not None:
        return not location.database.exists()
    with storage_errors_reported(location):
        engine = create_engine(location.url, **engine_options(location))
        try:
            return not inspect(engine).has_table(LAST_TABLE)
        finally:
            engine.dispose()


def engine_options(location: Location) -> dict[str, Any]:
    """Return how a storage is connected to."""
    if location.database is not None:
        # Seconds to wait for another process, such as a reader during a sweep.
        return {"connect_args": {"timeout": 60}}
    # No connection is tested before it is used, and replaced in silence: a run must know that it
    # was lost, since its lock was lost with it.
    return {"connect_args": SOON_LOST} if location.is_on_postgresql else {}


def in_memory() -> RDBStorage:
    """Return a storage in memory, which one thread at a time may use."""
    one = {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
    storage = RDBStorage("sqlite://", one)
    GAMES.create(storage.engine)
    return storage


def make_indices(storage: RDBStorage) -> None:
    """Make the indices that are not there, since a kill came between a table and its indices.

    Without the one that keeps names unique, optuna would make a study again at each start.
    """
    for table in BaseModel.metadata.tables.values():
        for index in table.indexes:
            index.create(storage.engine, checkfirst=True)


def create_or_resume(
    location: Location, record: StudyRecord, accept_change: bool = False
) -> tuple[optuna.Study, RDBStorage]:
    """Open the study for a sweep, making it if it is not there.

    Parameters
    ----------
    location : Location
        Where it is.
    record : StudyRecord
        What it is to be made with.
    accept_change : bool
        Whether to go on with a definition that has changed; the study remembers that.

    Raises
    ------
    InputError
        If it was made by something else, or with another experiment, space, seed or design; or if
        it is new, and its folder has the games of another study.
    """
    storage = open_storage(location, for_writing=True)
    sampler = optuna.samplers.RandomSampler(seed=0)  # each trial has its own, see study.samplers
    if location.name in names_in(storage):
        study = optuna.load_study(study_name=location.name, storage=storage, sampler=sampler)
    else:
        study = optuna.create_study(
            study_name=location.name,
            storage=storage,
            directions=directions_of(record.experiment_as_made().goal),
            sampler=sampler,
        )
    if tuple(study.directions) not in POSSIBLE_DIRECTIONS:
        raise InputError(f"study: {location.name!r} was not made by thetafront")
    with of_study(location.name):
        attributes, trials = stored_values(study)
    if not (attributes or trials):
        # New, or made by a sweep that was killed before it stored the record.
        check_no_games(location)
        delete_games(storage.engine, study._study_id)  # of a study whose identifier it has taken
        record.store(study)
    with of_study(location.name):
        made = StudyRecord.read(study.user_attrs, location.name)
    check_same(made, record, location, accept_change)
    if made.changes(record):
        made.accepting(record, len(trials)).store(study)
    elif (same := made.found_again(record)) != made:
        if made.source == record.source:
            warnings.warn(
                f"study {location.name!r}: an earlier version did not note all that its code "
                "depends on; from now on changes are noticed",
                stacklevel=2,
            )
        same.store(study)
    return migrated(study, storage), storage


def migrated(study: optuna.Study, storage: RDBStorage) -> optuna.Study:
    """Bring a study that is to be written to today's format; return it as it is then.

    DamageError if a stored value cannot be read; nothing is moved then.
    """
    if not migrate(storage.engine, study._study_id, StudyData.read(study)):
        return study
    # Anew: optuna keeps the trials that it has read, with their games of before.
    return optuna.load_study(study_name=study.study_name, storage=storage, sampler=study.sampler)


def open_for_games(location: Location) -> optuna.Study:
    """Open a study that exists to add games to it; it must be locked."""
    storage = open_storage(location, for_writing=True)
    return migrated(optuna.load_study(study_name=location.name, storage=storage), storage)


def check_same(
    made: StudyRecord, asked: StudyRecord, location: Location, accept_change: bool = False
) -> None:
    """Refuse a study that was made with something else than is asked for."""
    if differences := made.differences(asked):
        raise InputError(
            f"study: {location.name!r} was made with {'; '.join(differences)}; "
            "give what it was made with, or another name"
        )
    if made.defined is None or asked.defined is None:
        return
    if changes := made.defined.objectives_changed(asked.defined):
        raise InputError(
            f"study: {location.name!r} has trials by other objectives: {'; '.join(changes)}; "
            "give another name"
        )
    if not accept_change and (changes := made.changes(asked)):
        raise InputError(
            f"study: {location.name!r}: its definition has changed: {'; '.join(changes)}; "
            "--accept-change goes on with it, or give another name"
        )


def check_playable(location: Location, data: StudyData) -> None:
    """Refuse, by InputError, to add games to a study that cannot be written, or is of before."""
    if location.database is not None:
        check_database(location.database, for_writing=True)
    make_folder(location.folder)
    if data.record.defined is not None:
        if data.record.source:
            data.record.player_of_today()  # which is refused if it is gone, or has changed
        return
    if changes := data.record.differences(data.record.of_today()):
        raise InputError(
            f"study: {location.name!r} was made with {'; '.join(changes)}; "
            f"{data.experiment.name!r} has changed since"
        )


def name_objectives(study: optuna.Study, experiment: Experiment) -> None:
    """Name a study's objectives for other programs that show it, such as optuna's dashboard."""
    names = [experiment.goal.column("mean"), experiment.cost.name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        if study.metric_names != names:
            study.set_metric_names(names)


def location_given(name_or_url: str, results: Path, study_name: str | None = None) -> Location:
    """Return where a study is that was given by its name, or by a storage URL."""
    if "://" not in name_or_url:
        return locate(name_or_url, results, None)
    check_url(name_or_url)
    name = study_name or "study"
    return Location(name, name_or_url, results / name)


def open_for_reading(
    name_or_url: str, results: Path, study_name: str | None = None
) -> tuple[optuna.Study, Location, StudyData]:
    """Open and read a study that exists, also while a sweep is writing it.

    Parameters and errors are those of :func:`find_study`; DamageError, too, if a stored value
    cannot be read.
    """
    storage, location = find_study(name_or_url, results, study_name)
    study = optuna.load_study(study_name=location.name, storage=storage)
    return study, location, StudyData.read(study)


def existing(location: Location) -> StudyData | None:
    """Read the study of a location, which is left as it is; None if there is none.

    DamageError if a stored value cannot be read.
    """
    if is_new(location):
        return None
    storage = open_storage(location, for_writing=False)
    if location.name not in names_in(storage):
        return None
    return StudyData.read(optuna.load_study(study_name=location.name, storage=storage))


def find_study(
    name_or_url: str, results: Path, study_name: str | None = None
) -> tuple[RDBStorage, Location]:
    """Open the storage of a study that exists, and return its location.

    Parameters
    ----------
    name_or_url : str
        A study's name, whose folder is in ``results``; or a storage URL.
    results : Path
        The folder of studies.
    study_name : str, optional
        Which study, if a storage URL holds several.

    Raises
    ------
    InputError
        If there is no such study.
    """
    location, name = location_given(name_or_url, results, study_name), study_name
    if "://" not in name_or_url:
        name = location.name
        if location.database is not None and not location.database.exists():
            if not results.is_dir():
                raise InputError(f"results: folder {str(results)!r} given, which does not exist")
            if elsewhere := storage_in(location.folder):
                raise InputError(
                    f"study: {name!r} given, which is kept at {elsewhere}; give that URL, with its "
                    f"password, and --name {name}"
                )
            known = ", ".join(sorted(path.parent.name for path in results.glob("*/study.db")))
            raise InputError(
                f"study: {name!r} given, but there is no {location.database}; "
                f"studies here: {known or 'none'}"
            )
    storage = open_storage(location, for_writing=False)
    if name is None and len(names := names_in(storage)) == 1:
        name = names[0]
        location = Location(name, location.url, results / name)
    if name is None or name not in names_in(storage):
        given = "no name given" if name is None else f"{name!r} given"
        known = ", ".join(names_in(storage)) or "none"
        raise InputError(f"study: {given}; {location.url_without_password} holds: {known}")
    return storage, location


def storage_in(folder: Path) -> str:
    """Return the storage that the manifest of a study's folder names; empty if none is there."""
    try:
        named = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["storage"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return named if isinstance(named, str) and not named.startswith("sqlite") else ""


def names_in(storage: RDBStorage) -> list[str]:
    """Return the names of a storage's studies, sorted; nothing else of them is read."""
    with storage.engine.connect() as connection:
        return sorted(str(name) for (name,) in connection.execute(text(ALL_NAMES)))
