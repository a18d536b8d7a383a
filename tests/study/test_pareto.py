"""Fronts and hypervolumes against brute force and against counting."""

import numpy as np
import pytest

from thetafront.study.pareto import (
    added_hypervolume,
    hypervolume,
    n_dominating_layers,
    nondominated,
    p_on_front,
)


def front_by_definition(scores: np.ndarray, costs: np.ndarray) -> set[int]:
    def beats(i: int, j: int) -> bool:
        no_worse = scores[i] >= scores[j] and costs[i] <= costs[j]
        return no_worse and bool(scores[i] > scores[j] or costs[i] < costs[j])

    n = len(scores)
    return {j for j in range(n) if not any(beats(i, j) for i in range(n))}


def test_fronts_by_definition() -> None:
    """Random points, often equal in one objective or in both."""
    rng = np.random.default_rng(5)
    for _ in range(400):
        n = int(rng.integers(0, 25))
        scores = rng.integers(0, 8, n).astype(float)
        costs = rng.integers(1, 8, n).astype(float)
        front = nondominated(scores, costs)
        assert set(front.tolist()) == front_by_definition(scores, costs)
        assert (np.diff(costs[front]) >= 0).all()


@pytest.mark.parametrize(
    ("scores", "costs", "reference", "area"),
    [
        ([4000.0], [1e-4], 1000.0, 6000.0),  # 3,000 points above it, two decades faster
        ([1000.0, 5000.0], [1e-5, 1e-3], 0.0, 2 * 1000 + 1 * 5000),
        ([50.0], [0.1], 0.0, 0.0),  # beyond the reference
        ([-1.0], [1e-9], 0.0, 0.0),
        ([9e9], [1e-2], 0.0, 0.0),
        ([50.0, -1.0, 9e9], [0.1, 1e-9, 1e-2], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_hypervolumes_are_rectangles(
    scores: list[float], costs: list[float], reference: float, area: float
) -> None:
    assert hypervolume(np.array(scores), np.array(costs), reference, 1e-2) == pytest.approx(area)


def test_p_on_front_counts_worlds_by_definition() -> None:
    """Against the definition, world by world; ties in both objectives leave all on the front."""
    rng = np.random.default_rng(7)
    draws = rng.integers(0, 5, (200, 9, 2)).astype(float)
    counted = np.zeros(9)
    for world in draws:
        for i in front_by_definition(world[:, 0], -world[:, 1]):
            counted[i] += 1
    np.testing.assert_allclose(p_on_front(draws), counted / 200, rtol=1e-12)


def test_p_on_front_of_one_point_is_1_and_of_none_is_empty() -> None:
    assert p_on_front(np.zeros((3, 1, 2))).tolist() == [1.0]
    assert p_on_front(np.zeros((3, 0, 2))).tolist() == []


def test_layers_are_those_of_peeled_fronts() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=(60, 2))
    expected = np.full(60, -1)
    for layer in range(60):
        left = np.flatnonzero(expected < 0)
        for i in left:
            better = (values[left] >= values[i]).all(axis=1) & (values[left] > values[i]).any(
                axis=1
            )
            if not better.any():
                expected[i] = layer
    np.testing.assert_array_equal(n_dominating_layers(values), expected)


def test_what_a_point_adds_is_the_difference_of_hypervolumes() -> None:
    rng = np.random.default_rng(5)
    front = np.stack([np.sort(rng.normal(size=40)), -np.sort(rng.normal(size=40))], axis=-1)
    reference = np.array([-3.0, -3.0])

    def total(points: np.ndarray) -> float:
        return hypervolume(points[:, 0], 10.0 ** -points[:, 1], -3.0, 10.0**3.0)

    for n in (1, 2, 9):
        known = front[rng.choice(40, n, replace=False)]
        expected = [total(np.vstack([known, point])) - total(known) for point in front]
        found = added_hypervolume(front, known, reference)
        np.testing.assert_allclose(found, expected, atol=1e-12)
