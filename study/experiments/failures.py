"""Failed games of users' agents: how they count, and when a θ is left out.

A failed game is replaced by a game with the next seed, so means are over games that ended. If the
goal has a *penalty*, a failed game counts with that value instead.

A θ is left out when its games show that its failure rate is above the experiment's
``max_failures``. The test is sequential (Robbins 1970), because it is repeated after every game.
Let f of n games have failed, and let p₀ be the limit. The test compares the likelihood averaged
over all rates above the limit with the likelihood of the limit itself:

    ∫ pᶠ(1 − p)ⁿ⁻ᶠ dp / (1 − p₀), p from p₀ to 1,   and   p₀ᶠ(1 − p₀)ⁿ⁻ᶠ

The θ is left out if the first is at least 100 times the second. If the true rate is at or below the
limit, the probability that the ratio ever reaches 100 is at most 1% (Ville 1939). For a true rate
of 1%, a limit of 10% and up to 1,000 games, this probability is 1.1e-6 (computed exactly in the
test suite). Nearly all of it comes from the case in which the first three games fail.
"""

import math
from collections.abc import Mapping

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.agents.external.report import PenalizedGame
from thetafront.study.estimate import share
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.text import counted

MAX_FAILURES = 0.1
RATIO = 100.0
MAX_UNPLAYED = 100  # number of failures after which a θ is left out if all of its games failed


def split(
    outcomes: Mapping[int, Outcome], penalty: float | None
) -> tuple[dict[int, Game], dict[int, FailedGame]]:
    """Return the games that count, and those that failed, by replicate.

    With a penalty, failed games are in both mappings as soon as one game has been played to its
    end. Until then, the θ has no cost, and the first mapping is empty.
    """
    failures = {n: each for n, each in outcomes.items() if isinstance(each, FailedGame)}
    games = counting_games(outcomes, penalty)
    return (games if any(game.has_ended for game in games.values()) else {}), failures


def counting_games(outcomes: Mapping[int, Outcome], penalty: float | None) -> dict[int, Game]:
    """Return the games that count, by replicate, even if none has ended."""
    return {n: game for n, each in outcomes.items() if (game := counting(each, penalty))}


def counting(outcome: Outcome, penalty: float | None) -> Game | None:
    """Return a game with the value that counts; None if it failed and is to be replaced."""
    if not isinstance(outcome, FailedGame):
        return outcome
    return None if penalty is None else PenalizedGame.from_failed(outcome, penalty)


def is_above(limit: float, n_failed: int, n_games: int) -> bool:
    """Return whether games show that a failure rate is above a limit."""
    if not n_failed or limit >= 1.0:
        return False
    if limit <= 0.0:
        return True
    from scipy.special import betainc, betaln  # noqa: PLC0415, slow, and most studies do not need it

    n_ended = n_games - n_failed
    # The share of the beta integral for p from the limit to 1. By symmetry, it equals the share
    # for 1 − p from 0 to 1 − limit.
    part = float(betainc(n_ended + 1, n_failed + 1, 1.0 - limit))
    if part <= 0.0:
        return False
    above = math.log(part) + float(betaln(n_failed + 1, n_ended + 1)) - math.log1p(-limit)
    at_limit = n_failed * math.log(limit) + n_ended * math.log1p(-limit)
    return above - at_limit >= math.log(RATIO)


def is_left_out(n_failed: int, n_ended: int, goal: Goal, limit: float) -> bool:
    """Return whether a θ is left out, given its games so far.

    For an exact goal, one failed game is enough, since all games of a θ are the same.
    """
    if goal.penalty is not None:
        return False
    if goal.is_exact or (not n_ended and n_failed >= MAX_UNPLAYED):
        return n_failed > 0
    return is_above(limit, n_failed, n_failed + n_ended)


def shows_failures(outcomes: Mapping[int, Outcome], goal: Goal, limit: float) -> bool:
    """Return whether a θ is left out because its games fail.

    Its games count in the order of replicates, up to the first one that is missing. If they counted
    in the order in which they end, quick failures would count before slower games that succeed.
    """
    n_failed = 0
    for n in range(len(outcomes)):
        if n not in outcomes:
            return False
        if isinstance(outcomes[n], FailedGame):
            n_failed += 1
            if is_left_out(n_failed, n + 1 - n_failed, goal, limit):
                return True
    return False


def left_out_text(failures: Mapping[int, FailedGame], n_ended: int) -> str:
    """Say why a θ is left out: how many of its games failed, and the error of the first one."""
    first = failures[min(failures)].error
    n = len(failures) + n_ended
    return (
        first if n == 1 else f"{len(failures)} of {counted(n, 'game')} failed; the first: {first}"
    )


def rate_interval(n_failed: int, n_games: int) -> str:
    """Write a failure rate with its 95% interval (Wilson): ``3% (1.03% to 8.45%)``."""
    found = share(n_failed, n_games)
    rate, low, high = (f"{100.0 * each:.3g}%" for each in (found.value, found.low, found.high))
    return f"{rate} ({low} to {high})"


def rate_text(n_failed: int, n_games: int) -> str:
    """Write how many games failed, and their rate with its 95% interval."""
    rate = rate_interval(n_failed, n_games)
    return f"{n_failed:,} of {counted(n_games, 'game')} failed, {rate}"


def failure_rate_json(n_failed: int, n_games: int) -> dict[str, dict[str, float]]:
    """Return a failure rate with its 95% interval as JSON data; empty if no game failed."""
    found = share(n_failed, n_games)
    rate = {"n_failed": n_failed, "rate": found.value, "low95": found.low, "high95": found.high}
    return {"failures": rate} if n_failed else {}


def counted_as(goal: Goal) -> str:
    """Say how failed games count in a mean."""
    if goal.penalty is None:
        return "means are over games that ended"
    return f"failed games count as {goal.format.with_unit(goal.penalty)}"
