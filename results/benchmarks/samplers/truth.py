"""A surface's true front, found by dense search, and the quality of recommendations.

The search takes 2¹⁷ Sobol points. Then, in 12 rounds, it perturbs nondominated points by 0.1, 0.05,
0.02 and 0.01 in turns. A search twice as long adds less than 0.2% of hypervolume.

Notation
--------
===========  =======================================================================================
prediction   the mean score and time claimed for a θ, either as observed or by the model
budget       a time per move that a user can afford; there are 25, the middles of 25 equal parts of
             the true front's range of log time
pick         of the θ predicted to keep a budget, the one with the highest predicted score
===========  =======================================================================================

- *Hypervolume*: the hypervolume of the true values of all θ whose predictions are not dominated,
  divided by that of the true front.
- *Regret*: the true front's score at a budget minus the pick's true score, averaged over the
  budgets. If no θ is predicted to keep the budget, the regret is the front's whole score.
- *Unserved*: the share of budgets that no θ is predicted to keep.
- *Optimism*: the predicted minus the true score of the pick, averaged over budgets with a pick.

The true time of a pick may be a little above the budget, because observed times have a noise of 2%
a game.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from results.benchmarks.samplers.surfaces import REFERENCE, Floats, Surface, surface
from thetafront import NumericParameter
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

    @property
    def budgets(self) -> Floats:
        """The middles of 25 equal parts of the front's range of log time."""
        middles = (np.arange(N_BUDGETS) + 0.5) / N_BUDGETS
        ratio = self.seconds[-1] / self.seconds[0]
        return np.asarray(self.seconds[0] * ratio**middles * ROUNDING)

    def best_within(self, budgets: Floats) -> Floats:
        """Return the best score within each budget, shape (n,); −∞ if no θ keeps the budget."""
        n_within = np.searchsorted(self.seconds, budgets, side="right")
        return np.concatenate([[-np.inf], self.scores])[n_within]

    def share(self, scores: Floats, seconds: Floats) -> float:
        """Return the hypervolume of true values, shape (n,), divided by the front's."""
        own = hypervolume(self.scores, self.seconds, *REFERENCE)
        return hypervolume(scores, seconds, *REFERENCE) / own

    def measured(
        self, predicted: tuple[Floats, Floats], true: tuple[Floats, Floats]
    ) -> dict[str, float]:
        """Compare predicted with true scores and seconds of some θ, shapes (n,).

        Returns ``hypervolume``, ``regret_points``, ``optimism_points`` (NaN if no budget has a
        pick) and ``unserved``; all but the first are computed over 25 budgets.
        """
        chosen = nondominated(*predicted)
        regrets, optimisms = self.best_within(self.budgets), []
        for k, budget in enumerate(self.budgets):
            affordable = np.flatnonzero(predicted[1] <= budget)
            if len(affordable):
                pick = affordable[np.argmax(predicted[0][affordable])]
                regrets[k] -= true[0][pick]
                optimisms.append(predicted[0][pick] - true[0][pick])
        return {
            "hypervolume": self.share(true[0][chosen], true[1][chosen]),
            "regret_points": float(np.mean(regrets)),
            "optimism_points": float(np.mean(optimisms)) if optimisms else float("nan"),
            "unserved": 1.0 - len(optimisms) / N_BUDGETS,
        }


def search(of: Surface, n_sobol: int = N_SOBOL, n_rounds: int = N_ROUNDS, seed: int = 0) -> Truth:
    """Search a surface for its true front; ``n_sobol`` is a power of two."""
    rng, cube = np.random.default_rng(seed), UnitCube(of.space.distributions())
    points, scores, seconds = np.empty((0, len(of.space))), np.empty(0), np.empty(0)
    sobol = sobol_points(cube, n_sobol, rng)
    parts = np.array_split(sobol, max(1, n_sobol // N_PERTURBED))
    for k in range(len(parts) + n_rounds):
        if k < len(parts):
            candidates = parts[k]
        else:
            scale = np.array(SCALES[(k - len(parts)) % len(SCALES)])
            chosen = points[rng.integers(len(points), size=N_PERTURBED)]
            candidates = perturb(cube, chosen, scale, rng)
        true = of.truth(candidates)
        points = np.concatenate([points, candidates])
        scores, seconds = np.append(scores, true[0]), np.append(seconds, true[1])
        front = nondominated(scores, seconds)
        points, scores, seconds = points[front], scores[front], seconds[front]
    return Truth(points, scores, seconds)


def front_of_all(of: Surface) -> Truth:
    """Return the true front of a surface whose parameters are few whole numbers."""
    units = [
        each.axis.to_unit(np.arange(each.low, each.high + 1))
        for each in of.space
        if isinstance(each, NumericParameter)
    ]
    points = np.stack(np.meshgrid(*units, indexing="ij"), axis=-1).reshape(-1, len(of.space))
    scores, seconds = of.truth(points)
    front = nondominated(scores, seconds)
    return Truth(points[front], scores[front], seconds[front])


@cache
def true_front(name: str) -> Truth:
    """Return the true front of the surface called ``name``; it is searched for once per process."""
    of = surface(name)
    return front_of_all(of) if of.is_small else search(of)
