"""What a study leaves in its folder: tables, pictures, manifest."""

from dataclasses import asdict
from pathlib import Path

import optuna
import pandas as pd
from threadpoolctl import threadpool_limits

from study.errors import InputError
from study.experiments.definition import Experiment
from study.report.figures import hypervolume_figure, pareto_figure, scores_figure
from study.report.hypervolume_trace import hypervolume_history
from study.report.style import save
from study.report.tables import games_frame, trials_frame, write_csv
from study.report.validated_front import curve_frame, validated_frame
from study.samplers.fitted_model import FittedModel, fit_model
from study.store.location import Place, make_folder
from study.store.manifest import write_json
from study.store.storage import record_of, runs_of
from study.store.trial_games import objectives_of


def draw(
    study: optuna.Study, experiment: Experiment, folder: Path, model: FittedModel | None = None
) -> list[Path]:
    """Draw a study's pictures into ``folder``; return their paths.

    Raises
    ------
    InputError
        If no trial is complete yet, or the folder cannot be written.
    """
    if model is None:
        with threadpool_limits(1):
            model = fit_model(
                study, experiment.space, objectives_of(experiment), record_of(study).seed
            )
    if model is None:
        raise InputError(f"study: {study.study_name!r} has no complete trial yet: nothing to draw")
    make_folder(folder)
    trials = trials_frame(study, experiment, model)
    validated = validated_frame(study, experiment, model)
    curve = curve_frame(experiment, model)
    history = hypervolume_history(study, experiment)
    figures = {
        "pareto.png": pareto_figure(trials, validated, curve, experiment),
        "hypervolume.png": hypervolume_figure(history, trials, validated, experiment),
    }
    if len(validated) and experiment.goal.has_spread:
        games = games_frame(study, experiment.kind)
        figures["scores.png"] = scores_figure(validated, games, experiment)
    for name, figure in figures.items():
        save(figure, folder / name)
    return [folder / name for name in figures]


def export(study: optuna.Study, place: Place, experiment: Experiment, folder: Path) -> list[Path]:
    """Write a study's tables and manifest, and its pictures if a trial is complete.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    make_folder(folder)
    # One thread for linear algebra: on matrices of this size, more are slower.
    with threadpool_limits(1):
        return write_all(study, place, experiment, folder)


def write_all(
    study: optuna.Study, place: Place, experiment: Experiment, folder: Path
) -> list[Path]:
    """Write tables, manifest and pictures; return their paths."""
    model = fit_model(study, experiment.space, objectives_of(experiment), record_of(study).seed)
    trials = trials_frame(study, experiment, model)
    games = games_frame(study, experiment.kind)
    tables = {
        "front.csv": validated_frame(study, experiment, model),
        "trials.csv": trials,
        "games.csv": games,
    }
    if model is not None:
        tables["model_front.csv"] = curve_frame(experiment, model)
    for name, table in tables.items():
        write_csv(table, folder / name)
    paths = [folder / name for name in tables] + [folder / "manifest.json"]
    write_json(contents_of_manifest(study, place, experiment, trials, games), paths[-1])
    if model is not None:
        paths += draw(study, experiment, folder, model)
    return paths


def contents_of_manifest(
    study: optuna.Study,
    place: Place,
    experiment: Experiment,
    trials: pd.DataFrame,
    games: pd.DataFrame,
) -> dict[str, object]:
    """Return what made the study, and how much of it there is."""
    runs = runs_of(study)
    return {
        "study": place.name,
        "storage": place.shown_url,
        **asdict(record_of(study)),
        "objectives": {
            experiment.goal.column("mean"): "maximize",
            experiment.cost.name: "minimize",
        },
        "reference_point": {
            f"{experiment.goal.name}{experiment.goal.ending}": experiment.reference_score,
            experiment.cost.name: experiment.reference_cost,
        },
        "baselines": experiment.baselines,
        "game_seeds": "see games.csv; 1,000,000 x study seed + a number of the game's own, from 500,000 on in validation",
        "n_trials_complete": int((trials["state"] == "complete").sum()),
        "n_trials_failed": int((trials["state"] == "fail").sum()),
        "n_games_of_trials": int((games["phase"] == "search").sum()),
        "n_games_of_validation": int((games["phase"] == "validation").sum()),
        **(runs[-1] if runs else {}),
        "earlier_runs": runs[:-1],
    }
