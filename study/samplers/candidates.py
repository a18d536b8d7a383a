"""Candidate points of the unit cube: spread over the whole cube, or near good points."""

import numpy as np

from thetafront.study.arrays import Booleans, Floats
from thetafront.study.samplers.encoding import UnitCube

P_REDRAWN = 0.05  # probability that a perturbed parameter is drawn uniformly
SAME_POINT = 1e-9  # points are the same if no coordinate differs by more than this
N_ROUNDS = 16  # maximum number of further draws if few points are feasible
N_NEAREST = 1024
N_HALVINGS = 4  # of a step that leaves the feasible part of a space


def sobol_points(cube: UnitCube, n: int, rng: np.random.Generator) -> Floats:
    """Return n feasible points over the cube, shape (n, d), or fewer; n is a power of two."""
    from scipy.stats import qmc  # noqa: PLC0415, takes half a second, not needed to read a study

    sequence = qmc.Sobol(cube.n_coordinates, rng=rng)
    points = feasible(cube, cube.snap(sequence.random(n)))
    for _ in range(N_ROUNDS):
        if len(points) == n:
            return points
        more = feasible(cube, cube.snap(sequence.random(n)))
        points = np.concatenate([points, more])[:n]
    return np.concatenate([points, cube.feasible_points])[:n]


def feasible(cube: UnitCube, points: Floats) -> Floats:
    """Return the points that satisfy the constraints of the space."""
    is_feasible = cube.is_feasible(points)
    return points if is_feasible.all() else points[is_feasible]


def pulled(cube: UnitCube, points: Floats, inside: Floats) -> Floats:
    """Pull each infeasible point towards the feasible point in the same row of ``inside``."""
    for k in range(N_HALVINGS + 1):
        bad = np.flatnonzero(~cube.is_feasible(points))
        if not len(bad):
            break
        nearer = 0.5 * (points[bad] + inside[bad]) if k < N_HALVINGS else inside[bad]
        points[bad] = cube.snap(nearer)
    return points


def nearest_feasible(cube: UnitCube, points: Floats, rng: np.random.Generator) -> Floats:
    """Return points, with each infeasible point moved to a feasible point nearby."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415, slow

    if cube.is_feasible(points).all():
        return points
    known = np.concatenate([cube.feasible_points, sobol_points(cube, N_NEAREST, rng)])
    return pulled(cube, points, known[np.argmin(cdist(points, known), axis=1)])


def perturb(cube: UnitCube, points: Floats, scale: Floats, rng: np.random.Generator) -> Floats:
    """Add normal steps of the given scale to some coordinates, and draw other ones uniformly.

    All coordinates of a categorical parameter are drawn together. If only the coordinate of another
    choice were drawn, it would stay below the coordinate of the current choice, which is 1.
    """
    shape = points.shape
    steps = scale * rng.standard_normal(shape)
    moved = points + np.where(rng.random(shape) < rng.uniform(0.2, 1.0, (shape[0], 1)), steps, 0.0)
    redrawn = np.repeat(rng.random((shape[0], len(cube.widths))) < P_REDRAWN, cube.widths, axis=1)
    return pulled(cube, cube.snap(np.where(redrawn, rng.random(shape), moved)), points)


def perturb_some(
    cube: UnitCube, points: Floats, n: int, powers: tuple[float, float], rng: np.random.Generator
) -> Floats:
    """Draw n of the points, and perturb them; ``powers`` is the range of log₁₀ of the scale."""
    chosen = points[rng.integers(len(points), size=n)]
    return perturb(cube, chosen, 10.0 ** rng.uniform(*powers, (n, 1)), rng)


def is_among(points: Floats, others: Floats) -> Booleans:
    """Return which points are also in ``others``, up to rounding, shape (len(points),)."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415, slow

    return np.asarray(cdist(points, others, "chebyshev").min(axis=1, initial=np.inf) <= SAME_POINT)
