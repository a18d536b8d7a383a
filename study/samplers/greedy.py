"""Several proposals from one look at a study: one after the other, each in flight for the next.

The notation is that of :mod:`study.samplers.knowledge_gradient`. An area is a list of points, and
what a candidate adds at the candidate itself is most of what it adds. So each candidate is put into
the list for its own gain. Without that, eight proposals at a time had together 0.75 of the gains of
eight single ones in a row, on states of twelve simulated studies, and no more candidates helped.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.study.samplers.area import Area
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.feasibility import Feasibility
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.in_flight import InFlight
from thetafront.study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]

N_RENEWED = 32  # gains that are computed again at a time


@dataclass
class Pool:
    """Candidates with what is known of each, while trials are put in flight.

    Attributes
    ----------
    points : float64, shape (m, d)
        In the unit cube.
    explained : float64, shape (n + q, m)
        E, of :class:`~study.samplers.in_flight.InFlight`.
    mean, variance, noise : float64, shape (m,)
        Of the noise-free value; and of a trial there.
    covariance : float64, shape (m, J)
        With the area's points.
    extents : float64, shape (m, 2)
        Its own e, and that which is left to the area's point before it.
    places : int64, shape (m,)
        How many of the area's points come before it.
    gains : float64, shape (m,)
        Expected; those of ``stale`` ones are from before the last trial was put in flight.
    stale : bool, shape (m,)
    chances : float64, shape (m,)
        That a trial there can be played; gains are weighed by them.
    """

    points: Floats
    explained: Floats
    mean: Floats
    variance: Floats
    noise: Floats
    covariance: Floats
    extents: Floats
    places: npt.NDArray[np.int64]
    gains: Floats
    stale: npt.NDArray[np.bool_]
    chances: Floats


class Greedy:
    """Gains in area, each after the points chosen before are in flight.

    Parameters
    ----------
    process, second : GaussianProcess
        The first objective's, with trials in flight, and the second one's.
    area : Area
        That is to gain; its heights stay as they are.
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
        """Return the n candidates of the largest gains, the largest first.

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
    """Return the variance of trials' values; infinite where they have nothing more to tell.

    That is so where the value is known exactly, but for rounding: at points ``tried`` before.
    """
    total = variance + noise
    exact = noise == 0.0
    if exact.any():
        exact &= is_among(points, tried())
    total[exact | (total == 0.0)] = np.inf
    return total
