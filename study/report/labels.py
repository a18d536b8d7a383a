"""Numbers beside points of a figure, placed so that they hide neither points nor one another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

FONT_SIZE = 8.0
CHARACTER_WIDTH, LINE_HEIGHT = 0.64, 1.0  # of a digit, in font sizes
ROOM = 3.0  # between two numbers
MARKER = 9.0  # width of what a point covers, in typographic points
GAPS = (2.0, 8.0, 15.0, 23.0)  # between a point and its number, the nearer ones first
# Above right first: a front rises to the right, so that the room above it is free.
DIRECTIONS = ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))


@dataclass(frozen=True)
class Box:
    """A rectangle, in typographic points."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: "Box") -> float:
        """Return the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)


def places(points: Sequence[Box], texts: Sequence[str]) -> list[Box]:
    """Choose a place for the text of each point.

    Each takes the nearest place that is free, or the one that covers least.

    Parameters
    ----------
    points : sequence of Box
        What each point covers, its interval included; from left to right.
    texts : sequence of str
        One a point.
    """
    taken: list[Box] = list(points)
    found = []
    for point, after, text in zip(points, [*points, None][1:], texts, strict=True):
        width, height = CHARACTER_WIDTH * FONT_SIZE * len(text) + ROOM, LINE_HEIGHT * FONT_SIZE
        x, y = (point.left + point.right) / 2, (point.bottom + point.top) / 2
        # Of two points side by side, the left one has its number on the left, away from the other.
        side, rise = 1, 1
        if after is not None and 0 <= after.left - point.left < 1.5 * MARKER:
            side, rise = -1, -1 if after.bottom + after.top > point.bottom + point.top else 1
        beside, beyond = MARKER / 2, (point.top - point.bottom) / 2
        best, least = None, float("inf")
        for gap in GAPS:
            for across, up in DIRECTIONS:
                from_x = beside + gap + width / 2
                from_y = gap + height / 2 + (beside if across else beyond)
                at_x, at_y = x + side * across * from_x, y + rise * up * from_y
                box = Box(at_x - width / 2, at_y - height / 2, at_x + width / 2, at_y + height / 2)
                covered = sum(box.overlap(other) for other in taken)
                if covered < least:
                    best, least = box, covered
            if least == 0.0:
                break
        assert best is not None
        taken.append(best)
        found.append(best)
    return found


def number_points(
    figure: Figure,
    axes: Axes,
    points: Iterable[tuple[float, float, float, float]],
    texts: Sequence[str],
) -> list[Box]:
    """Write a text beside each point; call it when all else is drawn.

    Parameters
    ----------
    figure, axes : Figure, Axes
        With their final limits and legends.
    points : iterable of (x, y, low, high)
        In data coordinates, with the ends of the interval.
    texts : sequence of str
        One a point.

    Returns
    -------
    list of Box
        Where the texts are, from the figure's lower left corner.
    """
    figure.draw_without_rendering()  # lays the figure out
    to_points = 72.0 / figure.dpi
    boxes, at = [], []
    for x, y, low, high in points:
        at_x, at_y = axes.transData.transform((x, y)) * to_points
        bottom, top = (axes.transData.transform((x, end))[1] * to_points for end in (low, high))
        half = MARKER / 2
        boxes.append(Box(at_x - half, min(bottom, at_y - half), at_x + half, max(top, at_y + half)))
        at.append((x, y, at_x, at_y))
    found = places(boxes, texts)
    for text, box, (x, y, at_x, at_y) in zip(texts, found, at, strict=True):
        middle = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        axes.annotate(
            text,
            (x, y),
            xytext=(middle[0] - at_x, middle[1] - at_y),
            textcoords="offset points",
            fontsize=FONT_SIZE,
            fontweight="bold",
            ha="center",
            va="center",
            zorder=6,
        )
    return found
