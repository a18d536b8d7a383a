"""Tables of a study: its trials, games, validated points, and fronts over the whole space.

Column names contain units: ``score_*_points``, ``*_seconds*``; shares and rates are between 0
and 1.

Validated values are means, with 95% intervals, over games that had no part in choosing their point.
Predicted values are posterior means, with 95% bands, from the trials alone. So validation can
refute predictions. Combined values are posterior means given all games, both of trials and of
validation. A front is chosen on the model's scale, such as √score. The mean score also depends on
the uncertainty of √score, so it may dip along the front.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from thetafront.agents.agent import Outcome
from thetafront.study.arrays import Integers
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.game_rows import LABELS, cells_of_game, is_reported, own_columns
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.pareto import n_dominating_layers, nondominated, p_on_front
from thetafront.study.report.expected import expected_at
from thetafront.study.report.played_rows import games_columns
from thetafront.study.report.validated_rows import combined_columns, validated_columns
from thetafront.study.text import counted

if TYPE_CHECKING:
    from thetafront.study.report.analysis import Analysis
    from thetafront.study.samplers.fitted_model import FittedModel

N_DRAWS = 1000
N_CURVE_ROWS = 120
BAND = ("mean", "low95", "high95")
MAX_DRAWN = 512  # trials at once: time grows with the cube of their number


def trials_frame(data: StudyData, model: "FittedModel | None" = None) -> pd.DataFrame:
    """Return one row per trial that has begun.

    ``on_observed_front`` marks nondominated observed means. With a ``model``, complete trials have
    the goal's posterior mean and standard deviation, and the probability that no other trial
    dominates them. Trials that a constraint now forbids have no such probability.
    """
    experiment = data.experiment

    def row(trial: Point) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "state": trial.state,
            "origin": trial.origin,
            **{name: trial.params.get(name, math.nan) for name in experiment.space.names},
            **games_columns(trial, experiment, data.has_failures),
            "error": trial.error,
        }

    rows = [row(trial) for trial in data.trials]
    frame = pd.DataFrame(rows, columns=columns_of([row(Point({})), *rows]))
    complete, goal = np.flatnonzero(frame["state"] == "complete"), experiment.goal
    forbidden = [bool(experiment.space.broken_by(data.trials[k].params)) for k in complete]
    allowed = complete[~np.array(forbidden, bool)]
    front = allowed[
        nondominated(
            goal.sign * frame[goal.column("mean")].to_numpy(float)[allowed],
            frame[experiment.cost.name].to_numpy(float)[allowed],
        )
    ]
    frame["on_observed_front"] = frame.index.isin(front)
    if model is not None:
        add_predictions(frame, complete, allowed, data, model)
    return frame


def add_predictions(
    frame: pd.DataFrame,
    complete: Integers,
    allowed: Integers,
    data: StudyData,
    model: "FittedModel",
) -> None:
    """Add the model's predictions of the complete trials, some of which are ``allowed``.

    At most 512 trials get a probability of being on the front: those that are nearest to the front
    by their predicted means.
    """
    goal = data.experiment.goal
    points = model.cube.encode([data.trials[k].params for k in complete])
    scores = model.posterior.goal(points)
    rng = np.random.default_rng(0)
    near = np.flatnonzero(np.isin(complete, allowed))
    if len(near) > MAX_DRAWN:
        layers = n_dominating_layers(model.posterior.mean(points[near]))
        near = near[np.lexsort((rng.random(len(near)), layers))[:MAX_DRAWN]]
    shares = np.full(len(points), np.nan)
    shares[near] = p_on_front(model.posterior.draw(points[near], N_DRAWS, rng))
    predicted = {
        goal.posterior_column("mean"): scores.mean,
        goal.posterior_column("sd"): scores.deviation,
        "p_on_front": shares,
    }
    for name, values in predicted.items():
        frame.loc[complete, name] = values


def columns_of(rows: Iterable[Mapping[Any, Any]]) -> list[Any]:
    """Return all columns of some rows; what users' games report may differ from row to row."""
    return list(dict.fromkeys(name for row in rows for name in row))


def games_frame(data: StudyData) -> pd.DataFrame:
    """Return one row per game, failed or not; validation games have a point instead of a trial."""
    experiment = data.experiment
    rows: list[dict[str, Any]] = []

    def add(games: Mapping[int, Outcome], **labels: Any) -> None:
        for replicate, game in games.items():
            rows.append({**labels, "replicate": replicate, **cells_of_game(game, experiment)})

    for trial in data.trials:
        add(trial.outcomes, phase="search", trial=trial.number, point="", origin=trial.origin)
    for point in data.played_points:
        add(point.outcomes, phase="validation", trial=pd.NA, point=point.key, origin=point.origin)
    usual = [*LABELS, *own_columns(experiment)]
    columns = columns_of([dict.fromkeys(usual), *rows])
    if is_reported(experiment):  # some games may lack fields, so values stay as reported
        return pd.DataFrame(rows, columns=columns, dtype=object).astype({"trial": "Int64"})
    whole = ["trial", *(each for each in columns if each not in usual)]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(whole, "Int64"))


