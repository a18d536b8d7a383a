"""How often intervals hold if scores are skewed, noise depends on θ, or win rates are extreme.

A simulated study has 60 trials of 32 games (win rates: 10), spread over two parameters, and
validates the points that its model proposes, with 200 games each. The true mean of a θ is known.
*Own* intervals use only the games of a point. *Combined* intervals use all games of the study.
*Untested* ones belong to 100 θ without games, and use the model of the trials. Combined and
untested intervals are computed twice: with values and variances from the games of one θ alone, and
after the model has corrected them (:func:`study.model.study_model.revised`). A *bias* is the mean
error, in standard deviations of the combined estimate.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import optuna
from joblib import Parallel, delayed

from results.benchmarks.samplers.surfaces import Floats
from thetafront import Experiment, NumericParameter, Space, mean, rate, reported
from thetafront.agents.external.report import ReportedGame
from thetafront.study.estimate import share
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.log.tables import SEARCH
from thetafront.study.model import study_model, weights
from thetafront.study.model.study_model import choose_points
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.samplers.design import draw_points

N_TRIALS, N_POINTS, N_OF_POINT, N_UNTESTED, N_STUDIES = 60, 12, 200, 100, 20
SPACE = Space((NumericParameter("effort", 0.0, 1.0), NumericParameter("aim", 0.0, 1.0)))
Draw = Callable[[np.random.Generator, float, float, int], Floats]


class Case(NamedTuple):
    """How games are drawn, and how many a trial has."""

    draw: Draw
    goal: Goal = mean("score")
    truth: Callable[[float], float] = lambda m: m  # the true mean, given `true_mean`
    n_games: int = 32


def wins(rng: np.random.Generator, m: float, aim: float, n: int) -> Floats:
    """Draw games that are won with probability m."""
    return (rng.random(n) < m).astype(np.float64)


CASES = {
    "normal": Case(lambda rng, m, aim, n: rng.normal(m, 0.5, n)),
    "normal, deviations of 0.05 to 5": Case(
        lambda rng, m, aim, n: rng.normal(m, 5.0 * 10.0 ** (-2.0 * aim), n)
    ),
    "exponential": Case(lambda rng, m, aim, n: rng.exponential(m, n)),
    "lognormal, log deviation 1.5": Case(lambda rng, m, aim, n: m * rng.lognormal(-1.125, 1.5, n)),
    "0 in 95% of games, else uniform": Case(
        lambda rng, m, aim, n: (rng.random(n) < 0.05) * 40.0 * m * rng.random(n)
    ),
    "almost 0 in 95% of games, else 20 means": Case(
        lambda rng, m, aim, n: (rng.random(n) < 0.05) * 20.0 * m + rng.normal(0.0, 0.001, n)
    ),
    "0.3% of games score 150 means": Case(
        lambda rng, m, aim, n: (
            0.5 * m + 150.0 * m * (rng.random(n) < 1 / 300) + rng.normal(0.0, 0.05, n)
        )
    ),
    "wins, 2% to 98%": Case(wins, rate("won"), lambda m: 0.98 * m, 10),
    "wins, almost never": Case(wins, rate("won"), lambda m: 0.05 * m**2, 10),
    "wins, almost always": Case(wins, rate("won"), lambda m: 1.0 - (1.0 - m) ** 10, 10),
}


def true_mean(seed: int, effort: float, aim: float) -> float:
    """Return the true mean score of a θ, between 0.02 and 1, for any seed."""
    return 0.02 + 0.98 * (1.0 - math.exp(-3.0 * effort)) * math.exp(-(((aim - 0.6) / 0.35) ** 2))


def truth_of(case: Case, params: Mapping[str, Any]) -> float:
    """Return the true mean of a θ."""
    return case.truth(true_mean(0, *params.values()))


def played(point: Point, case: Case, n: int, rng: np.random.Generator) -> Point:
    """Return a point with games."""
    cost = {"work": 10.0 ** (1.0 + point.params["effort"])}
    scores = case.draw(rng, truth_of(case, point.params), point.params["aim"], n).tolist()
    for k, score in enumerate(scores):
        point.games[k] = ReportedGame(k, score, 1, 1e-5, cost)
    return point


def judged(name: str, seed: int, by_model: bool) -> tuple[Floats, Floats]:
    """Simulate a study.

    Returns, for each point, whether own and combined intervals hold, and the error, (n, 3); and for
    each untested θ, whether its interval holds.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng, case = np.random.default_rng(seed), CASES[name]
    experiment = Experiment(
        name="skewed", agent=true_mean, space=SPACE, goal=case.goal, costs=(reported("work"),)
    )
    record = StudyRecord(experiment.name, SPACE.as_records(), seed, "sobol", 16)
    trials = []
    for number, unit in enumerate(draw_points("sobol", 2, 64, seed)[:N_TRIALS].tolist()):
        n = case.n_games
        begun = Point(SPACE.from_unit(unit), "design", SEARCH, number, {}, n_games=n)
        trial = played(begun, case, n, rng)
        values = trial.objectives(experiment.goal, experiment.cost)
        trials.append(Point(**{**vars(trial), "values": values}))
    data = StudyData("skewed", experiment, record, trials)
    with (
        patch.object(weights, "MIN_VARYING", weights.MIN_VARYING if by_model else math.inf),
        patch.object(study_model, "N_ROUNDS", study_model.N_ROUNDS if by_model else 0),
    ):
        model = Analysis(data).trials_model
        assert model is not None
        points = choose_points(model, data, N_POINTS)
        data.points.extend(played(point, case, N_OF_POINT, rng) for point in points)
        candidates = Analysis(data).candidates
    assert candidates is not None
    found = []
    for each in candidates.played:
        truth, of_all = truth_of(case, each.point.params), each.expected.score
        holds = [estimate.low <= truth <= estimate.high for estimate in (each.own, of_all)]
        found.append([*holds, (of_all.value - truth) / of_all.sem])
    untested = np.random.default_rng(seed).random((N_UNTESTED, 2))
    thetas = [SPACE.from_unit(unit) for unit in untested.tolist()]
    means, deviations = model.expects(model.cube.encode(thetas))
    belief = experiment.scales[0].belief(means[:, 0], deviations[:, 0])
    truths = np.array([truth_of(case, theta) for theta in thetas])
    hold = (belief.low95 <= truths) & (truths <= belief.high95)
    return np.array(found, np.float64), hold.astype(np.float64)


def main() -> None:
    """Print the table."""
    rows = []
    for name in CASES:
        cells = [name]
        for by_model in (False, True):
            runs = Parallel(-1)(delayed(judged)(name, seed, by_model) for seed in range(N_STUDIES))
            own, combined, bias = np.concatenate([points for points, _ in runs]).T
            held = share(int(combined.sum()), len(combined))
            own_cells = [] if by_model else [f"{len(own)}", f"{own.mean():.3f}"]
            untested = np.mean([hold for _, hold in runs])
            cells += [*own_cells, f"{held.value:.3f}", f"{bias.mean():+.2f}", f"{untested:.3f}"]
        rows.append(cells)
    columns = ["scores of a game", "points", "own", "combined, from own games", "bias", "untested"]
    columns += ["combined, by the model", "bias", "untested"]
    note = f"{N_STUDIES} studies a row; shares of 95% intervals that contain the true mean."
    print(
        document("Intervals of skewed scores and of win rates", note, markdown_table(columns, rows))
    )


if __name__ == "__main__":
    main()
