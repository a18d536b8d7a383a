"""Fronts and hypervolumes against brute force and against counting."""

import math

import numpy as np
import pytest

from thetafront.study.pareto import hypervolume, n_dominating_layers, nondominated, p_on_front


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


def test_hypervolume_of_one_point_is_a_rectangle() -> None:
    """3,000 points above the reference, two decades faster: 6,000 points · decades."""
    assert hypervolume(np.array([4000.0]), np.array([1e-4]), 1000.0, 1e-2) == pytest.approx(6000.0)


def test_hypervolume_of_two_points_is_two_rectangles() -> None:
    scores, costs = np.array([1000.0, 5000.0]), np.array([1e-5, 1e-3])
    assert hypervolume(scores, costs, 0.0, 1e-2) == pytest.approx(2 * 1000 + 1 * 5000)


def test_points_beyond_the_reference_add_nothing() -> None:
    scores, costs = np.array([50.0, -1.0, 9e9]), np.array([0.1, 1e-9, 1e-2])
    assert hypervolume(scores, costs, 0.0, 1e-2) == 0.0
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


def test_p_on_front_counts_worlds_by_definition() -> None:
    """Against the definition, world by world; ties in both objectives leave all on the front."""
    rng = np.random.default_rng(7)
    draws = rng.integers(0, 5, (200, 9, 2)).astype(float)
    counted = np.zeros(9)
    for world in draws:
        for i in front_by_definition(world[:, 0], -world[:, 1]):
            counted[i] += 1
    np.testing.assert_allclose(p_on_front(draws), counted / 200, rtol=1e-12)


def test_p_on_front_of_points_that_no_draw_confuses_is_0_or_1() -> None:
    certain = np.array([[1.0, 5.0], [3.0, 3.0], [2.0, 2.0], [9.0, 1.0]])
    worlds = certain + np.random.default_rng(8).uniform(-0.1, 0.1, (50, 4, 2))
    np.testing.assert_array_equal(p_on_front(worlds), [1.0, 1.0, 0.0, 1.0])


def test_p_on_front_of_equals_is_what_counting_orders_says() -> None:
    """Of n equals in cost, one is on the front: 1/n each. With a cost each, rank k: 1/k.

    20,000 worlds: within five standard errors.
    """
    scores = np.random.default_rng(9).standard_normal((20_000, 4))
    tolerance = 5.0 * math.sqrt(0.25 / 20_000)
    same = np.stack([scores, np.zeros_like(scores)], axis=-1)
    np.testing.assert_allclose(p_on_front(same), np.full(4, 0.25), atol=tolerance)
    dearer = np.stack([scores, np.broadcast_to(-np.arange(4.0), scores.shape)], axis=-1)
    np.testing.assert_allclose(p_on_front(dearer), [1.0, 1 / 2, 1 / 3, 1 / 4], atol=tolerance)


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
