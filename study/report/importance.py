"""Importance of parameters: total Sobol indices of a model's mean.

Notation
--------
======  ============================================================================================
u       a point of the unit cube, uniform and independent in each parameter; uᵢ stands for a value
        of parameter i as in :meth:`study.experiments.dimension.NumericParameter.from_unit`
f(u)    the model's mean at u: of the goal, on the model's scale, or of log₁₀ of the cost
STᵢ     total index: the share of the variance of f that is left on average when all components
        except uᵢ are known. 0 means that parameter i does not matter. With interactions, the sum
        of the indices exceeds 1
======  ============================================================================================

If a space has constraints, u is uniform over its feasible points, and uᵢ varies over the values
that are feasible while the others stay fixed. The value of an inactive parameter does not change f.

The indices describe the model's mean, so their intervals cover only the error of the integration,
not errors of the model.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from thetafront.study.arrays import Floats
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.fitted_model import FittedModel

N_SAMPLES, N_SAMPLES_OF_MANY = 1024, 512  # powers of two, as Sobol's sequence needs
MANY = 600  # observations; a model with this many is slow, so fewer samples are used
N_RESAMPLES = 99
MAX_DRAWS = 64  # attempts to draw a feasible point


@dataclass(frozen=True)
class Importance:
    """Total indices of both objectives, with 95% intervals, each of shape (2, n_parameters).

    All are 0 for an objective with a constant mean.
    """

    total: Floats
    low: Floats
    high: Floats


def coordinates(u: Floats, cube: UnitCube) -> Floats:
    """Map numbers in [0, 1], shape (n, n_parameters), to encoded θ, shape (n, n_coordinates).

    The interval of a categorical parameter is divided into equal parts, one per choice, in order.
    """
    points = np.zeros((len(u), cube.n_coordinates))
    for k, (name, columns) in enumerate(cube.columns.items()):
        if name in cube.categorical:
            n = columns.stop - columns.start
            chosen = np.minimum((u[:, k] * n).astype(int), n - 1)
            points[np.arange(len(u)), columns.start + chosen] = 1.0
        else:
            points[:, columns.start] = u[:, k]
    return cube.snap(points)


def total_indices(
    mean: Callable[[Floats], Floats], cube: UnitCube, n: int = N_SAMPLES
) -> Importance:
    """Estimate total Sobol indices by Jansen's estimator, with the same draws each time.

    The estimator uses pairs of feasible points that differ in only one parameter. Half the mean
    squared difference between their values is the variance that is left when all other parameters
    are known. ``mean`` maps points of the unit cube, shape (m, n_coordinates), to both objectives,
    shape (m, 2). For n pairs, it is evaluated n · (n_parameters + 1) times.
    """
    from scipy.stats import qmc  # noqa: PLC0415, takes half a second

    d, rng = len(cube.widths), np.random.default_rng(0)
    drawn = qmc.Sobol(2 * d, rng=rng).random(n * (MAX_DRAWS if len(cube.feasible_points) else 1))
    drawn = drawn[cube.is_feasible(coordinates(drawn[:, :d], cube))][:n]
    first = drawn[:, :d]
    values = mean(coordinates(first, cube))
    variance = np.where(np.var(values, axis=0) > 0.0, np.var(values, axis=0), np.inf)
    found = np.zeros((3, 2, d))
    for k in range(d):
        moved, waiting = first.copy(), np.arange(len(first))
        moved[:, k] = drawn[:, d + k]
        for _ in range(MAX_DRAWS):
            waiting = waiting[~cube.is_feasible(coordinates(moved[waiting], cube))]
            if not len(waiting):
                break
            moved[waiting, k] = rng.random(len(waiting))
        waiting = waiting[~cube.is_feasible(coordinates(moved[waiting], cube))]
        moved[waiting, k] = first[waiting, k]  # hardly any other value is feasible
        halves = 0.5 * (values - mean(coordinates(moved, cube))) ** 2 / variance
        again = rng.integers(len(first), size=(N_RESAMPLES, len(first)))
        found[0, :, k] = halves.mean(axis=0)
        found[1:, :, k] = np.quantile(halves[again].mean(axis=1), [0.025, 0.975], axis=0)
    return Importance(*found)


def compute_importance(model: FittedModel) -> Importance:
    """Return the total indices of a model's goal and cost."""
    n = N_SAMPLES if len(model.observations.points) < MANY else N_SAMPLES_OF_MANY
    with threadpool_limits(1):
        return total_indices(model.posterior.mean, model.cube, n)
