"""The pace of a watched game of any kind: when keys are read, and when pictures are shown.

Nothing here depends on a terminal, so that a test can act as the user: keys come from a
:data:`~study.terminal.keys.Keyboard`, pictures go to ``show``, and a clock gives the time.
"""

import bisect
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thetafront.study.terminal.keys import END, RIGHT, Keyboard

SLOWEST, FASTEST = 0.5, 1000.0
SPEEDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

SECONDS_A_PICTURE = 1 / 30
POLL_INTERVAL = 0.25  # seconds between checks of the terminal's size if nothing else happens
MAX_LAG = 0.05  # seconds; later moves make up for a delay of up to this length
SECONDS_OF_PACE = 1.0
FAST_ENOUGH_TO_COUNT = 5.0  # moves per second; at lower speeds, no measured rate is shown

WATCHING_KEYS = (("space", "pause"), ("n →", "one step"), ("+ −", "speed"), ("q", "quit"))
OVER_KEYS = (("q", "quit"),)

State = TypeVar("State")
Decision = TypeVar("Decision")


@dataclass(frozen=True)
class View(Generic[State, Decision]):
    """The content of a picture."""

    player: str  # the agent's name and parameters, or `you, hints by …` if the user plays
    state: State  # of the game
    decision: Decision | None  # the agent's; None if it is not asked, or the game is over
    pace: str = ""  # how fast the game goes
    note: str = ""  # a remark of a few words
    keys: tuple[tuple[str, str], ...] = WATCHING_KEYS  # each key and what it does


@dataclass(frozen=True)
class Stage:
    """Where a game is played: its keys, a function that draws a view, and a clock in seconds."""

    keyboard: Keyboard
    show: Callable[[View[Any, Any]], None]
    clock: Callable[[], float]


@dataclass
class WatchedGame(Generic[State, Decision]):
    """A game and its player: the next action is decided and shown, but not yet carried out."""

    player: str  # the agent's name and parameters
    state: State  # at first, the state in which the game begins
    decide: Callable[[State], Decision | None]  # the agent's decision; None if the game is over
    after: Callable[[State, Decision], State]  # the state after a decision
    remark: Callable[[State], str]  # what is special about a state, in a few words

    def __post_init__(self) -> None:
        self.decision = self.decide(self.state)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to decide."""
        return self.decision is None

    def advance(self) -> None:
        """Carry out the decision, and decide again."""
        assert self.decision is not None
        self.state = self.after(self.state, self.decision)
        self.decision = self.decide(self.state)

    def view(self, pace: str) -> View[State, Decision]:
        """Return the content of a picture."""
        keys = OVER_KEYS if self.is_over else WATCHING_KEYS
        return View(self.player, self.state, self.decision, pace, self.remark(self.state), keys)


def faster(speed: float) -> float:
    """Return the next higher speed."""
    return SPEEDS[min(bisect.bisect_right(SPEEDS, speed), len(SPEEDS) - 1)]


def slower(speed: float) -> float:
    """Return the next lower speed."""
    return SPEEDS[max(bisect.bisect_left(SPEEDS, speed) - 1, 0)]


def quits(keys: Sequence[str]) -> bool:
    """Return whether the user quits."""
    return any(key in {"q", "Q", END} for key in keys)


def watch(game: WatchedGame[State, Decision], speed: float, stage: Stage) -> State:
    """Let a game play itself until the user quits; return its final state.

    ``speed`` is the initial speed in moves per second.
    """
    paused = False
    due = stage.clock() + 1 / speed  # when the action on the screen is carried out
    shown_at, changed = -SECONDS_A_PICTURE, True
    moved_at: deque[float] = deque()
    while True:
        now = stage.clock()
        if now >= shown_at + (SECONDS_A_PICTURE if changed else POLL_INTERVAL):
            while moved_at and moved_at[0] < now - SECONDS_OF_PACE:
                moved_at.popleft()
            pace = f"{speed:g} {'move' if speed == 1 else 'moves'}/s"
            if speed >= FAST_ENOUGH_TO_COUNT:
                pace += f" ({len(moved_at) / SECONDS_OF_PACE:.0f} now)"
            stage.show(game.view("" if game.is_over else "paused" if paused else pace))
            shown_at, changed = now, False

        until = shown_at + (SECONDS_A_PICTURE if changed else POLL_INTERVAL)
        if not (game.is_over or paused):
            until = min(until, due)
        keys = stage.keyboard(max(until - stage.clock(), 0.0))
        if quits(keys):
            return game.state
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
            due = max(due + 1 / speed, now - MAX_LAG)
        for _ in range(n_steps):
            if not game.is_over:
                game.advance()
                moved_at.append(now)
                changed = True
