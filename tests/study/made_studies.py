"""Studies made by hand: trials and validated points of given games, stored as a sweep does."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tests.study.experiments.definitions import COINS
from thetafront.agents.agent import Game, Outcome
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import reported
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.registry import experiment as find_experiment
from thetafront.study.experiments.space import Space
from thetafront.study.log.location import locate
from thetafront.study.log.log import (
    RECORD,
    Log,
    event,
    failure,
    game_row,
    point_row,
    row_to_outcome,
    unit_name,
)
from thetafront.study.log.point import Point
from thetafront.study.log.seeds import search_seed
from thetafront.study.log.storage import create_or_resume
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import StudyRecord, make_definition
from thetafront.study.log.tables import SEARCH, VALIDATION, sealed
from thetafront.study.report.analysis import Analysis
from thetafront.study.samplers.design import draw_points

N_MOVES = 100
T = TypeVar("T")


def present(found: T | None) -> T:
    """What must not be None."""
    assert found is not None
    return found


def record_of(experiment: Experiment, seed: int = 0) -> StudyRecord:
    """A record of an experiment."""
    return StudyRecord(experiment.name, experiment.space.as_records(), seed, "sobol", 16)


def new_study(experiment: Experiment | None = None) -> Log:
    """A study in memory; its record is written by ``data_of`` unless an experiment is given."""
    record = {} if experiment is None else record_of(experiment).as_data()
    return Log.in_memory("s", record)


def new_study_in(folder: Path, record: StudyRecord, name: str = "s") -> Log:
    """A study in a folder of its own."""
    location = locate(name, folder, None)
    location.folder.mkdir(exist_ok=True)
    return create_or_resume(location, record)


def store_coins(folder: Path, n_trials: int) -> None:
    """A folder's ``coins.py``, and its study, whose games are made up."""
    (folder / "coins.py").write_text(COINS)
    coins = find_experiment(f"{folder}/coins.py").settled(True)
    record = StudyRecord(
        coins.name,
        coins.space.as_records(),
        0,
        "sobol",
        4,
        coins.cost.name,
        definition=make_definition(coins),
    )
    log = new_study_in(folder, record, coins.name)
    for n in range(n_trials):
        seeds = [search_seed(0, n, replicate) for replicate in range(2)]
        games = [ReportedGame(seed, seed % 2, 9, 1e-3 * (n + 1), {"luck": 0.5}) for seed in seeds]
        store_trial(log, coins, {"effort": 10 + n, "side": "edge"}, games)


def analysis_with(data: StudyData, **found: Any) -> Analysis:
    """An analysis in which some of what follows from the data is given."""
    analysis = Analysis(data)
    vars(analysis).update(found)
    return analysis


def changed(analysis: Analysis, **found: Any) -> Analysis:
    """The same analysis, with other data, or with something else that follows from them."""
    return analysis_with(**{**vars(analysis), **found})


def stored_games(log: Log) -> dict[str, dict[int, Outcome]]:
    """All games as they are stored, by ``trial 3`` or ``point 2``, and by replicate."""
    found: dict[str, dict[int, Outcome]] = {}
    for row in log.rows().games:
        name = unit_name((row.phase, row.number))
        found.setdefault(name, {})[row.replicate] = row_to_outcome(row)
    return found


def stored_points(log: Log, experiment: Experiment) -> list[Point]:
    """The validated points of a study, with their games."""
    return data_of(log, experiment).points


def data_of(log: Log, experiment: Experiment, seed: int = 0) -> StudyData:
    """Read a study, with a record of the experiment unless it has one."""
    rows = log.rows()
    if rows.study.record == "{}" and not rows.latest(RECORD):
        log.write(event(RECORD, **record_of(experiment, seed).as_data()))
    return StudyData.read(log, experiment)


def next_number(log: Log, phase: str) -> int:
    """The number of a study's next trial or point."""
    return sum(row.phase == phase for row in log.rows().points)


def store_trial(
    log: Log,
    experiment: Experiment,
    params: Mapping[str, Any],
    games: Sequence[Outcome],
    origin: str = "",
    error: str = "",
    n_games: int = 0,
) -> int:
    """Put a trial into a study, complete unless more games are wanted; return its number."""
    unit = SEARCH, next_number(log, SEARCH)
    begun = point_row(*unit, params, origin, n_games or len(games))
    played = [game_row(unit, replicate, game) for replicate, game in enumerate(games)]
    log.write(begun, *played, *([failure(unit, error)] if error else []))
    return unit[1]


