"""Which points a sweep validates next, until no bound of its certificate is above a target.

Validation takes most of a study's games, and a point loses its use when more trials find a better
one. So the first validation waits until it is predicted to reduce all bounds well below the target,
or until more trials hardly lower this forecast. After it, predicted θ are played as long as this is
expected to lower a bound; else, more trials follow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from thetafront.study.log.point import Point
from thetafront.study.model.study_model import choose_points
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import bound_text, certificate_line, forecast_bounds
from thetafront.study.run.stopping import Precision, RegretTarget
from thetafront.study.text import counted

PREDICTED_SHARE = 0.8  # share of a target for predicted bounds, which are often too low
WORTH_WAITING = 0.9  # two increases of the trials must lower a forecast to this share or less
MORE_POINTS = 2, 4  # factors on the number of points, if more trials would not reach the target


def is_stuck(forecasts: Sequence[float]) -> bool:
    """Return whether the last two of at least three forecasts are hardly lower than the others."""
    return len(forecasts) >= 3 and min(forecasts[-2:]) > WORTH_WAITING * min(forecasts[:-2])


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
        if found is not None:
            self.say(certificate_line(found))
            allowed = self.target.allowed(found.expected)
            return found.worth_playing(allowed, {each.key for each in data.points})
        if model is None or data.points:
            return []
        n_points = self.precision.n_points
        points = choose_points(model, data, n_points)
        if is_late:
            return points
        bound, of_target = self.forecast(analysis, points)
        if of_target <= PREDICTED_SHARE:
            return points
        self.forecasts.append(of_target)
        if is_stuck(self.forecasts):
            sizes = (factor * n_points for factor in MORE_POINTS)
            larger = (choose_points(model, data, size) for size in sizes)
            enough = (e for e in larger if self.forecast(analysis, e)[1] <= PREDICTED_SHARE)
            return next(enough, points)
        self.say(
            f"if {counted(len(points), 'point')} were validated, the recommended θ would probably "
            f"be within {bound_text(data.experiment.goal, bound)} of the best at every budget; "
            "more trials come first"
        )
        return []

    def forecast(self, analysis: Analysis, new: Sequence[Point]) -> tuple[float, float]:
        """Predict the largest bound if points were played, and its largest share of the target."""
        assert analysis.combined is not None
        error = self.precision.standard_error or 0.0
        thetas = [each.params for each in new]
        bounds, expected = forecast_bounds(analysis.combined, thetas, error)
        return float(bounds.max()), float((bounds / self.target.allowed(expected)).max())
