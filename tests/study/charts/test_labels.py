"""Numbers beside points: they lie on no point and on no other number."""

from itertools import combinations

import numpy as np
import pytest

from thetafront.study.charts.chart import Axis
from thetafront.study.charts.labels import MARKER, Box, placed_labels, places


def point(x: float, y: float, half: float = MARKER / 2) -> Box:
    return Box(x - MARKER / 2, y - half, x + MARKER / 2, y + half)


def test_a_number_stands_close_above_its_point_on_the_right() -> None:
    (box,) = places([point(100.0, 100.0)], ["1"])
    assert 100.0 < box.left < 100.0 + 2 * MARKER
    assert 100.0 < box.bottom < 100.0 + 2 * MARKER


def test_neighbours_have_their_numbers_in_their_order() -> None:
    first, second = places([point(100.0, 100.0), point(104.0, 101.0)], ["2", "3"])
    assert first.right <= second.left
    crowded = [point(220, 88), point(276, 80), point(287, 81, 2), point(292, 81, 6)]
    *_, named, last = places(crowded, ["10", "11", "12 level 12", "13"])
    assert named.left < last.left or last.top <= named.bottom, "in one line they have their order"


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_a_crowded_front_do_not_overlap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0.0, 400.0, 14))
    points = [point(at, at / 2 + rng.normal(0.0, 5.0), rng.uniform(5.0, 25.0)) for at in x]
    found = places(points, [f"{k}" for k in range(1, 15)])
    assert all(a.overlap(b) == 0.0 for a, b in combinations(found, 2))
    assert all(text.overlap(each) == 0.0 for text in found for each in points)


def test_texts_are_moved_from_their_points_and_stay_in_the_panel() -> None:
    x = Axis("", 1.0, 100.0, {}, is_log=True)
    y = Axis("", 0.0, 10.0, {})
    first, last = placed_labels(
        [
            {"x": 10.0, "y": 5.0, "low": 4.0, "high": 6.0, "label": "1"},
            {"x": 50.0, "y": 5.0},
            {"x": 100.0, "y": 10.0, "label": "2 a long name"},
        ],
        x,
        y,
    )
    assert first["dx"] > 0.0
    assert first["dy"] > 0.0
    assert last["dx"] < 0.0, "at the panel's upper right corner, the text is on its lower left"
    assert last["dy"] < 0.0


def test_labels_avoid_the_points_of_a_narrow_panel() -> None:
    x, y = Axis("", 0.0, 100.0, {}), Axis("", 0.0, 10.0, {})
    rows = [{"x": 50.0, "y": 5.0, "label": "7 a long name"}, {"x": 63.5, "y": 5.5}]
    (wide,), (narrow,) = placed_labels(rows, x, y), placed_labels(rows, x, y, 400.0)
    assert wide["dx"] > 0.0, "there is room on the right"
    assert narrow["dx"] < 0.0, "the second point is where the label was"


def test_a_name_without_room_gives_way_to_its_number() -> None:
    x, y = Axis("", 0.0, 100.0, {}), Axis("", 0.0, 10.0, {})
    crowd = [{"x": 20.0 + 6 * k % 60, "y": 4.0 + 0.2 * (k // 10)} for k in range(110)]
    named = {"x": 51.0, "y": 5.0, "label": "7 a name", "short": "7"}
    (label,) = placed_labels([named], x, y)
    assert label["label"] == "7 a name"
    assert "short" not in label
    (label,) = placed_labels([*crowd, named], x, y)
    assert label["label"] == "7"
