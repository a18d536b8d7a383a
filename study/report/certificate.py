"""How much worse recommended θ may be than the best of the whole space, at all budgets at once.

Notation
--------
=======  ===========================================================================================
t        a budget: the highest cost allowed
r(t)     the tested θ that is recommended at budget t
f, c     a draw of goal and cost of several θ from their joint posterior, given all games
regret   of a draw at t: the best f of all θ with c ≤ t, minus f(r(t)); at least 0
ε(t)     the bound: 95% of the draws have a regret of at most ε(t) at every t
=======  ===========================================================================================

A draw covers the tested θ, and θ that are promising for some budget. The promising θ are chosen
from thousands of θ over the whole space and near the predicted front, unless they probably cannot
be played. The range of costs is divided into many strips. In each strip, the few θ with the highest
mean plus 2 standard deviations of the goal are chosen. ε(t) is a quantile of the draws' regrets at
t. The level of this quantile is the same at all budgets. It is just high enough that 95% of the
draws have a regret of at most ε(t) at every t (a simultaneous band by ranks). Bounds assume that
the model is right; ``results.benchmarks.certificates`` measures how often they hold on known
surfaces.

A θ's own games measure its goal without a model. The interval from these games is a confidence
sequence here: it is valid at every moment of a validation, even if numbers of games depend on the
results so far.

Sources: Wilson, *Stopping Bayesian optimization with probabilistic regret bounds* (2024), for
bounds of the regret by joint draws; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, *Time-uniform
central limit theory and asymptotic confidence sequences* (2021), theorem 2.2 and appendix B.2.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from thetafront.study.arrays import Floats, Integers
from thetafront.study.estimate import Z95
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.formats import significant
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.point import Point
from thetafront.study.model.study_model import MIN_EXTENSION, proposal_at
from thetafront.study.report.expected import CONFIDENCE, Expected, expected_at, with_known
from thetafront.study.report.recommend import Candidate, Candidates, PickQuery
from thetafront.study.samplers.candidates import is_among, perturb_some, sobol_points
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.text import duration

LEVEL = 0.95
N_LIMITS = 64
N_DRAWS = 1000
N_SOBOL, N_NEAR = 4096, 2048
N_STRIPS, PER_STRIP, N_OF_FRONT = N_LIMITS, 4, 64  # each budget has θ that cost almost as much
MAX_AT_ONCE = 6  # prospects that are played before the bounds are computed again
WORTH_PLAYING = 0.8  # a prospect is worth playing if it lowers a bound to this share or less
PROMISE = 2.0  # standard deviations above the mean
JITTER = 1e-9  # added to variances, as a share of their mean
LOG_ERROR = 0.01  # assumed standard deviation of log₁₀ of a cost that has been measured
TIGHTEST_AT = 500.0  # number of games at which a confidence sequence is the tightest


@dataclass(frozen=True)
class Certificate:
    """Bounds of the regret at budgets that are equally spaced in log cost, the smallest first."""

    experiment: Experiment  # the study's
    # (n,): budgets t, from the smallest with an answer to one from which the answer is the same.
    limits: Floats
    answers: list[Candidate]  # for each budget, the recommended θ
    bounds: Floats  # (n,): ε(t), in the goal's unit
    prospects: list[Point]  # for each budget, the θ to play next; the answer if there is none
    # (n,): what ε(t) would be if the prospects had been played, and were recommended where that
    # lowers it.
    bounds_if_played: Floats
    cheaper: Point | None = None  # the cheapest θ of the predicted front, if budgets begin above it

    @property
    def expected(self) -> Floats:
        """Expected goal of the θ recommended for each budget."""
        return np.array([each.expected.score.value for each in self.answers])

    @property
    def is_wide(self) -> bool:
        """Whether the largest bound exceeds all differences between answers, and so says little."""
        answers = self.expected
        return bool(self.bounds.max() > np.ptp(answers)) and len(set(answers.tolist())) > 1

    def worth_playing(self, allowed: Floats, known: Collection[str]) -> list[Point]:
        """Return :attr:`cheaper`, and a few prospects that would reduce bounds above the allowed.

        The first prospect is for the budget with the largest gain. Each further prospect is for a
        budget that is at least a tenth of all budgets away from the others. ``known`` has the keys
        of points that have been played or were left out. These points are not returned.
        """
        is_new = [not each.games and each.key not in known for each in self.prospects]
        chosen = budgets_worth_playing(self.bounds, self.bounds_if_played, allowed, is_new)
        cheaper = [self.cheaper] if self.cheaper and self.cheaper.key not in known else []
        found = [*cheaper, *(self.prospects[k] for k in chosen)]
        return list({each.key: each for each in found}.values())


def budgets_worth_playing(
    bounds: Floats, if_played: Floats, allowed: Floats, is_new: Sequence[bool]
) -> list[int]:
    """Return the indices of budgets with prospects worth playing, the largest gain first."""
    gains = np.where((bounds > allowed) & is_new, bounds - if_played, 0.0)
    chosen: list[int] = []
    while len(chosen) < MAX_AT_ONCE:
        k = int(np.argmax(gains))
        if gains[k] <= (1.0 - WORTH_PLAYING) * bounds[k]:
            break
        chosen.append(k)
        gains[max(k - N_LIMITS // 10, 0) : k + N_LIMITS // 10 + 1] = 0.0
    return chosen


def compute_certificate(candidates: Candidates) -> Certificate | None:
    """Bound the regret of a study's recommended θ; None if no played θ is within any budget."""
    played = candidates.played
    if not played:
        return None
    experiment, model = candidates.data.experiment, candidates.combined
    limits = budget_grid(model, [each.expected for each in played])
    answers = {
        limit: answer
        for limit in limits.tolist()
        if (answer := PickQuery(experiment, limit).best(played)) is not None
    }
    if not answers:
        return None
    limits, found = np.array([*answers]), [*answers.values()]
    codes = model.cube.encode([each.point.params for each in played])
    index = {each.point.key: k for k, each in enumerate(played)}
    chosen = np.array([index[each.point.key] for each in found])
    with threadpool_limits(1):  # more threads are slower on matrices this small
        draws = Draws.from_model(model, codes, known=[each.expected for each in played])
    best, bounds, if_played = draws.prospects(limits, chosen, len(played))
    new = {
        k: replace(played[k].point, error="")
        if k < len(played)
        else proposal_at(draws.points[k], model, candidates.data)
        for k in set(best.tolist())
    }
    prospects = [new[k] for k in best.tolist()]
    ends = [proposal_at(code, model, candidates.data) for code in cheaper_end(model, limits)]
    return Certificate(experiment, limits, found, bounds, prospects, if_played, *ends)


