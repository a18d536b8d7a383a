"""A study rebuilt from the tables and the manifest in its folder, without its storage.

The tables have all digits of all numbers, so models and fronts equal those of the stored study. The
tables lack trials that had not begun, and validated points that were left out because games failed,
or because a constraint now forbids them; the stored study's models also know the games of these.
"""

import csv
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from thetafront.agents.agent import Outcome
from thetafront.agents.parameters import Value
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import split
from thetafront.study.experiments.space import Space
from thetafront.study.log.game_rows import outcome_in
from thetafront.study.log.location import Location
from thetafront.study.log.manifest import MANIFEST
from thetafront.study.log.point import COMPLETE, FAIL, RUNNING, Point, theta_key
from thetafront.study.log.seeds import validation_seed
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.log.tables import SEARCH, VALIDATION

TABLES = ("trials", "front", "games")
MAX_POINTS = 500
STATES = (COMPLETE, FAIL, RUNNING)
OF_THE_STUDY = {
    *("study", "storage", "objectives", "reference_point", "baselines", "game_seeds"),
    *("n_trials_complete", "n_trials_failed", "n_games_of_trials", "n_games_of_validation"),
    "earlier_runs",
}
"""Keys of a manifest that do not describe its last run."""

Row = Mapping[str, str]
Games = dict[int, Outcome]
Unit = tuple[str, str]
"""A phase, and a trial's number or a point's key."""


@dataclass(frozen=True)
class PublishedStudy(StudyData):
    """A study read from its tables, without a database."""

    # The number of games in each row of `front.csv`, by the key of the row's point.
    counted: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def known_points(self) -> list[Point]:
        """The points that ``front.csv`` lists, each with as many games as listed there.

        An earlier version listed fewer trials, and did not count the trials' games.
        """
        return [
            replace(each, games=dict(enumerate(each.in_order[-self.counted[each.key] :])))
            for each in self.points_and_trials
            if each.key in self.counted
        ]


def read_published(folder: Path) -> tuple[Location, StudyData]:
    """Rebuild a study from ``trials.csv``, ``front.csv``, ``games.csv`` and ``manifest.json``.

    Its location has the name and storage that the manifest gives, and this folder. InputError if
    the folder or one of the files is missing or not a study's, or if the number of games differs
    from that in the manifest.
    """
    if not folder.is_dir():
        problem = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"study folder {str(folder)!r} {problem}")
    for name in (MANIFEST, *(f"{table}.csv" for table in TABLES)):
        if not (folder / name).is_file():
            raise InputError(f"study folder {str(folder)!r} has no {name}")
    manifest = manifest_in(folder)
    found = record_in(manifest)
    if found is None:
        raise InputError(f"study: {folder / MANIFEST} is not a study manifest")
    record = read_folder_record(found, folder)
    experiment = record.experiment_as_made()
    games = games_in(folder / "games.csv", experiment)
    check_counts(games, manifest, folder)
    trials = trials_in(folder / "trials.csv", experiment, games)
    for trial in trials:
        if trial.values is not None and not all(map(math.isfinite, trial.values)):
            raise InputError(
                f"study: the tables in {folder} are inconsistent: trial {trial.number} must "
                f"have two finite values (got {trial.values})"
            )
    points, counted = points_in(folder / "front.csv", experiment, record.seed, games)
    name, runs = str(manifest.get("study", folder.name)), recorded_runs(manifest)
    data = PublishedStudy(name, experiment, record, trials, points, runs, counted=counted)
    return Location(name, str(manifest.get("storage", "")), folder), data


