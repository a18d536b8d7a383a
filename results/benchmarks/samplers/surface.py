"""A simulated experiment: a search space, a known truth, and noisy games.

Notation
--------
======  ============================================================================================
u       a θ as a point of the unit cube
μ(u)    true mean score, points
t(u)    true seconds per move
f       one game's score over μ(u); its expectation is exactly 1
======  ============================================================================================
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.study.experiments.space import Space

Floats = npt.NDArray[np.float64]

SPREAD_OF_TIMES = 0.02  # of one game's time per move, standard deviation of its logarithm

# A game of 2048 ends soon after a merge fails, or goes on to the next tile: two modes.
# mean p·a + (1 − p)·b = 1, variance p·(a − 1)² + (1 − p)·(b − 1)² + s² = 0.16
P_LOW, LOW, HIGH, WIDTH = 0.6, 0.7, 1.45, 0.158


def two_modes(point: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draw factors of two modes, at 0.7 and 1.45, gamma-distributed about each.

    Their mean is exactly 1, their standard deviation 0.4, at every point.
    """
    modes = np.where(rng.random(n) < P_LOW, LOW, HIGH)
    return np.asarray(rng.gamma((modes / WIDTH) ** 2, WIDTH**2 / modes))


@dataclass(frozen=True)
class Surface:
    """A simulated experiment.

    ``score`` and ``seconds`` (μ and t) take points of the unit cube, shape (n, d), that represent
    values (:meth:`study.samplers.encoding.UnitCube.snap`), and return shape (n,). ``factors`` takes
    one point, shape (d,), a number of games and a generator, and returns f of each game.
    """

    name: str  # on the command line
    title: str  # in figures
    space: Space
    score: Callable[[Floats], Floats]
    seconds: Callable[[Floats], Floats]
    factors: Callable[[Floats, int, np.random.Generator], Floats] = two_modes
    reference: tuple[float, float] = (0.0, 1e-3)  # of the hypervolume: points, seconds per move

    def games(self, point: Floats, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Play games at a point, shape (d,): noisy scores and seconds per move, shape (n,)."""
        scores = self.score(point[None])[0] * self.factors(point, n, rng)
        noise = SPREAD_OF_TIMES * rng.standard_normal(n) - 0.5 * SPREAD_OF_TIMES**2
        return scores, self.seconds(point[None])[0] * np.exp(noise)
