"""Mazes as people draw them: text in, arrays out.

=========  ========================================
``%``      wall
``.``      food
``o``      capsule
``P``      where Pacman starts, once
``G``      where a ghost starts; ghosts are numbered in reading order
space      nothing
=========  ========================================

The first line is the top of the maze, the last its bottom; (x, y) is counted from (0, 0) at the bottom left.

A maze is refused if its lines are of different lengths, its border is not all wall, it has not just one Pacman, no food,
or food that Pacman cannot come to: no game of it could be won. Capsules and ghosts may be walled in.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np

from engine.pacman import maze
from engine.pacman.maze import UNREACHABLE, Flags, Maze, steps_from

WALL, FOOD, CAPSULE, GHOST, PACMAN, OPEN = "%.oGP "
CHARACTERS = WALL + FOOD + CAPSULE + GHOST + PACMAN + OPEN

SMALLEST, LARGEST = 3, 64  # cells along a side
MOST_GHOSTS = 16
MOST_BYTES = 100_000  # of a file: many times what the largest maze takes, blank lines and all

FOLDER = Path(__file__).resolve().parent / "layouts"


class LayoutName(StrEnum):
    """The mazes that come with the game."""

    SMALL = "small"
    MEDIUM = "medium"


LAYOUTS = tuple(each.value for each in LayoutName)
"""Their names."""


@dataclass(frozen=True)
class Layout:
    r"""A maze and what lies in it when a game begins.

    Parameters
    ----------
    name : str
        What it is called in tables and messages.
    rows : tuple of str, shape (height,)
        The lines of the drawing, the top one first.

    Raises
    ------
    ValueError
        If the drawing is not that of a maze whose games can be won: see the module.

    Examples
    --------
    >>> tiny = Layout.parse("%%%%%\n%P .%\n%%%%%", "tiny")
    >>> tiny.width, tiny.height, tiny.pacman, tiny.food[3, 1]
    (5, 3, (1, 1), np.True_)
    """

    name: str
    rows: tuple[str, ...]

    def __post_init__(self) -> None:
        self.check_shape()
        self.check_characters()
        self.check_border()
        self.check_food()

    @classmethod
    def parse(cls, text: str, name: str) -> "Layout":
        """Read a drawing. Blank lines after its last are no part of it."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
        return cls(name, tuple(lines))

    @classmethod
    def load(cls, path: str | Path) -> "Layout":
        """Read a drawing from a file, and call it by the file's name without ``.lay``.

        Raises
        ------
        ValueError
            If the file cannot be read, or as for the class.
        """
        path = Path(path)
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise ValueError(f"layout: {path} given, which is not a file")  # may never end
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
            if len(content) > MOST_BYTES:
                raise ValueError(
                    f"layout: file {path} given, which holds more than {MOST_BYTES:,} bytes; a maze of up to "
                    f"{LARGEST} x {LARGEST} cells allowed"
                )
            text = content.decode("ascii")
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise ValueError(
                f"layout: file {path} given, which cannot be read: {reason}"
            ) from error
        except UnicodeDecodeError as error:
            raise ValueError(
                f"layout: file {path} given, which holds byte {error.object[error.start]} at {error.start}; plain text "
                f"of {described()} allowed"
            ) from error
        return cls.parse(text, path.stem)

    @classmethod
    def named(cls, name: str) -> "Layout":
        """Return one of the mazes that come with the game; ValueError if there is none of that name."""
        if name not in LAYOUTS:
            raise ValueError(f"layout: {name!r} given, {' or '.join(LAYOUTS)} allowed")
        return cls.load(FOLDER / f"{name}.lay")

    @classmethod
    def find(cls, given: str) -> "Layout":
        """Return the maze of that name, or read the file of that path, which ends in ``.lay``.

        Raises
        ------
        ValueError
            If there is no such name or file, or as for the class.
        """
        if given in LAYOUTS:
            return cls.named(given)
        if given.endswith(".lay"):
            return cls.load(given)
        raise ValueError(
            f"layout: {given!r} given, {' or '.join(LAYOUTS)} allowed, or the path of a file that ends in .lay"
        )

    def check_shape(self) -> None:
        """Refuse a drawing that is no rectangle, too small or too large."""
        if not any(self.rows):
            raise ValueError(f"layout {self.name}: nothing given, a drawn maze expected")
        if not self.rows[0]:
            raise ValueError(f"layout {self.name}: line 1 is empty, the top of the maze expected")
        for number, row in enumerate(self.rows, 1):
            if len(row) != self.width:
                characters = "character" if len(row) == 1 else "characters"
                raise ValueError(
                    f"layout {self.name}: line {number} has {len(row)} {characters}, {self.width} expected, as line 1 has"
                )
        for side, n in (("width", self.width), ("height", self.height)):
            if not SMALLEST <= n <= LARGEST:
                raise ValueError(
                    f"layout {self.name}: {side} of {n} given, {SMALLEST} to {LARGEST} allowed"
                )

    def check_characters(self) -> None:
        """Refuse what is no character of a maze, and more or fewer Pacmen than one."""
        for number, row in enumerate(self.rows, 1):
            for column, character in enumerate(row, 1):
                if character not in CHARACTERS:
                    raise ValueError(
                        f"layout {self.name}: {character!r} given in line {number}, column {column}; {described()} allowed"
                    )
        n_pacmen = sum(row.count(PACMAN) for row in self.rows)
        if n_pacmen != 1:
            raise ValueError(f"layout {self.name}: {n_pacmen} Pacmen ({PACMAN}) given, 1 expected")
        n_ghosts = sum(row.count(GHOST) for row in self.rows)
        if n_ghosts > MOST_GHOSTS:
            raise ValueError(
                f"layout {self.name}: {n_ghosts} ghosts ({GHOST}) given, 0 to {MOST_GHOSTS} allowed"
            )

    def check_border(self) -> None:
        """Refuse a maze that can be left."""
        for number, row in enumerate(self.rows, 1):
            outermost = number in (1, self.height)
            for column, character in enumerate(row, 1):
                if character != WALL and (outermost or column in (1, self.width)):
                    raise ValueError(
                        f"layout {self.name}: {character!r} given on the border, in line {number}, column {column}; "
                        f"a wall ({WALL}) expected"
                    )

    def check_food(self) -> None:
        """Refuse a maze without food, or with food that Pacman cannot come to."""
        if not self.food.any():
            raise ValueError(f"layout {self.name}: no food ({FOOD}) given, 1 or more expected")
        steps = steps_from(self.maze, np.array([self.maze.pacman]))
        out_of_reach = np.flatnonzero(self.maze.food & (steps == UNREACHABLE))
        if len(out_of_reach):
            x, y = divmod(int(out_of_reach[0]), self.height)
            raise ValueError(
                f"layout {self.name}: food given in line {self.height - y}, column {x + 1}, where no way leads from "
                "Pacman; food that he can reach expected"
            )

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
        """Where food lies, shape (width, height)."""
        return self.marked(FOOD)

    @property
    def capsules(self) -> Flags:
        """Where capsules lie, shape (width, height)."""
        return self.marked(CAPSULE)

    @property
    def pacman(self) -> tuple[int, int]:
        """Where Pacman starts, (x, y)."""
        return self.places(PACMAN)[0]

    @property
    def ghosts(self) -> tuple[tuple[int, int], ...]:
        """Where each ghost starts, (x, y)."""
        return self.places(GHOST)

    @property
    def text(self) -> str:
        """The drawing, its lines joined."""
        return "\n".join(self.rows)

    @cached_property
    def maze(self) -> Maze:
        """The maze as kernels take it."""
        return maze.build(self.walls, self.food, self.capsules, self.pacman, self.ghosts)

    def marked(self, character: str) -> Flags:
        """Mark the cells that a character stands in, shape (width, height)."""
        upwards = [[given == character for given in row] for row in reversed(self.rows)]
        return np.array(upwards, np.bool_).T.copy()

    def places(self, character: str) -> tuple[tuple[int, int], ...]:
        """List the cells (x, y) that a character stands in, in reading order."""
        return tuple(
            (x, self.height - 1 - line)
            for line, row in enumerate(self.rows)
            for x, given in enumerate(row)
            if given == character
        )


def described() -> str:
    """Say what a drawing may hold."""
    return f"{WALL} (wall), {FOOD} (food), {CAPSULE} (capsule), {GHOST} (ghost), {PACMAN} (Pacman) and space"
