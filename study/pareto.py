"""Pareto fronts and the hypervolume of score against seconds per move.

Notation
--------
===========  =======================================================================================
score        an agent's mean score, in points; more is better
seconds      CPU seconds per move; fewer is better
(r_s, r_t)   the reference point: a score and a time that any point of interest is better than
hypervolume  area of all (score, log₁₀ seconds) that some point dominates and that dominate the
             reference point, in points · decades
===========  =======================================================================================

Time is measured in decades because the trade is one of ratios: twice the playouts take twice the time
wherever one starts.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["hypervolume", "nondominated"]


def nondominated(
    scores: npt.NDArray[np.float64], seconds: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Find the points that no other point beats.

    Point i beats point j if it is no worse in both objectives and better in one. Of equal points all
    are kept.

    Parameters
    ----------
    scores, seconds : float64, shape (n,)
        The two objectives, finite.

    Returns
    -------
    int64, shape (n_front,)
        Indices of the front, fastest first.
    """
    order = np.lexsort((-scores, seconds))
    front: list[int] = []
    best = -np.inf
    for i in order:
        tied = front and scores[i] == best and seconds[i] == seconds[front[-1]]
        if scores[i] > best or tied:
            front.append(int(i))
            best = scores[i]
    return np.array(front, np.int64)


def hypervolume(
    scores: npt.NDArray[np.float64],
    seconds: npt.NDArray[np.float64],
    reference_score: float,
    reference_seconds: float,
) -> float:
    """Return the area that the points dominate, in points · decades.

    Parameters
    ----------
    scores, seconds : float64, shape (n,)
        The two objectives; times above 0.
    reference_score, reference_seconds : float
        The reference point. Points not better in both objectives add nothing.
    """
    inside = (scores > reference_score) & (seconds < reference_seconds)
    scores, seconds = scores[inside], seconds[inside]
    front = nondominated(scores, seconds)
    heights = scores[front] - reference_score
    edges = np.log10(np.append(seconds[front], reference_seconds))
    return float(np.sum(heights * np.diff(edges)))