def budget_grid(model: FittedModel, played: Sequence[Expected]) -> Floats:
    """Return budgets from the cost of the cheapest played θ to that of the best of all θ."""
    sign = model.posterior.sign
    cheapest = min(each.cost.high for each in played)
    best = max(played, key=lambda each: sign * each.score.value).cost.high
    max_cost = max(10.0 ** -model.predicted_front.mean[-1, 1], best)
    return np.geomspace(cheapest, max_cost * 1.01, N_LIMITS)


def cheaper_end(model: FittedModel, limits: Floats) -> Floats:
    """Return the cheapest point of the predicted front if it would extend the range of budgets.

    Below the smallest budget, no played θ can be recommended, so no bound asks for cheaper θ. The
    result has shape (0, d) or (1, d).
    """
    cheapest = model.predicted_front.points[:1]
    mean, deviation = model.expects(cheapest)
    at_most = -mean[:, 1] + Z95 * deviation[:, 1]
    first, last = np.log10(limits[[0, -1]])
    return np.asarray(cheapest[at_most < first - MIN_EXTENSION * (last - first)])


@dataclass(frozen=True)
class Draws:
    """Draws of goal and cost of several points, the played ones first."""

    points: Floats  # (m, d): in the unit cube
    # (n_draws, m): the goal, to be maximized, and the cost, each in its own unit.
    scores: Floats
    costs: Floats
    mean: Floats  # (m, 2): expected goal and cost, on the model's scale
    # How far below a budget, in log₁₀, the cost of a θ must be measured so that it is recommended.
    margin: float = 0.0

    @classmethod
    def from_model(
        cls,
        model: FittedModel,
        first: Floats,
        variances: Floats | None = None,
        known: Sequence[Expected] = (),
    ) -> "Draws":
        """Draw at the first points, which are usually the played ones, and at promising ones.

        ``known`` is what is expected of the first points; scores and costs that have no error, such
        as exact ones, are the same in all draws.

        If ``variances``, shape (n, 2), are given, draws are conditioned on hypothetical games of
        the first points, shape (n, d), that have the predicted means. The variances are those of
        the errors of these means, on the model's scale.
        """
        rng = np.random.default_rng([model.seed, 2])
        points = np.concatenate([first, promising(model, rng)])
        points = points[np.sort(np.unique(points, axis=0, return_index=True)[1])]
        mean, draws = model.expected_means(points), model.draw(points, N_DRAWS, rng)
        if variances is not None:
            draws = conditioned(draws, mean, variances, rng)
        posterior = model.posterior
        mean, draws = (with_known(each, known, posterior) for each in (mean, draws))
        scores = posterior.sign * posterior.scales[0].inverse(posterior.sign * draws[..., 0])
        shared = math.sqrt(model.shared_variance) * rng.standard_normal((N_DRAWS, 1))
        is_known = not model.observations.noise[:, 1].any()
        error = math.hypot(0.0 if is_known else LOG_ERROR, math.sqrt(model.shared_variance))
        margin = NormalDist().inv_cdf(CONFIDENCE) * error
        return cls(points, scores, 10.0 ** (shared - draws[..., 1]), mean, margin)

    def best_predicted(self, limits: Floats, n: int | None = None) -> Integers:
        """Return the index of the point with the best expected goal within each limit.

        With ``n``, only the first n points may be chosen.
        """
        mean = self.mean[:n]
        within = mean[:, 1] >= -np.log10(limits)[:, None]
        return np.asarray(np.argmax(np.where(within, mean[:, 0], -np.inf), axis=1))

    def prospects(
        self, limits: Floats, chosen: Integers, n_played: int
    ) -> tuple[Integers, Floats, Floats]:
        """Return each limit's prospect, its bound, and its bound if the prospects had been played.

        A prospect is an untested point that would be recommended at the limit, and would lower the
        bound far, if its games were as predicted. Where there is none, it is the point that has
        been chosen.
        """
        bounds = simultaneous_bounds(self.regrets(limits, chosen))
        best = self.best_predicted(limits * 10.0**-self.margin)
        lower = simultaneous_bounds(self.regrets(limits, best))
        is_better = (best >= n_played) & (lower <= WORTH_PLAYING * bounds)
        return np.where(is_better, best, chosen), bounds, np.where(is_better, lower, bounds)

    def regrets(self, limits: Floats, chosen: Integers) -> Floats:
        """Return the regret of the point chosen for each limit, shape (n_draws, n_limits)."""
        order = np.argsort(self.costs, axis=1)
        by_cost = np.take_along_axis(self.scores, order, axis=1)
        best = np.maximum.accumulate(by_cost, axis=1)
        in_order = np.take_along_axis(self.costs, order, axis=1)
        within = np.full((len(best), len(limits)), -np.inf)
        for row, (of_draw, costs) in enumerate(zip(best, in_order, strict=True)):
            n_within = np.searchsorted(costs, limits, side="right")
            within[row] = np.where(n_within > 0, of_draw[n_within - 1], -np.inf)
        return np.asarray(np.maximum(within - self.scores[:, chosen], 0.0))


