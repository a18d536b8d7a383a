"""What a study says, in sentences: the best θ at three budgets, what more time buys, how sure.

Every value is what is expected given all games of the study, with its 95% interval and the number
of games; differences are of joint draws from the same model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from thetafront.study.charts.comparison import signed
from thetafront.study.charts.importance import scaled_labels
from thetafront.study.charts.sobol import Importance
from thetafront.study.estimate import Z95, Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Goal
from thetafront.study.model.study_model import goal_variances
from thetafront.study.page.choices import least_limit, near_round, rounded_up
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import certificate_text
from thetafront.study.report.expected import best_of
from thetafront.study.report.recommend import Candidate, Candidates, Wish, cost_text
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.text import counted, listed

Theta = Mapping[str, Any]
N_DRAWS = 4000
N_NAMED = 2
N_BASELINES = 2
FRACTIONS = (0.15, 0.55, 1.0)
"""Of the way from the cheapest to the dearest θ in log cost, where budgets are taken."""


@dataclass(frozen=True)
class Claim:
    """A sentence with what it is about."""

    about: str
    text: str


def claims(page: Analysis, importance: Importance | None = None) -> tuple[list[Claim], list[Claim]]:
    """Return what the study says, the most important first; with what matters, if that is known.

    The first two baselines that were validated are among it; the others are returned second.
    """
    candidates, experiment = page.candidates, page.data.experiment
    if candidates is None or not (candidates.played or candidates.anywhere):
        return [Claim("Nothing yet", nothing_text(page))], []
    found = []
    if not candidates.played:
        n_trials = sum(each.state == "complete" for each in page.data.trials)
        found.append(
            Claim(
                "Not validated",
                f"No θ has games on fresh seeds yet: what follows is the model's prediction from "
                f"{counted(n_trials, 'trial')} alone.",
            )
        )
    chosen = best_at_three(candidates)
    found += [
        Claim(f"Within {experiment.cost.in_words(limit)}", best_text(candidates, best))
        for limit, best in chosen
    ]
    found += more_time(candidates, chosen)
    if importance is not None:
        found += what_matters(importance, page)
    compared = [each for name in experiment.baselines for each in against(candidates, name)]
    found += compared[:N_BASELINES]
    return [*found, *what_is_left(page), *how_sure(page)], compared[N_BASELINES:]


def nothing_text(page: Analysis) -> str:
    """Say that nothing is known, and why trials failed if they did."""
    failed = [each for each in page.data.trials if each.state == "fail"]
    why = (
        f" {counted(len(failed), 'trial')} failed, the last one: {failed[-1].error}"
        if failed
        else ""
    )
    return f"No trial is complete, so nothing is known yet.{why}"


def what_matters(importance: Importance, page: Analysis) -> list[Claim]:
    """Name the parameters that the goal and the cost depend on most, with their shares."""
    experiment, said = page.data.experiment, []
    for label, total, low, high in zip(
        scaled_labels(page),
        importance.total,
        importance.low,
        importance.high,
        strict=True,
    ):
        known = [k for k in range(len(experiment.space)) if np.isfinite(total[k])]
        best = sorted(known, key=lambda k: -total[k])[:N_NAMED]
        names = [
            f"{list(experiment.space)[k].label} {total[k]:.2f} ({low[k]:.2f} to {high[k]:.2f})"
            for k in best
        ]
        if names:
            said.append(f"for {label} {listed(names)}")
    text = (
        f"{'; '.join(said)}: shares of the variance over the whole space in which a parameter has "
        "a part, by the model's mean (in brackets 95% of the integration)."
    )
    text = text[0].upper() + text[1:]
    return [Claim("Which parameters matter", text)] if said else []


def best_at_three(candidates: Candidates) -> list[tuple[float, Candidate]]:
    """Return three budgets with the best θ of each; fewer where there are fewer different ones.

    θ with games only, if there are any.
    """
    experiment = candidates.data.experiment
    some = candidates.played or candidates.anywhere
    limits = [least_limit(each) for each in some]
    best = Wish(experiment, max(limits)).best(some)
    assert best is not None  # all of them keep this budget
    low, high = np.log10(min(limits)), np.log10(least_limit(best))
    found: dict[str, tuple[float, Candidate]] = {}
    for fraction in FRACTIONS:
        wanted = 10.0 ** (low + fraction * (high - low))
        least = min(limits) if fraction < 1.0 else wanted  # the last one is to buy the best θ
        limit = near_round(wanted, least, 10.0**high * 5.0) or rounded_up(wanted, 2)
        chosen = Wish(experiment, limit).best(some)
        if chosen is not None:
            found.setdefault(chosen.point.key, (limit, chosen))
    return list(found.values())


def name_of(candidate: Candidate, experiment: Experiment) -> str:
    """Name the best θ: its number and where it comes from."""
    if not candidate.number:
        return "A proposal without games"
    origin = candidate.point.origin
    named = f", {origin}" if origin in experiment.baselines else ""
    return f"The best θ with games is number {candidate.number}{named}"


def best_text(candidates: Candidates, best: Candidate) -> str:
    """Say how good a θ is, and how surely."""
    experiment = candidates.data.experiment
    goal, params = experiment.goal, best.point.params
    theta = ", ".join(
        f"{each.label} {each.text(params.get(each.name))}" for each in experiment.space
    )
    score = best.expected.score
    interval = goal.format.interval_with_unit(score.value, score.low, score.high)
    n = len(best.point.games)
    how = f"95% intervals, given {counted(candidates.n_games, 'game')}, {n:,} of them of this θ"
    if goal.is_exact and n:
        interval, how = f"{goal.format.with_unit(score.value)} (exact)", "95% interval of the cost"
    return (
        f"{name_of(best, experiment)} ({theta}): {goal.label} {interval} at "
        f"{experiment.cost.label} {cost_text(best.expected, experiment)} ({how})."
    )


def more_time(candidates: Candidates, chosen: Sequence[tuple[float, Candidate]]) -> list[Claim]:
    """Say what a larger budget buys, from each of the budgets to the next."""
    experiment = candidates.data.experiment
    cost = experiment.cost
    steps = [
        f"from {cost.text(low)} to {cost.in_words(high)}: {gain_text(candidates, better, worse)}"
        for (low, worse), (high, better) in pairwise(chosen)
    ]
    if not steps:
        return []
    said = "; ".join(steps)
    what = "What more time buys" if cost.is_timed else "What a larger budget buys"
    return [Claim(what, f"{said[0].upper()}{said[1:]}{of_intervals(experiment.goal)}.")]


def against(candidates: Candidates, name: str) -> list[Claim]:
    """Compare a baseline with the best of all other θ that are expected to cost no more."""
    experiment = candidates.data.experiment
    baseline = next((each for each in candidates.played if each.point.origin == name), None)
    if baseline is None:
        return []
    score, limit = baseline.expected.score, baseline.expected.cost.value
    shown = experiment.goal.format.interval_with_unit(score.value, score.low, score.high)
    at, about = f"{shown} at {cost_text(baseline.expected, experiment)}", f"Against {name}"
    others = [each for each in candidates.played if each is not baseline]
    within = [k for k, each in enumerate(others) if each.expected.cost.value <= limit]
    index = best_of([each.expected for each in others], within, experiment.goal.sign)
    if index is None:
        return [Claim(about, f"It has {at}; no validated θ costs less.")]
    best = others[index]
    found = difference(candidates, best, baseline)
    if found.low <= 0.0 <= found.high:
        verdict = "which may be chance" if found.low < found.high else "the same"
    else:
        verdict = "better" if experiment.goal.sign * found.value > 0.0 else "worse"
    origin = best.point.origin
    named = f" ({origin})" if origin in experiment.baselines else ""
    text = (
        f"It has {at} ({counted(len(baseline.point.games), 'game')} of its own). Of all θ with "
        f"games that cost no more, number {best.number}{named} is the best, at "
        f"{cost_text(best.expected, experiment)} ({counted(len(best.point.games), 'game')} of its "
        f"own): its {experiment.goal.label} differs by {signed(found, experiment.goal)}"
        f"{of_intervals(experiment.goal)}, {verdict}."
    )
    return [Claim(about, text)]


def of_intervals(goal: Goal) -> str:
    """Say what ± means, unless values are exact."""
    return "" if goal.is_exact else " (± 95%)"


def gain_text(candidates: Candidates, better: Candidate, worse: Candidate) -> str:
    """Write the difference of the goal between two θ with its 95% interval, its sign first."""
    return signed(difference(candidates, better, worse), candidates.data.experiment.goal)


def difference(candidates: Candidates, one: Candidate, other: Candidate) -> Estimate:
    """Return by how much the goal of one θ exceeds that of another, with its 95% interval.

    The mean is the difference of what is expected of both. The interval is of joint draws, since
    the model's errors at two θ are correlated; exact values have none.
    """
    goal, model = candidates.data.experiment.goal, candidates.combined
    value = one.expected.score.value - other.expected.score.value
    if goal.is_exact and one.number and other.number:
        return Estimate(value, value, value, 0.0)
    drawn = drawn_goal(model, [one.point.params, other.point.params])
    half = Z95 * float(np.std(drawn[:, 0] - drawn[:, 1]))
    return Estimate(value, value - half, value + half)


def drawn_goal(
    model: FittedModel, thetas: Sequence[Theta], seed: int = 0
) -> npt.NDArray[np.float64]:
    """Draw the goal at some θ jointly, in its own unit, shape (N_DRAWS, n)."""
    posterior, codes = model.posterior, model.cube.encode(thetas)
    drawn = posterior.draw(codes, N_DRAWS, np.random.default_rng(seed))[..., 0]
    return posterior.scales[0].back(posterior.sign * drawn)


@dataclass(frozen=True)
class Check:
    """Measured means against what a model had predicted of them.

    Attributes
    ----------
    n, n_inside : int
        How many means there are, and how many lie in the 95% interval predicted of each.
    excess : float
        By how much the predictions exceed the means on average.
    allowed : float
        95% of such averages are nearer to 0 if the model is right.
    """

    n: int
    n_inside: int
    excess: float
    allowed: float


def checked(
    model: FittedModel,
    thetas: Sequence[Theta],
    means: npt.NDArray[np.float64],
    variances: npt.NDArray[np.float64],
) -> Check:
    """Hold measured means of the goal, whose noise has these variances, against a model.

    The model's errors at different θ go together, so what it predicts of the means is drawn for
    all of them jointly: the goal there, and the noise of so many games.
    """
    noise = np.random.default_rng(1).standard_normal((N_DRAWS, len(means))) * np.sqrt(variances)
    predicted = model.posterior.goal(model.cube.encode(thetas)).mean
    drawn = drawn_goal(model, thetas) + noise
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    return Check(
        len(means),
        int(np.sum((low <= means) & (means <= high))),
        float(np.mean(predicted - means)),
        Z95 * float(np.std(drawn.mean(axis=1))),
    )


def what_is_left(page: Analysis) -> list[Claim]:
    """Say how far the recommended θ may be from the best."""
    if (frame := page.tables.get("certificate")) is None:
        return []
    text = certificate_text(frame, page.data.experiment)
    return [Claim("What may be left to win", f"{text[0].upper()}{text[1:]}.")]


def how_sure(page: Analysis) -> list[Claim]:
    """Hold the model of the trials against the games of validation that had no part in it."""
    data, goal = page.data, page.data.experiment.goal
    points = [each for each in data.points if each.games]
    if page.model is None or not points or goal.is_exact:
        return []
    found = checked(
        page.model,
        [each.params for each in points],
        np.array([goal.estimate(each.in_order).value for each in points]),
        goal_variances(data, points),
    )
    word = "more" if found.excess > 0.0 else "less"
    size = abs(found.excess)
    bound = signed(Estimate(found.allowed, found.allowed, found.allowed), goal).removeprefix("+")
    shown = signed(Estimate(size, size, size), goal).removeprefix("+")
    verdict = "within" if size <= found.allowed else "beyond"
    games = counted(sum(len(each.games) for each in points), "game")
    together = ", whose errors go together" if found.n > 1 else ""
    inside = f"{found.n_inside} of {found.n} measured means lie"
    return [
        Claim(
            "How sure",
            f"{games} on fresh seeds judged {found.n} θ: {inside} in the 95% interval "
            f"that the model had predicted, from the trials alone, for so many games. On average "
            f"it had predicted {shown} {word} than measured, {verdict} the {bound} that it allows "
            f"for (95%; n = {found.n} θ{together}). What is written above takes "
            "all these games into account.",
        )
    ]
