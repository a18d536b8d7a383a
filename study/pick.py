"""Picking a θ from the validated points, for a budget or for a value of the goal.

The best of several noisy means is too good, even when each of them is honest. So the games of each point
are dealt into two halves, every second one to each: one half chooses, the other says what to expect.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import optuna

from agents.catalog import theta_names
from study.errors import InputError
from study.experiment import Experiment
from study.validation import Validated, validated_points

__all__ = ["Pick", "answer_for_people", "answer_of", "pick"]


@dataclass(frozen=True)
class Pick:
    """A θ to use.

    Attributes
    ----------
    point : Validated
        The θ, with its games.
    score, low, high : float
        What to expect, a value of the goal, and its 95% interval: from games that did not choose it.
    n_games : int
        How many those are.
    cost : float
        Of a move.
    n_candidates : int
        How many validated points there were to choose from.
    """

    point: Validated
    score: float
    low: float
    high: float
    n_games: int
    cost: float
    n_candidates: int

    @property
    def half_width(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2


def pick(
    study: optuna.Study,
    experiment: Experiment,
    cost_limit: float | None = None,
    score_wanted: float | None = None,
) -> Pick:
    """Choose the best point within a budget, or the cheapest one that reaches a value of the goal.

    Parameters
    ----------
    study, experiment : optuna.Study, Experiment
        Where to look.
    cost_limit : float, optional
        It may cost that much.
    score_wanted : float, optional
        The value of the goal that is wanted; exactly one of the two must be given.

    Raises
    ------
    InputError
        If nothing is validated yet, or no validated point does what is asked for.
    """
    name, goal, label = study.study_name, experiment.goal, experiment.cost.label
    if (cost_limit is None) == (score_wanted is None):
        raise InputError(
            f"pick: one of {experiment.cost.option} and {goal.option} allowed, and needed"
        )
    for given in (cost_limit, score_wanted):
        if given is not None and not (math.isfinite(given) and given > 0):
            raise InputError(f"pick: {given:g} given, a number above 0 allowed")
    points = [point for point in validated_points(study) if len(point.games) >= goal.fewest_to_pick]
    if not points:
        raise InputError(
            f"study: {name!r} has no validated points yet (thetafront validate {name})"
        )
    costs = {point.key: experiment.cost.of(list(point.games.values())) for point in points}
    chosen_by = {point.key: goal.mean(goal.halves(point.in_order)[0]) for point in points}
    if cost_limit is not None:
        allowed = [point for point in points if costs[point.key] <= cost_limit]
        if not allowed:
            cheapest = experiment.cost.show(min(costs.values()))
            raise InputError(
                f"pick: {label} of {experiment.cost.show(cost_limit)} given; the cheapest validated "
                f"point takes {cheapest}"
            )
        best = max(allowed, key=lambda point: chosen_by[point.key])
    else:
        assert score_wanted is not None
        allowed = [point for point in points if chosen_by[point.key] >= score_wanted]
        if not allowed:
            highest = max(chosen_by.values())
            raise InputError(
                f"pick: {goal.label} {goal.show(score_wanted)} given; the best validated point reaches "
                f"{goal.show(highest)}"
            )
        best = min(allowed, key=lambda point: costs[point.key])
    judges = goal.samples(goal.halves(best.in_order)[1])
    expected = goal.estimate(judges)
    return Pick(
        point=best,
        score=expected.mean,
        low=expected.low,
        high=expected.high,
        n_games=len(judges),
        cost=costs[best.key],
        n_candidates=len(allowed),
    )


def command_of(experiment: Experiment, params: Mapping[str, Any]) -> str:
    """Return the command that plays a θ."""
    params = {**experiment.fixed, **params}
    names = theta_names(experiment.agent)
    if names and set(names) == set(params):
        theta = ",".join(repr(params[name]) for name in names)
        return f"thetafront play {experiment.agent} --theta {theta}"
    settings = " ".join(
        f"--set {name}={value if isinstance(value, str) else repr(value)}"
        for name, value in params.items()
    )
    return f"thetafront play {experiment.agent} {settings}"


def answer_of(picked: Pick, experiment: Experiment) -> dict[str, Any]:
    """Return what ``pick --json`` prints."""
    goal, games = experiment.goal, picked.point.in_order
    everything = goal.estimate(goal.samples(games))
    return {
        "params": dict(picked.point.params),
        "origin": picked.point.origin,
        f"expected_{goal.name}": {
            "mean": picked.score,
            "low95": picked.low,
            "high95": picked.high,
            "n_games": picked.n_games,
        },
        f"validated_{goal.name}": {
            "mean": everything.mean,
            "sem": everything.sem,
            "n_games": len(games),
        },
        experiment.cost.name: picked.cost,
        "n_candidates": picked.n_candidates,
        "command": command_of(experiment, picked.point.params),
    }


def answer_for_people(picked: Pick, experiment: Experiment) -> str:
    """Return the same as lines of text."""
    goal, games = experiment.goal, picked.point.in_order
    everything = goal.estimate(goal.samples(games))
    params = picked.point.params
    theta = ", ".join(f"{each.label} {each.text(params[each.name])}" for each in experiment.space)
    width = len(experiment.cost.label) + 2
    if goal.is_exact:
        told = [
            f"{'expect':{width}}{goal.phrase(picked.score)} (exact; the best of {picked.n_candidates} "
            "validated points that would do)"
        ]
    else:
        told = [
            f"{'expect':{width}}{goal.phrase_interval(picked.score, picked.low, picked.high)} (95% interval; "
            f"{picked.n_games} games, none of which chose it from the {picked.n_candidates} validated "
            "points that would do)",
            f"{'validated':{width}}{goal.show(everything.mean)} ± {goal.phrase(everything.sem)} "
            f"(standard error; all {len(games)} games)",
        ]
    return "\n".join(
        [
            f"{'θ':{width}}{theta} ({picked.point.origin})",
            *told,
            f"{experiment.cost.label:{width}}{experiment.cost.show(picked.cost)}",
            *(f"{label:{width}}{text}" for label, text in experiment.kind.lines(games)),
            f"{'play it':{width}}{command_of(experiment, picked.point.params)}",
        ]
    )
