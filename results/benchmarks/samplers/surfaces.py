"""Simulated experiments: a search space, a known truth, and games as noisy as real ones.

`recorded` is fitted to 8,192 real games of 256 θ of `mcmdp`. It is a polynomial, not a Gaussian
process, so no sampler has the true model. √score is a quadratic polynomial in the unit cube, plus
the cube of each coordinate; log₁₀ seconds is a cubic polynomial. For θ left out of the fit, mean
scores are predicted with R² = 0.906 (the noise of the observed means allows at most 0.931), and
log₁₀ seconds with R² = 0.981. At the corners of the unit cube, true scores are 6,000 to 63,000
points, and true times are 15 to 315 µs per move. To play a game, the surface draws a game of the
nearest recorded θ, with replacement. The factor f is this game's score divided by the mean score of
that θ.

Four surfaces are in closed form, and have properties that `recorded` may lack:

- `saturating`: parameters interact and have diminishing returns.
- `two_regimes`: the front jumps from one region to another.
- `steps`: score and cost change in steps, and only the lower of two limits has an effect.
- `cliffs`: the best weights lie next to weights that lose most of the score.

`small_2048` is a real game (:mod:`.small_game`).

Notation
--------
======  ============================================================================================
u, x    the same θ in the unit cube and in its own units; columns are parameters
μ, t    its true mean score, in points, and its true seconds per move
f       one game's score divided by μ; its expectation is exactly 1
======  ============================================================================================
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.preprocessing import PolynomialFeatures

from results.benchmarks.samplers import small_game
from thetafront import InputError, NumericParameter, Space
from thetafront.engine.jit import ROOT

Floats = npt.NDArray[np.float64]

RECORDED = ROOT / "results" / "reference" / "samplers" / "recorded.csv"
REFERENCE = 0.0, 1e-3  # of hypervolumes: points, seconds per move
SPREAD_OF_TIMES = 0.02  # standard deviation of the logarithm of one game's time per move
PENALTIES = 10.0 ** np.arange(-3.0, 3.1, 0.5)
# Two modes: a game of 2048 ends soon after a merge fails, or reaches the next tile.
# With p, a, b, s for the four constants: mean p·a + (1 − p)·b = 1,
# variance p·(a − 1)² + (1 − p)·(b − 1)² + s² = 0.16.
P_LOW, LOW, HIGH, WIDTH = 0.6, 0.7, 1.45, 0.158


def two_modes(_: Floats, __: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draw f from two modes, at 0.7 and 1.45, with a gamma distribution around each.

    At every point, the mean of f is exactly 1, and its standard deviation is 0.4.
    """
    modes = np.where(rng.random(n) < P_LOW, LOW, HIGH)
    return np.asarray(rng.gamma((modes / WIDTH) ** 2, WIDTH**2 / modes))


