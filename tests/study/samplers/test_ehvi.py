"""Expected hypervolume improvement: by hand, and against plain counting of rectangles."""

import math
from itertools import pairwise

import numpy as np
import pytest

from thetafront.study.pareto import hypervolume
from thetafront.study.samplers.ehvi import (
    Floats,
    Strips,
    expected_excess,
    expected_improvement,
    strips_of,
)

REFERENCE = np.array([0.0, 0.0])
FRONT = np.array([[1.0, 5.0], [3.0, 4.0], [6.0, 1.0]])


def phi(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


def cdf(z: float) -> float:
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


def area(points: list[tuple[float, float]], r: tuple[float, float]) -> float:
    """Add up the rectangles of a grid through all points that some point dominates."""
    inside = [(a, b) for a, b in points if a > r[0] and b > r[1]]
    xs = sorted({r[0], *(a for a, _ in inside)})
    ys = sorted({r[1], *(b for _, b in inside)})
    total = 0.0
    for left, right in pairwise(xs):
        for low, high in pairwise(ys):
            if any(a >= right and b >= high for a, b in inside):
                total += (right - left) * (high - low)
    return total


def improvement(front: Floats, mean: list[float], deviation: list[float]) -> float:
    strips = strips_of(np.reshape(front, (1, -1, 2)), REFERENCE)
    return float(expected_improvement(strips, np.array([[mean]]), np.array([deviation]))[0])


@pytest.mark.parametrize(
    ("point", "gain"),
    [
        ((4.0, 3.0), (4 - 3) * (3 - 1)),  # a corner between two
        ((2.0, 4.5), (2 - 1) * (4.5 - 4)),
        ((7.0, 0.5), (7 - 6) * 0.5),  # beyond an end
        ((0.5, 6.0), 0.5 * (6 - 5)),
        ((7.0, 6.0), 42 - (5 + 8 + 3)),  # dominates all
        ((3.5, 4.5), 0.5 * (4.5 - 1) + 2 * 0.5),  # dominates the middle one
        ((3.0, 4.0), 0.0),  # on the front
        ((2.0, 3.0), 0.0),  # dominated
        ((3.0, 5.0), 2 * 1),  # level with two
        ((-1.0, 9.0), 0.0),  # below the reference
        ((9.0, -1.0), 0.0),
        ((0.0, 9.0), 0.0),
    ],
)
def test_a_certain_point_adds_its_area(point: tuple[float, float], gain: float) -> None:
    assert improvement(FRONT, list(point), [0.0, 0.0]) == pytest.approx(gain, abs=1e-12)


def test_an_empty_front_by_hand() -> None:
    """All that counts is the rectangle over the reference, (1.5, 0.5) expected at σ = (0.5, 1)."""
    first = 0.5 * phi(3.0) + 1.5 * cdf(3.0)
    second = phi(0.5) + 0.5 * cdf(0.5)
    for front in (np.empty((0, 2)), np.array([[-1.0, 9.0], [9.0, -1.0], [0.0, 0.0]])):
        assert improvement(front, [1.5, 0.5], [0.5, 1.0]) == pytest.approx(
            first * second, rel=1e-12
        )


@pytest.mark.parametrize("mean", [(4.0, 3.0), (2.0, 2.0), (7.0, -1.0), (-1.0, 3.0)])
def test_against_monte_carlo(mean: tuple[float, float]) -> None:
    deviation = (1.5, 0.8)
    rng = np.random.default_rng(3)
    base = [(float(a), float(b)) for a, b in FRONT]
    draws = rng.normal(mean, deviation, (4000, 2)).tolist()
    gains = [area([*base, (a, b)], (0.0, 0.0)) - area(base, (0.0, 0.0)) for a, b in draws]
    error = np.std(gains) / np.sqrt(len(gains))
    assert improvement(FRONT, list(mean), list(deviation)) == pytest.approx(
        np.mean(gains), abs=4.0 * error + 1e-9
    )


def hypervolume_of(strips: Strips, draw: int) -> float:
    """Return what lies below the strips: each closed one is as high as its floor."""
    edges, floors = strips[0][draw], strips[1][draw]
    widths = np.diff(edges)
    real = floors > REFERENCE[1]
    return float(np.sum(widths[real] * (floors[real] - REFERENCE[1])))


def test_below_the_strips_lies_the_hypervolume() -> None:
    """Fronts of many sizes, some empty, with points outside and duplicates, all in one array."""
    draws = np.random.default_rng(4).normal(0.3, 1.0, (60, 9, 2))
    draws[:10, 4:] = draws[:10, :5]
    draws[10:13] = -1.0
    strips = strips_of(draws, REFERENCE)
    for draw in range(len(draws)):
        points = [(float(a), float(b)) for a, b in draws[draw]]
        plain = area(points, (0.0, 0.0))
        assert hypervolume_of(strips, draw) == pytest.approx(plain, abs=1e-12)
        closed = hypervolume(draws[draw, :, 0], 10.0 ** -draws[draw, :, 1], 0.0, 1.0)
        assert closed == pytest.approx(plain, abs=1e-9)


def test_draws_are_averaged() -> None:
    draws = np.random.default_rng(5).normal(0.5, 1.0, (7, 6, 2))
    rng = np.random.default_rng(6)
    mean, deviation = rng.normal(0.5, 1.0, (5, 7, 2)), rng.uniform(0.1, 1.0, (5, 2))
    together = expected_improvement(strips_of(draws, REFERENCE), mean, deviation)
    alone = [
        expected_improvement(strips_of(draws[[k]], REFERENCE), mean[:, [k]], deviation)
        for k in range(7)
    ]
    np.testing.assert_allclose(together, np.mean(alone, axis=0), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e15, 1e40])
def test_units_do_not_matter(scale: float) -> None:
    draws, mean, deviation = FRONT[None] * scale, np.array([[[4.0, 3.0]]]) * scale, np.ones((1, 2))
    gain = expected_improvement(strips_of(draws, REFERENCE), mean, deviation * scale)[0]
    assert gain == pytest.approx(improvement(FRONT, [4.0, 3.0], [1.0, 1.0]) * scale**2, rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_the_excess_of_what_is_certain_or_nearly_so() -> None:
    mean, deviation = np.array([-3.0, 0.0, 3.0]), np.array([0.0, 1e-300, 1e-20, 1e-3])
    excess = expected_excess(np.zeros(1), mean[:, None], deviation)
    np.testing.assert_allclose(excess, np.maximum(mean, 0.0)[:, None] + np.zeros(4), atol=1e-3)
    assert np.all(expected_excess(np.array([1e100]), mean, np.ones(3)) == 0.0)