def conditioned(draws: Floats, mean: Floats, variances: Floats, rng: np.random.Generator) -> Floats:
    """Condition joint draws on measurements of the first points that equal these points' means.

    ``draws`` has the shape (n_draws, m, 2) and ``mean`` (m, 2). ``variances``, shape (n, 2), are
    those of the errors of the n measurements. Each draw is corrected by its own simulated
    measurement (Matheron's rule); covariances are those of the draws. Source: Wilson et al.,
    *Pathwise conditioning of Gaussian processes* (2021).
    """
    n = len(variances)
    found = np.empty_like(draws)
    for k in range(2):
        values = draws[..., k]
        centred = values - values.mean(axis=0)
        covariance = centred.T @ centred[:, :n] / len(values)
        noise = rng.standard_normal((len(values), n)) * np.sqrt(variances[:, k])
        errors = mean[:n, k] - values[:, :n] - noise
        jitter = JITTER * np.trace(covariance[:n]) / n  # in case two points are almost the same
        measured = covariance[:n] + np.diag(variances[:, k] + jitter)
        solved = np.linalg.solve(measured, errors.T)
        found[..., k] = values + (covariance @ solved).T
    return found


def forecast_bounds(
    model: FittedModel, thetas: Sequence[Mapping[str, Any]], standard_error: float
) -> tuple[Floats, Floats]:
    """Predict the bounds of a study that will have played some θ, and no others.

    A θ is taken to meet a budget if its expected cost does.

    Parameters
    ----------
    model : FittedModel
        The model of all games so far.
    thetas : sequence of mapping
        The θ, all different. Their means are assumed to be as predicted.
    standard_error : float
        The standard error of these means, in the goal's unit.

    Returns
    -------
    bounds, expected : float64, shape (n,)
        The bounds at n budgets, equally spaced in log cost, and the expected goal of the θ that
        would be recommended there.
    """
    expected = expected_at(model, thetas)
    goals = np.array([each.score.value for each in expected])
    of_goals = model.posterior.scales[0].variances(goals, np.full(len(goals), standard_error**2))
    variances = np.column_stack([of_goals, np.full(len(goals), LOG_ERROR**2)])
    limits = budget_grid(model, expected)
    with threadpool_limits(1):
        draws = Draws.from_model(model, model.cube.encode(thetas), variances)
    chosen = draws.best_predicted(limits, len(goals))
    return simultaneous_bounds(draws.regrets(limits, chosen)), goals[chosen]


