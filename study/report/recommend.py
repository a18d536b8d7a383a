"""Picking a θ from the validated points, for a budget or for a wanted value of the goal.

The best of several noisy means is too good, even if each is unbiased. So the games of each point
are split in half, every second one to each: one half chooses, the other says what to expect.

For a wanted value, a point must reach it both in the half that chooses and in the mean of *all*
games, its validated mean. So the other half has a veto, and what to expect is a little too good,
too. Where the truth equals the wanted value, the bias is 0.38 standard errors of the other half
(0.91 for the half that chose; for two standard normals A and B, E[B | A > 0, A + B > 0] = 2/(3√π),
E[A | …] = (√2 + 1)·2/(3√π)). Where the truth falls short, a bias is rarer and larger: a point that
is short by one standard error of a half passes in 5 of 100 cases, and what to expect is then one
standard error too good.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.catalog import theta_names
from study.errors import InputError
from study.estimate import Estimate
from study.experiments.definition import Experiment
from study.experiments.objectives import Goal
from study.report.validated_rows import by_cost
from study.store.study_data import StudyData
from study.store.validated_points import ValidatedPoint
from study.text import counted


@dataclass(frozen=True)
class PassedOver:
    """A point that looks better in the table than the one picked.

    Attributes
    ----------
    point : ValidatedPoint
        The point.
    number : int
        Its number in tables and figures.
    cost : float
        Its cost.
    mean : float
        The goal's estimate from all its games.
    mean_that_chooses : float
        That from the half of its games that chooses.
    """

    point: ValidatedPoint
    number: int
    cost: float
    mean: float
    mean_that_chooses: float


@dataclass(frozen=True)
class Pick:
    """A θ to use.

    Attributes
    ----------
    point : ValidatedPoint
        The θ, with its games.
    expected : Estimate
        Its value of the goal, from games that did not choose it.
    n_games : int
        How many those are.
    cost : float
        The point's cost.
    n_candidates : int
        How many validated points there were to choose from.
    wanted : float, optional
        The value of the goal that was asked for, and all candidates reach; None for a budget.
    number : int
        The point's number in tables and figures.
    mean_that_chooses : float
        The goal's estimate from the half of the point's games that chose it.
    passed_over : tuple of PassedOver
        Cheaper points whose mean of all games is as high as wanted, or points within the budget
        whose mean is higher: chosen by another half of the games, they are not.
    """

    point: ValidatedPoint
    expected: Estimate
    n_games: int
    cost: float
    n_candidates: int
    wanted: float | None = None
    number: int = 0
    mean_that_chooses: float = math.nan
    passed_over: tuple[PassedOver, ...] = ()


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
        The budget.
    score_wanted : float, optional
        The value of the goal to reach; exactly one of the two must be given.

    Raises
    ------
    InputError
        If nothing is validated yet, or no validated point does what is asked for.
    """
    goal, cost = data.experiment.goal, data.experiment.cost
    if (cost_limit is None) == (score_wanted is None):
        raise InputError(f"pick: one of {cost.option} and {goal.option} allowed, and needed")
    points = [point for point in data.points if len(point.games) >= goal.fewest_to_pick]
    costs = {point.key: cost.of(point.in_order) for point in points}
    numbers = {point.key: number for number, point in enumerate(by_cost(data), 1)}
    means = {point.key: goal.estimate(point.in_order).value for point in points}
    chosen_by = {
        point.key: goal.estimate(goal.estimator.halves(point.in_order)[0]).value for point in points
    }
    if cost_limit is not None:
        if not (math.isfinite(cost_limit) and cost_limit > 0):
            raise InputError(f"pick: {cost_limit:g} given, a number above 0 allowed")
        check_validated(data, points)
        allowed = [point for point in points if costs[point.key] <= cost_limit]
        if not allowed:
            raise InputError(
                f"pick: {cost.label} of {cost.text(cost_limit)} given; the cheapest validated "
                f"point takes {cost.text(min(costs.values()))}"
            )
        best = max(allowed, key=lambda point: (chosen_by[point.key], -costs[point.key]))
        better = [point for point in allowed if means[point.key] > means[best.key]]
    else:
        assert score_wanted is not None
        check_wanted(goal, score_wanted)
        check_validated(data, points)
        reached = {point.key: min(chosen_by[point.key], means[point.key]) for point in points}
        allowed = [point for point in points if goal.reaches(reached[point.key], score_wanted)]
        if not allowed:
            highest = goal.format.text(max(reached.values()))
            in_both = " in all its games and in the half of them that chooses"
            raise InputError(
                f"pick: {goal.label} {goal.format.text(score_wanted)} given; the best validated "
                f"point reaches {highest}{'' if goal.is_exact else in_both}"
            )
        best = min(allowed, key=lambda point: costs[point.key])
        better = [
            point
            for point in points
            if costs[point.key] < costs[best.key] and goal.reaches(means[point.key], score_wanted)
        ]
    judges = goal.estimator.halves(best.in_order)[1]
    return Pick(
        point=best,
        expected=goal.estimate(judges),
        n_games=len(judges),
        cost=costs[best.key],
        n_candidates=len(allowed),
        wanted=score_wanted,
        number=numbers[best.key],
        mean_that_chooses=chosen_by[best.key],
        passed_over=tuple(
            PassedOver(
                point, numbers[point.key], costs[point.key], means[point.key], chosen_by[point.key]
            )
            for point in sorted(better, key=lambda point: costs[point.key])
        ),
    )


