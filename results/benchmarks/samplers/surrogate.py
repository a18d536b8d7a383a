"""Neural networks as a model of a study's two objectives, and NSGA-II to search their predictions.

Notation
--------
=========  =========================================================================================
n, d       trials that are finished; coordinates of the unit cube
m          points of a population
p, p', c   two parents' coordinate and a child's, all in [0, 1]
u          a uniform random number
η          distribution index: the larger, the closer children stay to their parents
β          spread: the distance of two children relative to that of their parents
=========  =========================================================================================

The author of the Monte Carlo MDP agent planned this in case Bayesian optimization disappoints:
train a neural network on the trials so far, find its best θ by an evolutionary algorithm, play
those, train again, repeat. Here the mean of several small networks with different random initial
weights is used: it varies less between sixteen noisy trials than a single one. The networks see
each trial's mean, not its noise, and have no uncertainty of their own: instead, the point of their
front that is least like any trial is tried next.

Optuna's NSGA-II over a study in memory records each point as a trial, about a millisecond each: two
seconds for the two thousand points that take a twentieth of a second here.

Sources: Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist multiobjective genetic algorithm:
NSGA-II* (2002); simulated binary crossover: Deb and Agrawal, *Simulated binary crossover for
continuous search space* (1995); polynomial mutation: Deb and Goyal, *A combined genetic adaptive
search (GeneAS) for engineering design* (1996).
"""

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import feasible, is_among, sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Observations
from thetafront.study.samplers.scaling import centre_and_scale

Floats = npt.NDArray[np.float64]
Objective = Callable[[Floats], Floats]
"""Maps points, shape (m, d), to values to be maximized, shape (m, 2)."""

N_NETWORKS = 5
N_HIDDEN = 32
MAX_ITERATIONS = 150
WEIGHT_DECAY = 0.1  # for targets of variance 1: noisy means must not be fitted exactly

N_POPULATION = 64
N_GENERATIONS = 30
P_CROSSOVER = 0.9
ETA_CROSSOVER = 15.0
ETA_MUTATION = 20.0


class Networks:
    """An ensemble of small networks that predict both objectives, scaled to variance 1.

    Parameters
    ----------
    points : float64, shape (n, d)
        In the unit cube, at least one.
    values : float64, shape (n, 2)
        Observed there.
    rng : numpy.random.Generator
        For initial weights.
    """

    def __init__(self, points: Floats, values: Floats, rng: np.random.Generator) -> None:
        self.centre, self.scale = centre_and_scale(values)
        targets = self.scaled(values)
        self.members = [
            MLPRegressor(
                hidden_layer_sizes=(N_HIDDEN,),
                activation="tanh",
                solver="lbfgs",  # a few dozen points: whole batches, and no learning rate to choose
                alpha=WEIGHT_DECAY,
                max_iter=MAX_ITERATIONS,
                random_state=int(seed),
            )
            for seed in rng.integers(2**31, size=N_NETWORKS)
        ]
        with warnings.catch_warnings():
            # Stopping early is intended: the last digits of the training error are noise.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for member in self.members:
                member.fit(2.0 * points - 1.0, targets)

    def scaled(self, values: Floats) -> Floats:
        """Centre and scale objectives, shape (…, 2)."""
        return np.asarray((values - self.centre) / self.scale)

    def __call__(self, points: Floats) -> Floats:
        """Predict scaled objectives, shape (m, 2), the mean over all networks."""
        if not len(points):
            return np.empty((0, 2))
        predicted = [member.predict(2.0 * points - 1.0) for member in self.members]
        return np.asarray(np.mean(predicted, axis=0))


def ranks(values: Floats) -> npt.NDArray[np.int64]:
    """Sort points into fronts: 0 is not dominated, 1 only by points of front 0, and so on.

    Parameters
    ----------
    values : float64, shape (m, 2)
        To be maximized. Equal points share a front.

    Returns
    -------
    int64, shape (m,)
    """
    no_worse = np.all(values[:, None] >= values[None], axis=2)
    dominates = no_worse & ~no_worse.T
    n_above = dominates.sum(axis=0)
    rank = np.full(len(values), -1)
    current = 0
    while np.any(rank < 0):
        front = (rank < 0) & (n_above == 0)
        rank[front] = current
        n_above = n_above - dominates[front].sum(axis=0)
        current += 1
    return rank


def crowding(values: Floats, rank: npt.NDArray[np.int64]) -> Floats:
    """Return each point's crowding distance: the sides of the box that its neighbours span.

    Parameters
    ----------
    values : float64, shape (m, 2)
        Objectives.
    rank : int64, shape (m,)
        Of :func:`ranks`.

    Returns
    -------
    float64, shape (m,)
        Infinite for the ends of a front.
    """
    distance = np.zeros(len(values))
    for front in range(int(rank.max()) + 1):
        members = np.flatnonzero(rank == front)
        for k in range(2):
            order = members[np.argsort(values[members, k], kind="stable")]
            along = values[order, k]
            distance[order[[0, -1]]] = np.inf
            width = along[-1] - along[0]
            if len(order) > 2 and width > 0.0:
                distance[order[1:-1]] += (along[2:] - along[:-2]) / width
    return distance