@dataclass(frozen=True)
class Surface:
    """A simulated experiment.

    ``true`` takes points of the unit cube and the same points in the parameters' units, both of
    shape (n, d). It returns μ and t, each of shape (n,). ``factors`` takes one point in both forms,
    of shape (d,), a number of games and a generator. It returns f of each game.
    """

    name: str  # on the command line
    space: Space
    true: Callable[[Floats, Floats], tuple[Floats, Floats]]
    factors: Callable[[Floats, Floats, int, np.random.Generator], Floats] = two_modes
    is_small: bool = False  # whether its parameters are few whole numbers, so all θ can be listed

    def truth(self, points: Floats) -> tuple[Floats, Floats]:
        """Return true scores and seconds per move at points of the unit cube, shapes (n,)."""
        return self.true(points, self.in_units(points))

    def in_units(self, points: Floats) -> Floats:
        """Return points of the unit cube, shape (n, d), in the parameters' units."""
        columns = [
            each.axis.from_unit(points[:, k])
            for k, each in enumerate(self.space)
            if isinstance(each, NumericParameter)
        ]
        return np.column_stack(columns)

    def games(self, point: Floats, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Play games at a point, shape (d,): noisy scores and seconds per move, shape (n,)."""
        score, seconds = (each[0] for each in self.truth(point[None]))
        scores = score * self.factors(point, self.in_units(point[None])[0], n, rng)
        noise = SPREAD_OF_TIMES * rng.standard_normal(n) - 0.5 * SPREAD_OF_TIMES**2
        return scores, seconds * np.exp(noise)


def unit(*names: str) -> tuple[NumericParameter, ...]:
    """Return parameters from 0 to 1."""
    return tuple(NumericParameter(name, 0.0, 1.0) for name in names)


def count(name: str, low: int, high: int) -> NumericParameter:
    """Return a parameter that is a whole number on a log scale."""
    return NumericParameter(name, low, high, integer=True, log=True)


def bump(x: Floats, centre: Floats | float, width: float) -> Floats:
    """Return exp(−½((x − centre)/width)²)."""
    return np.asarray(np.exp(-0.5 * ((x - centre) / width) ** 2))


def saturating(u: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Scores rise more and more slowly with the four numbers of playouts; two of them interact.

    A larger r costs time and raises the score. With more playouts, the best s is higher.
    """
    n, (r, s) = x[:, :4], x[:, 4:].T
    q = n / (n + np.array([60.0, 30.0, 15.0, 8.0]))
    gain = q @ np.array([0.35, 0.15, 0.1, 0.1]) + 0.3 * q[:, 0] * q[:, 1]
    best = 0.25 + 0.35 * u[:, :4].mean(axis=1)
    score = 60_000.0 * gain * (1.0 - 0.3 * (1.0 - r) ** 2) * bump(s, best, 0.35)
    return score, 1e-6 * (8.0 + (n @ np.array([0.15, 0.25, 0.3, 0.3])) * (0.3 + 0.7 * r))


def two_regimes(u: Floats, _: Floats) -> tuple[Floats, Floats]:
    """Scores have two ridges: shallow search needs little effort, deep search needs much effort."""
    m, e, s, damping, extra = u.T
    shallow = 28_000.0 * (1.0 - np.exp(-0.4 - 3.0 * e)) * bump(m, 0.15, 0.22) * bump(s, 0.25, 0.2)
    deep = 62_000.0 / (1.0 + np.exp(-6.0 * (e - 0.45))) * bump(m, 0.8, 0.2) * bump(s, 0.75, 0.18)
    factor = bump(damping, 0.3 + 0.4 * s, 0.4) * (0.85 + 0.15 * np.sqrt(extra))
    return 4_000.0 + factor * (shallow + deep), 10.0 ** (-5.0 + e + 0.8 * m + 0.2 * extra)


def steps(u: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Scores and times jump when a tree gets another leaf.

    The tree has as many leaves as both of its limits (depth, number) allow; pruning removes some.
    """
    (depth, number, pruning), share = x[:, :3].T, u[:, 3]
    leaves = np.floor(np.minimum(2.0**depth, number) * (1.0 - 0.9 * pruning**2))
    leaves = np.maximum(1.0, leaves)
    gain = np.log2(leaves) / (2.0 + np.log2(leaves))
    score = 4_000.0 + 70_000.0 * gain * bump(share, 0.7, 0.5)
    return score, 1e-6 * (5.0 + 2.0 * leaves * (0.5 + 0.5 * share))


def cliffs(u: Floats, _: Floats) -> tuple[Floats, Floats]:
    """Scores rise towards a cliff; beyond it, most of the score is lost."""
    a, b, c, d, effort = u.T
    ridge = bump(a, 0.6, 0.25) * (0.4 + 0.6 * b) * bump(c - d, 0.1, 0.35)
    safe = 1.0 / (1.0 + np.exp((b - 0.25 - 0.7 * a) / 0.01))
    safe *= 1.0 / (1.0 + np.exp((0.3 - c - 0.2 * effort) / 0.01))
    score = 6_000.0 + 60_000.0 * ridge * (0.3 + 0.7 * safe) * (0.4 + 0.6 * effort)
    return score, 10.0 ** (-5.0 + effort + 0.3 * d)


def polynomial(points: Floats, values: Floats, degree: int) -> Callable[[Floats], Floats]:
    """Fit ``values``, shape (n,), by monomials up to a degree and the cube of each coordinate.

    The ridge penalty is the one that predicts left-out values best.
    """

    def features(u: Floats) -> Floats:
        x = 2.0 * u - 1.0
        cubes = [x**3] if degree < 3 else []
        return np.column_stack([PolynomialFeatures(degree).fit_transform(x), *cubes])

    a = features(points)
    fit = Ridge(RidgeCV(PENALTIES).fit(a, values).alpha_).fit(a, values)
    return lambda u: np.asarray(fit.predict(features(u)))


def recorded() -> Surface:
    """Make the surface of recorded games; InputError if they are missing."""
    if not RECORDED.is_file():
        raise InputError(
            f"recorded games: {RECORDED} is not there; a thetafront checkout contains it"
        )
    frame, space = pd.read_csv(RECORDED), SPACES["recorded"]
    rows = frame[list(space.names)].to_dict("records")
    points = np.array([space.to_unit({str(k): v for k, v in row.items()}) for row in rows])
    scores = [np.array(text.split(), np.float64) for text in frame["scores_points"]]  # by θ
    means = np.array([each.mean() for each in scores])
    root_score = polynomial(points, np.sqrt(means), 2)
    log_seconds = polynomial(points, np.log10(frame["seconds_per_move"].to_numpy(np.float64)), 3)

    def true(u: Floats, _: Floats) -> tuple[Floats, Floats]:
        return np.maximum(root_score(u), 1_000.0**0.5) ** 2, 10.0 ** log_seconds(u)

    def factors(point: Floats, _: Floats, n: int, rng: np.random.Generator) -> Floats:
        nearest = int(np.argmin(np.sum((points - point) ** 2, axis=1)))
        return np.asarray(rng.choice(scores[nearest], n) / means[nearest])

    return Surface("recorded", space, true, factors)


PLAYOUTS = ((16, 2048), (8, 512), (4, 256), (2, 64))  # of `mcmdp`
SPACES = {
    # The space of the recorded games; it stays the same if the space of `mcmdp` changes.
    "recorded": Space(
        (
            *(count(f"theta{k}", *ends) for k, ends in enumerate(PLAYOUTS, 1)),
            NumericParameter("theta5", 1.0, 10.0, log=True),
            NumericParameter("theta6", 0.05, 1.0),
        )
    ),
    "saturating": Space((*(count(f"n{k}", 4, 1024) for k in range(1, 5)), *unit("r", "s"))),
    "two_regimes": Space(unit("depth", "effort", "setting", "damping", "extra")),
    "steps": Space(
        (
            NumericParameter("depth", 1, 10, integer=True),
            count("leaves", 2, 512),
            *unit("pruning"),
            NumericParameter("share", 0.05, 1.0),
        )
    ),
    "cliffs": Space(unit("a", "b", "c", "d", "effort")),
    "small_2048": Space(small_game.PARAMETERS),
}
CLOSED_FORMS = (saturating, two_regimes, steps, cliffs)
SURFACES = tuple(SPACES)


@cache
def surface(name: str) -> Surface:
    """Return the surface called ``name``, made once per process; InputError if there is none."""
    if name not in SPACES:
        raise InputError(f"surface must be one of {', '.join(SURFACES)} (got {name!r})")
    if name == "recorded":
        return recorded()
    if name == "small_2048":
        return Surface(name, SPACES[name], small_game.true, small_game.factors, is_small=True)
    return Surface(name, SPACES[name], next(f for f in CLOSED_FORMS if f.__name__ == name))
