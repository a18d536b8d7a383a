"""A study in its storage: opening, resuming, refusing.

A study is one optuna study at its :class:`~study.store.location.Place`. It carries what made it in the user attribute
``thetafront``: experiment, search space, seed, design. Each finished game is one user attribute of its
trial, ``game:<replicate>``, written as soon as the game has ended; those of validation are attributes of
the study.
"""

import fcntl
import json
import os
import socket
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from optuna.study import StudyDirection
from sqlalchemy.exc import NoSuchModuleError as NoSuchDriverError
from sqlalchemy.exc import SQLAlchemyError

from study.errors import InputError
from study.experiments.definition import Experiment
from study.experiments.registry import experiment
from study.experiments.space import Space, range_of
from study.store.location import Place, check_folder, check_url, make_folder, place_of
from study.store.manifest import command_line

ATTRIBUTE = "thetafront"
FORMAT = 1
RUN_PREFIX = "run:"
SQLITE_HEADER = b"SQLite format 3\0"
# A kill while optuna makes its tables leaves some of them; the next sweep makes the others.
OPTUNA_TABLES = {
    "alembic_version",
    "studies",
    "study_directions",
    "study_system_attributes",
    "study_user_attributes",
    "trial_heartbeats",
    "trial_intermediate_values",
    "trial_params",
    "trial_system_attributes",
    "trial_user_attributes",
    "trial_values",
    "trials",
    "version_info",
}
DIRECTIONS = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)


@dataclass(frozen=True)
class StudyRecord:
    """What made a study, as it is stored with it."""

    experiment: str
    space: list[dict[str, Any]]
    seed: int
    design: str
    design_size: int
    cost: str = "seconds_per_move"
    fixed: dict[str, Any] = field(default_factory=dict)

    def differences(self, other: "StudyRecord") -> list[str]:
        """Say, a phrase each, in what another record differs from this one."""
        phrases = []
        for name in ("experiment", "seed", "design", "design_size", "cost", "fixed"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                phrases.append(f"{name.replace('_', ' ')} {mine}, not {theirs}")
        theirs = [unsigned(each) for each in other.space]
        if (
            self.experiment == other.experiment
            and [unsigned(each) for each in self.space] != theirs
        ):
            changed = [range_of(old) for old in self.space if unsigned(old) not in theirs]
            mine = {each["name"] for each in self.space}
            changed += [f"no {new['name']}" for new in theirs if new["name"] not in mine]
            phrases.append(f"another search space ({', '.join(changed) or 'in another order'})")
        return phrases

    def experiment_as_made(self) -> Experiment:
        """Return the study's experiment, with the search space that it had when the study was made.

        Raises
        ------
        InputError
            If this version has no such experiment, cost or parameter.
        """
        found = experiment(self.experiment).by(self.cost)
        now = [unsigned(each) for each in json.loads(json.dumps(found.space.as_records()))]
        if [unsigned(each) for each in self.space] == now and self.fixed == dict(found.fixed):
            return found
        try:
            return found.as_made(Space.from_records(self.space), self.fixed)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"study: made with a search space that this version does not know: {error}"
            ) from None


