"""Several proposals from one state of a study: each is in flight when the next is chosen.

The notation is that of :mod:`study.samplers.knowledge_gradient`. An area is a list of points, and
most of what a candidate adds, it adds at the candidate itself. So each candidate is put into the
list for its own gain. Without this, eight proposals at a time had together 0.75 of the gains of
eight single ones in a row, on states of twelve simulated studies, and no more candidates helped.

Notation
--------
=======  ===========================================================================================
L        Cholesky factor of K + N of the process before, shape (n, n)
s, v     points put in flight since, k of them, and their noise variances
E(x)     L⁻¹ k(X, x), followed by a row for each s: that of the factor's extension by s
=======  ===========================================================================================

A trial in flight is assumed to return its posterior mean, so it changes no mean. It appends to the
factor the row (E(s)ᵀ, δ), δ² = k(s, s) + v − E(s)ᵀE(s), and to E(x) the number (k(s, x) −
E(s)ᵀE(x)) / δ: covariances k(x, x') − E(x)ᵀE(x') are downdated by rank one, instead of factorizing
again. Source: Rasmussen and Williams (2006), appendix A.4; Gill, Golub, Murray and Saunders,
*Methods for modifying matrix factorizations* (1974).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas, lapack, solve_triangular

from thetafront.study.samplers.area import Area
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.covariance import covariances
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import JITTER
from thetafront.study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]

N_RENEWED = 32  # gains that are computed again at a time


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
        """Extend E of some points by the row of the trial added last; return the row, shape (m,).

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


@dataclass
class Pool:
    """Candidates and their data, while trials are put in flight."""

    points: Floats  # (m, d): in the unit cube
    explained: Floats  # (n + q, m): E, of `InFlight`
    # (m,): mean and variance of the noise-free value; noise variance of a trial there.
    mean: Floats
    variance: Floats
    noise: Floats
    covariance: Floats  # (m, J): with the area's points
    extents: Floats  # (m, 2): its own e, and that which is left to the area's point before it
    places: npt.NDArray[np.int64]  # (m,): how many of the area's points come before it
    # (m,): expected; those of `stale` ones are from before the last trial was put in flight.
    gains: Floats
    stale: npt.NDArray[np.bool_]  # (m,)
    chances: Floats  # (m,): that a trial there can be played; gains are weighed by them


class Greedy:
    """Gains in area, each after the points chosen before are in flight.

    Parameters
    ----------
    process, second : GaussianProcess
        The first objective's, with trials in flight, and the second one's.
    area : Area
        The area that is to gain; its heights stay as they are.
    noise : callable
        The noise variance of a trial as a function of its posterior mean.
    observations : Observations
        All.
    q : int
        How many points will be chosen.
    feasibility : Feasibility
        Where trials can be played.
    """

    def __init__(
        self,
        process: GaussianProcess,
        second: GaussianProcess,
        area: Area,
        noise: Callable[[Floats], Floats],
        observations: Observations,
        q: int,
        feasibility: Feasibility,
    ) -> None:
        self.feasibility = feasibility
        self.second, self.area, self.noise, self.observations = second, area, noise, observations
        self.flying = InFlight(process, q)
        _, self.explained = self.flying.predict(area.points)
        self.edges = np.append(second.mean(area.points), observations.reference[1])
        widths = -np.diff(self.edges)
        # p: where two points are equally far, of the one before.
        self.chances = np.divide(area.extents, widths, out=np.zeros_like(widths), where=widths > 0)

    def pool(self, points: Floats) -> Pool:
        """Return candidates with their present gains."""
        mean, explained = self.flying.predict(points)
        second = self.second.mean(points)
        places = np.searchsorted(-self.edges[:-1], -second)
        pool = Pool(
            points,
            explained,
            mean,
            self.flying.variance(explained),
            self.noise(mean),
            self.flying.covariance(points, explained, self.area.points, self.explained),
            self.extents(second, places),
            places,
            np.empty(len(points)),
            np.ones(len(points), np.bool_),
            self.feasibility.probability(points),
        )
        self.renew(pool, np.arange(len(points)))
        return pool

    def extents(self, second: Floats, places: npt.NDArray[np.int64]) -> Floats:
        """Return e of candidates, and of the points before them, shape (m, 2)."""
        if not len(self.chances):
            return np.column_stack([np.maximum(second - self.edges[-1], 0.0), second])
        before = np.maximum(places - 1, 0)
        own = self.chances[before] * np.maximum(second - self.edges[places], 0.0)
        return np.column_stack([own, self.area.extents[before] - own])

    def renew(self, pool: Pool, some: npt.NDArray[np.int64]) -> None:
        """Compute the present gains of some candidates."""
        total = total_variance(pool.points[some], pool.variance[some], pool.noise[some], self.tried)
        root = np.sqrt(total)
        steps = pool.covariance[some] / root[:, None]
        own = np.column_stack([pool.mean[some], pool.variance[some] / root, pool.extents[some]])
        gains = self.area.gains_with(steps, own, pool.places[some])
        pool.gains[some] = pool.chances[some] * gains
        pool.stale[some] = False

    def tried(self) -> Floats:
        """Return complete and pending trials, and the points chosen."""
        return np.concatenate([self.observations.tried, self.flying.points])

    def best(self, pool: Pool, n: int) -> npt.NDArray[np.int64]:
        """Return the n candidates with the largest gains, the largest first.

        Gains hardly ever grow as others are put in flight: stale ones are upper bounds.
        """
        while True:
            order = np.argsort(-pool.gains, kind="stable")
            if not pool.stale[order[:n]].any():
                return order[:n]
            self.renew(pool, order[:N_RENEWED][pool.stale[order[:N_RENEWED]]])

    def add(self, point: Floats, pool: Pool) -> None:
        """Put a trial at a point, shape (d,), in flight."""
        mean = self.flying.process.mean(point[None])
        self.flying.add(point, float(self.noise(mean)[0]))
        by_area = self.flying.follow(self.area.points, self.explained)
        by_pool = self.flying.follow(pool.points, pool.explained)
        pool.covariance -= by_pool[:, None] * by_area
        pool.variance = np.maximum(pool.variance - by_pool * by_pool, 0.0)
        pool.stale[:] = True


def total_variance(
    points: Floats, variance: Floats, noise: Floats, tried: Callable[[], Floats]
) -> Floats:
    """Return the variance of trials' values; infinite where they cannot add information.

    They cannot where the value is known exactly, up to rounding: at points ``tried`` before.
    """
    total = variance + noise
    exact = noise == 0.0
    if exact.any():
        exact &= is_among(points, tried())
    total[exact | (total == 0.0)] = np.inf
    return total
