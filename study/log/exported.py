"""What a study's folder holds besides its database: tables and manifest of an earlier export."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from thetafront.agents.parameters import Value
from thetafront.study.errors import InputError
from thetafront.study.experiments.space import Space
from thetafront.study.log.manifest import MANIFEST
from thetafront.study.log.study_record import StudyRecord

Rows = list[dict[str, str]]

OF_THE_STUDY = {
    *("study", "storage", "objectives", "reference_point", "baselines", "game_seeds"),
    *("n_trials_complete", "n_trials_failed", "n_games_of_trials", "n_games_of_validation"),
    "earlier_runs",
}
"""Keys of a manifest that tell nothing of its last run."""
MAX_NUMBER_LENGTH = 10
"""A number of games has fewer digits."""


def read_csv_rows(path: Path) -> Rows:
    """Return the rows of a CSV file; none if it cannot be read."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        return []


def row_theta(row: Mapping[str, str], space: Space) -> dict[str, Value] | None:
    """Return θ of a table's row; None if it is not there."""
    try:
        words = {each: row[each.name] for each in space}
        theta = {each.name: each.read(word) for each, word in words.items() if word}
    except (KeyError, TypeError, ValueError, OverflowError, InputError):
        return None
    return theta if space.is_whole(theta) else None


def thetas_by_key(path: Path, key: str, space: Space) -> dict[str, dict[str, Value]]:
    """Return θ of each row of a table, by the value in one of its columns."""
    found = {str(row.get(key)): row_theta(row, space) for row in read_csv_rows(path)}
    return {name: theta for name, theta in found.items() if theta is not None}


def numbers_of_games(path: Path, key: str, are_replaced: bool = True) -> dict[str, int]:
    """Return the number of games in each row of a table, by the value in one of its columns.

    Games that failed are among them; unless they ``are_replaced``, they count among the others.
    """
    found = {}
    for row in read_csv_rows(path):
        words = [row.get("n_games") or "", row.get("n_failed") or "0"]
        if all(each.isdecimal() and len(each) < MAX_NUMBER_LENGTH for each in words):
            counts = [int(each) for each in words]
            found[str(row.get(key))] = sum(counts) if are_replaced else max(counts)
    return found


def manifest_in(folder: Path) -> dict[str, Any]:
    """Return a folder's manifest; empty if there is none that can be read."""
    try:
        is_there = (folder / MANIFEST).is_file()  # and no pipe, which would have to be filled
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8")) if is_there else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def record_in(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the study's record from a manifest; None if it has none."""
    names = StudyRecord.__dataclass_fields__
    if not {"experiment", "space", "seed", "design", "design_size"} <= set(manifest):
        return None
    return {name: manifest[name] for name in names if name in manifest}


def read_folder_record(record: Mapping[str, Any], folder: Path) -> StudyRecord:
    """Return the record of a folder's study; a definition in the folder takes precedence."""
    found = StudyRecord.read(record, folder.name)
    here = folder / Path(found.source).name
    if found.definition is None or not (found.source and here.is_file()):
        return found
    return replace(found, definition={**found.definition, "source": str(here)})


def recorded_runs(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the runs that a manifest lists, the latest last."""
    runs = manifest.get("earlier_runs")
    others = OF_THE_STUDY | set(StudyRecord.__dataclass_fields__)
    latest = {key: each for key, each in manifest.items() if key not in others}
    found = [*(runs if isinstance(runs, list) else []), latest]
    return [run for run in found if run and isinstance(run, dict)]
