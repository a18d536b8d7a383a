"""A terminal taken over for a game and given back, and what remains of it: one line."""

import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.live import Live

from agents.agent import Agent, warm
from study.errors import InputError
from study.terminal.keys import keyboard
from study.terminal.pace import Stage
from study.terminal.position import Position
from study.terminal.screen import View, picture
from study.text import counted

Shown = TypeVar("Shown")
End = TypeVar("End")


def in_terminal(agent: Agent, game: Callable[[Stage[View]], Position]) -> Position:
    """Run a game on the terminal's alternate screen.

    Parameters
    ----------
    agent : Agent
        Whose kernels are to be warm.
    game : callable
        What is run there.

    Raises
    ------
    InputError
        If standard input or output is no terminal, or one that cannot place its cursor.
    """
    return on_screen(lambda: warm(agent), picture, game)


def on_screen(
    warm_up: Callable[[], object],
    picture_of: Callable[[Shown, int, int], RenderableType],
    game: Callable[[Stage[Shown]], End],
) -> End:
    """Run something on the terminal's alternate screen, and return what it returns.

    Parameters
    ----------
    warm_up : callable
        Called before.
    picture_of : callable
        Draws what is to be shown for a terminal of so many columns and rows.
    game : callable
        What is run there.

    Raises
    ------
    InputError
        As for :func:`in_terminal`.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("watch: a terminal is needed, as standard input and as standard output")
    console = Console(highlight=False)
    if console.is_dumb_terminal:
        shown = os.environ.get("TERM", "")
        raise InputError(f"watch: TERM={shown} given; a terminal that can place its cursor needed")
    with console.status("compiling"):
        warm_up()
    with (
        keyboard(sys.stdin.fileno()) as keys,
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):

        def show(view: Shown) -> None:
            live.update(picture_of(view, *console.size), refresh=True)

        return game(Stage(keys, show, time.monotonic))


def last_line(position: Position, command: str) -> str:
    """Say how a game ended, or where it was left, and what plays it again."""
    ended = "left" if position.legal else "ended"
    return (
        f"{ended} with {counted(position.score, 'point')} after {counted(position.n_moves, 'move')}, largest tile "
        f"{position.largest}, seed {position.seed}; again: {command}"
    )
