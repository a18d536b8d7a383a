"""Fronts and hypervolumes against brute force and against counting."""

import math

import numpy as np
import pytest

from study.pareto import hypervolume, nondominated


def front_by_definition(scores: np.ndarray, seconds: np.ndarray) -> set[int]:
    def beats(i: int, j: int) -> bool:
        no_worse = scores[i] >= scores[j] and seconds[i] <= seconds[j]
        return no_worse and bool(scores[i] > scores[j] or seconds[i] < seconds[j])

    n = len(scores)
    return {j for j in range(n) if not any(beats(i, j) for i in range(n))}


def test_fronts_by_definition() -> None:
    """Random points, often equal in one objective or in both."""
    rng = np.random.default_rng(5)
    for _ in range(400):
        n = int(rng.integers(0, 25))
        scores = rng.integers(0, 8, n).astype(float)
        seconds = rng.integers(1, 8, n).astype(float)
        front = nondominated(scores, seconds)
        assert set(front.tolist()) == front_by_definition(scores, seconds)
        assert (np.diff(seconds[front]) >= 0).all()


def test_hypervolume_of_one_point_is_a_rectangle() -> None:
    """3,000 points above the reference, two decades faster: 6,000 points · decades."""
    assert hypervolume(np.array([4000.0]), np.array([1e-4]), 1000.0, 1e-2) == pytest.approx(6000.0)


def test_hypervolume_of_two_points_is_two_rectangles() -> None:
    scores, seconds = np.array([1000.0, 5000.0]), np.array([1e-5, 1e-3])
    assert hypervolume(scores, seconds, 0.0, 1e-2) == pytest.approx(2 * 1000 + 1 * 5000)


def test_points_beyond_the_reference_add_nothing() -> None:
    scores, seconds = np.array([50.0, -1.0, 9e9]), np.array([0.1, 1e-9, 1e-2])
    assert hypervolume(scores, seconds, 0.0, 1e-2) == 0.0
    assert hypervolume(np.empty(0), np.empty(0), 0.0, 1e-2) == 0.0


def test_hypervolume_counts_a_grid() -> None:
    """Against the share of 200 x 200 cell centres that some point dominates."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        scores = rng.uniform(0, 1, 8)
        exponents = rng.uniform(-3, 0, 8)
        axis = (np.arange(200) + 0.5) / 200
        below = scores[:, None, None] > axis[None, :, None]
        slower = exponents[:, None, None] < (3 * axis - 3)[None, None, :]
        counted = 3.0 * (below & slower).any(axis=0).mean()
        exact = hypervolume(scores, 10.0**exponents, 0.0, 1.0)
        assert math.isclose(exact, counted, abs_tol=3.0 * 8 / 200)
