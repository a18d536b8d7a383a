"""Initial designs: points spread evenly over the search space before any model guides the search.

If every axis is divided into n equal parts, both designs of n points have one point in each part.
For a categorical parameter with k choices, the n parts are divided equally among the choices, so
each choice occurs ⌊n/k⌋ or ⌈n/k⌉ times.

If some points are infeasible, or differ only in inactive parameters, more points are drawn, and the
design has the first n usable ones. A longer Sobol sequence begins with the points of a shorter one.

Source: Ripstein (2023), §5.1, step 1: Latin hypercube or Sobol sampling.
"""

import numpy as np

from thetafront.agents.parameters import Value
from thetafront.study.arrays import Floats
from thetafront.study.errors import InputError
from thetafront.study.experiments.dimension import CategoricalParameter
from thetafront.study.experiments.space import N_SAMPLED, Space

ENGINES = {"sobol": "Sobol", "lhs": "LatinHypercube"}
"""For each design, the class of `scipy.stats.qmc` that draws it."""
MAX_DRAWN = 2**17


def draw_points(name: str, n_dimensions: int, n_points: int, seed: int) -> Floats:
    """Draw points of the unit cube, shape (n_points, n_dimensions)."""
    from scipy.stats import qmc  # noqa: PLC0415, takes half a second

    engine = getattr(qmc, ENGINES[name])(n_dimensions, rng=np.random.default_rng(seed))
    return np.asarray(engine.random(n_points))


def draw_design(name: str, space: Space, n_points: int, seed: int) -> list[dict[str, Value]]:
    """Draw the points of an initial design: ``sobol`` or ``lhs``.

    The same seed gives the same points. InputError if there is no such design, or it cannot have
    that size; for ``sobol``, the size must be a power of two.
    """
    if name not in ENGINES:
        raise InputError(f"design must be one of {', '.join(sorted(ENGINES))} (got {name!r})")
    if name == "sobol" and n_points & (n_points - 1):
        raise InputError(
            f"design size must be a power of two (got {n_points}), because the Sobol sequence is "
            "balanced only at powers of two; the 'lhs' design takes any size"
        )
    categorical = np.array([isinstance(each, CategoricalParameter) for each in space])
    n_drawn, n_before = n_points, 0
    while True:
        points = draw_points(name, len(space), n_drawn, seed)
        # Move each point to the middle of its part. Otherwise, in a part that belongs to two
        # choices, chance would decide between them.
        points[:, categorical] = (np.floor(points[:, categorical] * n_drawn) + 0.5) / n_drawn
        if space.is_box:
            return [space.from_unit(point.tolist()) for point in points]
        allowed = points[space.satisfied(space.columns(points))].tolist()
        distinct = {tuple(each.items()): each for each in map(space.from_unit, allowed)}
        are_all = n_drawn >= N_SAMPLED and len(distinct) == n_before > 0
        if len(distinct) >= n_points or n_drawn >= MAX_DRAWN or are_all:
            return list(distinct.values())[:n_points]
        n_drawn, n_before = 2 * n_drawn, len(distinct)
