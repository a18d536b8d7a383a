"""A process's covariance, as one trial after the other is put in flight.

Notation
--------
=======  ===========================================================================================
L        Cholesky factor of K + N of the process before, shape (n, n)
s, v     points put in flight since, k of them, and their noise variances
E(x)     L⁻¹ k(X, x), followed by a row for each s: that of the factor's extension by s
=======  ===========================================================================================

A trial in flight is taken to return its posterior mean, so it changes no mean. To the factor it
appends the row (E(s)ᵀ, δ), δ² = k(s, s) + v − E(s)ᵀE(s), and to E(x) the number (k(s, x) −
E(s)ᵀE(x)) / δ: covariances k(x, x') − E(x)ᵀE(x') are downdated by rank one, instead of factorizing
anew. Source: Rasmussen and Williams (2006), appendix A.4; Gill, Golub, Murray and Saunders,
*Methods for modifying matrix factorizations* (1974).
"""

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas, lapack, solve_triangular

from thetafront.study.samplers.covariance import covariances
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import JITTER

Floats = npt.NDArray[np.float64]


class InFlight:
    """A process to which trials in flight are added.

    Parameters
    ----------
    process : GaussianProcess
        Before the first of them.
    most : int
        How many may be added.

    Attributes
    ----------
    points : float64, shape (k, d)
        Those added so far.
    """

    def __init__(self, process: GaussianProcess, most: int) -> None:
        self.process = process
        self.n, self.most = len(process.points), most
        self.inverse, failed = lapack.dtrtri(process.factor, lower=1)
        assert not failed
        self.points = process.points[:0]
        self.rows = np.zeros((self.n + most, most))  # E(s) of each s, and below it the factor

    @property
    def n_rows(self) -> int:
        """Rows of E that are filled: n + k."""
        return self.n + len(self.points)

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the mean of the noise-free value at each point, shape (m,), and E.

        E has shape (n + most, m), with zeros from row n + k on.
        """
        hyper, k = self.process.hyper, len(self.points)
        cross = covariances(hyper, points, self.process.points)
        mean = hyper.centre + hyper.scale * (cross @ self.process.alpha)
        found = np.zeros((self.n + self.most, len(points)))
        # Half the work of a product of full matrices, and less than that of a solution.
        found[: self.n] = blas.dtrmm(1.0, self.inverse, cross.T, lower=1, overwrite_b=1)
        if k:
            left = (
                covariances(hyper, self.points, points)
                - self.rows[: self.n, :k].T @ found[: self.n]
            )
            factor = self.rows[self.n : self.n_rows, :k].T
            found[self.n : self.n_rows] = solve_triangular(factor, left, lower=True)
        return np.asarray(mean), found

    def covariance(
        self, points: Floats, explained: Floats, others: Floats, by_others: Floats
    ) -> Floats:
        """Return the covariance of the noise-free values at points and others, shape (m, m′).

        ``explained`` and ``by_others`` are their E.
        """
        hyper, n_rows = self.process.hyper, self.n_rows
        products = explained[:n_rows].T @ by_others[:n_rows]
        return np.asarray(hyper.scale**2 * (covariances(hyper, points, others) - products))

    def variance(self, explained: Floats) -> Floats:
        """Return the variance of the noise-free value at each point, shape (m,), given their E."""
        hyper = self.process.hyper
        known = np.einsum("ij,ij->j", explained[: self.n_rows], explained[: self.n_rows])
        return np.asarray(hyper.scale**2 * np.maximum(hyper.total - known, 0.0))

    def add(self, point: Floats, noise: float) -> None:
        """Put a trial at a point, shape (d,), in flight, whose value will have this variance."""
        hyper, k = self.process.hyper, len(self.points)
        column = self.predict(point[None])[1][:, 0]
        left = hyper.total + hyper.variance * JITTER + noise / hyper.scale**2 - column @ column
        column[self.n_rows] = np.sqrt(max(float(left), JITTER * hyper.variance))
        self.rows[:, k] = column
        self.points = np.concatenate([self.points, point[None]])

    def follow(self, points: Floats, explained: Floats) -> Floats:
        """Complete E of some points by the row of the trial added last; return the row, shape (m,).

        Times the process's scale, its products are what covariances lose.
        """
        last, row = len(self.points) - 1, self.n_rows - 1
        column = self.rows[:row, last]
        left = (
            covariances(self.process.hyper, self.points[last:], points)[0]
            - column @ explained[:row]
        )
        explained[row] = left / self.rows[row, last]
        return np.asarray(self.process.hyper.scale * explained[row])
