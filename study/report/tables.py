"""Tables of a study: one row a trial, one row a game.

Column names carry their units: ``score_*_points``, ``*_seconds*``; shares and rates are between 0
and 1.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from thetafront.agents.agent import Outcome
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.game_rows import cells_of_game, columns_of_games, is_reported
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import n_dominating_layers, nondominated, p_on_front
from thetafront.study.report.validated_rows import games_columns
from thetafront.study.text import counted

if TYPE_CHECKING:
    from thetafront.study.samplers.fitted_model import FittedModel

N_DRAWS = 1000
MOST_DRAWN = 512  # trials at once: time grows with the cube of their number


def trials_frame(data: StudyData, model: "FittedModel | None" = None) -> pd.DataFrame:
    """Return one row a trial that has begun.

    ``on_observed_front`` marks nondominated observed means. With a ``model``, complete trials have
    the goal's posterior mean and standard deviation, and the probability that no other trial
    dominates.
    """
    experiment = data.experiment
    n_failed = len if data.has_failures else lambda failures: None
    rows = [
        {
            "trial": trial.number,
            "state": trial.state,
            "origin": trial.origin,
            **{name: trial.params.get(name, math.nan) for name in experiment.space.names},
            **games_columns(list(trial.games.values()), experiment, n_failed(trial.failures)),
            "error": trial.error,
        }
        for trial in data.trials
    ]
    columns = ["trial", "state", "origin", *experiment.space.names]
    columns += [*games_columns([], experiment, n_failed({})), "error"]
    frame = pd.DataFrame(rows, columns=columns)
    complete, goal = np.flatnonzero(frame["state"] == "complete"), experiment.goal
    front = complete[
        nondominated(
            goal.sign * frame[goal.column("mean")].to_numpy(float)[complete],
            frame[experiment.cost.name].to_numpy(float)[complete],
        )
    ]
    frame["on_observed_front"] = np.isin(np.arange(len(frame)), front)
    if model is not None:
        add_predictions(frame, complete, experiment, model)
    return frame


def thetas_of(frame: pd.DataFrame, experiment: Experiment) -> list[dict[str, Any]]:
    """Return θ of each row."""
    columns = {name: frame[name].tolist() for name in experiment.space.names}
    rows = zip(*columns.values(), strict=True)
    return [experiment.space.present(dict(zip(columns, row, strict=True))) for row in rows]


def add_predictions(
    frame: pd.DataFrame,
    complete: npt.NDArray[np.int64],
    experiment: Experiment,
    model: "FittedModel",
) -> None:
    """Add the model's predictions of the complete trials.

    Of thousands, only some are compared: those that the fewest others are predicted to dominate.
    """
    points = model.cube.encode(thetas_of(frame.loc[complete], experiment))
    scores = model.posterior.goal(points)
    rng = np.random.default_rng(0)
    near = np.arange(len(points))
    if len(points) > MOST_DRAWN:
        layers = n_dominating_layers(model.posterior.mean(points))
        near = np.lexsort((rng.random(len(points)), layers))[:MOST_DRAWN]
    shares = np.full(len(points), np.nan)
    shares[near] = p_on_front(model.posterior.draw(points[near], N_DRAWS, rng))
    predicted = {
        experiment.goal.posterior_column("mean"): scores.mean,
        experiment.goal.posterior_column("sd"): scores.deviation,
        "p_on_front": shares,
    }
    for name, values in predicted.items():
        frame[name] = np.nan
        frame.loc[complete, name] = values


def games_frame(data: StudyData) -> pd.DataFrame:
    """Return one row a game, failed ones too; those of validation have a ``point``, no trial."""
    experiment = data.experiment
    rows: list[dict[str, Any]] = []

    def add(games: Mapping[int, Outcome], **labels: Any) -> None:
        for replicate, game in games.items():
            rows.append({**labels, "replicate": replicate, **cells_of_game(game, experiment)})

    for trial in data.trials:
        add(trial.outcomes, phase="search", trial=trial.number, point="", origin=trial.origin)
    for point in data.played_points:
        add(point.outcomes, phase="validation", trial=pd.NA, point=point.key, origin=point.origin)
    if is_reported(experiment):  # fields that some games lack stay as they were reported
        owners = [*data.trials, *data.played_points]
        played = [game for each in owners for game in each.outcomes.values()]
        columns = columns_of_games(experiment, played)
        return pd.DataFrame(rows, columns=columns, dtype=object).astype({"trial": "Int64"})
    usual = columns_of_games(experiment, ())
    kinds = {type(game): game for point in data.played_points for game in point.games.values()}
    columns = columns_of_games(experiment, kinds.values())
    whole = ["trial", *(each for each in columns if each not in usual)]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(whole, "Int64"))


def check_table(path: Path, first_column: str) -> None:
    """Refuse, by InputError, to overwrite a file that is not a table with this first column."""
    if path.exists():
        first = path.read_bytes()[:1000] if path.is_file() else b""
        if first.partition(b"\n")[0].decode(errors="replace").split(",")[0] != first_column:
            raise InputError(
                f"{path}: a table whose first line begins with {first_column!r} is to be written "
                "here, and something else is there; use another folder, or move it away"
            )


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table atomically; InputError if something else is there."""
    check_table(path, str(frame.columns[0]))
    with atomic_write(path) as draft:
        frame.to_csv(draft, index=False)


def games_note(frame: pd.DataFrame, what: str) -> str:
    """Say how many games the rows of a table have."""
    counts = sorted(set(frame["n_games"].astype(int)))
    each = counted(counts[-1], "game")
    if len(counts) > 1:
        each = f"{counts[0]:,} to {each}"
    rows = counted(len(frame), what)
    if len(frame) == 1 or counts[-1] == 1:
        return f"{rows} of {each}{' each' if len(frame) > 1 else ''}"
    return f"{rows} of {each} each, {int(frame['n_games'].sum()):,} in all"


def write_text(text: str, path: Path) -> None:
    """Write a text atomically."""
    with atomic_write(path) as draft:
        draft.write_text(text, encoding="utf-8")
