"""Numbers beside points: they lie on no point and on no other number."""

from itertools import combinations

import numpy as np
import pytest

from thetafront.study.report.labels import MARKER, Box, number_points, places
from thetafront.study.report.style import new_figure


def point(x: float, y: float, half: float = MARKER / 2) -> Box:
    return Box(x - MARKER / 2, y - half, x + MARKER / 2, y + half)


def test_a_number_stands_close_above_its_point_on_the_right() -> None:
    (box,) = places([point(100.0, 100.0)], ["1"])
    assert 100.0 < box.left < 100.0 + 2 * MARKER
    assert 100.0 < box.bottom < 100.0 + 2 * MARKER


def test_neighbours_have_their_numbers_in_their_order() -> None:
    first, second = places([point(100.0, 100.0), point(104.0, 101.0)], ["2", "3"])
    assert first.right <= second.left


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_a_crowded_front_do_not_overlap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0.0, 400.0, 14))
    points = [point(at, at / 2 + rng.normal(0.0, 5.0), rng.uniform(5.0, 25.0)) for at in x]
    found = places(points, [f"{k}" for k in range(1, 15)])
    assert all(a.overlap(b) == 0.0 for a, b in combinations(found, 2))
    assert all(text.overlap(each) == 0.0 for text in found for each in points)


def test_numbers_are_placed_in_the_figure() -> None:
    figure, axes = new_figure(6.0, 4.0)
    axes.plot([1.0, 2.0], [3.0, 5.0], "o")
    boxes = number_points(figure, axes, [(1.0, 3.0, 2.9, 3.1), (2.0, 5.0, 5.0, 5.0)], ["1", "2"])
    assert [text.get_text() for text in axes.texts] == ["1", "2"]
    assert all(box.left > 0.0 and box.right < 6.0 * 72.0 for box in boxes)
