"""Labels beside points of a chart, placed so that they cover neither points nor one another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from thetafront.study.charts.chart import Axis, Row

FONT_SIZE = 8.0
DIGIT_WIDTH, LETTER_WIDTH, LINE_HEIGHT = 0.64, 0.54, 1.0  # in font sizes
ROOM = 3.0  # between two labels
MARKER = 9.0  # width of a point's mark, in typographic points
WIDTH, HEIGHT = 560.0, 310.0  # approximate size of a panel
GAPS = (2.0, 8.0, 15.0, 23.0)  # distances to try between a point and its label
NEAR = 9.0  # a text that is farther from its point than this, or covers something, is shortened
# The place above right is tried first: a front rises to the right, so there is room above it.
DIRECTIONS = ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))


@dataclass(frozen=True)
class Box:
    """A rectangle, in typographic points."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: "Box") -> float:
        """Return the area that both rectangles cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)


def placed_labels(rows: Sequence[Row], x: Axis, y: Axis, width: float = WIDTH) -> list[Row]:
    """Return the rows that have a ``label``, with the place of the label as ``dx`` and ``dy``.

    The middle of the label is ``dx`` typographic points to the right of the row's point (``x``,
    ``y``) and ``dy`` points above it, on a panel ``width`` points wide. Labels avoid the points of
    all rows, and their intervals from ``low`` to ``high``. A row that already has ``dx`` and ``dy``
    keeps them. If there is no room for a label near its point, the row's ``short`` label is used,
    if it has one.
    """
    rows = sorted(rows, key=lambda row: (row["x"], -row["y"]))
    boxes = [point_box(row, x, y, width) for row in rows]
    texts = [row.get("label", "") for row in rows]
    short = [row.get("short", text) for row, text in zip(rows, texts, strict=True)]
    whole = are_clear(boxes, places(boxes, texts, width), width)
    texts = [text if is_clear else s for text, s, is_clear in zip(texts, short, whole, strict=True)]
    return [
        {
            "dx": round((box.left + box.right) / 2 - share(row["x"], x) * width, 1),
            "dy": round((box.bottom + box.top) / 2 - share(row["y"], y) * HEIGHT, 1),
            **{key: value for key, value in row.items() if key != "short"},
            "label": text,
        }
        for row, box, text in zip(rows, places(boxes, texts, width), texts, strict=True)
        if "label" in row
    ]


def point_box(row: Row, x: Axis, y: Axis, width: float = WIDTH) -> Box:
    """Return the box of a row's point and its interval on a panel."""
    half, across, up = MARKER / 2, share(row["x"], x) * width, share(row["y"], y) * HEIGHT
    low, high = (share(row[end if end in row else "y"], y) * HEIGHT for end in ("low", "high"))
    return Box(across - half, min(low, up - half), across + half, max(high, up + half))


def share(value: float, axis: Axis) -> float:
    """Return the place of a value on an axis, from 0 to 1."""
    low, high = axis.low, axis.high
    if axis.is_log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return (value - low) / (high - low)


def places(points: Sequence[Box], texts: Sequence[str], panel_width: float = WIDTH) -> list[Box]:
    """Choose a place for the text of each point, from left to right.

    ``points`` are the boxes that the points cover. Each text takes the nearest free place or, if no
    place is free, the place where it covers least. Texts on one line keep the order of their
    points. An empty text takes its point's place.
    """
    taken: list[Box] = list(points)

    def cost(box: Box) -> float:
        done = taken[len(points) :]
        crossed = sum(box.left < a.left and box.bottom < a.top and a.bottom < box.top for a in done)
        return sum(map(box.overlap, taken)) + outside(box, panel_width) + crossed

    for point, after, text in zip(points, [*points, None][1:], texts, strict=True):
        if not text:
            taken.append(point)
            continue
        width, height = text_width(text) + ROOM, LINE_HEIGHT * FONT_SIZE
        x, y = (point.left + point.right) / 2, (point.bottom + point.top) / 2
        # If two points are side by side, the left point has its label on the left.
        side, rise = 1, 1
        if after is not None and 0 <= after.left - point.left < 1.5 * MARKER:
            side, rise = -1, -1 if after.bottom + after.top > point.bottom + point.top else 1
        beside, beyond = MARKER / 2, (point.top - point.bottom) / 2
        boxes = []
        for gap, (across, up) in product(GAPS, DIRECTIONS):
            from_y = gap + height / 2 + (beside if across else beyond)
            left = x + side * across * (beside + gap + width / 2) - width / 2
            bottom = y + rise * up * from_y - height / 2
            boxes.append(Box(left, bottom, left + width, bottom + height))
        taken.append(min(boxes, key=cost))
    return taken[len(points) :]


def text_width(text: str) -> float:
    """Return the approximate width of a text."""
    return FONT_SIZE * sum(DIGIT_WIDTH if each.isdigit() else LETTER_WIDTH for each in text)


def centred_text(text: str, place: tuple[float, float], axes: tuple[Axis, Axis], dy: float) -> Box:
    """Return the box of a text whose middle is ``dy`` points above a place on a panel."""
    middle, level = share(place[0], axes[0]) * WIDTH, share(place[1], axes[1]) * HEIGHT + dy
    width, height = text_width(text) + ROOM, LINE_HEIGHT * FONT_SIZE
    return Box(middle - width / 2, level - height / 2, middle + width / 2, level + height / 2)


def are_clear(points: Sequence[Box], texts: Sequence[Box], panel_width: float) -> list[bool]:
    """Return for each text whether it is near its point and covers no other point or text."""
    found = []
    for k, (point, text) in enumerate(zip(points, texts, strict=True)):
        others = [*points, *texts[:k], *texts[k + 1 :]]
        across = max(text.left - point.right, point.left - text.right)
        is_near = max(across, text.bottom - point.top, point.bottom - text.top) <= NEAR
        found.append(is_near and not sum(map(text.overlap, others)) + outside(text, panel_width))
    return found


def outside(box: Box, panel_width: float) -> float:
    """Return how much of a box's area is outside the panel."""
    inside = box.overlap(Box(0.0, 0.0, panel_width, HEIGHT))
    return (box.right - box.left) * (box.top - box.bottom) - inside