def forge(log: Log, place: int, game: Outcome) -> None:
    """Put a game in place of that of a row, with a checksum as if it had been written so."""
    rows = log.rows()
    played = list(rows.games)
    old = played[place]
    new = game_row((old.phase, old.number), old.replicate, game, old.machine, old.at)
    played[place] = sealed(new._replace(sequence=old.sequence))
    log.rebuild(replace(rows, games=played))


def store_point(
    log: Log, params: Mapping[str, Any], games: Mapping[int, Outcome], origin: str = "proposal"
) -> None:
    """Store a validated point with its games by replicate."""
    unit = VALIDATION, next_number(log, VALIDATION)
    played = [game_row(unit, replicate, game) for replicate, game in games.items()]
    log.write(point_row(*unit, params, origin), *played)


def add_point(
    log: Log,
    n_playouts: int,
    scores: Sequence[int],
    milliseconds: float,
    origin: str = "proposal",
    max_tile: int = 512,
) -> None:
    """Put a validated point of pure Monte Carlo into a study: its scores, and what a move took."""
    seconds = N_MOVES * milliseconds / 1000.0
    games = {
        r: Game2048(500_000 + r, score, N_MOVES, seconds, 5000 * n_playouts, max_tile, 0)
        for r, score in enumerate(scores)
    }
    store_point(log, {"n_playouts": n_playouts}, games, origin)


def add_trials(log: Log, quick: Experiment, deviation: float = 300.0) -> Log:
    """Trials of three games each, 1000·√n points at 10 µs and n."""
    rng = np.random.default_rng(2)
    for n in (1, 3, 7, 12, 20, 28, 36, 40):
        games = [
            Game2048(
                r, int(rng.normal(1000 * math.sqrt(n), deviation)), 100, 1e-3 * n, 5000 * n, 256, 0
            )
            for r in range(3)
        ]
        store_trial(log, quick, {"n_playouts": n}, games)
    return log


def spread(mean: int, deviation: int, n: int = 100) -> list[int]:
    """Half above and half below, so in each half: their standard error is deviation/√(n − 1)."""
    return [mean - deviation, mean - deviation, mean + deviation, mean + deviation] * (n // 4)


def data_of_values(
    experiment: Experiment,
    complete: Sequence[tuple[Mapping[str, Any], tuple[float, float]]],
    failed: Sequence[Mapping[str, Any]] = (),
    running: Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
) -> StudyData:
    """A study whose trials have objectives and no games."""
    trials = [Point(params, values=values) for params, values in complete]
    trials += [Point(params, error="it failed") for params in failed]
    trials += [Point(params) for params in running]
    trials = [replace(each, phase=SEARCH, number=n) for n, each in enumerate(trials)]
    return StudyData("s", experiment, record_of(experiment, seed), trials)


def simulated(
    validated: Sequence[tuple[float, float]],
    factor: float = 1.0,
    n_games: int = 4,
    n_of_point: int = 50,
    seed: int = 0,
) -> StudyData:
    """A study of 32 trials and of validated points, given by their two parameters.

    Scores and work do not depend on ``idle``. The work of validated points is multiplied by
    ``factor``.
    """
    rng = np.random.default_rng(seed)
    space = Space((NumericParameter("effort", 0.0, 1.0), NumericParameter("idle", 0.0, 1.0)))

    def play(seed: int, effort: float, idle: float) -> dict[str, float]:
        return {"score": 10.0 * effort, "work": 10.0 ** (1.0 + effort)}

    experiment = Experiment("idle", play, space, mean("score"), costs=(reported("work"),))

    def games(params: Mapping[str, Any], n: int, times: float) -> dict[int, Game]:
        found = play(0, **params)
        scores = found["score"] + rng.normal(size=n)
        work = times * found["work"] * rng.lognormal(0.0, 0.3, n)
        both = enumerate(zip(scores.tolist(), work.tolist(), strict=True))
        return {k: ReportedGame(k, score, 1, 1e-5, {"work": each}) for k, (score, each) in both}

    trials = []
    for number, unit in enumerate(draw_points("sobol", 2, 32, 0).tolist()):
        params = space.from_unit(unit)
        trial = Point(params, "", SEARCH, number, games(params, n_games, 1.0), n_games=n_games)
        trials.append(replace(trial, values=trial.objectives(experiment.goal, experiment.cost)))
    data = StudyData("s", experiment, record_of(experiment), trials)
    for effort, idle in validated:
        params = {"effort": effort, "idle": idle}
        data.points.append(Point(params, games=games(params, n_of_point, factor)))
    return data