def read_lines(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the number and the cells of each line; InputError if the table is invalid."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                if None in row or None in row.values():
                    raise ValueError(f"line {number} and line 1 must have the same number of cells")
                yield number, row
    except (ValueError, csv.Error) as error:
        raise InputError(f"study: {path} is not a study table: {error}") from None


def games_in(path: Path, experiment: Experiment) -> dict[Unit, Games]:
    """Return the games, by phase and trial or point, and then by replicate."""
    found: dict[Unit, Games] = {}
    for number, row in read_lines(path):
        try:
            game = outcome_in(row, experiment)
            unit = row["phase"], row["trial" if row["phase"] == SEARCH else "point"]
            found.setdefault(unit, {})[int(row["replicate"])] = game
        except (KeyError, ValueError, OverflowError) as error:
            raise InputError(f"study: {path}, line {number}: not a game: {error}") from None
    return found


def check_counts(games: Mapping[Unit, Games], manifest: Mapping[str, Any], folder: Path) -> None:
    """Raise InputError if the number of games in the tables differs from the manifest's."""
    for phase, key in ((SEARCH, "n_games_of_trials"), (VALIDATION, "n_games_of_validation")):
        n = sum(len(each) for unit, each in games.items() if unit[0] == phase)
        if key in manifest and manifest[key] != n:
            raise InputError(
                f"study: {folder / 'games.csv'} has {n:,} games of phase {phase}, but {MANIFEST} "
                f"says {manifest[key]}; export the study again"
            )


def trials_in(path: Path, experiment: Experiment, games: Mapping[Unit, Games]) -> list[Point]:
    """Read the trials; the values of complete trials are computed from their games."""
    trials = []
    for line, row in read_lines(path):
        try:
            number, state = int(row["trial"]), row["state"]
            theta = row_theta(row, experiment.space)
            if theta is None and state == COMPLETE:
                raise ValueError("θ is missing")
            if state not in STATES:
                raise ValueError(f"state {state!r} is unknown")
            if (state == FAIL) != bool(row["error"]):
                raise ValueError(f"state {state!r} does not fit error {row['error']!r}")
            outcomes = dict(sorted(games.get((SEARCH, str(number)), {}).items()))
            played = split(outcomes, experiment.goal.penalty)
            # A trial that failed early may have no θ.
            trial = Point(theta or {}, row["origin"], SEARCH, number, *played, row["error"])
            if state == COMPLETE:
                values = trial.objectives(experiment.goal, experiment.cost)
                trial = replace(trial, values=values)
        except (KeyError, ValueError) as error:
            raise InputError(f"study: {path}, line {line}: not a trial: {error}") from None
        trials.append(trial)
    return trials


def points_in(
    path: Path, experiment: Experiment, seed: int, games: Mapping[Unit, Games]
) -> tuple[list[Point], dict[str, int]]:
    """Return the points in the order of ``games.csv``, and each point's ``n_games`` in ``path``."""
    points, counted = {}, {}
    for line, row in read_lines(path):
        theta, key = row_theta(row, experiment.space), row.get("point", "")
        if theta is None or theta_key(theta) != key:
            raise InputError(f"study: {path}, line {line}: θ is missing or does not match point")
        try:
            counted[key] = int(row["n_games"])
        except (KeyError, ValueError) as error:
            raise InputError(f"study: {path}, line {line}: invalid n_games: {error}") from None
        outcomes = dict(sorted(games.get((VALIDATION, key), {}).items()))
        number, played = point_number(seed, outcomes), split(outcomes, experiment.goal.penalty)
        points[key] = Point(theta, row.get("origin", ""), VALIDATION, number, *played)
    order = [unit for phase, unit in games if phase == VALIDATION]
    if lost := [key for key in order if key not in points]:
        raise InputError(
            f"study: {path} has no point {lost[0]!r}, but games.csv lists games for it"
        )
    return [points[key] for key in dict.fromkeys([*order, *points])], counted


def point_number(seed: int, games: Games) -> int:
    """Return a point's number in the order of validation; the seeds of its games show it.

    It is −1 if no seed does, as for trials that ``front.csv`` lists if scores are exact.
    """
    for replicate, game in games.items():
        for number in range(MAX_POINTS):
            if validation_seed(seed, number, replicate) == game.seed:
                return number
    return -1


# Functions that read one file, even if other files are missing or damaged


def read_csv_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file; none if it cannot be read."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        return []


def row_theta(row: Mapping[str, str], space: Space) -> dict[str, Value] | None:
    """Return the θ in a table's row; None if the θ is incomplete or invalid."""
    try:
        words = {each: row[each.name] for each in space}
        theta = {each.name: each.read(word) for each, word in words.items() if word}
    except (KeyError, TypeError, InputError):
        return None
    return theta if space.is_whole(theta) else None


def manifest_in(folder: Path) -> dict[str, Any]:
    """Return a folder's manifest; empty if there is none that can be read."""
    try:
        is_there = (folder / MANIFEST).is_file()  # reading a pipe would wait
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8")) if is_there else {}
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    if not isinstance(found.get("earlier_runs", []), list):
        del found["earlier_runs"]
    return found


def server_in(folder: Path) -> str:
    """Return the URL of the server that has a folder's study; empty if the manifest names none."""
    url = manifest_in(folder).get("storage")
    return url if isinstance(url, str) and not url.startswith("sqlite") else ""


def record_in(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the study's record from a manifest; None if the manifest has none."""
    names = StudyRecord.__dataclass_fields__
    if not {"experiment", "space", "seed", "design", "design_size"} <= set(manifest):
        return None
    return {name: manifest[name] for name in names if name in manifest}


def read_folder_record(record: Mapping[str, Any], folder: Path) -> StudyRecord:
    """Return the record of a folder's study, with the path of the folder's definition, if any."""
    found = StudyRecord.read(record, folder.name)
    file, *name = Path(found.source).name.split(":")
    here = folder / file
    if found.definition is None or not (file and here.is_file()):
        return found
    return found.at(":".join([str(here), *name]))


def recorded_runs(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the runs that a manifest lists, the latest last."""
    others = OF_THE_STUDY | set(StudyRecord.__dataclass_fields__)
    latest = {key: each for key, each in manifest.items() if key not in others}
    found = [*manifest.get("earlier_runs", []), latest]
    return [run for run in found if run and isinstance(run, dict)]
