"""Picking a θ from the validated points, for a budget or for a score.

The best of several noisy means is too good, even when each of them is honest. So the games of each point
are dealt into two halves, every second one to each: one half chooses, the other says what to expect.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna

from agents.agent import Game
from agents.catalog import theta_names
from study.errors import InputError
from study.experiment import Experiment
from study.front import t95
from study.replicate import share_reaching, summarize
from study.validation import Validated, validated_points

__all__ = ["Pick", "answer_for_people", "answer_of", "pick"]

TILES = (1024, 2048, 4096, 8192)


@dataclass(frozen=True)
class Pick:
    """A θ to use.

    Attributes
    ----------
    point : Validated
        The θ, with its games.
    score, half_width : float
        What to expect, in points, and half its 95% interval: from games that did not choose it.
    n_games : int
        How many those are.
    cost : float
        Of a move.
    n_candidates : int
        How many validated points there were to choose from.
    """

    point: Validated
    score: float
    half_width: float
    n_games: int
    cost: float
    n_candidates: int


def mean_score(games: Sequence[Game]) -> float:
    """Return the mean score, in points."""
    return float(np.mean([game.score for game in games]))


def pick(
    study: optuna.Study,
    experiment: Experiment,
    cost_limit: float | None = None,
    score_wanted: float | None = None,
) -> Pick:
    """Choose the best point within a budget, or the cheapest one that reaches a score.

    Parameters
    ----------
    study, experiment : optuna.Study, Experiment
        Where to look.
    cost_limit : float, optional
        A move may cost that much.
    score_wanted : float, optional
        The mean score that is wanted; exactly one of the two must be given.

    Raises
    ------
    InputError
        If nothing is validated yet, or no validated point does what is asked for.
    """
    name, label = study.study_name, experiment.cost.label
    if (cost_limit is None) == (score_wanted is None):
        raise InputError(
            f"pick: one of --{experiment.cost.name.replace('_', '-')} and --score allowed, and needed"
        )
    for given in (cost_limit, score_wanted):
        if given is not None and not (math.isfinite(given) and given > 0):
            raise InputError(f"pick: {given:g} given, a number above 0 allowed")
    points = [point for point in validated_points(study) if len(point.games) >= 4]
    if not points:
        raise InputError(
            f"study: {name!r} has no validated points yet (thetafront validate {name})"
        )
    costs = {point.key: experiment.cost.of(list(point.games.values())) for point in points}
    chosen_by = {point.key: mean_score(point.halves()[0]) for point in points}
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
                f"pick: score {score_wanted:,.0f} given; the best validated point reaches {highest:,.0f}"
            )
        best = min(allowed, key=lambda point: costs[point.key])
    summary = summarize(best.halves()[1])
    return Pick(
        point=best,
        score=summary.score_mean,
        half_width=t95(summary.n_games) * summary.score_sem,
        n_games=summary.n_games,
        cost=costs[best.key],
        n_candidates=len(allowed),
    )


def command_of(experiment: Experiment, params: Mapping[str, Any]) -> str:
    """Return the command that plays a θ."""
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
    everything = summarize(list(picked.point.games.values()))
    return {
        "params": dict(picked.point.params),
        "origin": picked.point.origin,
        "expected_score": {
            "mean": picked.score,
            "low95": picked.score - picked.half_width,
            "high95": picked.score + picked.half_width,
            "n_games": picked.n_games,
        },
        "validated_score": {
            "mean": everything.score_mean,
            "sem": everything.score_sem,
            "n_games": everything.n_games,
        },
        experiment.cost.name: picked.cost,
        "n_candidates": picked.n_candidates,
        "command": command_of(experiment, picked.point.params),
    }


def answer_for_people(picked: Pick, experiment: Experiment) -> str:
    """Return the same as lines of text."""
    games = list(picked.point.games.values())
    everything = summarize(games)
    params = picked.point.params
    theta = ", ".join(f"{each.label} {each.text(params[each.name])}" for each in experiment.space)
    reached = ", ".join(f"{tile} {share_reaching(games, tile):.1%}" for tile in TILES)
    width = len(experiment.cost.label) + 2
    return "\n".join(
        [
            f"{'θ':{width}}{theta} ({picked.point.origin})",
            f"{'expect':{width}}{picked.score:,.0f} ± {picked.half_width:,.0f} points (95% interval; "
            f"{picked.n_games} games, none of which chose it from the {picked.n_candidates} validated "
            "points that would do)",
            f"{'validated':{width}}{everything.score_mean:,.0f} ± {everything.score_sem:,.0f} points "
            f"(standard error; all {everything.n_games} games)",
            f"{experiment.cost.label:{width}}{experiment.cost.show(picked.cost)}",
            f"{'reached':{width}}{reached}",
            f"{'play it':{width}}{command_of(experiment, picked.point.params)}",
        ]
    )
