"""Neural networks learn a study's two objectives, and evolution searches what they have learnt.

Notation
--------
=========  ==========================================================================================
n, d       trials that are finished; coordinates of the unit cube
m          points of a population
p, p', c   two parents' coordinate and a child's, all in [0, 1]
u          a uniform random number
η          distribution index: the larger, the closer children stay to their parents
β          spread: how much farther apart two children are than their parents
=========  ==========================================================================================

The plan of the author of the Monte Carlo MDP agent, should Bayesian optimization disappoint: train a
neural network on the trials so far, find its best θ by an evolutionary algorithm, play those for real,
train again with the results, repeat. Here several small networks that differ in their random initial
weights are averaged, which evens out what a single one makes up between sixteen noisy trials. They are
taught each trial's mean, not how noisy it is, and do not say how sure they are: what replaces
uncertainty is a rule, to try of the networks' front the point least like anything tried before.

The evolutionary algorithm is NSGA-II. Optuna's would do the same over a study in memory, but keeps
books of each point as a trial: about a millisecond each, so two seconds for the two thousand points
that cost a twentieth of one here.

Sources: Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist multiobjective genetic algorithm:
NSGA-II* (2002); simulated binary crossover: Deb and Agrawal, *Simulated binary crossover for continuous
search space* (1995); polynomial mutation: Deb and Goyal, *A combined genetic adaptive search (GeneAS)
for format_seconds design* (1996).
"""

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from study.samplers.base import ModelSampler
from study.samplers.candidates import among, sobol_points
from study.samplers.encoding import UnitCube
from study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]
Objective = Callable[[Floats], Floats]
"""Takes points, shape (m, d); returns what is to be maximized, shape (m, 2)."""

N_NETWORKS = 5
N_HIDDEN = 32
MAX_ITERATIONS = 150
WEIGHT_DECAY = 0.1  # of targets of variance 1: noisy means are not to be met exactly

N_POPULATION = 64
N_GENERATIONS = 30
P_CROSSOVER = 0.9
ETA_CROSSOVER = 15.0
ETA_MUTATION = 20.0


class Networks:
    """An ensemble of small networks with both objectives as outputs, scaled to variance 1.

    Parameters
    ----------
    points : float64, shape (n, d)
        In the unit cube; n is 1 at least.
    values : float64, shape (n, 2)
        What was observed there.
    rng : numpy.random.Generator
        Source of initial weights.
    """

    def __init__(self, points: Floats, values: Floats, rng: np.random.Generator) -> None:
        self.centre = values.mean(axis=0)
        spread = values.std(axis=0)
        constant = spread <= 1e-12 * np.maximum(1.0, np.abs(self.centre))
        self.scale = np.where(constant, 1.0, spread)
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
            # To stop early is meant: the last digits of the training error are the trials' noise.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for member in self.members:
                member.fit(2.0 * points - 1.0, targets)

    def scaled(self, values: Floats) -> Floats:
        """Centre and scale objectives, shape (…, 2), as the networks see them."""
        return np.asarray((values - self.centre) / self.scale)

    def __call__(self, points: Floats) -> Floats:
        """Predict scaled objectives, shape (m, 2), the mean over all networks."""
        if not len(points):
            return np.empty((0, 2))
        predicted = [member.predict(2.0 * points - 1.0) for member in self.members]
        return np.asarray(np.mean(predicted, axis=0))


def ranks(values: Floats) -> npt.NDArray[np.int64]:
    """Sort points into fronts: 0 is not dominated, 1 by points of front 0 alone, and so on.

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
    """Return how lonely each point is on its front: the sides of the box its neighbours span.

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
    lonely = np.zeros(len(values))
    for front in range(int(rank.max()) + 1):
        members = np.flatnonzero(rank == front)
        for k in range(2):
            order = members[np.argsort(values[members, k], kind="stable")]
            along = values[order, k]
            lonely[order[[0, -1]]] = np.inf
            width = along[-1] - along[0]
            if len(order) > 2 and width > 0.0:
                lonely[order[1:-1]] += (along[2:] - along[:-2]) / width
    return lonely


def offspring(cube: UnitCube, parents: Floats, rng: np.random.Generator) -> Floats:
    """Cross and mutate parents, shape (m, d) with m even, two neighbouring rows a pair.

    β = (2u)^(1/(η+1)) for u ≤ ½, else (2(1 − u))^(−1/(η+1)); c = ½ ((1 ± β) p + (1 ∓ β) p'). A mutated
    coordinate moves by (2u)^(1/(η+1)) − 1 for u ≤ ½, else by 1 − (2(1 − u))^(1/(η+1)). The coordinates
    of a categorical parameter stand or fall together: crossed they change places, mutated they are
    drawn anew.
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
    # At β = −1 two children are their parents, changed over.
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
    return cube.snap(np.where(mutated, moved, children))


def evolve(
    objective: Objective, population: Floats, cube: UnitCube, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Find points that no other dominates, by NSGA-II.

    Parameters
    ----------
    objective : callable
        What is to be maximized.
    population : float64, shape (m, d)
        Where to begin: any number of points.
    cube : UnitCube
        Their space.
    rng : numpy.random.Generator
        Source of all random choices.

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
        lonely = crowding(values, rank)
        fittest = np.lexsort((-lonely, rank))[:N_POPULATION]
        population, values = population[fittest], values[fittest]
        if generation == N_GENERATIONS:
            break
        # Fitter means further up: a tournament of two is won by the smaller index.
        winners = rng.integers(len(population), size=(N_POPULATION, 2)).min(axis=1)
        children = offspring(cube, population[winners], rng)
        population = np.concatenate([population, children])
        # Copies, frequent on grids, would fill the population.
        population, distinct = np.unique(population, axis=0, return_index=True)
        values = np.concatenate([values, objective(children)])[distinct]
    return population, values


class SurrogateSampler(ModelSampler):
    """Suggests the point of the networks' front that is least like anything tried or being tried.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`; the objectives' noise is not
    used.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return a new point of the surrogate's front, far from others in scaled objectives."""
        networks = Networks(observations.points, observations.values, rng)
        begun = np.unique(np.concatenate([observations.points, observations.pending]), axis=0)
        spread = sobol_points(cube, N_POPULATION, rng)
        population, values = evolve(networks, np.concatenate([spread, begun]), cube, rng)

        # What has been begun is judged by the networks too: a lucky trial is no reason to stay away.
        tried = networks(begun)
        new = ~among(population, begun)
        front = ranks(values) == 0
        wanted = np.all(values > networks.scaled(observations.reference), axis=1)
        for allowed in (new & front & wanted, new & front, new):
            if np.any(allowed):
                return self.farthest(population[allowed], values[allowed], tried, rng)
        elsewhere = spread[~among(spread, begun)]
        if len(elsewhere):
            return self.farthest(elsewhere, networks(elsewhere), tried, rng)
        # Nothing new is left: one of the front once more.
        return np.asarray(rng.permutation(population[front])[0])

    def farthest(
        self, points: Floats, values: Floats, tried: Floats, rng: np.random.Generator
    ) -> Floats:
        """Return the point whose scaled objectives are farthest from all that was tried."""
        gaps = np.min(np.sum((values[:, None] - tried[None]) ** 2, axis=2), axis=1)
        best = np.flatnonzero(gaps == gaps.max())
        return np.asarray(points[best[rng.integers(len(best))]])
