"""The models of a study, and the points that they suggest for validation.

There are two models. The *model of the trials* is fitted to the trials only. It proposes the points
to validate, and the games of validation can refute its predictions. The *combined* model is fitted
to trials and validation games, and gives the expected score and cost of a θ.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from thetafront.study.arrays import Floats
from thetafront.study.batch_means import game_errors
from thetafront.study.log.point import Point, theta_key
from thetafront.study.log.study_data import StudyData
from thetafront.study.model.weights import count_variances_by_model, variances_by_model
from thetafront.study.pareto import added_hypervolume, most_hypervolume
from thetafront.study.samplers.candidates import feasible
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.observations import (
    Objectives,
    Observations,
    observe,
    scaled_reference,
    study_directions,
    to_maximize,
)
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.scale import Form

N_ROUNDS = 2  # how often the model of the trials is fitted again
# A validation adds points until it has this many times the number asked for. With more, most points
# would be timed for a short time only, and the intervals of times would be wide.
MAX_GROWTH = 2
MIN_GAP = 0.02  # minimum gap between the costs of two validated points, in decades (about 5%)
# A point extends a range of costs noticeably if it does so by this share or more, in log cost.
MIN_EXTENSION = 0.05
MAX_LUCK = 4.0  # factor by which the variance of a point's games may be too large by chance
MAX_CONDITIONED = 768  # trials; time grows with the cube of this number, memory with the square


def fit_study(data: StudyData) -> FittedModel | None:
    """Fit the model to a study's complete trials; None if there are none.

    The model's predicted front avoids points that are likely to fail.
    """
    experiment = data.experiment
    cube, directions = UnitCube.from_space(experiment.space), study_directions(experiment.goal)
    objectives = Objectives.from_experiment(experiment)
    # One thread for linear algebra: on matrices this small, more threads are slower.
    with threadpool_limits(1):
        observations = observe(data.frozen_trials, cube, directions, objectives)
        if not len(observations.points):
            return None
        known, posterior = Posterior.from_subset(observations, MAX_CONDITIONED)
        for _ in range(N_ROUNDS):
            if (again := revised(observations, data, posterior)) is None:
                break
            observations = again
            known, posterior = Posterior.from_subset(observations, MAX_CONDITIONED)
        return FittedModel(cube, known, posterior, data.record.seed)


def revised(
    observations: Observations, data: StudyData, posterior: Posterior
) -> Observations | None:
    """Correct observations with a model that was fitted to them; None if nothing changes.

    Between two bounds, such as those of a win rate, means are linearized about the model's
    predictions (:meth:`Scale.working_response`). Other means get the variances of
    :mod:`study.model.weights`. Predictions depend on these corrections, and the corrections on
    predictions, so the model is fitted again twice.
    """
    experiment, scale = data.experiment, data.experiment.scales[0]
    goal, complete = experiment.goal, data.complete_trials
    if goal.is_exact:
        return None
    raw = np.array([trial.values for trial in complete])
    known = np.flatnonzero(np.isfinite(to_maximize(raw, np.ones(2), experiment.scales)).all(axis=1))
    trials, raw = [complete[k] for k in known], raw[known, 0]
    if scale.form is Form.ANGLE:
        n = np.array([len(each.games) for each in trials])
        of_games = goal.estimator.variances([data.moments[each.number] for each in trials])
        # Like these variances, slopes follow means to which half a win and half a loss are added.
        # So they are not 0, and a win rate of n games has the variance 1/(4n), whatever its luck.
        shrunk = (n * raw + (scale.low + scale.high) / 2.0) / (n + 1.0)
        variances = of_games / scale.slope(scale.transform(shrunk)) ** 2
        predicted = goal.sign * posterior.mean(observations.points)[:, 0]
        means = scale.working_response(raw, predicted, variances)
    else:
        before = observations.noise[:, 0]
        found = variances_by_model(trials, goal, posterior, observations.points, before)
        if found is None:
            return None
        variances = found
        means = scale.unbiased(scale.transform(raw), variances)
    noise = np.column_stack([variances, observations.noise[:, 1]])
    values = np.column_stack([goal.sign * means, observations.values[:, 1]])
    m = len(observations.first_noise)
    return replace(
        observations, values=values, noise=noise, first_values=values[:m], first_noise=noise[:m]
    )


def combine(model: FittedModel | None, data: StudyData) -> FittedModel | None:
    """Fit the combined model to trials and validation games; None if there are no games.

    A validated point is one more observation: the mean score and the cost of its games, each with a
    variance. The variance of the score is estimated from the trials' games as well, and so is the
    variance of a count that never varies between a point's games. The variances of scores and of
    other counts depend on the games of all points (:mod:`study.model.weights`). Without trials, the
    model is fitted to the points alone.
    """
    experiment, points = data.experiment, [point for point in data.points if point.games]
    if not points:
        return model
    goal, cost, signs = experiment.goal, experiment.cost, np.array([experiment.goal.sign, -1.0])
    cube = UnitCube.from_space(experiment.space)
    codes = cube.encode([point.params for point in points])
    games = [point.in_order for point in points]
    raw = np.array([(goal.estimate(each).value, cost.value(each)) for each in games])
    scales = experiment.scales
    variances = scales[0].variances(raw[:, 0], goal_variances(data, points))
    if model is not None:
        owners = [*points, *data.complete_trials]
        inputs = cube.encode([each.params for each in owners])
        before = np.append(variances, np.zeros(len(data.complete_trials)))
        found = variances_by_model(owners, goal, model.posterior, inputs, before)
        if found is not None:
            # Points usually have more games than trials, so their own variances are not far off.
            variances = np.maximum(found[: len(points)], variances / MAX_LUCK)
    of_trials = [trial.in_order for trial in data.complete_trials]
    of_costs = cost.log_variances(games, goal.is_exact, of_trials)
    of_cost = of_costs.own
    if model is not None and not cost.is_timed and not goal.is_exact:
        errors = game_errors(cost.counts_and_divisors(games))
        predicted = model.posterior.mean(codes)[:, 1]
        found = count_variances_by_model(errors, predicted, of_cost)
        if found is not None:
            of_cost = np.maximum(found, of_cost / MAX_LUCK)
    noise = np.stack([variances, of_cost], axis=-1)
    values = to_maximize(raw, signs, scales, noise)
    with threadpool_limits(1):
        if model is not None:
            return model.given(codes, values, noise, of_costs.shared, timed=cost.is_timed)
        known = Observations(
            codes,
            values,
            noise,
            values,
            noise,
            pending=codes[:0],
            reference=scaled_reference(experiment.reference_point, raw, signs, scales),
            owners=cube.owners,
            scales=scales,
            sign=goal.sign,
        )
        posterior = Posterior.fit_either(known)
        return FittedModel(
            cube, known, posterior, data.record.seed, of_costs.shared, n_validated=len(points)
        )


def goal_variances(data: StudyData, points: Sequence[Point]) -> Floats:
    """Return the variances of validated points' means, estimated from the trials' games as well."""
    goal = data.experiment.goal
    of_points = [point.moments(goal) for point in points]
    of_trials = [data.moments[trial.number] for trial in data.complete_trials]
    return goal.estimator.variances([*of_trials, *of_points])[len(of_trials) :]


def choose_points(model: FittedModel, data: StudyData, n_points: int) -> list[Point]:
    """Choose the points to validate: the baselines, and proposals along the predicted front.

    If scores are exact, the trials on or near the trials' own front are timed again, unless costs
    are exact, too; there are no other proposals.

    Otherwise ``n_points`` proposals are chosen from the predicted front: both ends and, one after
    the other, the point that adds most hypervolume to those chosen before. Where the score rises
    steeply, points are therefore closer. A proposal with the θ of a trial is named after the trial.
    """
    experiment = data.experiment
    chosen: dict[str, Point] = {}
    for name, given in experiment.baselines.items():
        values = experiment.space.clip(given)
        chosen[theta_key(values)] = Point(values, name)
    if experiment.goal.is_exact:
        for point in data.known_points if experiment.cost.is_timed else ():
            chosen.setdefault(point.key, replace(point, games={}))
        return list(chosen.values())
    front = model.predicted_front
    for index in most_hypervolume(front.mean, n_points):
        new = proposal_at(front.points[index], model, data)
        chosen.setdefault(new.key, new)
    return list(chosen.values())


def proposal_at(code: Floats, model: FittedModel, data: StudyData) -> Point:
    """Return the rounded θ at a point of the unit cube, named after a trial that had the same θ."""
    values = data.experiment.space.tidy(model.cube.decode(code))
    key = theta_key(values)
    trials = data.complete_trials
    same = (f"trial {each.number}" for each in trials if each.key == key)
    return Point(values, next(same, "proposal"))


def points_to_validate(model: FittedModel, data: StudyData, n_points: int) -> list[Point]:
    """Return the points to play in a validation: those of :func:`choose_points` at first.

    Later validations go on with the study's points. New points are added if trials have been played
    since these were chosen (:func:`n_due`). Points that were left out stay out, unless they have
    games and none that failed, as after a repair. If scores are exact, the points are chosen again
    each time, because they are trials.
    """
    proposals = choose_points(model, data, n_points)
    stored = [
        each for each in data.allowed_points if not each.error or (each.games and not each.failures)
    ]
    if data.experiment.goal.is_exact or not stored:
        return proposals
    given = data.experiment.baselines
    # A baseline whose games failed would be left out again.
    known = {each.key for each in data.points if not each.error or each.games or each.failures}
    baselines = [each for each in proposals if each.origin in given and each.key not in known]
    points = [*baselines, *stored]
    n_new = n_due(data.complete_trials, stored, len(proposals) - len(baselines))
    return [*points, *more_points(model, data, points, [], n_new)] if n_new else points


def n_due(trials: Sequence[Point], points: Sequence[Point], n_first: int) -> int:
    """Return how many new points are due; ``n_first`` are due after the first trials.

    After any trial, a share of ``n_first`` points is chosen: the share of trials from this one on.
    So one more trial seldom changes anything, and twice as many trials bring half as many points.
    """
    ended = np.sort([each.ended for each in trials])
    began = np.sort([each.began for each in points])
    n_chosen_since = len(points) - np.searchsorted(began, ended)
    n_wanted = n_first * np.arange(len(trials), 0, -1) // len(trials)
    return max(0, int(np.max(n_wanted - n_chosen_since)))


def more_points(
    model: FittedModel,
    data: StudyData,
    validated: Sequence[Point],
    left_out: Sequence[Point],
    n: int,
) -> list[Point]:
    """Choose up to ``n`` more points to validate (:func:`another_point`), given all games so far.

    The games of validated points show where the model of the trials is wrong, so the combined model
    chooses. A new point has no games yet, so none is chosen because of the games that judge it.
    None is close to a point of the study, whether or not that point is played in this run.
    """
    points = {each.key: each for each in (*data.points, *validated, *left_out)}
    combined = combine(model, replace(data, points=list(points.values()))) or model
    # Avoided here, so that the front is not predicted anew for each point.
    combined = combined.avoiding([each.params for each in points.values() if each.error])
    known = [each for each in points.values() if not each.error]
    added: list[Point] = []
    while len(added) < n:
        new = another_point(combined, data, [*known, *added], left_out)
        if new is None:
            break
        added.append(new)
    return added


def another_point(
    model: FittedModel,
    data: StudyData,
    validated: Sequence[Point],
    left_out: Sequence[Point],
) -> Point | None:
    """Choose one more point to validate; None if it would be too close to another point.

    If an end of the predicted front lies clearly outside the costs of the validated points, it is
    chosen. Otherwise, the choice is the point on the front that adds most hypervolume to the
    validated points, unless it costs about as much as one of them. If several points were left out,
    a trial's θ is preferred, because it has been played and so is likely to be playable. If the
    choice is itself known, the validated and left-out points together are considered instead. If no
    validated point is left, the choice is the best θ that may be playable, whatever it costs.
    """
    if data.experiment.goal.is_exact:
        return None  # all trials' scores are known, and only trials are validated
    known = {each.key for each in (*validated, *left_out)}
    left_out = [*left_out, *(each for each in data.points if each.error and each.key not in known)]
    avoided = model.avoiding([each.params for each in left_out])
    front, both = avoided.predicted_front.points, [*validated, *left_out]
    preferred = front
    if len(left_out) > 1:
        played = feasible(model.cube, model.trial_front)  # a function may forbid what it allowed
        preferred = Feasibility.learned_from(avoided.observations).allowed(played)
    known = {each.key for each in both}
    for points, others in ((preferred, validated), (front, both)):
        if not len(points):
            continue
        mean = model.expected_means(points)
        gains = 1.0 + mean[:, 0] - mean[:, 0].min()  # if no other point is left: the best
        if others:
            of_others = model.expected_means(model.cube.encode([each.params for each in others]))
            gaps = np.abs(mean[:, [1]] - of_others[:, 1]).min(axis=1)
            # A user's reference point may be better than parts of the front.
            reference = np.minimum(model.observations.reference, mean.min(axis=0))
            gains = added_hypervolume(mean, of_others, reference)
            gains[gaps < MIN_GAP] = 0.0
            costs, known_costs = -mean[:, 1], -of_others[:, 1]
            outside = np.maximum(known_costs.min() - costs, costs - known_costs.max())
            if outside.max() >= max(MIN_GAP, MIN_EXTENSION * np.ptp(costs)):
                gains[np.argmax(outside)] = np.inf
        best = int(np.argmax(gains))
        new = proposal_at(points[best], model, data)
        if gains[best] > 0.0 and new.key not in known:
            return new
    return None
