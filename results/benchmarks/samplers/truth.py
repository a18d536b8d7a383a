"""A surface's true front, by dense search.

First 2¹⁷ Sobol points; then rounds of ever smaller perturbations of the nondominated points. Twice
the search adds less than 0.2% of hypervolume.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from results.benchmarks.samplers.surface import Floats, Surface
from results.benchmarks.samplers.surfaces import surface
from thetafront.study.pareto import hypervolume, nondominated
from thetafront.study.samplers.candidates import perturb, sobol_points
from thetafront.study.samplers.encoding import UnitCube

N_SOBOL = 2**17
SCALES = (0.1, 0.05, 0.02, 0.01)  # of perturbations, in the unit cube, taken in turns
N_ROUNDS = 12
N_PERTURBED = 2**14  # a round
N_BUDGETS = 25
ROUNDING = 1.0 + 1e-9  # of budgets


@dataclass(frozen=True)
class Truth:
    """A surface's true front, fastest first."""

    points: Floats  # in the unit cube, shape (n, d)
    scores: Floats  # shape (n,)
    seconds: Floats
    hypervolume: float  # points · decades

    @property
    def budgets(self) -> Floats:
        """The middles of 25 equal parts of its decades of time."""
        middles = (np.arange(N_BUDGETS) + 0.5) / N_BUDGETS
        ratio = self.seconds[-1] / self.seconds[0]
        return np.asarray(self.seconds[0] * ratio**middles * ROUNDING)

    def best_within(self, budgets: Floats) -> Floats:
        """Return the best score within each budget, shape (n,); −∞ where no θ keeps it."""
        n_within = np.searchsorted(self.seconds, budgets, side="right")
        return np.concatenate([[-np.inf], self.scores])[n_within]


def search(of: Surface, n_sobol: int = N_SOBOL, n_rounds: int = N_ROUNDS, seed: int = 0) -> Truth:
    """Search a surface for its true front; ``n_sobol`` is a power of two."""
    rng = np.random.default_rng(seed)
    cube = UnitCube(of.space.distributions())
    points = np.empty((0, len(of.space)))
    scores, seconds = np.empty(0), np.empty(0)

    def add(candidates: Floats) -> tuple[Floats, Floats, Floats]:
        every = np.concatenate([points, candidates])
        all_scores = np.concatenate([scores, of.score(candidates)])
        all_seconds = np.concatenate([seconds, of.seconds(candidates)])
        front = nondominated(all_scores, all_seconds)
        return every[front], all_scores[front], all_seconds[front]

    for part in np.array_split(sobol_points(cube, n_sobol, rng), max(1, n_sobol // N_PERTURBED)):
        points, scores, seconds = add(part)
    for n_round in range(n_rounds):
        chosen = points[rng.integers(len(points), size=N_PERTURBED)]
        scale = np.array(SCALES[n_round % len(SCALES)])
        points, scores, seconds = add(perturb(cube, chosen, scale, rng))
    return Truth(points, scores, seconds, hypervolume(scores, seconds, *of.reference))


@lru_cache(maxsize=8)
def true_front(name: str) -> Truth:
    """Return the true front of the surface called ``name``, searched once a process."""
    return search(surface(name))
