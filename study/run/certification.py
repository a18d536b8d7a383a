"""Which points a sweep validates next, until no bound of its certificate is above a target.

Validation takes most of a study's games, and a point loses its use when more trials find a better
one. So the first validation is delayed until it should lower all bounds well below the target. If
more trials hardly lower this forecast, up to four times as many points are validated. Then
predicted θ are played while this is expected to lower a bound; otherwise, more trials follow.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from thetafront.study.log.point import Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.model.study_model import choose_points
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import bound_text, certificate_headline, forecast_bounds
from thetafront.study.run.stopping import Precision, RegretTarget
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.text import counted

PREDICTED_SHARE = 0.8  # share of a target for predicted bounds, which are often too low
WORTH_WAITING = 0.9  # two increases of the trials must lower a forecast to this share or less
TINY = 1e-9  # least allowed regret; a share of an expected goal of 0 would allow none
MORE_POINTS = 2, 4  # factors on the number of points, if more trials would not reach the target


def is_stuck(forecasts: Sequence[float]) -> bool:
    """Return whether the last two of at least three forecasts are hardly lower than the others."""
    return len(forecasts) >= 3 and min(forecasts[-2:]) > WORTH_WAITING * min(forecasts[:-2])


def proposed(model: FittedModel, data: StudyData, n_points: int) -> list[Point]:
    """Return the points of the first validation that have not been played or left out."""
    known = {each.key for each in data.points}
    return [each for each in choose_points(model, data, n_points) if each.key not in known]


@dataclass
class Certification:
    """The choice of points for a target."""

    target: RegretTarget
    precision: Precision  # that of the validation
    say: Callable[[str], None]  # prints a line
    # The predicted largest bounds before the first validation, as shares of the target.
    forecasts: list[float] = field(default_factory=list)

    def is_reached(self, analysis: Analysis) -> bool:
        """Return whether no bound is above the target."""
        found = analysis.certificate
        return found is not None and bool(
            (found.bounds <= self.target.allowed(found.expected)).all()
        )

    def choose(self, analysis: Analysis, is_late: bool) -> list[Point]:
        """Return new points to validate now; none if the target is reached, or needs more trials.

        ``is_late`` says that there is no time to wait for more trials.
        """
        data, found, model = analysis.data, analysis.certificate, analysis.trials_model
        known, n_points = {each.key for each in data.allowed_points}, self.precision.n_points
        if found is not None:
            self.say(certificate_headline(found))
            is_first = len(known) < n_points and not data.experiment.goal.is_exact
            if not is_first or self.is_reached(analysis):
                return found.worth_playing(self.target.allowed(found.expected), known)
        elif known:
            return []  # all points were left out
        if model is None:
            return []
        points = proposed(model, data, n_points)
        if found is not None and not points:  # the space has fewer points than asked for
            return found.worth_playing(self.target.allowed(found.expected), known)
        if not points:
            return []
        if is_late:
            self.say("the search's share of the budget is spent, so points are validated now")
            return points
        bound, of_target = self.forecast(analysis, points)
        size = bound_text(data.experiment.goal, bound)
        if self.target.is_share:
            size = f"{of_target * self.target.value:.0%} of the expected score"
        forecast = (
            f"if {counted(len(points), 'point')} were validated, the largest regret bound would be "
            f"about {size}; the target is {self.target.text_in(data.experiment.goal)}"
        )
        if of_target <= PREDICTED_SHARE:
            self.say(f"{forecast}, so they are validated now")
            return points
        self.forecasts.append(of_target)
        if not is_stuck(self.forecasts):
            self.say(f"{forecast}, so more trials come first")
            return []
        sizes = (factor * n_points for factor in MORE_POINTS)
        larger = (proposed(model, data, size) for size in sizes)
        enough = (e for e in larger if self.forecast(analysis, e)[1] <= PREDICTED_SHARE)
        points = next(enough, points)
        self.say(f"{forecast}. More trials hardly lower this, so {len(points)} are validated now")
        return points

    def forecast(self, analysis: Analysis, new: Sequence[Point]) -> tuple[float, float]:
        """Predict the largest bound if points were played, and its largest share of the target."""
        assert analysis.combined is not None
        data, precision = analysis.data, self.precision
        goal, model = data.experiment.goal, analysis.combined
        thetas = [each.params for each in (*data.known_points, *new)]
        scores = model.posterior.goal(model.cube.encode(thetas)).mean
        of_trials = [each.moments(goal) for each in data.trials if each.games]
        variances = goal.estimator.game_variances(scores, of_trials)
        least = math.sqrt(float(np.max(variances)) / precision.most_games)
        error = max(precision.standard_error or 0.0, least)
        bounds, expected = forecast_bounds(analysis.combined, thetas, error)
        allowed = np.maximum(self.target.allowed(expected), TINY)
        return float(bounds.max()), float((bounds / allowed).max())
