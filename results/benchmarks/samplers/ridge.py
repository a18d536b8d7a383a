"""Polynomial ridge regression, its penalty chosen by leave-one-out cross-validation."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn import linear_model
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import PolynomialFeatures

from results.benchmarks.samplers.surface import Floats

PENALTIES = 10.0 ** np.arange(-3.0, 3.1, 0.5)


def features(points: Floats, degree: int, degree_alone: int) -> Floats:
    """Return monomials of points in the unit cube, shape (n, p), rescaled to [−1, 1] first.

    Of degree ``degree`` at most, and each coordinate alone up to the power ``degree_alone``.
    """
    x = 2.0 * points - 1.0
    powers = [x**each for each in range(degree + 1, degree_alone + 1)]
    return np.column_stack([PolynomialFeatures(degree).fit_transform(x), *powers])


@dataclass(frozen=True)
class Ridge:
    """A polynomial fitted to ``values``, shape (n,), at points with these :func:`features`."""

    degree: int
    degree_alone: int
    model: linear_model.Ridge
    features: Floats
    values: Floats

    @classmethod
    def fit(cls, points: Floats, values: Floats, degree: int, degree_alone: int) -> "Ridge":
        """Fit ``values``, shape (n,), with the penalty that predicts left-out ones best."""
        a = features(points, degree, degree_alone)
        model = linear_model.Ridge(linear_model.RidgeCV(PENALTIES).fit(a, values).alpha_)
        return cls(degree, degree_alone, model.fit(a, values), a, values)

    @property
    def penalty(self) -> float:
        """Of all coefficients but the constant."""
        return float(self.model.alpha)

    @cached_property
    def left_out(self) -> Floats:
        """Each observation's prediction from the others, shape (n,)."""
        n = len(self.values)
        return np.asarray(cross_val_predict(self.model, self.features, self.values, cv=n))

    def __call__(self, points: Floats) -> Floats:
        """Return the polynomial at points, shape (m,)."""
        found = self.model.predict(features(points, self.degree, self.degree_alone))
        return np.asarray(found)
