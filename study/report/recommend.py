"""Picking a θ for a budget, or for a target of the goal.

The answer is a θ that was played on fresh seeds. The *prospect* is an untested θ of the whole space
that the model expects to be better. The prospect is reported with the answer. The prospect itself
is the answer only if the study has no validated point.

What is expected of a θ is its posterior given all games of the study, both of trials and of
validation (:func:`study.model.study_model.combine`). θ are chosen by these expectations, which
allow for luck. So choosing the best of many θ does not make the answer too optimistic, as long as
the model is right (``results.benchmarks.certificates`` tests this).

For a budget, the answer is the θ with the best expected score among those that are within the
budget with a probability of at least 95%. For a target, the answer is the cheapest θ that is
expected to reach the target. A θ without games must be within the budget with a probability of at
least 99%, or reach the target with a probability of at least 75%. Such a θ will probably still do
so after it has been played.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from thetafront.study.errors import InputError
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.experiments.objectives.formats import score_of_elo
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.invocation import option
from thetafront.study.log.point import Point
from thetafront.study.log.published_study import PublishedStudy
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.expected import (
    CONFIDENCE,
    OF_PROPOSALS,
    ROUNDING,
    TO_REACH,
    Expected,
    chance_text,
    expect_points,
    expected_at,
)
from thetafront.study.samplers.fitted_model import FittedModel

# At most this many points of the predicted front, since each takes milliseconds.
MAX_ANYWHERE = 512
ELO = "elo"  # for a match, a query may give an Elo difference instead of a score


@dataclass(frozen=True)
class PickQuery:
    """What a user asks for: a budget, or a value of the goal.

    InputError if neither or both are given, or if the given value is impossible.
    """

    experiment: Experiment
    cost_limit: float | None = None
    score_wanted: float | None = None

    def __post_init__(self) -> None:
        goal, cost = self.experiment.goal, self.experiment.cost
        if (self.cost_limit is None) == (self.score_wanted is None):
            raise InputError(
                f"pick must have exactly one of {option(cost.bound)} and {option(goal.bound)}"
            )
        if self.score_wanted is not None:
            check_wanted(goal, self.score_wanted)
        elif not (math.isfinite(self.limit) and self.limit > 0):
            raise InputError(f"{self.experiment.cost.label} must be above 0 (got {self.limit:g})")

    @classmethod
    def read(cls, experiment: Experiment, given: Mapping[str, str | float]) -> "PickQuery":
        """Read a user's query: ``max_seconds_per_move``, ``min_score``, or ``elo`` of a match.

        Names without ``min_`` and ``max_`` come from earlier versions.
        """
        goal, cost = experiment.goal, experiment.cost
        known: dict[str, Goal | Cost] = {cost.bound: cost, cost.name: cost}
        known |= {goal.bound: goal, goal.name: goal, **({ELO: goal} if goal.is_match else {})}
        values: dict[str, float] = {}
        for name, value in given.items():
            if name not in known:
                allowed = f"{option(cost.bound)} or {option(goal.bound)}"
                raise InputError(f"pick must have {allowed} (got {option(name)})")
            try:
                if isinstance(value, bool):
                    raise TypeError
                number = float(value) if name == ELO else known[name].read(value)
            except (TypeError, ValueError):
                is_time = known[name] == cost and cost.is_timed and cost.unit
                kind = "a time such as 100us" if is_time else "a number"
                raise InputError(f"{option(name)} must be {kind} (got {value!r})") from None
            if known[name].name in values:
                both = " and ".join(map(option, given))
                raise InputError(f"pick must have a single limit (got {both})")
            values[known[name].name] = score_of_elo(number) if name == ELO else number
        return cls(experiment, values.get(cost.name), values.get(goal.name))

    @property
    def limit(self) -> float:
        """The budget; infinite if there is none."""
        return math.inf if self.cost_limit is None else self.cost_limit

    def best(self, candidates: "list[Candidate]") -> "Candidate | None":
        """Return the candidate to recommend; None if none meets the query."""
        met, sign = filter(self.is_met, candidates), self.experiment.goal.sign
        if self.score_wanted is None:
            return max(met, key=lambda each: each.expected.rank(sign), default=None)
        return min(met, key=lambda each: each.expected.cost.value, default=None)

    def is_met(self, candidate: "Candidate") -> bool:
        """Return whether a θ meets the query; a θ without games must do so by a margin."""
        goal, expected, is_played = self.experiment.goal, candidate.expected, candidate.number > 0
        if self.score_wanted is not None:
            reaches = goal.reaches(expected.score.value, self.score_wanted)
            wanted = self.score_wanted
            return reaches and (is_played or expected.p_reaches(wanted, goal.sign) >= TO_REACH)
        if expected.cost.value > (1.0 + ROUNDING) * self.limit:
            return False  # saves time: the probability is below one half
        return expected.p_within(self.limit) >= (CONFIDENCE if is_played else OF_PROPOSALS)


@dataclass(frozen=True)
class Candidate:
    """A θ that may be recommended."""

    point: Point  # the θ, with its validation games, if it has any
    number: int  # its number in tables and figures; 0 if it has no games
    expected: Expected  # its score and cost, given all games of the study
    own: Estimate  # its score by its own games alone
    own_cost: float = math.nan  # its cost by its own games alone


@dataclass(frozen=True)
class Recommendation:
    """The answer to a query."""

    query: PickQuery
    chosen: Candidate  # the θ that is recommended
    n_candidates: int  # number of θ with validation games to choose from
    n_games: int  # number of games of the study on which the estimates are based
    # θ that were not picked although they look better by their own games, and θ that were played
    # for this pick but not picked; each with the reason.
    passed_over: Sequence[tuple[Candidate, str]] = ()
    prospect: Candidate | None = None  # a θ without games, expected to be better than the chosen
    hint: str = ""  # how to play the prospect


@dataclass(frozen=True)
class Candidates:
    """The θ of a study that may be recommended, for any number of queries."""

    data: StudyData
    combined: FittedModel  # the model given all games of the study

    @cached_property
    def played(self) -> list[Candidate]:
        """The θ with validation games, the cheapest first; they are numbered in this order."""
        points, trials = self.data.known_points, self.data.complete_trials
        cost = self.data.experiment.cost
        expected = expect_points(self.combined, self.data.experiment, points, trials)
        pairs = sorted(zip(points, expected, strict=True), key=lambda pair: pair[1].cost.value)
        return [
            Candidate(point, number, each, self.data.estimate(point), cost.value(point.in_order))
            for number, (point, each) in enumerate(pairs, 1)
        ]

    @cached_property
    def anywhere(self) -> list[Candidate]:
        """Other θ of the whole space, along the front that the model predicts."""
        model, space = self.combined, self.data.experiment.space
        front = model.predicted_front
        some = front.points[front.spread(MAX_ANYWHERE)]
        thetas = [space.tidy(model.cube.decode(each)) for each in some]
        points = {each.key: each for each in (Point(theta, "proposal") for theta in thetas)}
        expected = expected_at(model, [each.params for each in points.values()])
        known = {each.point.key for each in self.played}
        return [
            Candidate(points[key], 0, each, Estimate(math.nan))
            for key, each in zip(points, expected, strict=True)
            if key not in known
        ]

    @cached_property
    def ranked(self) -> list[Candidate]:
        """All θ, sorted once for many budgets: the best goal first, then the lowest cost."""
        sign, every = self.data.experiment.goal.sign, self.played + self.anywhere
        return sorted(every, key=lambda each: each.expected.rank(sign), reverse=True)

    @cached_property
    def n_games(self) -> int:
        """Number of games of the study on which expectations are based."""
        of_trials = sum(len(each.games) for each in self.data.complete_trials)
        return of_trials + sum(len(each.games) for each in self.data.points)

    def propose(self, query: PickQuery) -> Candidate | None:
        """Return the θ that meets the query best; None if none does.

        A θ without games must be so much better than the best played one that it shows in print.
        """
        if query.score_wanted is not None:
            found = query.best(self.played + self.anywhere)
        else:
            found = next(filter(query.is_met, self.ranked), None)
        best = query.best(self.played)
        is_same = found and best and gain_text(found, query) == gain_text(best, query)
        return best if is_same else found

    def pick(
        self, query: PickQuery, proposal: Candidate | None = None, played: Collection[str] = ()
    ) -> Recommendation:
        """Choose among the played θ; InputError if none meets the query.

        An untested ``proposal`` becomes the prospect.
        """
        prospect = proposal if proposal is not None and proposal.number == 0 else None
        candidates = self.played or [each for each in (prospect,) if each is not None]
        best = query.best(candidates)
        if best is None:
            raise InputError(refusal(query, candidates, self.data, prospect))
        return Recommendation(
            query,
            best,
            n_candidates=sum(query.is_met(each) for each in self.played),
            n_games=self.n_games,
            passed_over=[
                (each, reason)
                for each in self.played
                if each is not best and (reason := why_not(each, best, query, played))
            ],
            prospect=None if prospect is best else prospect,
            hint=to_play_it(self.data),
        )


def gain_text(each: Candidate, query: PickQuery) -> str:
    """Write the number that a query asks to be as good as possible."""
    goal, cost, expected = query.experiment.goal, query.experiment.cost, each.expected
    if query.score_wanted is not None:
        return cost.text(expected.cost.value)
    return goal.format.text(expected.score.value)


def to_play_it(data: StudyData) -> str:
    """Say how to play an untested θ; empty for a folder of tables, which cannot store games."""
    return "" if isinstance(data, PublishedStudy) else "; `pick` can play it"


def refusal(
    query: PickQuery,
    candidates: list[Candidate],
    data: StudyData,
    prospect: Candidate | None = None,
) -> str:
    """Say that no θ meets the query, what comes nearest, and what is worth playing."""
    goal, cost = query.experiment.goal, query.experiment.cost
    if not candidates:
        allowed = " that its constraints allow" if data.forbidden else ""
        run = f"run thetafront validate {data.name}"
        return f"study: {data.name!r} has no validated points{allowed}; {run}"
    untested = "" if prospect is None else f"; an untested θ may meet the query{to_play_it(data)}"
    if query.score_wanted is not None:
        best = goal.sign * max(goal.sign * each.expected.score.value for each in candidates)
        wanted, reached = goal.format.texts(query.score_wanted, best)
        return (
            f"pick: no θ is expected to reach {wanted} ({goal.label}); "
            f"the best reaches {reached}{untested}"
        )
    cheapest = min(candidates, key=lambda each: each.expected.cost.value).expected
    return (
        f"pick: no θ is certain enough to stay within {cost.text(query.limit)} ({cost.label}); "
        f"the cheapest takes {cost_text(cheapest, query.experiment)}, and stays within the limit "
        f"with a probability of {chance_text(cheapest.p_within(query.limit))}, below "
        f"{CONFIDENCE:.2f}{untested}"
    )


def why_not(each: Candidate, best: Candidate, query: PickQuery, played: Collection[str]) -> str:
    """Say why a point that may look better was not picked; empty if it does not look better."""
    goal, own = query.experiment.goal, each.own.value
    now = ", played for this query" if each.point.key in played else ""
    other = best.expected.score.value if query.score_wanted is None else query.score_wanted
    text, own_text, other_text = goal.format.texts(each.expected.score.value, own, other)
    expects, its_own = f"{text} expected{now}", f"{own_text} in its own games"
    if query.score_wanted is not None:
        cheaper = each.expected.cost.value < best.expected.cost.value
        if not cheaper or query.is_met(each):
            return f"{expects}, and more expensive" if now else ""
        if not (now or goal.reaches(own, query.score_wanted)):
            return ""
        return f"{its_own}, {expects} (wanted: {other_text})"
    chosen = f"(number {best.number}: {other_text})"
    if query.is_met(each):
        looks_better = goal.sign * own > goal.sign * best.own.value
        return f"{its_own}, {expects} {chosen}" if now or looks_better else ""
    excess = goal.sign * (each.expected.score.value - best.expected.score.value)
    if now or (each.own_cost <= query.limit and excess > 0.0):
        p = each.expected.p_within(query.limit)
        return f"{expects}, within the limit with a probability of only {chance_text(p)}"
    return ""


def check_wanted(goal: Goal, value: float) -> None:
    """Raise InputError for a value that no θ can reach, or that every θ reaches."""
    scale, rises = goal.estimator.scale, goal.sign > 0
    worst, best = (scale.low, scale.high) if rises else (scale.high, scale.low)  # all reach `worst`
    if math.isfinite(value) and goal.sign * worst < goal.sign * value <= goal.sign * best:
        return
    allowed = "a finite number"
    if math.isfinite(worst):
        allowed = f"a number {'above' if rises else 'below'} {worst:g}"
    if math.isfinite(best):
        and_ = " and" if math.isfinite(worst) else ""
        allowed += f"{and_} at {'most' if rises else 'least'} {best:g}"
    if goal.is_share:
        ends = "above 0 and up to 1" if rises else "of at least 0 and below 1"
        allowed = f"a share {ends}, such as 0.3 for 30%"
    raise InputError(f"{goal.label} must be {allowed} (got {value:g})")


def cost_text(expected: Expected, experiment: Experiment) -> str:
    """Write a cost with its 95% interval."""
    cost = expected.cost
    return experiment.cost.interval(cost.value, cost.low, cost.high)
