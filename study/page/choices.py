"""The answers of ``pick`` at each budget of a slider, computed in advance.

The slider begins at the smallest budget for which a θ with games can be recommended. It ends where
the answer no longer changes. Budgets are round numbers, except those at which another θ becomes the
best. At each budget, the answer is that of ``thetafront pick NAME --COST BUDGET --games 0``, word
for word.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from thetafront.study.charts.axes import cost_tick, round_numbers
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.certificate import bound_near
from thetafront.study.report.expected import CONFIDENCE, OF_PROPOSALS
from thetafront.study.report.pick_text import (
    Lines,
    cost_line,
    game_lines,
    passed_over_lines,
    play_command,
    theta_lines,
    untested_lines,
)
from thetafront.study.report.recommend import (
    Candidate,
    Candidates,
    PickQuery,
    Recommendation,
    cost_text,
)
from thetafront.study.text import counted

N_STEPS = 120
HEADROOM = 1.1
ROUNDING = 1e-9
NEAR = 0.15  # decades between a budget and a round number that may replace it


@dataclass(frozen=True)
class Answer:
    """A validated θ or, if there is none, the θ that is predicted to be the best for a budget."""

    number: int  # its number in tables and figures; 0 if it has no games
    # Labelled lines of `pick` that do not depend on the budget: those before the line on cost, and
    # those after it.
    before: Lines
    after: Lines
    cost: str  # its cost with its 95% interval
    goal: str  # its expected goal, with the 95% interval
    # The goal's mean over the θ's own games, and their number; without games, the prediction.
    measured: str
    how: str
    command: str  # command that plays it; empty if defined in a script or notebook


@dataclass(frozen=True)
class Step:
    """A budget of the slider."""

    limit: float  # the budget, in the cost's unit
    option: str  # the budget as an option's value
    text: str  # the budget with its unit
    answer: int  # index of the answer
    cost: str  # the line on cost, with the probability that the cost is within the budget
    # The lines on θ that were passed over, and on an untested θ.
    passed_over: Lines
    untested: Lines
    bound: str  # how much better another θ may be near this budget
    # The cost (`x`) and the goal (`y`) of the untested θ, a `text` with both, and the `command`
    # that plays this θ; empty if there is none.
    prospect: dict[str, Any]

    def lines(self, answer: Answer, label: str) -> Lines:
        """Return the lines of ``pick``; ``label`` is the label of the cost."""
        lines = [*answer.before, (label, self.cost), *answer.after, *self.passed_over]
        lines += self.untested
        return [*lines, ("play it", answer.command)] if answer.command else lines


@dataclass(frozen=True)
class Choices:
    """All budgets of the slider, the smallest first, and their answers.

    ``start`` is the step that is shown first. ``answers`` also has the validated θ that are the
    answer at no budget.
    """

    label: str
    steps: list[Step]
    answers: list[Answer]
    start: int

    @classmethod
    def from_analysis(cls, page: Analysis) -> "Choices | None":
        """Compute the answers; None if the study has no θ to recommend."""
        candidates = page.candidates
        if candidates is None:
            return None
        experiment = page.data.experiment
        limits = budgets(candidates)
        answers: dict[str, Answer] = {}

        def place(picked: Recommendation) -> int:
            key = picked.chosen.point.key
            if key not in answers:
                answers[key] = make_answer(picked)
            return [*answers].index(key)

        steps = []
        for limit in limits:
            query = PickQuery(experiment, limit)
            picked = candidates.pick(query, candidates.propose(query))
            steps.append(
                Step(
                    limit,
                    experiment.cost.argument(limit),
                    budget_text(experiment.cost, limit),
                    place(picked),
                    cost_line(picked),
                    passed_over_lines(picked),
                    untested_lines(picked),
                    bound_near(page.certificate, limit),
                    make_prospect(picked),
                )
            )
        for each in candidates.played:
            place(replace(picked, chosen=each))
        return cls(experiment.cost.label, steps, [*answers.values()], nearest_round(limits))


def make_answer(picked: Recommendation) -> Answer:
    """Write the part of an answer that does not depend on the budget."""
    experiment, chosen = picked.query.experiment, picked.chosen
    goal, score, games = experiment.goal, chosen.expected.score, chosen.point.games
    own = chosen.own if games else score
    how = "predicted by the model, 95% interval; untested"
    if games:
        kind = "exact" if goal.is_exact else "95% interval"
        how = f"measured in {counted(len(games), 'game')} with this θ, {kind}"
    return Answer(
        chosen.number,
        theta_lines(picked),
        game_lines(picked),
        cost_text(chosen.expected, experiment),
        goal.format.interval_with_unit(score.value, score.low, score.high),
        goal.format.interval_with_unit(own.value, own.low, own.high),
        how,
        play_command(experiment, chosen.point.params),
    )


def make_prospect(picked: Recommendation) -> dict[str, Any]:
    """Return the place of the untested θ in the chart, and the command that plays it."""
    if (each := picked.prospect) is None:
        return {}
    command = play_command(picked.query.experiment, each.point.params)
    experiment, score = picked.query.experiment, each.expected.score
    interval = experiment.goal.format.interval_with_unit(score.value, score.low, score.high)
    return {
        "x": each.expected.cost.value,
        "y": score.value,
        "text": f"Untested: {interval} predicted at {cost_text(each.expected, experiment)}.",
        "command": command,
    }


def budget_text(cost: Cost, limit: float, in_words: bool = False) -> str:
    """Write a budget without meaningless digits: ``50 µs``; in words, ``50 µs per move``."""
    text = cost_tick(cost, limit) if cost.is_in_seconds else cost.text(limit)
    return cost.in_words(limit).replace(cost.text(limit), text, 1) if in_words else text


def least_limit(candidate: Candidate) -> float:
    """Return the smallest budget within which a θ stays with enough probability."""
    expected = candidate.expected
    if expected.log_deviation == 0.0:
        return expected.cost.value
    deviations = ndtri(CONFIDENCE if candidate.number else OF_PROPOSALS)
    least = expected.cost.value * 10.0 ** (deviations * expected.log_deviation)
    return float(least * (1.0 + ROUNDING))


def rounded_up(value: float, n_digits: int = 3) -> float:
    """Round up to some significant digits."""
    power = math.floor(math.log10(value)) - n_digits + 1
    rounded = float(f"{value:.{n_digits - 1}e}")
    if rounded >= value:
        return rounded
    return float(f"{rounded + 10.0**power:.{n_digits - 1}e}")


def budgets(candidates: Candidates) -> list[float]:
    """Return the slider's budgets, the smallest first."""
    experiment, played = candidates.data.experiment, candidates.played
    some = played or candidates.anywhere
    least, most = (rounded_up(end(map(least_limit, some))) for end in (min, max))
    best = PickQuery(experiment, most).best(some)
    assert best is not None  # all θ are within this budget
    highest = rounded_up(least_limit(best)) * HEADROOM
    limits = {rounded_up(each, 2) for each in np.geomspace(least, highest, N_STEPS).tolist()}
    limits.add(least)
    last = None
    for limit in sorted({rounded_up(least_limit(each)) for each in played}):
        now = PickQuery(experiment, limit).best(played)
        if now is not last:
            limits.add(limit)
            last = now
    return sorted(limits)


def nearest_round(limits: Sequence[float]) -> int:
    """Return the index of the budget nearest to the middle, preferably 1, 2 or 5 times 10ᵏ."""
    middle, plain = math.sqrt(limits[0] * limits[-1]), round_numbers(limits[0], limits[-1])
    some = [k for k, each in enumerate(limits) if each in plain] or range(len(limits))
    return min(some, key=lambda k: abs(math.log(limits[k] / middle)))


def near_round(value: float, low: float, high: float) -> float | None:
    """Return the nearest 1, 2 or 5 times a power of ten that may replace a value, if any."""
    near = [each for each in round_numbers(low, high) if abs(math.log10(each / value)) < NEAR]
    return min(near, key=lambda each: abs(math.log(each / value)), default=None)