def offspring(cube: UnitCube, parents: Floats, rng: np.random.Generator) -> Floats:
    """Cross and mutate parents, shape (m, d) with m even, two neighbouring rows a pair.

    β = (2u)^(1/(η+1)) for u ≤ ½, else (2(1 − u))^(−1/(η+1)); c = ½ ((1 ± β) p + (1 ∓ β) p'). A
    mutated coordinate moves by (2u)^(1/(η+1)) − 1 for u ≤ ½, else by 1 − (2(1 − u))^(1/(η+1)). The
    coordinates of a categorical parameter change together: crossover swaps them, mutation draws
    them anew.
    """
    widths = cube.widths
    categorical = np.repeat(widths > 1, widths)
    n_pairs, n_parameters = len(parents) // 2, len(widths)

    def a_parameter(numbers: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        return np.repeat(numbers, widths, axis=1)

    first, second = parents[0::2], parents[1::2]
    u = rng.random((n_pairs, cube.n_coordinates))
    spread = np.where(u <= 0.5, 2.0 * u, 1.0 / (2.0 * (1.0 - u))) ** (1.0 / (ETA_CROSSOVER + 1.0))
    crossed = a_parameter(rng.random((n_pairs, n_parameters)) < 0.5)
    crossed &= rng.random((n_pairs, 1)) < P_CROSSOVER
    # At β = −1 two children are their parents, swapped.
    spread = np.where(crossed, np.where(categorical, -1.0, spread), 1.0)
    middle, half = 0.5 * (first + second), 0.5 * (first - second)
    children = np.concatenate([middle + spread * half, middle - spread * half])

    u = rng.random(children.shape)
    power = 1.0 / (ETA_MUTATION + 1.0)
    moved = children + np.where(
        u <= 0.5, (2.0 * u) ** power - 1.0, 1.0 - (2.0 * (1.0 - u)) ** power
    )
    moved = np.where(categorical, rng.random(children.shape), moved)
    mutated = a_parameter(rng.random((len(children), n_parameters)) < 1.0 / n_parameters)
    return feasible(cube, cube.snap(np.where(mutated, moved, children)))


def evolve(
    objective: Objective, population: Floats, cube: UnitCube, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Find points that no other dominates, by NSGA-II.

    Parameters
    ----------
    objective : callable
        To be maximized.
    population : float64, shape (m, d)
        The first generation, any number of points.
    cube : UnitCube
        Their space.
    rng : numpy.random.Generator
        For all random choices.

    Returns
    -------
    points : float64, shape (N_POPULATION or fewer, d)
        The last generation, no point twice.
    values : float64, shape (N_POPULATION or fewer, 2)
        Their objectives.
    """
    values = objective(population)
    for generation in range(N_GENERATIONS + 1):
        rank = ranks(values)
        fittest = np.lexsort((-crowding(values, rank), rank))[:N_POPULATION]
        population, values = population[fittest], values[fittest]
        if generation == N_GENERATIONS:
            break
        # The fittest come first: the smaller index wins a tournament of two.
        winners = rng.integers(len(population), size=(N_POPULATION, 2)).min(axis=1)
        children = offspring(cube, population[winners], rng)
        population = np.concatenate([population, children])
        # Duplicates, frequent on grids, would fill the population.
        population, distinct = np.unique(population, axis=0, return_index=True)
        values = np.concatenate([values, objective(children)])[distinct]
    return population, values


class SurrogateSampler(ModelSampler):
    """Proposes the point of the networks' front that is least like any trial.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`; noise variances are not
    used.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return a new point of the surrogate's front, far from others in scaled objectives."""
        networks = Networks(observations.points, observations.values, rng)
        begun = observations.tried
        spread = sobol_points(cube, N_POPULATION, rng)
        first = np.concatenate([spread, feasible(cube, begun)])
        population, values = evolve(networks, first, cube, rng)

        # The networks predict trials too: a lucky one is no reason to avoid its neighbourhood.
        tried = networks(begun)
        new = ~is_among(population, begun)
        front = ranks(values) == 0
        wanted = np.all(values > networks.scaled(observations.reference), axis=1)
        for allowed in (new & front & wanted, new & front, new):
            if np.any(allowed):
                return self.farthest(population[allowed], values[allowed], tried, rng)
        elsewhere = spread[~is_among(spread, begun)]
        if len(elsewhere):
            return self.farthest(elsewhere, networks(elsewhere), tried, rng)
        # Nothing new is left: one of the front again.
        return np.asarray(rng.permutation(population[front])[0])

    def farthest(
        self, points: Floats, values: Floats, tried: Floats, rng: np.random.Generator
    ) -> Floats:
        """Return the point whose scaled objectives are farthest from those of all trials."""
        gaps = np.min(np.sum((values[:, None] - tried[None]) ** 2, axis=2), axis=1)
        best = np.flatnonzero(gaps == gaps.max())
        return np.asarray(points[best[rng.integers(len(best))]])
