"""How often intervals of validated points hold if scores are skewed, or noise depends on θ.

A simulated study has 60 trials of 32 games, spread over two parameters, and validates the points
that its model proposes, with 200 games each. The true mean of a θ is known. *Own* intervals use
only the games of a point. *Combined* intervals use all games of the study: with variances from the
games of one θ alone, and with those of :mod:`study.model.weights`. A *bias* is the mean error, in
standard deviations of the combined estimate.
"""

import math
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import optuna
from joblib import Parallel, delayed

from results.benchmarks.samplers.surfaces import Floats
from thetafront import Experiment, NumericParameter, Space, mean, reported
from thetafront.agents.external.report import ReportedGame
from thetafront.study.estimate import share
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.log.tables import SEARCH
from thetafront.study.model import weights
from thetafront.study.model.study_model import choose_points
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.samplers.design import sobol

N_TRIALS, N_GAMES, N_POINTS, N_OF_POINT, N_STUDIES = 60, 32, 12, 200, 20
SPACE = Space((NumericParameter("effort", 0.0, 1.0), NumericParameter("aim", 0.0, 1.0)))
Draw = Callable[[np.random.Generator, float, float, int], Floats]
GAMES: dict[str, Draw] = {
    "normal": lambda rng, m, aim, n: rng.normal(m, 0.5, n),
    "normal, deviations of 0.05 to 5": lambda rng, m, aim, n: rng.normal(
        m, 5.0 * 10.0 ** (-2.0 * aim), n
    ),
    "exponential": lambda rng, m, aim, n: rng.exponential(m, n),
    "lognormal, log deviation 1.5": lambda rng, m, aim, n: m * rng.lognormal(-1.125, 1.5, n),
    "0 in 95% of games, else uniform": lambda rng, m, aim, n: (
        (rng.random(n) < 0.05) * 40.0 * m * rng.random(n)
    ),
    "almost 0 in 95% of games, else 20 means": lambda rng, m, aim, n: (
        (rng.random(n) < 0.05) * 20.0 * m + rng.normal(0.0, 0.001, n)
    ),
}


def true_mean(seed: int, effort: float, aim: float) -> float:
    """Return the true mean score of a θ, between 0.02 and 1, for any seed."""
    return 0.02 + 0.98 * (1.0 - math.exp(-3.0 * effort)) * math.exp(-(((aim - 0.6) / 0.35) ** 2))


def played(point: Point, draw: Draw, n: int, rng: np.random.Generator) -> Point:
    """Return a point with games."""
    effort, aim = point.params.values()
    cost = {"work": 10.0 ** (1.0 + effort)}
    scores = draw(rng, true_mean(0, effort, aim), aim, n).tolist()
    for k, score in enumerate(scores):
        point.games[k] = ReportedGame(k, score, 1, 1e-5, cost)
    return point


def judged(name: str, seed: int, by_model: bool) -> Floats:
    """Return, for each point, whether own and combined intervals hold, and the error, (n, 3)."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng, draw = np.random.default_rng(seed), GAMES[name]
    experiment = Experiment(
        name="skewed", agent=true_mean, space=SPACE, goal=mean("score"), costs=(reported("work"),)
    )
    record = StudyRecord(experiment.name, SPACE.as_records(), seed, "sobol", 16)
    trials = []
    for number, unit in enumerate(sobol(2, 64, seed)[:N_TRIALS].tolist()):
        begun = Point(SPACE.from_unit(unit), "design", SEARCH, number, {}, n_games=N_GAMES)
        trial = played(begun, draw, N_GAMES, rng)
        values = trial.objectives(experiment.goal, experiment.cost)
        trials.append(Point(**{**vars(trial), "values": values}))
    data = StudyData("skewed", experiment, record, trials)
    with patch.object(weights, "MIN_SAMPLES", weights.MIN_SAMPLES if by_model else math.inf):
        model = Analysis(data).trials_model
        assert model is not None
        data.points.extend(
            played(point, draw, N_OF_POINT, rng) for point in choose_points(model, data, N_POINTS)
        )
        candidates = Analysis(data).candidates
    assert candidates is not None
    found = []
    for each in candidates.played:
        truth, of_all = true_mean(0, *each.point.params.values()), each.expected.score
        holds = [estimate.low <= truth <= estimate.high for estimate in (each.own, of_all)]
        found.append([*holds, (of_all.value - truth) / of_all.sem])
    return np.array(found, np.float64)


def main() -> None:
    """Print the table."""
    rows = []
    for name in GAMES:
        cells = [name]
        for by_model in (False, True):
            runs = Parallel(-1)(delayed(judged)(name, seed, by_model) for seed in range(N_STUDIES))
            own, combined, bias = np.concatenate(runs).T
            held = share(int(combined.sum()), len(combined))
            own_cells = [] if by_model else [f"{len(own)}", f"{own.mean():.3f}"]
            cells += [*own_cells, f"{held.value:.3f}", f"{bias.mean():+.2f}"]
        rows.append(cells)
    columns = ["scores of a game", "points", "own", "combined, from own games", "bias"]
    columns += ["combined, by the model", "bias"]
    note = f"{N_STUDIES} studies a row; shares of 95% intervals that contain the true mean."
    print(document("Intervals of skewed scores", note, markdown_table(columns, rows)))


if __name__ == "__main__":
    main()
