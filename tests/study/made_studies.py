"""Studies made by hand: trials and validated points of given games, stored as a sweep does."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial

from thetafront.agents.agent import Game
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.definition import Experiment
from thetafront.study.report.analysis import Analysis
from thetafront.study.store.games_table import StoredGames
from thetafront.study.store.seeds import game_to_record
from thetafront.study.store.storage import in_memory
from thetafront.study.store.study_data import StudyData
from thetafront.study.store.study_record import ATTRIBUTE, StudyRecord
from thetafront.study.store.trial_games import games_of
from thetafront.study.store.validated_points import (
    GAME_PREFIX,
    POINT_PREFIX,
    ValidatedPoint,
    key_of,
    points_in,
)

N_MOVES = 100


def new_study() -> optuna.Study:
    return optuna.create_study(directions=["maximize", "minimize"])


def writable_study() -> optuna.Study:
    """A study in memory that searches and validations can write."""
    return optuna.create_study(directions=["maximize", "minimize"], storage=in_memory())


def analysis_with(data: StudyData, **found: Any) -> Analysis:
    """An analysis in which some of what follows from the data is given."""
    analysis = Analysis(data)
    vars(analysis).update(found)
    return analysis


def stored_games(study: optuna.Study, trial: FrozenTrial) -> dict[int, Game]:
    """The games of a trial, wherever they are."""
    return games_of(trial, stored=StoredGames.read(study).of_trial(trial.number))


def stored_points(study: optuna.Study) -> list[ValidatedPoint]:
    """The validated points of a study, with their games."""
    return points_in(study.user_attrs, games=StoredGames.read(study))


def data_of(study: optuna.Study, experiment: Experiment, seed: int = 0) -> StudyData:
    """Read a study, with a record of the experiment unless it has one."""
    if ATTRIBUTE not in study.user_attrs:
        space = experiment.space.as_records()
        StudyRecord(experiment.name, space, seed, "sobol", 16).store(study)
    return StudyData.read(study, experiment)


def store_trial(
    study: optuna.Study,
    experiment: Experiment,
    params: Mapping[str, Any],
    games: Sequence[Game],
    cost: float,
    **attributes: Any,
) -> None:
    """Put a complete trial into a study, with its games' mean score."""
    records = {f"game:{r}": game_to_record(game) for r, game in enumerate(games)}
    study.add_trial(
        optuna.trial.create_trial(
            params=dict(params),
            distributions=experiment.space.distributions(),
            values=[float(np.mean([game.score for game in games])), cost],
            user_attrs=attributes | records,
        )
    )


def store_point(
    study: optuna.Study,
    params: Mapping[str, Any],
    games: Mapping[int, Game],
    origin: str = "proposal",
    key: str = "",
) -> None:
    """Store a validated point with its games by replicate; the default key is its own."""
    key = key or key_of(params)
    study.set_user_attr(f"{POINT_PREFIX}{key}", {"params": dict(params), "origin": origin})
    for r, game in games.items():
        study.set_user_attr(f"{GAME_PREFIX}{key}:{r}", game_to_record(game))


def add_point(
    study: optuna.Study,
    n_playouts: int,
    scores: Sequence[int],
    milliseconds: float,
    origin: str = "proposal",
) -> None:
    """Put a validated point of pure Monte Carlo into a study: its scores, and what a move took."""
    seconds = N_MOVES * milliseconds / 1000.0
    games = {
        r: Game2048(500_000 + r, score, N_MOVES, seconds, 5000 * n_playouts, 512, 0)
        for r, score in enumerate(scores)
    }
    store_point(study, {"n_playouts": n_playouts}, games, origin)


def add_trials(study: optuna.Study, quick: Experiment, deviation: float = 300.0) -> None:
    """Trials of three games each, 1000·√n points at 10 µs and n."""
    rng = np.random.default_rng(2)
    for n in (1, 3, 7, 12, 20, 28, 36, 40):
        games = [
            Game2048(
                r, int(rng.normal(1000 * math.sqrt(n), deviation)), 100, 1e-3 * n, 5000 * n, 256, 0
            )
            for r in range(3)
        ]
        store_trial(study, quick, {"n_playouts": n}, games, 1e-5 * n)


def spread(mean: int, deviation: int, n: int = 100) -> list[int]:
    """Half above and half below, so in each half: their standard error is deviation/√(n − 1)."""
    return [mean - deviation, mean - deviation, mean + deviation, mean + deviation] * (n // 4)
