"""Candidate points of the unit cube: spread over all of it, or near some that are good."""

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from scipy.stats import qmc

from study.samplers.encoding import UnitCube

Floats = npt.NDArray[np.float64]

P_REDRAWN = 0.05  # that a perturbed parameter is drawn uniformly
SAME_POINT = 1e-9  # greatest distance along any coordinate


def sobol_points(cube: UnitCube, n: int, rng: np.random.Generator) -> Floats:
    """Spread points over the cube, shape (n, d); n is a power of two."""
    return cube.snap(qmc.Sobol(cube.n_coordinates, rng=rng).random(n))


def perturb(cube: UnitCube, points: Floats, scale: Floats, rng: np.random.Generator) -> Floats:
    """Move some coordinates of each point by a normal of the given scale; draw some uniformly.

    All coordinates of a categorical parameter are drawn together: one uniform number alone would
    never exceed the 1 of the present choice.
    """
    shape = points.shape
    steps = scale * rng.standard_normal(shape)
    moved = points + np.where(rng.random(shape) < rng.uniform(0.2, 1.0, (shape[0], 1)), steps, 0.0)
    redrawn = np.repeat(rng.random((shape[0], len(cube.widths))) < P_REDRAWN, cube.widths, axis=1)
    return cube.snap(np.where(redrawn, rng.random(shape), moved))


def is_among(points: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Return which points are among others, up to rounding, shape (len(points),)."""
    return np.asarray(cdist(points, others, "chebyshev").min(axis=1) <= SAME_POINT)
