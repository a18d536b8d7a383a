"""Games of a proposal, played for a pick: one more validated point of the study."""

import optuna
from rich.console import Console

from study.experiments.definition import Experiment
from study.run.progress import ProgressDisplay
from study.run.stopping import Precision
from study.run.sweep import Sweep
from study.run.validation import Validation
from study.store.location import Location
from study.store.study_data import StudyData
from study.store.validated_points import ValidatedPoint

SECONDS_OF_A_PICK = 60.0
FEWEST_GAMES, MOST_GAMES = 20, 400
N_NEIGHBOURS = 3
ALWAYS_TOO_MUCH = 1e-9  # a standard error that no sample of games has


def games_in_a_minute(data: StudyData, cost: float, jobs: int) -> int:
    """Return how many games of a θ of that cost take about a minute, from 20 to 400.

    By the games of the trials whose costs are the nearest.
    """
    of_trials = [list(each.games.values()) for each in data.trials if each.games]
    known = of_trials + [point.in_order for point in data.points if point.games]
    nearest = sorted(known, key=lambda games: abs(data.experiment.cost.of(games) - cost))
    games = [game for some in nearest[:N_NEIGHBOURS] for game in some]
    seconds = sum(game.seconds for game in games) / max(len(games), 1)
    if seconds <= 0.0:
        return MOST_GAMES
    return max(FEWEST_GAMES, min(MOST_GAMES, int(SECONDS_OF_A_PICK * jobs / seconds)))


def play_point(
    study: optuna.Study,
    data: StudyData,
    point: ValidatedPoint,
    n_games: int,
    location: Location,
    jobs: int,
    out: Console,
) -> None:
    """Play a point until it has so many games, and store them; the study must be locked.

    Raises
    ------
    StoppedError
        If games, workers or the storage fail.
    """
    experiment: Experiment = data.experiment
    sweep = Sweep(experiment, location, study, None, jobs, out)
    with sweep.stops("pick"):
        games = Validation(study, data, [point], Precision(ALWAYS_TOO_MUCH, max(n_games, 2)))
        if not games.done:
            asked = {"pick_games": n_games}
            sweep.play("pick", games, jobs, ProgressDisplay(out), asked)
