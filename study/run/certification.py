"""Which points a sweep validates next, until no bound of its certificate is above a target.

Validation takes most of a study's games, and a point loses its use when more trials find a better
one. So the first validation is delayed until it should lower all bounds well below the target. If
more trials hardly lower this forecast, up to four times as many points are validated. Then
predicted θ are played while this is expected to lower a bound; otherwise, more trials follow.

A point gets few games at first, because bounds depend more on what is unknown between the points
than on the points' own errors. All points get twice as many when this should lower the bounds, or
when more trials hardly do.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

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
WORTH_WAITING = 0.9  # two increases of the trials must lower a bound to this share or less
TINY = 1e-9  # least allowed regret; a share of an expected goal of 0 would allow none
MORE_POINTS = 2, 4  # factors on the number of points, if more trials would not reach the target
FEW_GAMES = 25  # of a point, at first
MORE_GAMES = 2  # factor on the number of games of each point
NO_GAMES = 1e-6  # tells nothing; forecasts are compared with forecasts, which are often too low


def is_stuck(bounds: Sequence[float]) -> bool:
    """Return whether the last two of at least three bounds are hardly lower than the others."""
    return len(bounds) >= 3 and min(bounds[-2:]) > WORTH_WAITING * min(bounds[:-2])


def proposed(model: FittedModel, data: StudyData, n_points: int) -> list[Point]:
    """Return the points of the first validation that have not been played or left out."""
    known = {each.key for each in data.points}
    return [each for each in choose_points(model, data, n_points) if each.key not in known]


@dataclass
class Certification:
    """The choice of points for a target."""

    target: RegretTarget
    full: Precision  # that of a validation with all games
    say: Callable[[str], None]  # prints a line
    n_games: int = FEW_GAMES  # of each point, until more should lower the bounds
    # The predicted largest bounds before the first validation, as shares of the target.
    forecasts: list[float] = field(default_factory=list)
    # The largest bounds since points last got more games, as shares of the target.
    largest: list[float] = field(default_factory=list)

    @property
    def precision(self) -> Precision:
        """The precision of the validation now."""
        return replace(self.full, most_games=min(self.n_games, self.full.most_games))

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
        known, n_points = {each.key for each in data.allowed_points}, self.full.n_points
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
            f"if {counted(len(points), 'point')} had all their games, the largest regret bound "
            f"would be about {size}; the target is {self.target.text_in(data.experiment.goal)}"
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

    def takes_more_games(self, analysis: Analysis) -> bool:
        """Return whether all points should get more games now; if so, raise their number."""
        found, goal = analysis.certificate, analysis.data.experiment.goal
        if found is None or goal.is_exact or self.is_full(analysis.data):
            return False
        now = float((found.bounds / np.maximum(self.target.allowed(found.expected), TINY)).max())
        self.largest.append(now)
        n_more = (MORE_GAMES - 1) * self.n_games
        as_is, with_more = (self.forecast(analysis, [], n)[1] for n in (NO_GAMES, n_more))
        helps = with_more <= WORTH_WAITING * as_is
        if not helps and not is_stuck(self.largest):
            return False
        self.largest.clear()
        self.n_games *= MORE_GAMES
        why = (
            "more games should lower the bounds" if helps else "more trials hardly lower the bounds"
        )
        self.say(f"{why}, so each point gets up to {self.precision.most_games:,} games")
        return True

    def begin(self, data: StudyData) -> None:
        """Go on with as many games per point as a resumed study has, if there are more."""
        if points := data.known_points:
            self.n_games = max(self.n_games, int(median(len(each.games) for each in points)))

    def note_times(self, computing: float, seconds_a_game: float, n_points: int) -> None:
        """Raise the number of games if all of them take less time than computing the bounds.

        ``computing`` is the wall time of the last computation, and ``seconds_a_game`` the wall time
        that all workers together take for a game.
        """
        n_games = min(MORE_GAMES * self.n_games, self.full.most_games)
        if n_games > self.n_games and n_points * n_games * seconds_a_game < computing:
            self.n_games = n_games
            self.say(
                f"games take little time compared with the bounds, so each point gets up to "
                f"{n_games:,}"
            )

    def is_full(self, data: StudyData) -> bool:
        """Return whether no point needs more games."""
        moments = [each.moments(data.experiment.goal) for each in data.known_points]
        return all(n >= self.full.n_wanted(n, m2 / max(n - 1, 1)) for n, _, m2 in moments)

    def forecast(
        self, analysis: Analysis, new: Sequence[Point], n_games: float | None = None
    ) -> tuple[float, float]:
        """Predict the largest bound if points were played, and its largest share of the target.

        All points, played or ``new``, get ``n_games`` more, or as many as the full precision needs.
        """
        assert analysis.combined is not None
        data, model = analysis.data, analysis.combined
        goal = data.experiment.goal
        thetas = [each.params for each in (*data.known_points, *new)]
        scores = model.posterior.goal(model.cube.encode(thetas)).mean
        of_trials = [each.moments(goal) for each in data.trials if each.games]
        variances = goal.estimator.game_variances(scores, of_trials)
        error = math.sqrt(float(np.max(variances)) / (n_games or self.full.most_games))
        if n_games is None:
            error = max(self.full.standard_error or 0.0, error)
        bounds, expected = forecast_bounds(analysis.combined, thetas, error)
        allowed = np.maximum(self.target.allowed(expected), TINY)
        return float(bounds.max()), float((bounds / allowed).max())
