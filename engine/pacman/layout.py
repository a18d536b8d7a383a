"""Mazes as text drawings.

The characters are ``%`` for a wall, ``.`` for food, ``o`` for a capsule, ``P`` for Pacman's start,
``G`` or a digit from 1 to 4 for a ghost's start, and a space for an empty cell. The first line is
the top of the maze; (x, y) is counted from (0, 0) at the bottom left. Ghosts move in the order of
their digits; ``G`` counts as 1. Ghosts with the same digit move in ascending order of (x, y).

Published drawings are read as in the engine that they were made for: blanks around a line are
ignored, and the first line gives the width of the maze. If a later line is longer than the first
and the excess is only walls, these are cut off and a note says so; any other excess makes the maze
invalid.

A maze is refused if its lines differ in length, if its border has a gap, or if it does not have
exactly one Pacman. A maze that cannot be won is also refused: one without food, or with food out of
Pacman's reach. Capsules and ghosts may be walled in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from thetafront.engine.pacman import maze
from thetafront.engine.pacman.maze import Flags, Maze

WALL, FOOD, CAPSULE, GHOST, PACMAN, OPEN = "%.oGP "
NUMBERS = {GHOST: 1, "1": 1, "2": 2, "3": 3, "4": 4}
"""The number of each ghost character; ghosts move in the order of these numbers."""
CHARACTERS = {WALL, FOOD, CAPSULE, PACMAN, OPEN, *NUMBERS}
CHARACTERS_SHOWN = (
    f"{WALL} (wall), {FOOD} (food), {CAPSULE} (capsule), {GHOST} or 1 to 4 (ghost), "
    f"{PACMAN} (Pacman) and space"
)
BLANKS = " \t"

UNNAMED = "unnamed"
"""The name of a maze that is given as text."""

MIN_SIDE, MAX_SIDE = 3, 64  # cells along a side
MAX_GHOSTS = 16
MAX_BYTES = 100_000  # of a file; the largest maze needs far less

FOLDER = Path(__file__).resolve().parent / "layouts"


class LayoutName(StrEnum):
    """The mazes that come with the game."""

    SMALL = "small"
    MEDIUM = "medium"


LAYOUTS = tuple(each.value for each in LayoutName)


@dataclass(frozen=True)
class Layout:
    r"""A maze at the start of a game: a name for messages, and the lines of a drawing, top first.

    ``notes`` say what :meth:`parse` cut off; comparing two layouts ignores their notes.

    Raises
    ------
    ValueError
        If the maze is refused: see the docstring of the module.

    Examples
    --------
    >>> tiny = Layout.parse("%%%%%\n%P .%\n%%%%%", "tiny")
    >>> tiny.width, tiny.height, tiny.pacman, tiny.food[3, 1]
    (5, 3, (1, 1), np.True_)
    """

    name: str
    rows: tuple[str, ...]
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only name and rows; each process builds the arrays of a maze once."""
        return same_layout, (self.name, self.rows)

    def __post_init__(self) -> None:
        for problem in self.problems():
            raise ValueError(f"layout {self.name} must {problem}")

    @classmethod
    def parse(cls, text: str, name: str = UNNAMED) -> "Layout":
        """Read a drawing (see the module's docstring); ignore blank lines at its end."""
        given = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        lines = "\n".join(line.strip(BLANKS) for line in given).rstrip("\n").split("\n")
        width = len(lines[0])
        cut = [k for k, line in enumerate(lines) if width and set(line[width:]) == {WALL}]
        for k in cut:
            lines[k] = lines[k][:width]
        if not cut:
            return cls(name, tuple(lines))
        numbers = ", ".join(str(k + 1) for k in cut)
        note = (
            f"layout {name}: line 1 ends at column {width}; walls further right are cut off in "
            f"{'line' if len(cut) == 1 else 'lines'} {numbers}"
        )
        return cls(name, tuple(lines), (note,))

    @classmethod
    def load(cls, path: str | Path) -> "Layout":
        """Read the drawing ``NAME.lay``; ValueError if it cannot be read or the maze is refused."""
        path = Path(path)
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise ValueError(f"layout: {path} is not a file")  # reading a pipe may never end
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
            if len(content) > MAX_BYTES:
                raise ValueError(
                    f"layout file {path} must be a maze of up to {MAX_SIDE} x {MAX_SIDE} cells "
                    f"(got more than {MAX_BYTES:,} bytes)"
                )
            text = content.decode("ascii")
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise ValueError(f"layout file {path} cannot be read: {reason}") from None
        except UnicodeDecodeError as error:
            raise ValueError(
                f"layout file {path} must be plain text of {CHARACTERS_SHOWN} (got byte value "
                f"{error.object[error.start]} at position {error.start})"
            ) from None
        return cls.parse(text, path.stem)

    @classmethod
    def named(cls, name: str) -> "Layout":
        """Return a maze that comes with the game; ValueError if none has this name."""
        if name not in LAYOUTS:
            raise ValueError(f"layout must be {' or '.join(LAYOUTS)} (got {name!r})")
        return cls.load(FOLDER / f"{name}.lay")

    @classmethod
    def find(cls, given: str) -> "Layout":
        """Return the maze with this name, or :meth:`load` the ``.lay`` file at this path."""
        if given in LAYOUTS:
            return cls.named(given)
        if given.endswith(".lay"):
            return cls.load(given)
        raise ValueError(
            f"layout must be {' or '.join(LAYOUTS)}, or the path of a .lay file (got {given!r})"
        )

    def problems(self) -> Iterator[str]:
        """Say what the layout must be or have; later checks rely on earlier ones."""
        if not any(self.rows):
            yield "have a drawing (got none)"
        if not self.rows[0]:
            yield "begin with the top of the maze (line 1 is empty)"
        for number, row in enumerate(self.rows, 1):
            if len(row) != self.width:
                wanted = f"{self.width} characters in line {number}, as in line 1"
                yield f"have {wanted} (got {len(row)})"
        for side, n in (("width", self.width), ("height", self.height)):
            if not MIN_SIDE <= n <= MAX_SIDE:
                yield f"have a {side} between {MIN_SIDE} and {MAX_SIDE} (got {n})"
        for number, row in enumerate(self.rows, 1):
            for column, character in enumerate(row, 1):
                if character not in CHARACTERS:
                    got = f"{character!r} in line {number}, column {column}"
                    yield f"be drawn with {CHARACTERS_SHOWN} (got {got})"
        n_pacmen, n_ghosts = len(self.places(PACMAN)), len(self.ghosts)
        if n_pacmen != 1:
            yield f"have 1 Pacman ({PACMAN}) (got {n_pacmen})"
        if n_ghosts > MAX_GHOSTS:
            yield f"have 0 to {MAX_GHOSTS} ghosts ({GHOST}) (got {n_ghosts})"
        for number, row in enumerate(self.rows, 1):
            outermost = number in (1, self.height)
            for column, character in enumerate(row, 1):
                if character != WALL and (outermost or column in (1, self.width)):
                    got = f"{character!r} in line {number}, column {column}"
                    yield f"have walls ({WALL}) on its border (got {got})"
        if not self.food.any():
            yield f"have food ({FOOD}) (got none)"
        # In plain Python, so that importing experiments, which checks layouts, loads no kernel.
        walls, reached = self.walls, [self.pacman]
        out_of_reach = self.food
        out_of_reach[self.pacman] = False
        for x, y in reached:  # the list grows during this loop
            for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if not walls[cell]:
                    walls[cell] = True
                    out_of_reach[cell] = False
                    reached.append(cell)
        for x, y in np.argwhere(out_of_reach).tolist():
            place = f"line {self.height - y}, column {x + 1}"
            yield f"have its food within Pacman's reach (got food out of reach in {place})"

    @property
    def width(self) -> int:
        """Cells from west to east."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Cells from south to north."""
        return len(self.rows)

    @property
    def walls(self) -> Flags:
        """Where walls are, shape (width, height): ``walls[x, y]``."""
        return self.marked(WALL)

    @property
    def food(self) -> Flags:
        """Where food is, shape (width, height)."""
        return self.marked(FOOD)

    @property
    def capsules(self) -> Flags:
        """Where capsules are, shape (width, height)."""
        return self.marked(CAPSULE)

    @property
    def pacman(self) -> tuple[int, int]:
        """Where Pacman starts, (x, y)."""
        return self.places(PACMAN)[0]

    @property
    def ghosts(self) -> tuple[tuple[int, int], ...]:
        """Where each ghost starts, (x, y), in the order in which the ghosts move."""
        found = [(k, place) for sign, k in NUMBERS.items() for place in self.places(sign)]
        return tuple(place for _, place in sorted(found))

    @property
    def text(self) -> str:
        """The drawing as one string."""
        return "\n".join(self.rows)

    @cached_property
    def maze(self) -> Maze:
        """The maze in the form that kernels take."""
        return maze.build(self.walls, self.food, self.capsules, self.pacman, self.ghosts)

    def marked(self, character: str) -> Flags:
        """Mark the cells that show a character, shape (width, height)."""
        upwards = [[given == character for given in row] for row in reversed(self.rows)]
        return np.array(upwards, np.bool_).T.copy()

    def places(self, character: str) -> tuple[tuple[int, int], ...]:
        """List the cells (x, y) that show a character, in ascending order."""
        return tuple((x, y) for x, y in np.argwhere(self.marked(character)).tolist())


@lru_cache(maxsize=32)
def same_layout(name: str, rows: tuple[str, ...]) -> Layout:
    """Return an unpickled layout: the same object for equal arguments."""
    return Layout(name, rows)