def unsigned(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out a parameter's symbol, which is for people and may be renamed."""
    return {key: value for key, value in parameter.items() if key != "symbol"}


def check_database(path: Path, for_writing: bool) -> None:
    """Refuse a file that is no SQLite database, or one that belongs to something else.

    optuna would create its tables in any database it is pointed at; so this looks first, read-only.
    """
    if not path.exists():
        if not for_writing:
            raise InputError(f"storage: there is no study database at {str(path)!r}")
        if not path.parent.is_dir() and for_writing:
            raise InputError(f"storage: folder {str(path.parent)!r} does not exist")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(f"storage: folder {str(path.parent)!r} cannot be written")
        return
    if not path.is_file():
        raise InputError(f"storage: {str(path)!r} given, which is not a file")
    try:
        header = path.read_bytes()[:16] if path.stat().st_size < 16 else path.open("rb").read(16)
    except OSError as error:
        raise InputError(f"storage: {str(path)!r} cannot be read: {error.strerror}") from None
    if header and header != SQLITE_HEADER:
        raise InputError(f"storage: {str(path)!r} given, which is not a SQLite database")
    if for_writing and not os.access(path, os.W_OK):
        raise InputError(f"storage: {str(path)!r} given, which cannot be written")
    # What a kill left half-written is undone by whoever opens the file next and may write to it.
    mode = "rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "ro"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode={mode}", uri=True, timeout=30)) as database:
            rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {row[0] for row in rows}
    except sqlite3.Error as error:
        raise InputError(f"storage: {str(path)!r} cannot be read as a database: {error}") from None
    if not tables <= OPTUNA_TABLES:
        raise InputError(
            f"storage: {str(path)!r} given, a database of something else "
            f"(its tables: {', '.join(sorted(tables)[:5])})"
        )
    if tables != OPTUNA_TABLES and not for_writing:
        raise InputError(f"storage: {str(path)!r} given, which holds no study yet")


@contextmanager
def faults_reported(place: Place) -> Iterator[None]:
    """Turn what a broken storage raises into one line that a user can act on."""
    try:
        yield
    except (SQLAlchemyError, StorageInternalError, NoSuchDriverError, ImportError) as error:
        cause = error.__cause__ or getattr(error, "orig", None) or error
        reason = str(cause).strip().splitlines()[0]
        raise InputError(f"storage: {place.shown_url} cannot be used: {reason}") from None


def check_place(place: Place) -> None:
    """Refuse a place that cannot keep a study, before anything is written; make its folder."""
    check_folder(place.folder.parent)
    database = place.database
    if database is None:
        open_storage(place, for_writing=True)
    elif database.parent != place.folder.resolve():
        check_database(database, for_writing=True)
    make_folder(place.folder)
    if database is not None:
        check_database(database, for_writing=True)


def open_storage(place: Place, for_writing: bool) -> RDBStorage:
    """Open the storage; InputError if that cannot be done."""
    if place.database is not None:
        check_database(place.database, for_writing)
    # SQLite: how long to wait for another process, a reader during a sweep say.
    wait = {"connect_args": {"timeout": 60}} if place.database is not None else {}
    with faults_reported(place):
        try:
            return RDBStorage(place.url, engine_kwargs=wait, skip_table_creation=not for_writing)
        except RuntimeError as error:  # optuna's, for tables of another version
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"storage: {place.shown_url} cannot be used: {reason}") from None


@contextmanager
def locked(place: Place) -> Iterator[None]:
    """Hold the study for one sweep: a second one on the same study is refused.

    The lock is the operating system's, on a file beside the database (for other storages: in the
    study's folder). It goes with its process however that ends, so there is no stale lock to clear.
    """
    path = lock_of(place)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "an unknown process"
            raise InputError(
                f"study: {place.name!r} is held by another sweep, {holder}; wait for it, or stop it"
            ) from None
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()} ({command_line()})")
        file.flush()
        yield


def lock_of(place: Place) -> Path:
    """Return the lock's file."""
    database = place.database
    if database is None:
        return place.folder / ".sweep.lock"
    return database.parent / f".{database.name}.lock"


def holder_of(place: Place) -> str:
    """Say which sweep holds a study now; empty if none does."""
    path = lock_of(place)
    if not path.exists():
        return ""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return file.read().strip()
    return ""


