"""Picking a θ from the validated points, for a budget or for a value of the goal.

The best of several noisy means is too good, even when each of them is honest. So the games of each
point are dealt into two halves, every second one to each: one half chooses, the other says what to
expect.

Where a value of the goal is wanted, the other half has a veto: a point of which the mean over *all*
its games, its validated mean, falls short of what was wanted is not recommended, however well the
first half thought of it. So both the mean over the half that chooses and that over all games reach
it. A veto that could have fallen makes what to expect a little too good, too: where the truth is
just what was wanted, by 0.38 of its standard error (of the half that chose it would be 0.91; for
two standard normals A and B, E[B | A > 0, A + B > 0] = 2/(3√π), E[A | …] = (√2 + 1)·2/(3√π)). Where
the truth falls short, it is so more rarely and more: short by one standard error of a half, a point
passes in 5 of 100 cases, and then what to expect is one too good.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.catalog import theta_names
from study.errors import InputError
from study.experiments.definition import Experiment
from study.experiments.objectives import Goal
from study.store.study_data import StudyData
from study.store.validated_points import ValidatedPoint
from study.text import counted


@dataclass(frozen=True)
class Pick:
    """A θ to use.

    Attributes
    ----------
    point : ValidatedPoint
        The θ, with its games.
    score, low, high : float
        What to expect, a value of the goal, and its 95% interval: from games that did not choose
        it.
    n_games : int
        How many those are.
    cost : float
        Of a move.
    n_candidates : int
        How many validated points there were to choose from.
    wanted : float, optional
        The value of the goal that was asked for, which all of them reach; None where a budget was
        given.
    """

    point: ValidatedPoint
    score: float
    low: float
    high: float
    n_games: int
    cost: float
    n_candidates: int
    wanted: float | None = None

    @property
    def half_width(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2


def pick(
    data: StudyData,
    cost_limit: float | None = None,
    score_wanted: float | None = None,
) -> Pick:
    """Choose the best point within a budget, or the cheapest one that reaches a value of the goal.

    Parameters
    ----------
    data : StudyData
        The study to pick from.
    cost_limit : float, optional
        It may cost that much.
    score_wanted : float, optional
        The value of the goal that is wanted, which the validated mean of what is chosen reaches;
        exactly one of the two must be given.

    Raises
    ------
    InputError
        If nothing is validated yet, or no validated point does what is asked for.
    """
    name, experiment = data.name, data.experiment
    goal, label = experiment.goal, experiment.cost.label
    if (cost_limit is None) == (score_wanted is None):
        raise InputError(
            f"pick: one of {experiment.cost.option} and {goal.option} allowed, and needed"
        )
    if cost_limit is not None and not (math.isfinite(cost_limit) and cost_limit > 0):
        raise InputError(f"pick: {cost_limit:g} given, a number above 0 allowed")
    if score_wanted is not None:
        check_wanted(goal, score_wanted)
    points = [point for point in data.points if len(point.games) >= goal.fewest_to_pick]
    if not points:
        raise InputError(
            f"study: {name!r} has no validated points yet (thetafront validate {name})"
        )
    costs = {point.key: experiment.cost.of(point.in_order) for point in points}
    chosen_by = {
        point.key: goal.estimate(goal.estimator.halves(point.in_order)[0]).value for point in points
    }
    if cost_limit is not None:
        allowed = [point for point in points if costs[point.key] <= cost_limit]
        if not allowed:
            cheapest = experiment.cost.text(min(costs.values()))
            raise InputError(
                f"pick: {label} of {experiment.cost.text(cost_limit)} given; the cheapest validated "
                f"point takes {cheapest}"
            )
        best = max(allowed, key=lambda point: (chosen_by[point.key], -costs[point.key]))
    else:
        assert score_wanted is not None
        reached = {
            point.key: min(chosen_by[point.key], goal.estimate(point.in_order).value)
            for point in points
        }
        allowed = [point for point in points if goal.reaches(reached[point.key], score_wanted)]
        if not allowed:
            highest = goal.format.text(max(reached.values()))
            in_both = " in all its games and in the half of them that chooses"
            raise InputError(
                f"pick: {goal.label} {goal.format.text(score_wanted)} given; the best validated point reaches "
                f"{highest}{'' if goal.is_exact else in_both}"
            )
        best = min(allowed, key=lambda point: costs[point.key])
    judges = goal.estimator.halves(best.in_order)[1]
    expected = goal.estimate(judges)
    return Pick(
        point=best,
        score=expected.value,
        low=expected.low,
        high=expected.high,
        n_games=len(judges),
        cost=costs[best.key],
        n_candidates=len(allowed),
        wanted=score_wanted,
    )


def check_wanted(goal: Goal, value: float) -> None:
    """Refuse, by InputError, a value that cannot be reached: percents, say."""
    if goal.is_share and not 0 < value <= 1:
        raise InputError(
            f"pick: {goal.label} {value:g} given, a share above 0 and up to 1 allowed, "
            "such as 0.3 for 30%"
        )
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"pick: {value:g} given, a number above 0 allowed")


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


def pick_json(picked: Pick, experiment: Experiment) -> dict[str, Any]:
    """Return what ``pick --json`` prints."""
    goal, games = experiment.goal, picked.point.in_order
    everything = goal.estimate(games)
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
            "mean": everything.value,
            "sem": everything.sem,
            "low95": everything.low,
            "high95": everything.high,
            "n_games": len(games),
        },
        experiment.cost.name: picked.cost,
        "n_candidates": picked.n_candidates,
        "command": command_of(experiment, picked.point.params),
    }


def reason_of(picked: Pick, goal: Goal, candidates: str) -> str:
    """Say from which games one may expect what is said, and what was chosen from."""
    would_do = "would do"
    if picked.wanted is not None:
        reaches = "reaches" if picked.n_candidates == 1 else "reach"
        would_do = f"{reaches} {goal.format.with_unit(picked.wanted)}"
    if goal.is_exact:
        return f"exact; the best of {candidates} that {would_do}"
    n_games = counted(picked.n_games, "game")
    if picked.wanted is None:
        return (
            f"95% interval; {n_games}, none of which chose it from the {candidates} that {would_do}"
        )
    return f"95% interval; {n_games}, which had no more than a veto: others chose it from the {candidates} that {would_do}"


def validated_for_people(picked: Pick, goal: Goal) -> str:
    """Say what all games of the point tell; with the interval where they had to reach something."""
    games = picked.point.in_order
    everything = goal.estimate(games)
    all_games = f"all {counted(len(games), 'game')}"
    if picked.wanted is None:
        return f"{goal.format.text(everything.value)} ± {goal.format.with_unit(everything.sem)} (standard error; {all_games})"
    return f"{goal.format.interval_with_unit(everything.value, everything.low, everything.high)} (95% interval; {all_games})"


def pick_text(picked: Pick, experiment: Experiment) -> str:
    """Return the same as lines of text."""
    goal, games = experiment.goal, picked.point.in_order
    params = picked.point.params
    theta = ", ".join(f"{each.label} {each.text(params[each.name])}" for each in experiment.space)
    width = len(experiment.cost.label) + 2
    shown = goal.format.with_unit(picked.score)
    if not goal.is_exact:
        shown = goal.format.interval_with_unit(picked.score, picked.low, picked.high)
    candidates = counted(picked.n_candidates, "validated point")
    told = [f"{'expect':{width}}{shown} ({reason_of(picked, goal, candidates)})"]
    if not goal.is_exact:
        told.append(f"{'validated':{width}}{validated_for_people(picked, goal)}")
    return "\n".join(
        [
            f"{'θ':{width}}{theta} ({picked.point.origin})",
            *told,
            f"{experiment.cost.label:{width}}{experiment.cost.text(picked.cost)}",
            *(f"{label:{width}}{text}" for label, text in experiment.summary.lines(games)),
            f"{'play it':{width}}{command_of(experiment, picked.point.params)}",
        ]
    )
