"""Polynomial ridge regression, its penalty chosen by leave-one-out cross-validation.

Notation
--------
=====  =============================================================================================
A      features of the observations, shape (n, p); the first is 1
y      fitted values, shape (n,)
λ      penalty on all coefficients but the first
H      A (AᵀA + λD)⁻¹ Aᵀ, D the identity without its first entry
=====  =============================================================================================

The residual of observation i from a fit without it is exactly (y − Hy)ᵢ / (1 − Hᵢᵢ): no fit has to
be repeated. Source: Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning,
§7.10.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from results.benchmarks.samplers.surface import Floats

PENALTIES = 10.0 ** np.arange(-3.0, 3.1, 0.5)


def features(points: Floats, degree: int, degree_alone: int) -> Floats:
    """Return monomials of points in the unit cube, shape (n, p), rescaled to [−1, 1] first.

    Of degree ``degree`` at most, and each coordinate alone up to the power ``degree_alone``.
    """
    x = 2.0 * points - 1.0
    columns = [np.ones(len(x))]
    for each in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(x.shape[1]), each):
            column = x[:, chosen[0]].copy()
            for k in chosen[1:]:
                column *= x[:, k]
            columns.append(column)
    powers = [x**each for each in range(degree + 1, degree_alone + 1)]
    return np.column_stack([*columns, *powers])


@dataclass(frozen=True)
class Ridge:
    """A fitted polynomial; degrees as in :func:`features`."""

    degree: int
    degree_alone: int
    penalty: float  # λ
    coefficients: Floats  # shape (p,)
    left_out: Floats  # each observation's prediction from the others, shape (n,)

    @classmethod
    def fit(cls, points: Floats, values: Floats, degree: int, degree_alone: int) -> "Ridge":
        """Fit ``values``, shape (n,), with the penalty that predicts left-out ones best."""
        a = features(points, degree, degree_alone)
        d = np.eye(a.shape[1])
        d[0, 0] = 0.0
        fits = []
        for penalty in PENALTIES:
            solve = np.linalg.solve(a.T @ a + penalty * d, a.T)
            leverage = np.einsum("ij,ji->i", a, solve)
            coefficients = solve @ values
            left_out = values - (values - a @ coefficients) / (1.0 - leverage)
            fits.append(cls(degree, degree_alone, float(penalty), coefficients, left_out))
        return min(fits, key=lambda fit: float(np.sum((fit.left_out - values) ** 2)))

    def __call__(self, points: Floats) -> Floats:
        """Return the polynomial at points, shape (n,)."""
        return features(points, self.degree, self.degree_alone) @ self.coefficients