def record_of(study: optuna.Study) -> StudyRecord:
    """Return what made a study; InputError if thetafront did not."""
    stored: Any = study.user_attrs.get(ATTRIBUTE)
    if not isinstance(stored, Mapping):
        raise InputError(f"study: {study.study_name!r} was not made by thetafront")
    names = {each.name for each in fields(StudyRecord)}
    needed = {
        each.name
        for each in fields(StudyRecord)
        if each.default is MISSING and each.default_factory is MISSING
    }
    if stored.get("format") != FORMAT or not needed <= set(stored):
        raise InputError(
            f"study: {study.study_name!r} was made by another version of thetafront "
            f"(format {stored.get('format')}, not {FORMAT})"
        )
    return StudyRecord(**{name: stored[name] for name in names & set(stored)})


def remember_run(study: optuna.Study, run: Mapping[str, Any], index: int | None = None) -> int:
    """Add what made this run to the study, or write over an earlier one; return its index."""
    index = len(runs_of(study)) if index is None else index
    study.set_user_attr(f"{RUN_PREFIX}{index}", dict(run))
    return index


def runs_of(study: optuna.Study) -> list[dict[str, Any]]:
    """Return what made each sweep of the study, in order."""
    attributes = study.user_attrs  # read once: with a validation's games in it, it is large
    keys = [key for key in attributes if key.startswith(RUN_PREFIX)]
    return [attributes[key] for key in sorted(keys, key=lambda key: int(key[len(RUN_PREFIX) :]))]


def create_or_resume(place: Place, record: StudyRecord) -> tuple[optuna.Study, RDBStorage]:
    """Open the study for a sweep, making it if it is not there.

    Raises
    ------
    InputError
        If it was made by something else, or with another experiment, space, seed or design; or if it is new, and
        its folder has the games of another.
    """
    storage = open_storage(place, for_writing=True)
    study = optuna.create_study(
        study_name=place.name,
        storage=storage,
        directions=list(DIRECTIONS),
        load_if_exists=True,
        sampler=optuna.samplers.RandomSampler(seed=0),  # each trial has its own, see study.samplers
    )
    if tuple(study.directions) != DIRECTIONS:
        raise InputError(f"study: {place.name!r} was not made by thetafront")
    if not (study.user_attrs or study.get_trials(deepcopy=False)):
        # New, or made by a sweep that was killed before it could say what it was.
        if (games := place.folder / "games.csv").exists():
            raise InputError(
                f"study: {place.name!r} has no trials, but {str(games)!r} is there, of a study that is gone; "
                "move it away, or give another name"
            )
        as_json = json.loads(json.dumps(record.__dict__))
        study.set_user_attr(ATTRIBUTE, {"format": FORMAT, **as_json})
    differences = record_of(study).differences(record)
    if differences:
        raise InputError(
            f"study: {place.name!r} was made with {'; '.join(differences)}; "
            "give what it was made with, or another name"
        )
    return study, storage


def open_for_reading(
    name_or_url: str, results: Path, study_name: str | None = None
) -> tuple[optuna.Study, Place, Experiment]:
    """Open a study that exists, also while a sweep is writing it.

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
    if "://" in name_or_url:
        url, name = name_or_url, study_name
        check_url(url)
        place = Place(name or "study", url, results / (name or "study"))
    else:
        place = place_of(name_or_url, results, None)
        name = place.name
        if place.database is not None and not place.database.exists():
            if not results.is_dir():
                raise InputError(f"results: folder {str(results)!r} given, which does not exist")
            known = sorted(path.parent.name for path in results.glob("*/study.db"))
            raise InputError(
                f"study: {name!r} given, but there is no {place.database}; "
                f"studies here: {', '.join(known) or 'none'}"
            )
    storage = open_storage(place, for_writing=False)
    names = sorted(summary.study_name for summary in storage.get_all_studies())
    if name is None and len(names) == 1:
        name = names[0]
        place = Place(name, place.url, results / name)
    if name not in names:
        given = "no name given" if name is None else f"{name!r} given"
        raise InputError(f"study: {given}; {place.shown_url} holds: {', '.join(names) or 'none'}")
    study = optuna.load_study(study_name=name, storage=storage)
    return study, place, record_of(study).experiment_as_made()
