"""Surfaces in closed form, for properties that the recorded one may lack.

Notation
--------
======  ============================================================================================
n₁…n₄   playouts in four kinds of position
qₖ      nₖ/(nₖ + hₖ), the share of the possible gain from playouts of kind k
r, s    the share of the work done, and a setting with its best value in between
m, e    how deep and how hard to search
L       leaves of a tree, a whole number
a…d     weights of four features of a position
======  ============================================================================================
"""

import numpy as np

from results.benchmarks.samplers.surface import Floats, Surface
from thetafront.study.experiments.space import NumericParameter, Space

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
LEAVES = (
    NumericParameter("depth", 1, 10, integer=True),
    NumericParameter("leaves", 2, 512, integer=True, log=True),
    NumericParameter("pruning", 0.0, 1.0),
)
STEPS = Space((*LEAVES, NumericParameter("share", 0.05, 1.0)))
CLIFFS = Space(tuple(NumericParameter(name, 0.0, 1.0) for name in ("a", "b", "c", "d", "effort")))


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


def leaves(points: Floats) -> Floats:
    """Return L: what depth, number and pruning leave of it, whichever is least."""
    depth, number, pruning = (each.axis.from_unit(points[:, k]) for k, each in enumerate(LEAVES))
    return np.maximum(1.0, np.floor(np.minimum(2.0**depth, number) * (1.0 - 0.9 * pruning**2)))


def steps_score(points: Floats) -> Floats:
    """Return scores that jump where a tree gets one leaf more."""
    found = leaves(points)
    gain = np.log2(found) / (2.0 + np.log2(found))
    return np.asarray(4_000.0 + 70_000.0 * gain * bump(points[:, 3], 0.7, 0.5))


def steps_seconds(points: Floats) -> Floats:
    """Return times by the leaves, which jump with them."""
    return np.asarray(1e-6 * (5.0 + 2.0 * leaves(points) * (0.5 + 0.5 * points[:, 3])))


def steps_surface() -> Surface:
    """Make the surface `steps`: score and cost go in steps, and one limit hides the others."""
    return Surface("steps", "steps", STEPS, steps_score, steps_seconds)


def cliffs_score(points: Floats) -> Floats:
    """Return scores that rise towards a cliff, behind which a feature's sign is wrong."""
    a, b, c, d, effort = points.T
    ridge = bump(a, 0.6, 0.25) * (0.4 + 0.6 * b) * bump(c - d, 0.1, 0.35)
    safe = 1.0 / (1.0 + np.exp((b - 0.25 - 0.7 * a) / 0.01))
    safe *= 1.0 / (1.0 + np.exp((0.3 - c - 0.2 * effort) / 0.01))
    return np.asarray(6_000.0 + 60_000.0 * ridge * (0.3 + 0.7 * safe) * (0.4 + 0.6 * effort))


def cliffs_seconds(points: Floats) -> Floats:
    """Return times from 10 to 200 µs."""
    *_, d, effort = points.T
    return np.asarray(10.0 ** (-5.0 + effort + 0.3 * d))


def cliffs_surface() -> Surface:
    """Make the surface `cliffs`: the best weights stand next to ones that lose most of it."""
    return Surface("cliffs", "cliffs", CLIFFS, cliffs_score, cliffs_seconds)
