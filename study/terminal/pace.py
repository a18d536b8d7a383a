"""A game that plays itself, at a pace to be watched: keys in, pictures out, whatever is played.

Nothing here knows a terminal: keys come from a :class:`~study.terminal.keys.Keyboard`, pictures go to ``show``, and
the time is a clock's, so that a test can play the person.
"""

import bisect
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from study.terminal.keys import END, RIGHT, Keyboard

SLOWEST, FASTEST = 0.5, 1000.0
SPEEDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

SECONDS_A_PICTURE = 1 / 30
SECONDS_BETWEEN_LOOKS = 0.25  # at the terminal's size, where nothing else happens
MOST_LAG = 0.05  # seconds that moves may catch up with, after a picture; more is let go
SECONDS_OF_PACE = 1.0
FAST_ENOUGH_TO_COUNT = 5.0  # moves a second: fewer are no rate

WATCHING_KEYS = (("space", "pause"), ("n →", "one step"), ("+ −", "speed"), ("q", "quit"))
OVER_KEYS = (("q", "quit"),)

View = TypeVar("View")
Seen_co = TypeVar("Seen_co", covariant=True)


@dataclass(frozen=True)
class Stage(Generic[View]):
    """Where a game is played.

    Attributes
    ----------
    keyboard : Keyboard
        Where keys come from.
    show : callable
        Draws a view.
    clock : callable
        Returns the time in seconds.
    """

    keyboard: Keyboard
    show: Callable[[View], None]
    clock: Callable[[], float]


class Watched(Protocol[Seen_co]):
    """A game and who plays it: what is shown has been decided and not yet done."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be decided."""

    def advance(self) -> None:
        """Do what has been decided, and decide again."""

    def view(self, pace: str) -> Seen_co:
        """Return what a picture shows; ``pace`` is how fast the game goes, for people."""


def faster(speed: float) -> float:
    """Return the next higher speed."""
    return SPEEDS[min(bisect.bisect_right(SPEEDS, speed), len(SPEEDS) - 1)]


def slower(speed: float) -> float:
    """Return the next lower speed."""
    return SPEEDS[max(bisect.bisect_left(SPEEDS, speed) - 1, 0)]


def quits(keys: Sequence[str]) -> bool:
    """Tell whether the person leaves."""
    return any(key in {"q", "Q", END} for key in keys)


def watch(game: Watched[View], speed: float, stage: Stage[View]) -> None:
    """Let a game play itself until the person leaves.

    Parameters
    ----------
    game : Watched
        The game, at its start.
    speed : float
        Moves a second to begin with, 0.5 to 1000.
    stage : Stage
        Where.
    """
    paused = False
    due = stage.clock() + 1 / speed  # when the action is carried out that is shown
    shown_at, changed = -SECONDS_A_PICTURE, True
    moved_at: deque[float] = deque()
    while True:
        now = stage.clock()
        if now >= shown_at + (SECONDS_A_PICTURE if changed else SECONDS_BETWEEN_LOOKS):
            while moved_at and moved_at[0] < now - SECONDS_OF_PACE:
                moved_at.popleft()
            pace = f"{speed:g} {'move' if speed == 1 else 'moves'}/s"
            if speed >= FAST_ENOUGH_TO_COUNT:
                pace += f" ({len(moved_at) / SECONDS_OF_PACE:.0f} now)"
            stage.show(game.view("" if game.is_over else "paused" if paused else pace))
            shown_at, changed = now, False

        until = shown_at + (SECONDS_A_PICTURE if changed else SECONDS_BETWEEN_LOOKS)
        if not (game.is_over or paused):
            until = min(until, due)
        keys = stage.keyboard.read(max(until - stage.clock(), 0.0))
        if quits(keys):
            return
        n_steps = 0
        for key in keys:
            if key == " ":
                paused = not paused
                due = stage.clock()
            elif key in {"n", "N", RIGHT} and paused:
                n_steps += 1
            elif key in {"+", "="}:
                speed = faster(speed)
                due = min(due, stage.clock() + 1 / speed)
            elif key in {"-", "_"}:
                speed = slower(speed)
            changed = True
        now = stage.clock()
        if not paused and now >= due:
            n_steps += 1
            due = max(due + 1 / speed, now - MOST_LAG)
        for _ in range(n_steps):
            if not game.is_over:
                game.advance()
                moved_at.append(now)
                changed = True
