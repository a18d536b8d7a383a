"""Neural networks as a model of a study's two objectives, and NSGA-II to search their predictions.

The author of the Monte Carlo MDP agent planned this in case Bayesian optimization disappoints:
train a neural network on the trials so far, find its best θ by an evolutionary algorithm, play
those, train again, repeat. Here the mean of several small networks with different random initial
weights is used: it varies less between sixteen noisy trials than a single one. The networks see
each trial's mean, not its noise, and have no uncertainty of their own: instead, the point of their
front that is least like any trial is tried next.

Sources: Ripstein (2023), §5.1; Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist
multiobjective genetic algorithm: NSGA-II* (2002).
"""

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import optuna
from optuna.samplers import NSGAIISampler
from optuna.samplers.nsgaii import PolynomialMutation, SBXCrossover
from sklearn.ensemble import BaggingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler

from thetafront.study.pareto import nondominated
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import is_among
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import Observations

Floats = npt.NDArray[np.float64]
Predictor = Callable[[Floats], Floats]

N_NETWORKS = 5
N_HIDDEN = 32
MAX_ITERATIONS = 150
WEIGHT_DECAY = 0.1  # for targets of variance 1: noisy means must not be fitted exactly
N_POPULATION = 32
N_GENERATIONS = 30


def fitted(points: Floats, targets: Floats, seed: int) -> Predictor:
    """Return what predicts targets of variance 1, shape (m, 2): the mean of several networks."""
    network = MLPRegressor(
        hidden_layer_sizes=(N_HIDDEN,),
        activation="tanh",
        solver="lbfgs",  # a few dozen points: whole batches, and no learning rate to choose
        alpha=WEIGHT_DECAY,
        max_iter=MAX_ITERATIONS,
    )
    networks = BaggingRegressor(network, N_NETWORKS, bootstrap=False, random_state=seed)
    with warnings.catch_warnings():
        # Stopping early is intended: the last digits of the training error are noise.
        warnings.simplefilter("ignore", ConvergenceWarning)
        networks.fit(2.0 * points - 1.0, targets)
    return lambda points: np.asarray(networks.predict(2.0 * points - 1.0))


def evolve(predict: Predictor, cube: UnitCube, first: Floats, seed: int) -> Floats:
    """Search predictions for a front by NSGA-II, from some first points; return all points."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = NSGAIISampler(
            population_size=N_POPULATION,
            crossover=SBXCrossover(),
            mutation=PolynomialMutation(),
            seed=seed,
        )
    study = optuna.create_study(directions=["maximize", "maximize"], sampler=sampler)
    for point in first:
        study.enqueue_trial(cube.decode(point))
    found = []
    for _ in range(N_GENERATIONS):
        trials = [study.ask(cube.distributions) for _ in range(N_POPULATION)]
        found.append(cube.encode([trial.params for trial in trials]))
        for trial, values in zip(trials, predict(found[-1]).tolist(), strict=True):
            study.tell(trial, values)
    return np.unique(np.concatenate(found), axis=0)


class SurrogateSampler(ModelSampler):
    """Proposes the point of the networks' front that is least like any trial.

    Parameters are those of :class:`~study.samplers.base.ModelSampler`; noise variances are not
    used.
    """

    def propose(
        self, observations: Observations, cube: UnitCube, rng: np.random.Generator
    ) -> Floats:
        """Return a new point of the surrogate's front, far from others in scaled objectives."""
        seed, scaler = int(rng.integers(2**31)), StandardScaler().fit(observations.values)
        predict = fitted(observations.points, scaler.transform(observations.values), seed)
        # The networks predict trials too: a lucky one is no reason to avoid its neighbourhood.
        tried = predict(observations.tried)
        best = observations.tried[nondominated(tried[:, 0], -tried[:, 1])]
        points = evolve(predict, cube, best[: N_POPULATION // 2], seed)
        values = predict(points)

        new = ~is_among(points, observations.tried)
        front = np.isin(np.arange(len(points)), nondominated(values[:, 0], -values[:, 1]))
        wanted = np.all(values > scaler.transform(observations.reference[None]), axis=1)
        choices = (new & front & wanted, new & front, new, front)
        points, values = next((points[k], values[k]) for k in choices if k.any())
        gaps = np.min(np.sum((values[:, None] - tried[None]) ** 2, axis=2), axis=1)
        return np.asarray(points[np.argmax(gaps)])