def validated_frame(analysis: "Analysis") -> pd.DataFrame:
    """Return the rows of validated points as a table, with predictions by the trials' model."""
    goal, model = analysis.data.experiment.goal, analysis.model
    usual = dict.fromkeys(validated_columns(analysis.data))
    frame = pd.DataFrame(analysis.rows, columns=columns_of([usual, *analysis.rows]))
    if model is not None and analysis.rows:
        predicted = model.posterior.goal(model.cube.encode(analysis.rows))
        for what in BAND:
            frame[goal.posterior_column(what)] = getattr(predicted, what)
    return frame


def predicted_front_frame(data: StudyData, model: "FittedModel") -> pd.DataFrame:
    """Return the front of the whole space, predicted from the trials, the cheapest point first.

    The table has at most 120 points on the front. Points that are dominated in the goal's own unit
    are dropped: on a curved scale, the expected value of an uncertain point also depends on its
    uncertainty. A row has θ, its predicted cost, the goal's posterior mean and 95% band, and

    - ``posterior_sd_common``, the part of the band's standard deviation that the whole front shares
    - ``posterior_sd_local``, the remaining part, which is the point's own
    - ``distance_to_trial``, the distance to the nearest trial in the unit cube; √2 or more if no
      trial has the same choices of categorical parameters
    """
    front, experiment, goal = model.predicted_front, data.experiment, data.experiment.goal
    trials = model.cube.encode([each.params for each in data.complete_trials])
    predicted = model.posterior.goal(front.points)
    shown = front.spread(N_CURVE_ROWS)
    shown = shown[nondominated(goal.sign * predicted.mean[shown], -front.mean[shown, 1])]
    points = front.points[shown]
    empty = dict.fromkeys(experiment.space.names)  # the cells of inactive parameters
    frame = pd.DataFrame([{**empty, **model.cube.decode(each)} for each in points])
    frame[experiment.cost.name] = [10.0**-each for each in front.mean[shown, 1]]
    for each in BAND:
        frame[goal.posterior_column(each)] = getattr(predicted, each)[shown]
    frame[goal.posterior_column("sd_common")] = front.common_deviation
    frame[goal.posterior_column("sd_local")] = front.local_deviation[shown]
    gaps = [((trials - each) ** 2).sum(axis=1).min() for each in points]
    frame["distance_to_trial"] = np.sqrt(gaps)
    return frame


def combined_front_frame(experiment: Experiment, combined: "FittedModel") -> pd.DataFrame:
    """Return up to 120 points of the whole space's front given all games, the cheapest first.

    A row has θ, and the combined mean and 95% interval of score and cost. Expectations of untested
    θ may be lower than the model's mean (:meth:`FittedModel.expected_means`). θ that are dominated
    according to these expectations are dropped.
    """
    front = combined.predicted_front
    shown = front.points[front.spread(N_CURVE_ROWS)]
    thetas = [combined.cube.decode(point) for point in shown]
    found = expected_at(combined, thetas)
    scores = np.array([experiment.goal.sign * each.score.value for each in found])
    kept = nondominated(scores, np.array([each.cost.value for each in found]))
    empty = dict.fromkeys(experiment.space.names)  # the cells of inactive parameters
    return pd.DataFrame(
        [{**empty, **thetas[k], **combined_columns(found[k], experiment)} for k in kept]
    )


def check_table(path: Path, first_column: str) -> None:
    """Raise InputError rather than overwrite a file that is not a table with this first column."""
    if path.exists():
        first = path.read_bytes()[:1000] if path.is_file() else b""
        if first.partition(b"\n")[0].decode(errors="replace").split(",")[0] != first_column:
            raise InputError(
                f"{path}: exists, but is not a table whose first line begins with "
                f"{first_column!r}; use another folder, or move this file"
            )


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table atomically; InputError if something else is there."""
    check_table(path, str(frame.columns[0]))
    with atomic_write(path) as draft:
        frame.to_csv(draft, index=False)


def games_note(frame: pd.DataFrame, what: str) -> str:
    """Say how many rows a table has, and how many games each row has."""
    counts = sorted(set(frame["n_games"].astype(int)))
    each = counted(counts[-1], "game")
    if len(counts) > 1:
        each = f"{counts[0]:,} to {each}"
    rows = counted(len(frame), what)
    if len(frame) == 1 or counts[-1] == 1:
        return f"{rows} with {each}{' each' if len(frame) > 1 else ''}"
    return f"{rows} with {each} each, {int(frame['n_games'].sum()):,} in all"


def model_note(model: "FittedModel") -> str:
    """Say how many trials and validated points a model is fitted to."""
    n_trials = len(model.observations.points) - model.n_validated
    return f"{counted(n_trials, 'trial')} and {counted(model.n_validated, 'validated point')}"


def write_text(text: str, path: Path) -> None:
    """Write a text atomically."""
    with atomic_write(path) as draft:
        draft.write_text(text, encoding="utf-8")
