"""The answer of `pick`, for people and for programs."""

import math
import shlex
from collections.abc import Mapping
from typing import Any

from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import counted_as, failure_rate_json, rate_text
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.experiments.play_summary import finite
from thetafront.study.experiments.registry import is_here
from thetafront.study.report.expected import chance_text
from thetafront.study.report.recommend import Candidate, Recommendation, cost_text
from thetafront.study.shrinkage import ENOUGH
from thetafront.study.text import counted

Lines = list[tuple[str, str]]  # each a label and a text


def play_command(experiment: Experiment, params: Mapping[str, Any]) -> str:
    """Return the command that plays a θ; empty if no module or file defines the game here."""
    player = experiment.player
    if player.is_external and not is_here(experiment.source):
        return ""
    params, names = {**experiment.fixed, **params}, player.theta_names
    words = ["thetafront", "play", experiment.source if player.is_external else player.name]
    if names and set(names) == set(params):
        return shlex.join([*words, "--theta", ",".join(repr(params[name]) for name in names)])
    for name, value in params.items():
        words += ["--set", f"{name}={value if isinstance(value, str) else repr(value)}"]
    return shlex.join(words)


def pick_json(picked: Recommendation, distrust: str = "") -> dict[str, Any]:
    """Return what ``pick --json`` prints; ``distrust`` as for :func:`pick_text`."""
    experiment, chosen, query = picked.query.experiment, picked.chosen, picked.query
    goal, cost, expected = experiment.goal, experiment.cost, picked.chosen.expected
    games, own = chosen.point.games, chosen.own
    promised = (
        {"p_within_limit": expected.p_within(query.limit)}
        if query.score_wanted is None
        else {"p_reaches_wanted": expected.p_reaches(query.score_wanted, goal.sign)}
    )
    return {
        "number": chosen.number or None,
        "params": dict(chosen.point.params),
        "origin": chosen.point.origin,
        f"expected_{goal.name}": {**interval_json(expected.score), "n_games": picked.n_games},
        f"validated_{goal.name}": {
            "mean": own.value,
            "sem": finite(own.sem),
            "low95": finite(own.low),
            "high95": finite(own.high),
            "n_games": len(games),
        }
        if games
        else None,
        **failure_rate_json(len(chosen.point.failures), len(chosen.point.outcomes)),
        cost.name: expected.cost.value,
        f"{cost.name}_low95": expected.cost.low,
        f"{cost.name}_high95": expected.cost.high,
        **promised,
        "n_candidates": picked.n_candidates,
        "passed_over": [
            {
                "number": each.number,
                "params": dict(each.point.params),
                "origin": each.point.origin,
                cost.name: each.expected.cost.value,
                f"mean_{goal.name}": each.own.value,
                f"expected_{goal.name}": each.expected.score.value,
                "reason": reason,
            }
            for each, reason in picked.passed_over
        ],
        "untested": untested_json(picked),
        "distrust": distrust or None,
        "command": play_command(experiment, chosen.point.params),
    }


def untested_json(picked: Recommendation) -> dict[str, Any] | None:
    """Return the predictions for the untested θ that may be better; None if there is none."""
    if (each := picked.prospect) is None:
        return None
    experiment, expected = picked.query.experiment, each.expected
    return {
        "params": dict(each.point.params),
        f"predicted_{experiment.goal.name}": interval_json(expected.score),
        f"predicted_{experiment.cost.name}": interval_json(expected.cost),
    }


def interval_json(found: Estimate) -> dict[str, float]:
    """Return an estimate with its 95% interval."""
    return {"mean": found.value, "low95": found.low, "high95": found.high}


def pick_text(picked: Recommendation, distrust: str = "") -> str:
    """Return what ``pick`` prints: labelled lines, then ``distrust``, if it is not empty."""
    lines = [
        *theta_lines(picked),
        (picked.query.experiment.cost.label, cost_line(picked)),
        *game_lines(picked),
        *passed_over_lines(picked),
        *untested_lines(picked),
    ]
    if command := play_command(picked.query.experiment, picked.chosen.point.params):
        lines.append(("play it", command))
    return "\n".join(filter(None, (laid_out(lines, picked.query.experiment), distrust)))


def laid_out(lines: Lines, experiment: Experiment) -> str:
    """Write labelled lines one below the other."""
    width = max(len(experiment.cost.label), len("passed over")) + 2
    return "\n".join(f"{label:{width}}{text}" for label, text in lines)


