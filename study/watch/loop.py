"""A game from its start until the person leaves: keys in, pictures out.

Nothing here knows a terminal: keys come from a :class:`~study.terminal.Keyboard`, pictures go to ``show``, and
the time is a clock's, so that a test can play the person.
"""

import bisect
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.twenty48 import Agent2048
from engine.twenty48 import Action, stream
from study.mind import ARROWS, Thought, think
from study.terminal import DOWN, END, LEFT, RIGHT, UP, Keyboard
from study.watch.position import Position
from study.watch.screen import View

__all__ = ["FASTEST", "SLOWEST", "Stage", "play_by_hand", "watch_agent"]

SLOWEST, FASTEST = 0.5, 1000.0
SPEEDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

SECONDS_A_PICTURE = 1 / 30
SECONDS_BETWEEN_LOOKS = 0.25  # at the terminal's size, where nothing else happens
MOST_LAG = 0.05  # seconds that moves may catch up with, after a picture; more is let go
SECONDS_OF_PACE = 1.0
FAST_ENOUGH_TO_COUNT = 5.0  # moves a second: fewer are no rate

WATCHING_KEYS = (("space", "pause"), ("n →", "one step"), ("+ −", "speed"), ("q", "quit"))
PLAYING_KEYS = (("← ↓ ↑ →", "wasd hjkl"), ("?", "hint"), ("q", "quit"))
OVER_KEYS = (("q", "quit"),)

MOVES = {
    **{UP: Action.UP, RIGHT: Action.RIGHT, DOWN: Action.DOWN, LEFT: Action.LEFT},
    **dict(zip("wdsa", Action, strict=True)),
    **dict(zip("kljh", Action, strict=True)),
}


@dataclass(frozen=True)
class Stage:
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


def think_of(agent: Agent2048, position: Position) -> Thought | None:
    """Ask an agent what it does in its own game of the position's seed; None where the game is over."""
    if not position.legal:
        return None
    decision = stream(position.seed, agent.purpose, position.n_moves)
    return think(agent, position.board, decision)


def remark(position: Position) -> str:
    """Say what leaves nothing to decide."""
    if not position.legal:
        return "game over"
    return "a single legal action" if len(position.legal) == 1 else ""


def faster(speed: float) -> float:
    """Return the next higher speed."""
    return SPEEDS[min(bisect.bisect_right(SPEEDS, speed), len(SPEEDS) - 1)]


def slower(speed: float) -> float:
    """Return the next lower speed."""
    return SPEEDS[max(bisect.bisect_left(SPEEDS, speed) - 1, 0)]


def quits(keys: Sequence[str]) -> bool:
    """Tell whether the person leaves."""
    return any(key in {"q", "Q", END} for key in keys)


def watch_agent(agent: Agent2048, player: str, seed: int, speed: float, stage: Stage) -> Position:
    """Let an agent play the game of a seed, at a pace to be watched.

    Parameters
    ----------
    agent : Agent2048
        Who plays.
    player : str
        Its name, to be shown.
    seed : int
        The game's seed; the game is that of ``agent.play(seed)``.
    speed : float
        Moves a second to begin with, 0.5 to 1000.
    stage : Stage
        Where.

    Returns
    -------
    Position
        Where the game stood when the person left.
    """
    position = Position.first(seed, agent.rule)
    agent = agent.in_game()  # which may keep something from move to move
    thought = think_of(agent, position)
    paused = False
    due = stage.clock() + 1 / speed  # when the action is carried out that is shown
    shown_at, changed = -SECONDS_A_PICTURE, True
    moved_at: deque[float] = deque()
    while True:
        now = stage.clock()
        if now >= shown_at + (SECONDS_A_PICTURE if changed else SECONDS_BETWEEN_LOOKS):
            while moved_at and moved_at[0] < now - SECONDS_OF_PACE:
                moved_at.popleft()
            pace = f"{speed:g} moves/s"
            if speed >= FAST_ENOUGH_TO_COUNT:
                pace += f" ({len(moved_at) / SECONDS_OF_PACE:.0f} now)"
            stage.show(
                View(
                    player=player,
                    position=position,
                    thought=thought,
                    pace="" if thought is None else "paused" if paused else pace,
                    note=remark(position),
                    keys=WATCHING_KEYS if thought else OVER_KEYS,
                )
            )
            shown_at, changed = now, False

        until = shown_at + (SECONDS_A_PICTURE if changed else SECONDS_BETWEEN_LOOKS)
        if thought and not paused:
            until = min(until, due)
        keys = stage.keyboard.read(max(until - stage.clock(), 0.0))
        if quits(keys):
            return position
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
            if thought:
                position = position.after(thought.decision.action)
                thought = think_of(agent, position)
                moved_at.append(now)
                changed = True


def play_by_hand(agent: Agent2048, player: str, seed: int, stage: Stage) -> Position:
    """Let a person play the game of a seed: the tiles that come are those of the agent's game.

    Parameters
    ----------
    agent : Agent2048
        Who gives hints.
    player : str
        What is shown as the player.
    seed : int
        The game's seed.
    stage : Stage
        Where.

    Returns
    -------
    Position
        Where the game stood when the person left.
    """
    position = Position.first(seed, agent.rule)
    hint: Thought | None = None
    note = ""
    while True:
        over = not position.legal
        stage.show(
            View(
                player=player,
                position=position,
                thought=hint,
                pace="",
                note=note or remark(position),
                keys=OVER_KEYS if over else PLAYING_KEYS,
            )
        )
        keys = stage.keyboard.read(SECONDS_BETWEEN_LOOKS)
        if quits(keys):
            return position
        for key in keys:
            action = MOVES.get(key if key in MOVES else key.lower())
            if action in position.legal:
                position = position.after(action)
                hint, note = None, ""
            elif action is not None and position.legal:
                note = f"no tile moves {action.name.lower()}"
            elif key == "?" and hint is None:
                hint = think_of(agent, position)
                if hint:
                    best = hint.decision.action
                    note = f"hint: {ARROWS[best]} {best.name.lower()}"
            elif key == "?":
                hint, note = None, ""
