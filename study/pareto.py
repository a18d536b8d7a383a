"""Pareto fronts and the hypervolume of score against cost.

Notation
--------
===========  ==========================================================================
score        an agent's mean score, in points; more is better
cost         CPU seconds per move, or another cost; less is better
(r_s, r_c)   the reference point: any point of interest is better in both objectives
hypervolume  area of all (score, log₁₀ cost) that are dominated by some point and dominate
             the reference point, in points · decades
===========  ==========================================================================

Costs are measured in decades (log₁₀) because costs are compared by their ratios: twice the playouts
take twice the time at any budget.
"""

from bisect import bisect_right

import numpy as np

from thetafront.study.arrays import Booleans, Floats, Integers


def nondominated(scores: Floats, costs: Floats) -> Integers:
    """Find the points that no other point beats.

    Point i beats point j if i is no worse in both objectives and better in one. Equal points are
    all kept.

    Parameters
    ----------
    scores, costs : float64, shape (n,)
        The two objectives, finite.

    Returns
    -------
    int64, shape (n_front,)
        Indices of the front, cheapest first.
    """
    order = np.lexsort((-scores, costs))
    front: list[int] = []
    best = -np.inf
    for i in order:
        tied = front and scores[i] == best and costs[i] == costs[front[-1]]
        if scores[i] > best or tied:
            front.append(int(i))
            best = scores[i]
    return np.array(front, np.int64)


def near_front(scores: Floats, costs: Floats, factor: float) -> Booleans:
    """Return, for each point, whether all points that are cheaper by ``factor`` score less."""
    order = np.argsort(costs)
    best = np.append(-np.inf, np.maximum.accumulate(scores[order]))
    n_cheaper = np.searchsorted(costs[order], costs / factor, side="right")
    return np.asarray(scores > best[n_cheaper])


def hypervolume(
    scores: Floats, costs: Floats, reference_score: float, reference_cost: float
) -> float:
    """Return the area that the points dominate, in points · decades.

    Parameters
    ----------
    scores, costs : float64, shape (n,)
        The two objectives; costs above 0.
    reference_score, reference_cost : float
        The reference point. Only points that are better in both objectives count.
    """
    inside = (scores > reference_score) & (costs < reference_cost)
    scores, costs = scores[inside], costs[inside]
    front = nondominated(scores, costs)
    heights = scores[front] - reference_score
    edges = np.log10(np.append(costs[front], reference_cost))
    return float(np.sum(heights * np.diff(edges)))


def most_hypervolume(front: Floats, n_points: int) -> list[int]:
    """Return the indices of up to ``n_points`` points of a front: both ends, and the best between.

    The best are those that add most hypervolume, one after the other. What they add lies between
    the ends, so it does not depend on a reference point.

    Parameters
    ----------
    front : float64, shape (n, 2)
        Objectives to be maximized; the first point is the best in the second objective.
    n_points : int
        The maximum number of points.
    """
    chosen = sorted({0, len(front) - 1})[:n_points]
    while len(chosen) < n_points:
        added = added_hypervolume(front, front[chosen], front.min(axis=0))
        if not added.any():
            break
        chosen.append(int(np.argmax(added)))
    return sorted(chosen)


def added_hypervolume(values: Floats, known: Floats, reference: Floats) -> Floats:
    """Return the hypervolume that each of some points would add to a front of known points.

    Both objectives are to be maximized. A point adds a rectangle: its first objective, down to that
    of the best known point with at least its second objective, times its second objective, down to
    that of the best known point with at least its first objective. If points between these two are
    known, the rectangle is too large; there are none on a front.

    Parameters
    ----------
    values, known : float64, shapes (n, 2) and (m, 2)
        Objectives of the points, and of the known points.
    reference : float64, shape (2,)
        The reference point.
    """
    added = np.ones(len(values))
    for k in range(2):
        as_good = known[:, 1 - k] >= values[:, [1 - k]]
        best = np.where(as_good, known[:, k], reference[k]).max(axis=1)
        added *= np.maximum(values[:, k] - best, 0.0)
    return added


def p_on_front(draws: Floats) -> Floats:
    """Return, for each point, the share of draws in which no other point dominates it.

    Parameters
    ----------
    draws : float64, shape (n_draws, n, 2)
        Both objectives, to be maximized.

    Returns
    -------
    float64, shape (n,)
    """
    counts = np.zeros(draws.shape[1])
    for draw in draws:
        counts[nondominated(draw[:, 0], -draw[:, 1])] += 1.0
    return counts / len(draws)


def n_dominating_layers(values: Floats) -> Integers:
    """Return, for each point, how many fronts must be removed until it is on the front.

    ``values`` have shape (n, 2) and are maximized; the result has shape (n,). Equal points are on
    successive fronts.
    """
    layers = np.empty(len(values), np.int64)
    highest: list[float] = []  # of each front so far, its highest first value, negated
    for i in np.lexsort((-values[:, 0], -values[:, 1])):
        layers[i] = layer = bisect_right(highest, -values[i, 0])
        highest[layer : layer + 1] = [-values[i, 0]]
    return layers
