"""Whether the model of the trials may be trusted: its predictions against validation games.

The validated θ were chosen because the model's predictions for them were good, just as an untested
θ is chosen because the combined model's prediction is good. So this check shows by how much such
predictions are too good on average. The result of the check corrects the combined model
(:meth:`FittedModel.checked_by`). Leave-one-out cross-validation does not show this: for the study
``heuristic``, it found that predictions were too low on average, but the predictions for the chosen
θ were too high.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.estimate import Z95
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.model.study_model import goal_variances
from thetafront.study.samplers.fitted_model import FittedModel

if TYPE_CHECKING:
    from thetafront.study.report.analysis import Analysis

Theta = Mapping[str, Any]
N_DRAWS = 4000
MIN_INSIDE = 0.8  # share of means, and of costs, that must lie in their predicted intervals
LOG_ERROR = 0.01  # error of log₁₀ of a predicted cost that does no harm: 2%


def drawn_goal(model: FittedModel, thetas: Sequence[Theta]) -> Floats:
    """Draw the goal at some θ jointly, in its own unit, shape (N_DRAWS, n)."""
    posterior, rng = model.posterior, np.random.default_rng(0)
    drawn = model.draw_most_probable(model.cube.encode(thetas), N_DRAWS, rng)[..., 0]
    return posterior.scales[0].inverse(posterior.sign * drawn)


@dataclass(frozen=True)
class PredictionCheck:
    """Measured means compared with a model's predictions of them."""

    # The number of means, and how many of them lie in their predicted 95% intervals.
    n: int
    n_inside: int
    excess: float  # by how much the predictions exceed the means on average
    allowed: float  # if the model is right, |excess| is at most this in 95% of cases
    # How many of the n costs lie in their predicted 95% intervals; None for times, because a
    # machine's speed differs between a search and validation.
    n_costs_inside: int | None = None

    @property
    def is_biased(self) -> bool:
        """Whether the predictions are off on average by more than the model allows."""
        return abs(self.excess) > self.allowed

    @property
    def is_passed(self) -> bool:
        """Whether the model may be trusted."""
        least = self.n_inside if self.n_costs_inside is None else self.n_costs_inside
        return not self.is_biased and min(self.n_inside, least) >= MIN_INSIDE * self.n

    @property
    def inside_text(self) -> str:
        """Say how many measured means, and costs if they are counts, lie in their intervals."""
        means = f"{self.n_inside} of {self.n} measured means"
        if self.n_costs_inside is None:
            return means
        return f"{means} and {self.n_costs_inside} of {self.n} measured costs"


def checked(
    model: FittedModel, thetas: Sequence[Theta], means: Floats, variances: Floats
) -> PredictionCheck:
    """Compare measured means of the goal with a model; ``variances`` are those of the means' noise.

    The model's errors at different θ are correlated. So the predicted means are drawn jointly for
    all θ: the goal at each θ, plus the noise of a mean of the same number of games.
    """
    noise = np.random.default_rng(1).standard_normal((N_DRAWS, len(means))) * np.sqrt(variances)
    predicted = model.posterior.goal(model.cube.encode(thetas)).mean
    drawn = drawn_goal(model, thetas) + noise
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    return PredictionCheck(
        len(means),
        int(np.sum((low <= means) & (means <= high))),
        float(np.mean(predicted - means)),
        Z95 * float(np.std(drawn.mean(axis=1))),
    )


def check_predictions(analysis: "Analysis") -> PredictionCheck | None:
    """Compare the model of the trials with validation games, to which it was not fitted."""
    data, goal = analysis.data, analysis.data.experiment.goal
    points = [each for each in data.points if each.games]
    if analysis.model is None or not points or goal.is_exact:
        return None
    means = np.array([goal.estimate(each.in_order).value for each in points])
    thetas = [each.params for each in points]
    check = checked(analysis.model, thetas, means, goal_variances(data, points))
    if (cost := data.experiment.cost).is_timed:
        return check
    games = [each.in_order for each in points]
    of_trials = [each.in_order for each in data.complete_trials]
    own = cost.log_variances([*games, *of_trials]).own[: len(points)]
    if np.isnan(own).any():  # no θ has two games
        return check
    belief, deviations = (
        each[:, 1] for each in analysis.model.posterior.predict(analysis.model.cube.encode(thetas))
    )
    variances = deviations**2 + own + LOG_ERROR**2
    errors = np.abs(np.log10([cost.value(each) for each in games]) + belief)
    return replace(check, n_costs_inside=int(np.sum(errors <= Z95 * np.sqrt(variances))))


def trust_text(check: PredictionCheck, goal: Goal) -> str:
    """Say in a line whether the model of the trials may be trusted, and what to do if not."""
    inside = f"{check.inside_text} are inside its 95% intervals"
    size, chance = goal.size_text(check.excess), goal.size_text(check.allowed)
    by_chance = f"(up to {chance} could be due to chance)"
    if check.is_passed:
        side = "below" if check.excess > 0.0 else "above"
        return (
            f"The model of the trials passes its check: {inside}; on average, the means are {size} "
            f"{side} its predictions {by_chance}."
        )
    problem = "optimistic" if goal.sign * check.excess > 0.0 else "pessimistic"
    if size == chance:
        by_chance = "(more than could be due to chance)"
    average = f", by {size} on average {by_chance}"
    found = f"{problem}{average}" if check.is_biased else "confident"
    return (
        f"The model of the trials is too {found}; {inside}. Predictions for untested θ allow for "
        "this, but trust measured points first."
    )


def distrust_line(analysis: "Analysis") -> str:
    """Say that the model of the trials was refuted; empty if it was not."""
    check = check_predictions(analysis)
    return (
        "" if check is None or check.is_passed else trust_text(check, analysis.data.experiment.goal)
    )
