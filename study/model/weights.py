"""How much a θ's games count in a model, if it has many games.

Notation
--------
=====  =============================================================================================
s²     sample variance of the games of a θ
f      log s² as a function of the mean that a model predicts, a parabola
r      log s² − f
ρ      the share of the variance of r that is not due to chance
=====  =============================================================================================

From 30 games on, :mod:`study.shrinkage` estimates a variance from the games of one θ alone. If
scores are skewed, a θ whose games happen to be low also has a small s². A model that divides by s²
then counts unlucky games most, and expects too little everywhere. Here, the variance of a game is
exp(f + ρ·r) instead, times a constant that makes it agree with s² on average. If s² depends on the
mean only, ρ is near 0, and luck hardly matters. If it differs for other reasons, ρ is near 1, and
the variance is nearly s². To find ρ, the games of each θ are split into halves: the covariance of
their r is not due to chance. A θ whose r is more than six standard deviations above the median,
because a game is an outlier or its noise is of another kind, keeps its s², and nothing is estimated
from it. But if two θ or more have such an r in one half of their games only, rare games, such as
jackpots, belong to all θ, and these θ count like the others. θ whose scores hardly vary lower the
constant, and so all variances. Costs that are counts may be skewed, too, so the same rule holds for
the relative errors of the games of validated points.

In simulated studies with 60 trials of 32 games, 95% intervals contained the true mean of validated
points of 200 games in these shares of 240 cases (``python -m results.benchmarks.skewed``):

=======================================  =====  ============
scores of a game                         s²     exp(f + ρ·r)
=======================================  =====  ============
normal                                   0.942  0.933
normal, with deviations of 0.05 to 5     0.933  0.933
exponential                              0.963  0.983
lognormal, with a log deviation of 1.5   0.600  0.925
0 in 95% of games, else uniform          0.633  0.867
almost 0 in 95% of games, else 20 means  0.908  0.879
=======================================  =====  ============

Source: McCullagh and Nelder, *Generalized Linear Models* (1989), §2.5, iteratively reweighted least
squares; §10.3, a model of the dispersion.
"""

import math
from collections.abc import Sequence

import numpy as np

from thetafront.study.arrays import Floats
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.point import Point
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.scale import Form
from thetafront.study.shrinkage import ENOUGH, PSEUDO_GAMES, Moments, columns

MIN_VARYING = 8  # samples of many games that vary as usual, in both halves
MIN_RARE = 2  # samples with an outlier in one half only, which show that all θ may have some
MAX_LUCK = 3.0  # standard errors by which the mean of a θ's games may miss a prediction by chance
OUTLIER = 6.0 * 1.4826  # largest r, in median absolute deviations: six standard deviations


def variances_by_model(
    owners: Sequence[Point], goal: Goal, posterior: Posterior, points: Floats, before: Floats
) -> Floats | None:
    """Return the variances of means on the model's scale; None if nothing can be estimated.

    At least eight θ must have 30 games and vary. The variance of a θ with fewer games is that of
    ``before``. ``points`` are the θ of the ``owners`` in the unit cube. The result is also None for
    exact scores, and between two bounds, where variances follow from means.
    """
    n = np.array([len(each.games) for each in owners])
    many = np.flatnonzero(n >= ENOUGH)
    if goal.is_exact or len(many) < MIN_VARYING or posterior.scales[0].form is Form.ANGLE:
        return None
    scale, found = posterior.scales[0], before.copy()
    samples = [goal.samples(owners[k].in_order) for k in many.tolist()]
    own = np.array([each.mean() for each in samples])
    predicted = posterior.sign * posterior.mean(points[many])[:, 0]
    variances = variances_of_games(samples, predicted)
    if variances is None:
        return None
    # Near a bound, a wrong prediction would make the slope of the scale wrong, too.
    luck = MAX_LUCK * np.sqrt(variances / n[many])
    likely = np.clip(scale.inverse(predicted), own - luck, own + luck)
    found[many] = scale.variances(likely, variances / n[many])
    return found


def count_variances_by_model(
    errors: Sequence[Floats], predicted: Floats, before: Floats
) -> Floats | None:
    """Return the variances of log₁₀ of mean counts, which are costs; None if nothing is estimated.

    At least two θ must have 30 games. The variance of a θ with fewer games is that of ``before``.
    ``errors`` are the relative errors of each θ's games (:func:`study.batch_means.game_errors`),
    and ``predicted`` are costs by a model, on any scale. If fewer than eight θ vary, as where most
    games take the same number of steps and a few end early, s² is shrunk as for fewer games, but
    towards the geometric mean, because an odd θ may vary a hundred times as much as others.
    """
    n = np.array([len(each) for each in errors])
    many = np.flatnonzero(n >= ENOUGH)
    if len(many) < 2:
        return None
    samples, found = [errors[k] for k in many.tolist()], before.copy()
    if (relative := variances_of_games(samples, predicted[many])) is None:
        squares = np.array([each @ each for each in samples])
        many, squares = many[squares > 0.0], squares[squares > 0.0]  # others are shrunk already
        freedom = n[many] - 1.0
        pooled = np.exp(np.log(squares / freedom).mean()) if len(many) else 0.0
        relative = (squares + PSEUDO_GAMES * pooled) / (freedom + PSEUDO_GAMES)
    found[many] = relative / n[many] / math.log(10.0) ** 2
    return found


def variances_of_games(samples: Sequence[Floats], predicted: Floats) -> Floats | None:
    """Estimate the variance of a single game of each sample; None if too few samples vary.

    ``predicted`` is the mean of each sample according to a model, on any scale.
    """
    slices = slice(None), slice(0, None, 2), slice(1, None, 2)  # all games, and two halves of them
    parts = [columns([Moments.from_sample(each[part]) for each in samples]) for part in slices]
    freedom = parts[0][0] - 1.0
    squares = np.array([m2 / (n - 1.0) for n, _, m2 in parts])
    usual = varies = (squares > 0.0).all(axis=0)
    whole, *halves = np.log(np.where(squares > 0.0, squares, np.nan))
    x = (predicted - predicted.mean()) / (predicted.std() or 1.0)
    powers = np.column_stack([np.ones_like(x), x, x**2])
    for _ in range(2):  # with all that vary, and without outliers
        if usual.sum() < MIN_VARYING:
            return None
        curve = powers @ np.linalg.lstsq(powers[usual], whole[usual])[0]
        apart = whole - curve
        off = apart - np.median(apart[varies])
        limit = OUTLIER * np.median(np.abs(off[varies]))
        is_outlier = off > limit
        by_half = np.nan_to_num(np.minimum(*halves), nan=-np.inf) - (whole - off)
        is_rare = is_outlier & (by_half <= limit)
        if is_rare.sum() >= MIN_RARE:
            is_outlier &= ~is_rare
        usual = varies & ~is_outlier
    left, right = (each[usual] - curve[usual] for each in halves)
    shared = np.cov(left, right)[0, 1] / max(np.var(apart[usual], ddof=1), 1e-12)
    logs = curve + np.where(usual, np.clip(shared, 0.0, 1.0) * apart, 0.0)
    found = np.exp(np.clip(logs, whole[usual].min(), whole[usual].max()))
    total = (freedom * squares[0])[~is_outlier].sum() / (freedom * found)[~is_outlier].sum()
    return np.asarray(np.where(is_outlier, squares[0], total * found))
