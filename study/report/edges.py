"""Points of a front at the edge of the search space, and the command that widens the space."""

import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from thetafront.agents.parameters import Value
from thetafront.study.experiments.dimension import is_absent
from thetafront.study.experiments.registry import experiment as find_experiment
from thetafront.study.experiments.widening import Edge, find_edges, is_at
from thetafront.study.log.location import RESULTS, Location, locate
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.samplers.fitted_model import FittedModel

N_PREDICTED = 12
N_DRAWS = 1000
MIN_GAIN = 0.01  # relative to the front's range, on the model's scale
SEED, DESIGN, DESIGN_SIZE, TRIALS = 0, "sobol", 16, 128  # a sweep's defaults


def front_thetas(analysis: Analysis) -> list[Mapping[str, Value]]:
    """Return θ of the validated front; of the predicted front if no point is validated."""
    if analysis.rows:
        return [row for row in analysis.rows if row["on_front"]]
    if (model := analysis.model) is None:
        return []
    front = model.predicted_front
    return [model.cube.decode(each) for each in front.points[front.spread(N_PREDICTED)]]


def front_edges(analysis: Analysis) -> list[Edge]:
    """Return the bounds at which θ of the front lie and where, by the model, they are better.

    Any value of a parameter without effect is as good, so a bound is no reason to widen its range.
    """
    thetas, model = front_thetas(analysis), analysis.combined
    found = find_edges(analysis.data.experiment, thetas)
    return [each for each in found if model is None or is_better(each, thetas, model)]


def movable_edges(analysis: Analysis) -> list[Edge]:
    """Return the bounds that move if a parameter is widened by its name alone.

    These are its :func:`front_edges`; if it has none, all its bounds at which θ of the front lie.
    """
    better = front_edges(analysis)
    named = {each.parameter.name for each in better}
    found = find_edges(analysis.data.experiment, front_thetas(analysis))
    return [*better, *(each for each in found if each.parameter.name not in named)]


def is_better(edge: Edge, thetas: Sequence[Mapping[str, Value]], model: FittedModel) -> bool:
    """Return whether θ at a bound surely have a better goal or cost than in mid-range.

    A gain of less than 1% of the front's range is no gain. Of a parameter with two values, the
    other one is compared.
    """
    parameter, name = edge.parameter, edge.parameter.name
    other = parameter.from_unit(0.5)
    if is_at(parameter, other, edge.is_upper):
        other = parameter.ends[not edge.is_upper]
    active = [theta for theta in thetas if not is_absent(theta.get(name))]
    there = [theta for theta in active if is_at(parameter, theta[name], edge.is_upper)]
    others = [{**theta, name: other} for theta in there]
    points = model.cube.encode([*there, *others])
    draws = model.draw_most_probable(points, N_DRAWS, np.random.default_rng(0))
    gains = (draws[:, : len(there)] - draws[:, len(there) :]).mean(axis=1)
    extent = np.ptp(model.expected_means(model.cube.encode(thetas)), axis=0)
    return bool((np.quantile(gains, 0.025, axis=0) > MIN_GAIN * extent).any())


def edge_line(data: StudyData, location: Location, edges: Sequence[Edge]) -> str:
    """Say how many θ of the front lie at bounds that can be widened; empty if there are none."""
    if not edges:
        return ""
    said = f"front at the edge of the space: {'; '.join(each.count_text for each in edges)}"
    if not data.record.source:  # defined in a script or notebook
        names = dict.fromkeys(each.parameter.name for each in edges)
        return f"{said}; to widen it, pass widen={list(names)} to sweep"
    return f"{said}; to widen it: {widening_command(data, location, edges)}"


def widening_command(data: StudyData, location: Location, edges: Sequence[Edge]) -> str:
    """Return the command that widens the space and continues the study."""
    record = data.record
    words = ["thetafront", "sweep", record.source]
    if location.name != record.experiment:
        words += ["--name", location.name]
    given = {"seed": record.seed, "design": record.design, "design-size": record.design_size}
    usual = {"seed": SEED, "design": DESIGN, "design-size": DESIGN_SIZE}
    for option, value in given.items():
        if value != usual[option]:
            words += [f"--{option}", str(value)]
    if record.defined is None:
        usual_cost = find_experiment(record.experiment).cost.name
    else:
        usual_cost = record.defined.content["costs"][0]["name"]
    if record.cost != usual_cost:
        words += ["--cost", record.cost]
    results = location.folder.parent
    if results != RESULTS:
        words += ["--results", str(results)]
    if location.url != locate(location.name, results, None).url:
        words += ["--storage", location.url_without_password]
    if data.experiment.cost.is_timed and data.n_games_by_machine:  # only a cluster may play
        words += ["--scheduler", "ADDRESS"]
    for name in dict.fromkeys(each.parameter.name for each in edges):
        words += ["--widen", name]
    asked = [run["n_trials"] for run in data.runs if "n_trials" in run]
    n_complete = len(data.complete_trials)
    if asked and n_complete >= asked[-1]:  # the search is complete: add trials for the wider space
        words += ["--trials", str(n_complete + max(16, n_complete // 2))]
    elif asked and asked[-1] != TRIALS:
        words += ["--trials", str(asked[-1])]
    return shlex.join(words)
