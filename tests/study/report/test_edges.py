"""Which bounds the front is said to lie at."""

import numpy as np

from tests.study.made_studies import record_of
from thetafront.agents.external.report import ReportedGame
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import reported
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.space import Space
from thetafront.study.experiments.widening import find_edges
from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_edges, front_thetas
from thetafront.study.samplers.design import draw_points


def play(seed: int, effort: float, idle: float) -> dict[str, float]:
    """A game whose score and work do not depend on ``idle``."""
    score = 10.0 * effort + np.random.default_rng(seed).normal()
    return {"score": score, "work": 10.0 ** (1.0 + effort)}


def test_a_parameter_without_effect_has_no_edge() -> None:
    """Points lie at bounds of both parameters."""
    space = Space((NumericParameter("effort", 0.0, 1.0), NumericParameter("idle", 0.0, 1.0)))
    experiment = Experiment("idle", play, space, mean("score"), costs=(reported("work"),))

    def played(params: dict[str, float], n: int, **given: object) -> Point:
        reports = [play(1000 * len(points) + k, **params) for k in range(n)]
        games = {
            k: ReportedGame(k, each["score"], 1, 1e-5, {"work": each["work"]})
            for k, each in enumerate(reports)
        }
        return Point(params, games=games, **given)  # type: ignore[arg-type]

    points: list[Point] = []
    for number, unit in enumerate(draw_points("sobol", 2, 32, 0).tolist()):
        trial = played(space.from_unit(unit), 4, phase=SEARCH, number=number, n_games=4)
        values = trial.objectives(experiment.goal, experiment.cost)
        points.append(Point(**{**vars(trial), "values": values}))
    data = StudyData("idle", experiment, record_of(experiment), points)
    ends = [(0.0, 1.0), (0.3, 1.0), (0.6, 1.0), (1.0, 1.0)]
    data.points.extend(played({"effort": x, "idle": y}, 50) for x, y in ends)
    analysis = Analysis(data)
    there = find_edges(experiment, front_thetas(analysis))
    assert [(each.parameter.name, each.is_upper) for each in there] == [
        ("effort", False),
        ("effort", True),
        ("idle", True),
    ]
    assert front_edges(analysis) == there[:2]