def theta_lines(picked: Recommendation) -> Lines:
    """Say which θ is picked, and how good it is; these lines do not depend on the budget."""
    experiment, chosen = picked.query.experiment, picked.chosen
    theta = theta_text(chosen, experiment)
    name = f"number {chosen.number}, {chosen.point.origin}" if chosen.number else "untested"
    lines = [("θ", f"{theta} ({name})"), ("expect", expected_text(picked, experiment.goal))]
    if chosen.point.games and not experiment.goal.is_exact:
        lines.append(("validated", validated_text(chosen, experiment.goal)))
    if n_failed := len(chosen.point.failures):
        failed = rate_text(n_failed, len(chosen.point.outcomes))
        lines.append(("failed", f"{failed} (95% interval); {counted_as(experiment.goal)}"))
    return lines


def theta_text(candidate: Candidate, experiment: Experiment) -> str:
    """Write the active parameters of a θ."""
    params = candidate.point.params
    active = [each for each in experiment.space if each.name in params]
    return ", ".join(f"{each.label} {each.text(params[each.name])}" for each in active)


def untested_lines(picked: Recommendation) -> Lines:
    """Describe what an untested θ may reach, and how to play it."""
    if (each := picked.prospect) is None:
        return []
    experiment, score = picked.query.experiment, each.expected.score
    interval = experiment.goal.format.interval_with_unit(score.value, score.low, score.high)
    return [
        (
            "untested",
            f"{theta_text(each, experiment)} may reach {interval} at "
            f"{cost_text(each.expected, experiment)} (predicted, 95% intervals){picked.hint}",
        )
    ]


def game_lines(picked: Recommendation) -> Lines:
    """Describe what else the games of the θ show, if there are any games."""
    games = picked.chosen.point.in_order
    return list(picked.query.experiment.summary.lines(games)) if games else []


def expected_text(picked: Recommendation, goal: Goal) -> str:
    """Write the expected goal, and the numbers of games from which it is estimated."""
    score, chosen = picked.chosen.expected.score, picked.chosen
    reaches = ""
    if picked.query.score_wanted is not None and not goal.is_exact:
        wanted = picked.query.score_wanted
        p = chosen.expected.p_reaches(wanted, goal.sign)
        wanted_text, _ = goal.format.texts(wanted, score.value)
        reaches = f"; reaches {wanted_text} with a probability of {p:.2f}"
    if goal.is_exact and chosen.point.games:
        return f"{goal.format.with_unit(score.value)} (exact)"
    interval = goal.format.interval_with_unit(score.value, score.low, score.high)
    # Other games may also be of this θ: those of trials.
    own = f"{len(chosen.point.games):,}" if chosen.point.games else "none"
    given = f"given {counted(picked.n_games, 'game')}, {own} of them to validate this θ"
    return f"{interval} (95% interval, {given}{reaches})"


def validated_text(chosen: Candidate, goal: Goal) -> str:
    """Write the mean of the point's own validation games."""
    own = chosen.own
    interval = goal.format.interval_with_unit(own.value, own.low, own.high)
    n = len(chosen.point.games)
    if math.isnan(own.low):
        why = "too few for an interval" if n < ENOUGH else "all the same: no interval"
        return f"{interval} ({counted(n, 'game')}, {why})"
    others = " and the other points' variance" if n < ENOUGH else ""
    return f"{interval} (95% interval, from its own {counted(n, 'game')}{others})"


def cost_line(picked: Recommendation) -> str:
    """Write the cost, and the probability that it is within the budget."""
    text = cost_text(picked.chosen.expected, picked.query.experiment)
    if picked.query.cost_limit is None:
        return text
    limit = picked.query.experiment.cost.text(picked.query.limit)
    p = picked.chosen.expected.p_within(picked.query.limit)
    return f"{text}, within {limit} with a probability of {chance_text(p)}"


def passed_over_lines(picked: Recommendation) -> Lines:
    """Explain, one line each, why points that look better were not picked."""
    cost = picked.query.experiment.cost
    lines = [
        (f"number {each.number}, {cost.text(each.expected.cost.value)}:", reason)
        for each, reason in picked.passed_over
    ]
    width = max((len(head) for head, _ in lines), default=0)
    texts = [f"{head:{width}}  {reason}" for head, reason in lines]
    return [("" if k else "passed over", text) for k, text in enumerate(texts)]
