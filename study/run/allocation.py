"""Allocation: which points get the games of the next round of a validation.

Notation
--------
======  ============================================================================================
m, v/n  mean of n games of a point, times the goal's sign (−1 to minimize); variance of this mean
w       log₁₀(cost of the next point / cost of this point); the reference point comes last
b       a cost budget; its answer is the point with the highest mean among those of cost ≤ b
Δ       further games of one point; they move its mean by σ·z, σ² = v/n − v/(n + Δ), z ~ N(0, 1)
======  ============================================================================================

A user with budget b takes the answer of b, and expects a score equal to the answer's mean. The
user's loss has two parts: the regret (the best true mean minus the answer's true mean), and the
error of the expected mean. The next second of play goes to the point whose games are expected to
lower the sum of both parts most, averaged over log b:

*   **regret**, as a knowledge gradient (Frazier, Powell, Dayanik 2009): E max(mₒ, m + σ·z) −
    max(mₒ, m) = σ·(φ(d) − d·Φ(−d)), where d = |mₒ − m|/σ and mₒ is the best mean of the other
    points of cost ≤ b. If a point is clearly worse or better than the others, a single game of this
    point changes nothing, but many games might. So the gain per second is the largest over several
    Δ (Frazier and Powell 2010, on values that are not concave);
*   **error**, E|m − μ| = √(2/π)·√(v/n), where μ is the true mean: the decrease of this error per
    second, times the decades of budgets for which the point is expected to be the answer. Random
    draws of the means give the expected decades.

Both parts use means that influenced which games were played. So a point that was unlucky at first
would rarely be played again, and its mean would stay too low. To avoid this, a fifth of the time
goes to the points with the fewest games. The rule was compared with other rules
(``results/reference/rounds``).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

FIRST_GAMES = 20
"""Games of each point before the first round."""
ROUND_SECONDS = 60.0  # minimum length of a round
ROUND_SHARE = 0.15  # length of a round, divided by all seconds played before
N_STEPS = 24  # a round's time is allocated in this number of steps
LOOK_AHEAD = (0.1, 0.3, 1.0, 3.0)  # Δ over n
MIN_SHARE = 0.2
N_DRAWS = 256
MAX_GAP = 38.0  # in σ; beyond it φ is 0


@dataclass(frozen=True)
class Played:
    """What is known of the points, the cheapest first; each array has shape (k,)."""

    # Mean and variance of the scores of games; the mean is negated if the goal is to minimize.
    mean: Floats
    variance: Floats
    n: Floats  # number of games, at least one
    seconds: Floats  # seconds of one game, above 0
    decades: Floats  # w, 0 or more
    limit: Floats  # maximum number of games

    def seconds_of(self, n: Floats | Counts) -> float:
        """Return how many seconds the games take if each point plays ``n`` (an array) games."""
        return float(n @ self.seconds)


def decades_of_budgets(costs: Floats, reference: float | None) -> Floats:
    """Return w for ascending costs; without a reference, the last w is 0."""
    ends = np.append(costs[1:], max(reference or 0.0, costs[-1]))
    return np.asarray(np.log10(ends / costs))


def regret_gains(of: Played) -> Floats:
    """Return, for each point, the expected decrease of the regret per second of its games."""
    k = len(of.mean)
    others = np.tile(of.mean, (k, 1))
    np.fill_diagonal(others, -np.inf)
    gap = np.abs(np.maximum.accumulate(others, axis=1) - of.mean[:, None])  # by point and budget
    affordable = np.triu(np.ones((k, k), bool))
    gains = np.zeros(k)
    for share in LOOK_AHEAD:
        more = np.maximum(share * of.n, 1.0)
        sigma = np.sqrt(of.variance / of.n - of.variance / (of.n + more))
        d = np.minimum(gap / np.maximum(sigma, 1e-300)[:, None], MAX_GAP)
        better = np.exp(-0.5 * d**2) / math.sqrt(2.0 * math.pi) - d * ndtr(-d)
        gained = sigma * (np.where(affordable, better, 0.0) @ of.decades)
        gains = np.maximum(gains, gained / (more * of.seconds))
    return gains


def error_gains(of: Played, draws: Floats) -> Floats:
    """Return, for each point, the expected decrease of the error per second of its games.

    ``draws`` are standard normal numbers, shape (N_DRAWS, k).
    """
    means = of.mean + np.sqrt(of.variance / of.n) * draws
    best = np.maximum.accumulate(means, axis=1)
    is_best = np.diff(best, axis=1, prepend=-np.inf) > 0.0
    answers = np.maximum.accumulate(np.where(is_best, np.arange(len(of.mean)), 0), axis=1)
    decades = np.broadcast_to(of.decades, answers.shape)
    answered = np.bincount(answers.ravel(), decades.ravel(), len(of.mean)) / len(draws)
    more = np.maximum(0.5 * of.n, 1.0)
    lowered = np.sqrt(of.variance / of.n) - np.sqrt(of.variance / (of.n + more))
    return np.asarray(answered * math.sqrt(2.0 / math.pi) * lowered / (more * of.seconds))


def next_round(of: Played) -> Counts:
    """Return how many games each point gets in the next round.

    The result depends only on the games played so far: the same games give the same round.
    """
    left = max(ROUND_SECONDS, ROUND_SHARE * of.seconds_of(of.n))
    step = left / N_STEPS
    draws = np.random.default_rng(0).standard_normal((N_DRAWS // 2, len(of.mean)))
    draws = np.concatenate([draws, -draws])
    before, limit = of.n.astype(np.int64), of.limit.astype(np.int64)
    n = with_fewest(before, limit, of.seconds, MIN_SHARE * left)
    left -= of.seconds_of(n - before)
    while left > 0.0 and (open_ := n < limit).any():
        now = replace(of, n=n.astype(np.float64))
        gains = np.where(open_, regret_gains(now) + error_gains(now, draws), -np.inf)
        if gains.max() <= 0.0:  # games gain nothing: costs are exactly equal, or there is no noise
            return with_fewest(n, limit, of.seconds, left) - before
        point = int(np.argmax(gains))
        more = min(max(1, round(step / of.seconds[point])), int(limit[point] - n[point]))
        n[point] += more
        left -= more * float(of.seconds[point])
    return n - before


def with_fewest(n: Counts, limit: Counts, seconds: Floats, left: float) -> Counts:
    """Return ``n`` after ``left`` more seconds of games, each for the point with the fewest games.

    Games are added in bulk, because games of microseconds are too many to be added one by one.
    """
    n = n.copy()
    while left > 0.0 and (open_ := n < limit).any():
        level = n[open_].min()
        lowest = np.flatnonzero(open_ & (n == level))
        next_level = min([*limit[lowest], *n[open_ & (n > level)]])
        all_together = float(seconds[lowest].sum())
        layers = min(int(left // all_together), int(next_level - level))
        if layers:
            n[lowest] += layers
            left -= layers * all_together
        else:
            n[lowest[0]] += 1
            left -= float(seconds[lowest[0]])
    return n


class Round:
    """The games of a round, interleaved: whenever play stops, each point has played its share.

    If a point has n games, its k-th game is due when a share of (k − ½)/n of the round is played.
    """

    def __init__(self, games: Mapping[str, int]) -> None:
        self.games = games  # how many games each point gets, by the point's key
        self.left = dict(games)  # how many of them are still to be taken

    def __len__(self) -> int:
        return sum(self.left.values())

    def pop(self) -> str:
        """Take the game that is due next; return its point's key."""
        open_ = [key for key, left in self.left.items() if left]
        key = min(open_, key=lambda each: 1.0 - (self.left[each] - 0.5) / self.games[each])
        self.left[key] -= 1
        return key

    def drop(self, key: str, n: int) -> None:
        """Take up to ``n`` more games of a point before they are due."""
        self.left[key] -= min(n, self.left[key])