def promising(model: FittedModel, rng: np.random.Generator) -> Floats:
    """Return the points that can probably be played, and may be the best for some budget.

    Points whose goal and cost have been observed without noise cannot be better than expected.
    """
    front = model.predicted_front
    around = perturb_some(model.cube, front.points, N_NEAR, (-2.5, -0.7), rng)
    everywhere = sobol_points(model.cube, N_SOBOL, rng)
    allowed = Feasibility.learned_from(model.observations).allowed
    points = allowed(np.unique(np.concatenate([front.points, around, everywhere]), axis=0))
    mean, deviation = model.posterior.predict(points)
    promise = mean[:, 0] + PROMISE * deviation[:, 0]
    ends = front.mean[[0, -1], 1]
    strips = np.linspace(ends[0], ends[1], N_STRIPS + 1)[1:-1]
    strip = np.searchsorted(-strips, -mean[:, 1])
    best = [
        members[np.argsort(-promise[members])[:PER_STRIP]]
        for members in (np.flatnonzero(strip == k) for k in range(N_STRIPS))
    ]
    of_front = front.points[front.spread(N_OF_FRONT)]
    found = np.concatenate([points[np.concatenate(best)], of_front])
    observations = model.observations
    exact = observations.points[np.all(observations.noise == 0.0, axis=1)]
    return found[~is_among(found, exact)]


def simultaneous_bounds(values: Floats) -> Floats:
    """Return bounds, shape (n,), that 95% of the rows of ``values``, (n_rows, n), never exceed."""
    in_order = np.sort(values, axis=0)
    ranks = [np.searchsorted(column, row) for column, row in zip(in_order.T, values.T, strict=True)]
    highest = np.sort(np.max(ranks, axis=0))
    return np.asarray(in_order[highest[math.ceil(LEVEL * len(values)) - 1]])


def half_width_at_all_times(sem: float, n: int) -> float:
    """Return half the width of a mean's 95% interval that is valid after any number of games."""
    alpha = 1.0 - LEVEL
    twice = 2.0 * math.log(1.0 / alpha)
    square = (twice + math.log(1.0 + twice)) / TIGHTEST_AT
    spent = n * square + 1.0
    return sem * math.sqrt(2.0 * spent / (n * square) * math.log(math.sqrt(spent) / alpha))


