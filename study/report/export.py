"""The tables and the manifest of a study's folder."""

from pathlib import Path

import pandas as pd

from thetafront.study.log.location import Location, make_folder
from thetafront.study.log.manifest import MANIFEST, earlier_manifest, write_json
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import certificate_rows
from thetafront.study.report.tables import (
    check_table,
    combined_front_frame,
    games_frame,
    predicted_front_frame,
    trials_frame,
    validated_frame,
    write_csv,
)

Tables = dict[str, pd.DataFrame]


def write_tables(analysis: Analysis, location: Location, folder: Path) -> list[Path]:
    """Write a study's tables and its manifest; return their paths.

    InputError if the folder cannot be written, or contains other files with the same names.
    """
    make_folder(folder)
    tables = {folder / f"{name}.csv": table for name, table in analysis.tables.items()}
    manifest = folder / MANIFEST
    earlier_manifest(manifest)
    for path, table in tables.items():
        check_table(path, str(table.columns[0]))
    for path, table in tables.items():
        write_csv(table, path)
    write_json(make_manifest(analysis.data, location), manifest)
    return [*tables, manifest]


def make_tables(analysis: Analysis) -> Tables:
    """Return a study's tables by name; those of whole-space fronts only if there is a model."""
    data, model, combined = analysis.data, analysis.model, analysis.combined
    tables = {
        "front": validated_frame(analysis),
        "trials": trials_frame(data, model),
        "games": games_frame(data),
    }
    if model is not None and combined is not None:
        tables["predicted_front"] = predicted_front_frame(data, model)
        tables["combined_front"] = combined_front_frame(data.experiment, combined)
    if analysis.certificate is not None:
        tables["certificate"] = pd.DataFrame(certificate_rows(analysis.certificate))
    return tables


def without_machine(record: StudyRecord) -> StudyRecord:
    """Return a record without paths of this machine's folders."""
    if record.defined is None or not record.source.startswith("/"):
        return record
    path = Path(record.source)
    here = path.is_relative_to(Path.cwd())
    return record.at(str(path.relative_to(Path.cwd())) if here else path.name)


def make_manifest(data: StudyData, location: Location) -> dict[str, object]:
    """Return the study's provenance, and how many trials and games it holds."""
    experiment, runs = data.experiment, data.runs
    states = [trial.state for trial in data.trials]
    worst, max_cost = data.reference or (None, None)
    return {
        "study": location.name,
        "storage": location.url_without_password,
        **without_machine(data.record).as_data(),
        "objectives": {
            experiment.goal.column("mean"): experiment.goal.direction,
            experiment.cost.name: "minimize",
        },
        "reference_point": {
            experiment.goal.game_column: worst,
            experiment.cost.name: max_cost,
        },
        "baselines": experiment.baselines,
        "game_seeds": "see games.csv; 1,000,000 x study seed + the game's own number, "
        "from 500,000 on in validation",
        "n_trials_complete": states.count("complete"),
        "n_trials_failed": states.count("fail"),
        "n_games_of_trials": sum(len(trial.outcomes) for trial in data.trials),
        "n_games_of_validation": sum(len(each.outcomes) for each in data.played_points),
        **(runs[-1] if runs else {}),
        "earlier_runs": runs[:-1],
    }
