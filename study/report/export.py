"""What a study leaves in its folder: tables, figures and a manifest."""

from pathlib import Path

import pandas as pd

from thetafront.study.errors import InputError
from thetafront.study.log.location import Location, make_folder
from thetafront.study.log.manifest import MANIFEST, earlier_manifest, write_json
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import certificate_frame
from thetafront.study.report.tables import check_table, games_frame, trials_frame, write_csv
from thetafront.study.report.validated_front import (
    combined_front_frame,
    predicted_front_frame,
    validated_frame,
)

Tables = dict[str, pd.DataFrame]


def write_tables(analysis: Analysis, location: Location, folder: Path) -> list[Path]:
    """Write a study's tables and manifest, and its figures if a trial is complete; return paths.

    Raises
    ------
    InputError
        If the folder cannot be written, or has other files of the same names.
    """
    make_folder(folder)
    tables = analysis.tables
    paths = [folder / f"{name}.csv" for name in tables]
    earlier_manifest(folder / MANIFEST)
    for path, table in zip(paths, tables.values(), strict=True):
        check_table(path, str(table.columns[0]))
    for path, table in zip(paths, tables.values(), strict=True):
        write_csv(table, path)
    paths.append(folder / MANIFEST)
    write_json(manifest_of(analysis.data, location), paths[-1])
    return paths if analysis.model is None else paths + save_figures(analysis, folder)


def draw(analysis: Analysis, folder: Path) -> list[Path]:
    """Draw a study's figures into ``folder``; return their paths.

    Raises
    ------
    InputError
        If no trial is complete yet, or the folder cannot be written.
    """
    if analysis.model is None:
        name = analysis.data.name
        raise InputError(f"study: {name!r} has no complete trial yet: nothing to draw")
    make_folder(folder)
    return save_figures(analysis, folder)


def tables_of(analysis: Analysis) -> Tables:
    """Return a study's tables by name; those of fronts over the whole space if there is a model."""
    data, model, combined = analysis.data, analysis.model, analysis.combined
    tables = {
        "front": validated_frame(analysis),
        "trials": trials_frame(data, model),
        "games": games_frame(data),
    }
    if model is not None:
        tables["predicted_front"] = predicted_front_frame(data.experiment, model)
    if model is not None and combined is not None:
        tables["combined_front"] = combined_front_frame(data.experiment, combined)
    if analysis.certificate is not None:
        tables["certificate"] = certificate_frame(analysis.certificate)
    return tables


def save_figures(analysis: Analysis, folder: Path) -> list[Path]:
    """Draw and save a study's figures; return their paths."""
    # Pages are made of the same tables and do without Matplotlib, which is slow to import.
    from thetafront.study.report.hypervolume_figure import hypervolume_figure  # noqa: PLC0415
    from thetafront.study.report.pareto_figure import pareto_figure  # noqa: PLC0415
    from thetafront.study.report.scores_figure import scores_figure  # noqa: PLC0415
    from thetafront.study.report.style import save  # noqa: PLC0415

    data, tables = analysis.data, analysis.tables
    experiment, validated, trials = data.experiment, tables["front"], tables["trials"]
    figures = {
        "pareto.png": pareto_figure(
            trials,
            validated,
            tables["predicted_front"],
            experiment,
            tables["combined_front"],
            tables.get("certificate"),
        ),
        "hypervolume.png": hypervolume_figure(
            analysis.trace, trials, validated, experiment, data.reference
        ),
    }
    if len(validated) and experiment.goal.with_extremes:
        figures["scores.png"] = scores_figure(validated, tables["games"], experiment)
    for name, figure in figures.items():
        save(figure, folder / name)
    return [folder / name for name in figures]


def without_machine(record: StudyRecord) -> StudyRecord:
    """Return a record without the folders around this one; those elsewhere are left out, too."""
    if record.defined is None or not record.source.startswith("/"):
        return record
    path = Path(record.source)
    here = path.is_relative_to(Path.cwd())
    return record.at(str(path.relative_to(Path.cwd())) if here else path.name)


def manifest_of(data: StudyData, location: Location) -> dict[str, object]:
    """Return what made the study, and how many trials and games it holds."""
    experiment, runs = data.experiment, data.runs
    states = [trial.state for trial in data.trials]
    worst, dearest = data.reference or (None, None)
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
            experiment.cost.name: dearest,
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