def check_validated(data: StudyData, points: list[ValidatedPoint]) -> None:
    """Refuse, by InputError, a study without points to pick from."""
    if not points:
        raise InputError(
            f"study: {data.name!r} has no validated points yet (thetafront validate {data.name})"
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
    goal, games, expected = experiment.goal, picked.point.in_order, picked.expected
    validated = goal.estimate(games)
    return {
        "number": picked.number,
        "params": dict(picked.point.params),
        "origin": picked.point.origin,
        f"expected_{goal.name}": {
            "mean": expected.value,
            "low95": expected.low,
            "high95": expected.high,
            "n_games": picked.n_games,
        },
        f"validated_{goal.name}": {
            "mean": validated.value,
            "sem": validated.sem,
            "low95": validated.low,
            "high95": validated.high,
            "n_games": len(games),
        },
        experiment.cost.name: picked.cost,
        "n_candidates": picked.n_candidates,
        "passed_over": [
            {
                "number": each.number,
                "params": dict(each.point.params),
                "origin": each.point.origin,
                experiment.cost.name: each.cost,
                f"mean_{goal.name}": each.mean,
                f"mean_{goal.name}_of_the_half_that_chooses": each.mean_that_chooses,
            }
            for each in picked.passed_over
        ],
        "command": command_of(experiment, picked.point.params),
    }


def pick_text(picked: Pick, experiment: Experiment) -> str:
    """Return what ``pick`` prints, a labelled line each."""
    goal, cost, params = experiment.goal, experiment.cost, picked.point.params
    theta = ", ".join(f"{each.label} {each.text(params[each.name])}" for each in experiment.space)
    lines = [("θ", f"{theta} (number {picked.number}, {picked.point.origin})")]
    if goal.is_exact:
        lines.append(("expect", exact_text(picked, goal)))
    else:
        lines.append(("expect", expected_text(picked, goal)))
        lines.append(("validated", validated_text(picked, goal)))
    lines.append((cost.label, cost.text(picked.cost)))
    lines += experiment.summary.lines(picked.point.in_order)
    for k, text in enumerate(passed_over_lines(picked, experiment)):
        lines.append(("" if k else "passed over", text))
    lines.append(("play it", command_of(experiment, params)))
    width = len(cost.label) + 2
    return "\n".join(f"{label:{width}}{text}" for label, text in lines)


def passed_over_lines(picked: Pick, experiment: Experiment) -> list[str]:
    """Say, a line each, why points that look better were not picked."""
    goal, cost = experiment.goal, experiment.cost
    cells = [
        (
            f"number {each.number}, {cost.text(each.cost)}",
            goal.format.text(each.mean),
            goal.format.text(each.mean_that_chooses),
        )
        for each in picked.passed_over
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    needed = f"number {picked.number}: {goal.format.text(picked.mean_that_chooses)}"
    if picked.wanted is not None:
        needed = f"wanted: {goal.format.text(picked.wanted)}"
    return [
        f"{first:{widths[0]}}  {mean:>{widths[1]}} in all games, but {half:>{widths[2]}} in the "
        f"half that chooses ({needed})"
        for first, mean, half in cells
    ]


def candidates_text(picked: Pick, goal: Goal) -> str:
    """Say how many points there were to choose from: ``3 validated points within the budget``."""
    points = counted(picked.n_candidates, "validated point")
    if picked.wanted is None:
        return f"{points} within the budget"
    verb = "reaches" if picked.n_candidates == 1 else "reach"
    return f"{points} that {verb} {goal.format.with_unit(picked.wanted)}"


def exact_text(picked: Pick, goal: Goal) -> str:
    """Write an exact value."""
    value = goal.format.with_unit(picked.expected.value)
    return f"{value} (exact; the best of {candidates_text(picked, goal)})"


def expected_text(picked: Pick, goal: Goal) -> str:
    """Write what to expect, and which games say so."""
    expected = picked.expected
    interval = goal.format.interval_with_unit(expected.value, expected.low, expected.high)
    games, candidates = counted(picked.n_games, "game"), candidates_text(picked, goal)
    if picked.wanted is None:
        return f"{interval} (95% interval; {games} that did not choose it from {candidates})"
    return f"{interval} (95% interval; {games} with a veto only: others chose it from {candidates})"


def validated_text(picked: Pick, goal: Goal) -> str:
    """Write the mean of all games of the point; with its interval where a value was wanted."""
    games = picked.point.in_order
    found, n_games = goal.estimate(games), f"all {counted(len(games), 'game')}"
    if picked.wanted is None:
        error = goal.format.with_unit(found.sem)
        return f"{goal.format.text(found.value)} ± {error} (standard error; {n_games})"
    interval = goal.format.interval_with_unit(found.value, found.low, found.high)
    return f"{interval} (95% interval; {n_games})"