def certificate_rows(found: Certificate) -> list[dict[str, Any]]:
    """Return one row per budget: recommended θ, bound, expected and measured goal, prospect."""
    goal, cost = found.experiment.goal, found.experiment.cost
    rows = []
    columns = found.limits, found.answers, found.bounds, found.bounds_if_played, found.prospects
    for limit, each, bound, if_played, prospect in zip(*columns, strict=True):
        n_games, measured = len(each.point.games), each.own.value
        # The time for as many games as the answer has, at the mean time of these games.
        timed = [game.seconds for game in each.point.in_order if game.is_timed]
        seconds = 0.0 if prospect.games else n_games * fmean(timed or [0.0])
        own, scale = goal.estimate(each.point.in_order), goal.estimator.scale  # its games alone
        half = 0.0 if goal.is_exact else half_width_at_all_times(own.sem or math.nan, n_games)
        always = min(measured - half, own.low), max(measured + half, own.high)
        rows.append(
            {
                f"{cost.name}_limit": limit,
                "number": each.number,
                "point": each.point.key,
                "regret_bound95": bound,
                "regret_bound95_if_played": if_played,
                "prospect": prospect.key,
                "prospect_cpu_seconds": seconds,
                goal.combined_column("mean"): each.expected.score.value,
                "n_games": n_games,
                goal.column("mean"): measured,
                goal.column("always_low95"): max(always[0], scale.low),
                goal.column("always_high95"): min(always[1], scale.high),
            }
        )
    return rows


def bound_text(goal: Goal, bound: float) -> str:
    """Write a bound with few digits, even if scores are exact, because bounds come from draws."""
    if goal.is_exact:
        return goal.format.beside_unit(significant(bound))
    return goal.size_text(bound)


def certificate_text(found: Certificate) -> str:
    """Return a certificate in a sentence, with what would lower the bounds.

    If the bounds are wide, the sentence says that they show little.
    """
    experiment, limits = found.experiment, found.limits
    bounds, if_played = found.bounds, found.bounds_if_played
    first, last, where = (
        experiment.cost.text(float(limits[k])) for k in (0, -1, int(np.argmax(bounds)))
    )
    largest, average = (bound_text(experiment.goal, each) for each in (bounds.max(), bounds.mean()))
    advice = "more trials would lower it"
    untested: dict[str, float] = {}
    for row in certificate_rows(found):
        if row["prospect_cpu_seconds"] > 0.0:
            untested.setdefault(row["prospect"], row["prospect_cpu_seconds"])
    less, now = (
        bound_text(experiment.goal, float(f"{each.mean():.2g}")) for each in (if_played, bounds)
    )
    is_less = if_played.mean() < bounds.mean() and (if_played < WORTH_PLAYING * bounds).any()
    if is_less and less != now and untested:
        most = experiment.cost.text(float(limits[int(np.argmax(bounds - if_played))]))
        seconds = duration(sum(untested.values()))
        n = len(untested)
        is_reported = any(each.is_reported for each in experiment.costs)
        time = f"{seconds} of {'reported' if is_reported else 'CPU'} time"
        predictions = f"{n} most promising untested θ" if n > 1 else "most promising untested θ"
        advice = (
            f"playing the {predictions} (about {time}) would lower the average to about "
            f"{less}, mostly near {most}"
        )
    text = (
        f"with 95% probability, at every budget from {first} to {last}, the recommended θ is "
        f"within {largest} of the best in the space ({average} on average)"
    )
    if not bounds.any():
        return text  # nothing would lower them
    if found.is_wide:
        text += "; games so far show little about what may still be gained"
    place = f"largest at {where}" if np.ptp(bounds) else "the same at every budget"
    return f"{text}; the bound is {place}, and {advice}"


def certificate_headline(found: Certificate | None) -> str:
    """Return the largest bound in a line; empty if there is no certificate."""
    if found is None:
        return ""
    size = bound_text(found.experiment.goal, found.bounds.max())
    first, last = (found.experiment.cost.text(float(found.limits[k])) for k in (0, -1))
    begin = "Little is known yet about better θ: with" if found.is_wide else "With"
    return (
        f"{begin} 95% probability, the recommended θ is within {size} of the best at every budget "
        f"from {first} to {last}."
    )


def bound_near(found: Certificate | None, limit: float) -> str:
    """Return the bound near a budget in a line, to follow the headline; empty if there is none."""
    if found is None:
        return ""
    after = int(np.searchsorted(found.limits, limit))
    size = bound_text(found.experiment.goal, found.bounds[max(after - 1, 0) : after + 1].max())
    return f"Near this budget, it is within {size}."
