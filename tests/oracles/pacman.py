"""Pacman in plain Python, on sets of cells and fractions: slow, and written from the rules only.

It knows no half cells, flat indices or kernels. Directions are letters. It shares with the engine
the order of the five actions, and the random words.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.oracles.twenty48 import substream, words

SLIP, GHOSTS = 5, 6  # purposes of random streams

LETTERS = "NESW."
VECTORS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0), ".": (0, 0)}
LEFT_OF = {"N": "W", "W": "S", "S": "E", "E": "N"}
RIGHT_OF = {left: right for right, left in LEFT_OF.items()}
BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}

Cell = tuple[int, int]
Place = tuple[Fraction, Fraction]
FULL = Fraction(2**32)
EIGHT_TENTHS = Fraction(8, 10)


def moved(place: tuple, letter: str, by: Fraction = Fraction(1)) -> Place:
    dx, dy = VECTORS[letter]
    return place[0] + dx * by, place[1] + dy * by


def apart(one: tuple, two: tuple) -> Fraction:
    return abs(one[0] - two[0]) + abs(one[1] - two[1])


@dataclass
class Ghost:
    home: tuple
    place: tuple
    heading: str | None = None
    timer: int = 0


@dataclass
class Game:
    text: str
    seed: int
    directional: bool = field(default=False, compare=False)
    most_steps: int = field(default=10_000, compare=False)
    p_chosen: Fraction = field(default=EIGHT_TENTHS, compare=False)
    walls: set = field(default_factory=set)
    food: set = field(default_factory=set)
    capsules: set = field(default_factory=set)
    ghosts: list = field(default_factory=list)
    pacman: tuple = (0, 0)
    score: int = 0
    turn: int = 0
    outcome: str = "running"

    def __post_init__(self) -> None:
        lines = self.text.strip("\n").split("\n")
        ghosts = []
        for line_number, line in enumerate(lines):
            for x, character in enumerate(line):
                cell = (x, len(lines) - 1 - line_number)
                if character == "%":
                    self.walls.add(cell)
                elif character == ".":
                    self.food.add(cell)
                elif character == "o":
                    self.capsules.add(cell)
                elif character == "P":
                    self.pacman = cell
                elif character in "G1234":
                    ghosts.append((1 if character == "G" else int(character), cell))
        self.ghosts = [Ghost(cell, cell) for _, cell in sorted(ghosts)]

    def stream(self, purpose: int) -> int:
        return substream(substream(self.seed, purpose), self.turn)

    def step(self, letter: str) -> int:
        """One turn, with the random words that the kernel's documentation defines."""
        before = self.score
        self.move_pacman(letter, next(words(self.stream(SLIP))))
        ghost_words = words(self.stream(GHOSTS))
        self.turn += 1
        self.score -= 1
        self.eat()
        for ghost in self.ghosts:
            self.test(ghost)
        for ghost in self.ghosts:
            if self.outcome != "running":
                break
            self.move_ghost(ghost, next(ghost_words))
            self.test(ghost)
        if self.outcome == "running" and self.turn == self.most_steps:
            self.outcome = "cut"
        return self.score - before

    def move_pacman(self, letter: str, word: int) -> None:
        if letter == ".":
            return
        if (word >> 32) >= round(self.p_chosen * FULL):
            letter = RIGHT_OF[letter] if word % 2 else LEFT_OF[letter]
        if moved(self.pacman, letter) not in self.walls:
            self.pacman = moved(self.pacman, letter)

    def eat(self) -> None:
        if self.pacman in self.food:
            self.food.remove(self.pacman)
            self.score += 10
            if not self.food:
                self.score += 500
                self.outcome = "won"
        if self.pacman in self.capsules:
            self.capsules.remove(self.pacman)
            for ghost in self.ghosts:
                ghost.timer = 40

    def test(self, ghost: Ghost) -> None:
        if apart(ghost.place, self.pacman) > Fraction(7, 10):
            return
        if ghost.timer:
            self.score += 200
            ghost.place, ghost.heading, ghost.timer = ghost.home, None, 0
        elif self.outcome != "won":
            self.score -= 500
            self.outcome = "lost"

    def choices(self, ghost: Ghost) -> list[str]:
        if any(coordinate % 1 for coordinate in ghost.place):
            assert ghost.heading is not None
            return [ghost.heading]
        ways = [way for way in "NESW" if moved(ghost.place, way) not in self.walls]
        if ghost.heading is not None and ways != [BACK[ghost.heading]]:
            ways = [way for way in ways if way != BACK[ghost.heading]]
        return ways

    def move_ghost(self, ghost: Ghost, word: int) -> None:
        ways = self.choices(ghost)
        speed = Fraction(1, 2) if ghost.timer else Fraction(1)
        if self.directional and len(ways) > 1 and (word >> 32) < round(EIGHT_TENTHS * FULL):
            distance = {way: apart(moved(ghost.place, way, speed), self.pacman) for way in ways}
            wanted = max(distance.values()) if ghost.timer else min(distance.values())
            ways = [way for way in ways if distance[way] == wanted]
        ghost.heading = ways[(word % 2**32) * len(ways) // 2**32] if ways else None
        if ghost.heading:
            ghost.place = moved(ghost.place, ghost.heading, speed)
        if ghost.timer:
            ghost.timer -= 1
            if not ghost.timer:
                ghost.place = tuple(
                    (coordinate + Fraction(1, 2)) // 1 for coordinate in ghost.place
                )


def cells(game: Game) -> list[Cell]:
    """All that are no walls, in the order in which states are numbered."""
    rows = game.text.strip("\n").split("\n")
    everywhere = [(x, y) for x in range(len(rows[0])) for y in range(len(rows))]
    return [cell for cell in everywhere if cell not in game.walls]


def game_of(world: Any) -> Game:
    """The state of one of the engine's games, as the plain rules have it."""
    p_chosen = Fraction(int(world.setup.chosen), 2**32)
    game = Game(world.layout.text, int(world.setup.seed), p_chosen=p_chosen)
    food, capsules, everywhere = world.food, world.capsules, cells(game)
    game.food = {cell for cell in everywhere if food[cell]}
    game.capsules = {cell for cell in everywhere if capsules[cell]}
    game.pacman, game.score, game.turn = world.pacman, world.score, world.n_steps
    game.outcome = world.outcome.name.lower()
    for ghost, seen in zip(game.ghosts, world.ghosts, strict=True):
        ghost.place = (Fraction(seen.x), Fraction(seen.y))
        ghost.heading = None if seen.direction is None else "NESW"[seen.direction]
        ghost.timer = seen.timer
    return game
