"""What a study shows, in sentences: what more time buys, and which parameters matter.

Every value is what the model expects after all games of the study, with its 95% interval.
Differences come from joint draws from the same model.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from thetafront.study.charts.comparison import signed
from thetafront.study.estimate import Z95, Estimate
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.page.choices import budget_text, least_limit, near_round, rounded_up
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import certificate_headline, certificate_text
from thetafront.study.report.importance import Importance
from thetafront.study.report.pick_text import Lines
from thetafront.study.report.prediction_check import (
    PredictionCheck,
    check_predictions,
    drawn_goal,
    trust_text,
)
from thetafront.study.report.recommend import Candidate, Candidates, PickQuery, cost_text
from thetafront.study.text import counted, listed

FRACTIONS = (0.15, 0.55, 1.0)
"""Positions of the budgets in log cost, between the cheapest θ (0) and the best θ (1)."""


@dataclass(frozen=True)
class Claims:
    """All sentences on the page of a study; lines are labelled with what they are about."""

    short: Lines  # what a reader sees first: what more time buys, and which parameters matter
    trust: str = ""  # one line: whether the model agrees with games that it was not fitted to
    is_trusted: bool = True  # whether the model agrees with them
    certificate: str = ""  # one line: how much worse the answers may be than the best θ
    baselines: Lines = field(default_factory=list)  # for each, whether any θ beats it
    # How the model was checked, and how much worse the answers may be than the best θ.
    details: Lines = field(default_factory=list)


def claims(page: Analysis) -> Claims:
    """Return the sentences."""
    candidates, experiment = page.candidates, page.data.experiment
    if candidates is None:
        failed = [each for each in page.data.trials if each.state == "fail"]
        n_failed = counted(len(failed), "trial")
        why = f" {n_failed} failed, the last one: {failed[-1].error}" if failed else ""
        text = f"No trial is complete, so nothing is known yet.{why}"
        return Claims([("Nothing yet", text)])
    short = more_time(candidates)
    if page.importance is not None and page.importance.total.any():
        short.append(("Which parameters matter", what_matters(page.importance, page)))
    details, trust, is_trusted = Lines(), "", True
    if not candidates.played:
        trials, is_trusted = counted(len(page.data.complete_trials), "trial"), False
        trust = f"There are no validated points; all numbers come from the model of {trials}."
    elif (check := check_predictions(page)) is not None:
        trust, is_trusted = trust_text(check, experiment.goal), check.is_passed
        details.append(("How the model was checked", check_text(check, page)))
    if page.certificate is not None:
        text = certificate_text(page.certificate)
        details.append(("Room for improvement", f"{text[0].upper()}{text[1:]}."))
    baselines = [each for name in experiment.baselines for each in against(candidates, name)]
    certified = certificate_headline(page.certificate)
    return Claims(short, trust, is_trusted, certified, baselines, details)


def what_matters(importance: Importance, page: Analysis) -> str:
    """Name the parameters that the goal and the cost depend on most, with their shares."""
    experiment = page.data.experiment
    labels = (experiment.goal.label, experiment.cost.label)
    drives: dict[str, list[str]] = {}  # by parameter: objectives that depend most on it
    for label, total in zip(labels, importance.total, strict=True):
        if total.any():
            best = list(experiment.space)[int(np.argmax(total))]
            what = best.description.partition(";")[0]
            name = f"{best.label} ({what})" if what else best.label
            drives.setdefault(name, []).append(f"the {label} ({total.max():.0%} of its variance)")
    return f"{'; '.join(f'{name} drives {listed(of)}' for name, of in drives.items())}."


def best_at_three(candidates: Candidates) -> list[tuple[float, Candidate]]:
    """Return three budgets and the best θ for each; fewer if a θ is the best for several budgets.

    If any θ has games, only θ with games count.
    """
    experiment = candidates.data.experiment
    some = candidates.played or candidates.anywhere
    limits = [least_limit(each) for each in some]
    best = PickQuery(experiment, max(limits)).best(some)
    assert best is not None  # all of them are within this budget
    low, high = np.log10(min(limits)), np.log10(least_limit(best))
    found: dict[str, tuple[float, Candidate]] = {}
    for fraction in FRACTIONS:
        wanted = 10.0 ** (low + fraction * (high - low))
        least = min(limits) if fraction < 1.0 else wanted  # the last budget must allow the best θ
        limit = near_round(wanted, least, 10.0**high * 5.0) or rounded_up(wanted, 2)
        chosen = PickQuery(experiment, limit).best(some)
        if chosen is not None:
            found.setdefault(chosen.point.key, (limit, chosen))
    return list(found.values())


def more_time(candidates: Candidates) -> Lines:
    """Say what a larger budget gains, from each of three budgets to the next."""
    experiment = candidates.data.experiment
    cost, goal = experiment.cost, experiment.goal
    steps = [
        f"from {budget_text(cost, low)} to {budget_text(cost, high, in_words=True)}: "
        f"{signed(difference(candidates, better, worse), goal)}"
        for (low, worse), (high, better) in pairwise(best_at_three(candidates))
    ]
    if not steps:
        return []
    said = "; ".join(steps)
    what = "What more time buys" if cost.is_timed else "What a larger budget buys"
    return [(what, f"{said[0].upper()}{said[1:]}{interval_note(goal)}.")]


def against(candidates: Candidates, name: str) -> Lines:
    """Say whether any θ beats a baseline, that is, costs no more and is better.

    The baseline is compared with the best θ with games that is expected to cost no more. This θ may
    be another baseline.
    """
    experiment = candidates.data.experiment
    goal, cost = experiment.goal, experiment.cost
    baseline = next((each for each in candidates.played if each.point.origin == name), None)
    if baseline is None:
        return []
    score, limit = baseline.expected.score, baseline.expected.cost.value
    shown = goal.format.interval_with_unit(score.value, score.low, score.high)
    at, about = f"{shown} at {cost_text(baseline.expected, experiment)}", f"Against {name}"
    others = [each for each in candidates.played if each is not baseline]
    within = [each for each in others if each.expected.cost.value <= limit]
    if not within:
        return [(about, f"It reaches {at}; no validated θ costs less.")]
    best = max(within, key=lambda each: each.expected.rank(goal.sign))
    found = difference(candidates, best, baseline)
    origin = best.point.origin
    named = f"number {best.number}" + (f", {origin}" if origin in experiment.baselines else "")
    than = f"at {cost.text(best.expected.cost.value)} against {cost.text(limit)}"
    by = f"{signed(found, goal)}{interval_note(goal)}"
    if found.low < found.high and found.low <= 0.0 <= found.high:
        verdict = f"Number {best.number} may be as good, {than}: its {goal.label} differs by {by}."
    elif goal.sign * found.value > 0.0:
        verdict = f"It is beaten by {named}, {than}: {by}."
    elif found.value == 0.0:
        verdict = f"Number {best.number} is as good and costs no more, {than}."
    else:
        verdict = f"No validated θ beats it. The best cheaper θ is {named}, {than}: {by}."
    return [(about, f"It reaches {at}. {verdict}")]


def interval_note(goal: Goal) -> str:
    """Say what ± means, unless values are exact."""
    return "" if goal.is_exact else " (±: 95%\N{NO-BREAK SPACE}interval)"


def difference(candidates: Candidates, one: Candidate, other: Candidate) -> Estimate:
    """Return how much one θ's goal exceeds another's, with its 95% interval.

    The mean is the difference between the two expected values. The interval comes from joint draws,
    because the model's errors at two θ are correlated. Exact values have no interval.
    """
    goal, model = candidates.data.experiment.goal, candidates.combined
    value = one.expected.score.value - other.expected.score.value
    if goal.is_exact and one.number and other.number:
        return Estimate(value, value, value, 0.0)
    drawn = drawn_goal(model, [one.point.params, other.point.params])
    half = Z95 * float(np.std(drawn[:, 0] - drawn[:, 1]))
    return Estimate(value, value - half, value + half)


def check_text(check: PredictionCheck, page: Analysis) -> str:
    """Say what was checked, and what was found."""
    goal = page.data.experiment.goal
    games = counted(sum(len(each.games) for each in page.data.points), "game")
    return (
        f"In {games} with {check.n} θ on fresh seeds, {check.inside_text} "
        "were inside the 95% intervals that the model had predicted from the trials alone. "
        f"On average, it predicted {goal.size_text(check.excess)} "
        f"{'more' if check.excess > 0.0 else 'less'} than was measured; if the "
        f"model is right, this difference is at most {goal.size_text(check.allowed)} in 95% of "
        "cases (its errors at different θ are correlated)."
    )
