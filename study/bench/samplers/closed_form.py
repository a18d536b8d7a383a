"""Surfaces in closed form, for properties that the recorded one may lack.

Notation
--------
======  ============================================================================================
n₁…n₄   playouts in four kinds of position
qₖ      nₖ/(nₖ + hₖ), the share of the possible gain from playouts of kind k
r, s    the share of the work done, and a setting with its best value in between
m, e    how deep and how hard to search
======  ============================================================================================
"""

import numpy as np

from study.bench.samplers.surface import Floats, Surface
from study.experiments.space import NumericParameter, Space

PLAYOUTS = tuple(NumericParameter(f"n{k}", 4, 1024, integer=True, log=True) for k in range(1, 5))
SATURATING = Space((*PLAYOUTS, NumericParameter("r", 0.0, 1.0), NumericParameter("s", 0.0, 1.0)))
HALF = np.array([60.0, 30.0, 15.0, 8.0])
WEIGHTS = np.array([0.35, 0.15, 0.1, 0.1])
COSTS = np.array([0.15, 0.25, 0.3, 0.3])  # microseconds a playout
TWO_REGIMES = Space(
    tuple(
        NumericParameter(name, 0.0, 1.0)
        for name in ("depth", "effort", "setting", "damping", "extra")
    )
)


def bump(x: Floats, centre: Floats | float, width: float) -> Floats:
    """Return exp(−½((x − centre)/width)²)."""
    return np.asarray(np.exp(-0.5 * ((x - centre) / width) ** 2))


def playouts(points: Floats) -> Floats:
    """Return n₁…n₄, shape (n, 4)."""
    columns = [each.axis.from_unit(points[:, k]) for k, each in enumerate(PLAYOUTS)]
    return np.column_stack(columns)


def saturating_score(points: Floats) -> Floats:
    """Return scores that rise with playouts ever more slowly, and pairwise together."""
    q = playouts(points)
    q = q / (q + HALF)
    r, s = points[:, 4], points[:, 5]
    gain = q @ WEIGHTS + 0.3 * q[:, 0] * q[:, 1]
    # The more playouts, the larger the best s.
    best = 0.25 + 0.35 * points[:, :4].mean(axis=1)
    return np.asarray(60_000.0 * gain * (1.0 - 0.3 * (1.0 - r) ** 2) * bump(s, best, 0.35))


def saturating_seconds(points: Floats) -> Floats:
    """Return times that are sums of costs, all scaled by the share r of them that is done."""
    return np.asarray(1e-6 * (8.0 + (playouts(points) @ COSTS) * (0.3 + 0.7 * points[:, 4])))


def saturating_surface() -> Surface:
    """Make the surface `saturating`: diminishing returns of six parameters that interact."""
    functions = saturating_score, saturating_seconds
    return Surface("saturating", "diminishing returns", SATURATING, *functions)


def two_regimes_score(points: Floats) -> Floats:
    """Return scores with two ridges: shallow search pays at once, deep search with much effort."""
    m, e, s, damping, extra = points.T
    shallow = 28_000.0 * (1.0 - np.exp(-0.4 - 3.0 * e)) * bump(m, 0.15, 0.22) * bump(s, 0.25, 0.2)
    deep = 62_000.0 / (1.0 + np.exp(-6.0 * (e - 0.45))) * bump(m, 0.8, 0.2) * bump(s, 0.75, 0.18)
    factor = bump(damping, 0.3 + 0.4 * s, 0.4) * (0.85 + 0.15 * np.sqrt(extra))
    return np.asarray(4_000.0 + factor * (shallow + deep))


def two_regimes_seconds(points: Floats) -> Floats:
    """Return times from 10 µs to 1 ms."""
    m, e, _, _, extra = points.T
    return np.asarray(10.0 ** (-5.0 + e + 0.8 * m + 0.2 * extra))


def two_regimes_surface() -> Surface:
    """Make the surface `two_regimes`: its front jumps from one region of the space to another."""
    functions = two_regimes_score, two_regimes_seconds
    return Surface("two_regimes", "two regimes", TWO_REGIMES, *functions)
