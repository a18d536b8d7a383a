"""What a study leaves in its folder: tables, pictures, manifest."""

from dataclasses import asdict
from pathlib import Path

import optuna

from study.errors import InputError
from study.experiment import Experiment
from study.manifest import write_json
from study.plots import hypervolume_figure, pareto_figure, save, scores_figure
from study.report import baselines_frame, front_frame, games_frame, trials_frame, write_csv
from study.storage import Place, make_folder, record_of, runs_of

__all__ = ["draw", "export"]


def draw(study: optuna.Study, experiment: Experiment, folder: Path) -> list[Path]:
    """Draw a study's pictures into ``folder``; return their paths.

    Raises
    ------
    InputError
        If no trial is complete yet, or the folder cannot be written.
    """
    trials = trials_frame(study, experiment)
    if not (trials["state"] == "complete").any():
        raise InputError(f"study: {study.study_name!r} has no complete trial yet: nothing to draw")
    make_folder(folder)
    figures = {
        "pareto.png": pareto_figure(trials, baselines_frame(study, experiment), experiment),
        "scores.png": scores_figure(trials, games_frame(study, experiment), experiment),
        "hypervolume.png": hypervolume_figure(trials, experiment),
    }
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
    trials = trials_frame(study, experiment)
    games = games_frame(study, experiment)
    paths = [folder / name for name in ("trials.csv", "games.csv", "front.csv", "manifest.json")]
    write_csv(trials, paths[0])
    write_csv(games, paths[1])
    write_csv(front_frame(trials), paths[2])
    runs = runs_of(study)
    contents = {
        "study": place.name,
        "storage": place.shown_url,
        **asdict(record_of(study)),
        "objectives": {"score_mean_points": "maximize", "seconds_per_move": "minimize"},
        "reference_point": {
            "score_points": experiment.reference_score,
            "seconds_per_move": experiment.reference_seconds_per_move,
        },
        "baselines": experiment.baselines,
        "game_seeds": "1,000,000 x study seed + replicate",
        "n_trials_complete": int((trials["state"] == "complete").sum()),
        "n_trials_failed": int((trials["state"] == "fail").sum()),
        "n_games_of_trials": int(games["trial"].notna().sum()),
        "n_games_of_baselines": int(games["trial"].isna().sum()),
        **(runs[-1] if runs else {}),
        "earlier_runs": runs[:-1],
    }
    write_json(contents, paths[3])
    if (trials["state"] == "complete").any():
        paths += draw(study, experiment, folder)
    return paths
