"""The score and the cost that the combined model expects of a θ, given all games of a study."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.estimate import Z95, Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.point import Point
from thetafront.study.report.played_rows import cost_estimates
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.posterior import Posterior

CONFIDENCE = 0.95  # probability with which a θ must be within a budget
# A θ without games must meet higher probabilities, so that it is probably still good enough after
# it has been played:
OF_PROPOSALS = 0.99  # probability with which it must be within a budget
TO_REACH = 0.75  # probability with which it must reach a value of the goal
ROUNDING = 1e-9  # a mean of exact counts may exceed their true mean by this share


@dataclass(frozen=True)
class Expected:
    """Score and cost of a θ as estimated from a study."""

    # Posterior mean of the score and posterior median of the cost, with 95% intervals; `sem` of the
    # score is its posterior standard deviation.
    score: Estimate
    cost: Estimate
    log_deviation: float  # standard deviation of log₁₀ of the cost

    def p_within(self, limit: float) -> float:
        """Return the probability that the cost is at most ``limit``, apart from rounding errors."""
        margin = math.log10(limit) - math.log10(self.cost.value)
        return normal_cdf(0.0 if abs(margin) <= ROUNDING else margin, self.log_deviation)

    def p_reaches(self, wanted: float, sign: float = 1.0) -> float:
        """Return the probability that the score is ``wanted`` or better, by the goal's sign."""
        return normal_cdf(sign * (self.score.value - wanted), self.score.sem)

    def rank(self, sign: float) -> tuple[float, float]:
        """Return a key that is larger for a better score, by the goal's sign, then a lower cost."""
        return sign * self.score.value, -self.cost.value


def chance_text(p: float) -> str:
    """Write a probability, rounded down: 0.949 must not appear as 0.95."""
    return f"{math.floor(100.0 * p + 1e-9) / 100.0:.2f}"


def normal_cdf(value: float, deviation: float) -> float:
    """Return the probability that a normal random number with mean 0 is at most ``value``."""
    if deviation == 0.0:
        return 1.0 if value >= 0.0 else 0.0
    return 0.5 * math.erfc(-value / (deviation * math.sqrt(2.0)))


def expected_at(model: FittedModel, thetas: Sequence[Mapping[str, Any]]) -> list[Expected]:
    """Return the score and the cost that a model expects of each θ."""
    if not thetas:
        return []
    means, deviations = model.expects(model.cube.encode(thetas))
    scores = np.stack(model.posterior.goal_of(means[:, 0], deviations[:, 0]), axis=-1)
    found = []
    for (value, error, low, high), minus_log_cost, deviation in zip(
        scores.tolist(), means[:, 1], deviations[:, 1], strict=True
    ):
        log_error = math.hypot(deviation, math.sqrt(model.shared_variance))
        middle, factor = 10.0**-minus_log_cost, 10.0 ** (Z95 * log_error)
        cost = Estimate(float(middle), float(middle / factor), float(middle * factor))
        found.append(Expected(Estimate(value, low, high, error), cost, log_error))
    return found


def expect_points(
    combined: FittedModel,
    experiment: Experiment,
    points: Sequence[Point],
    trials: Sequence[Point] = (),
) -> list[Expected]:
    """Return the expected score and cost of points with games.

    Exact scores are the games' own. So are costs if they never vary between the games of a point or
    of a trial.
    """
    goal, cost = experiment.goal, experiment.cost
    if goal.is_exact:
        own = cost_estimates(experiment, cost, points)
        pairs = zip(points, own, strict=True)
        return [Expected(goal.estimate(point.in_order), each, each.sem) for point, each in pairs]
    expected = expected_at(combined, [point.params for point in points])
    if cost.is_timed:
        return expected
    own = cost_estimates(experiment, cost, points, trials)
    return [
        replace(of_all, cost=each, log_deviation=0.0) if each.sem == 0.0 else of_all
        for of_all, each in zip(expected, own, strict=True)
    ]


def with_known(values: Floats, expected: Sequence[Expected], posterior: Posterior) -> Floats:
    """Return values of the model, shape (…, m, 2), with known scores and costs put in place.

    The first of the m points are those of ``expected``. What is expected without an error is known.
    """
    found = values.copy()
    for k, each in enumerate(expected):
        if each.score.sem == 0.0:
            score = posterior.scales[0].transform(np.array(each.score.value))
            found[..., k, 0] = posterior.sign * score
        if each.log_deviation == 0.0:
            found[..., k, 1] = -np.log10(each.cost.value)
    return found
