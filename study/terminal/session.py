"""Takes over the terminal for a game, and restores it."""

import os
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live

from thetafront.study.errors import InputError
from thetafront.study.interrupt import raised
from thetafront.study.terminal.keys import keyboard
from thetafront.study.terminal.pace import Stage, View

End = TypeVar("End")


def in_terminal(
    warm_up: Callable[[], object],
    picture: Callable[[Any, int, int], RenderableType],
    game: Callable[[Stage], End],
) -> End:
    """Run a game on the terminal's alternate screen, and return the result of ``game``.

    ``warm_up`` is called first, while the terminal says that code is being compiled. ``picture``
    draws a view for a terminal of given numbers of columns and rows. InputError if standard input
    or output is not a terminal, or the terminal lacks cursor positioning.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("watch: standard input and standard output must be a terminal")
    console = Console(highlight=False)
    if console.is_dumb_terminal:
        shown = os.environ.get("TERM", "")
        raise InputError(f"terminal must support cursor positioning (got TERM={shown})")
    with console.status("compiling"):
        warm_up()
    with (
        raised(),
        keyboard(sys.stdin.fileno()) as keys,
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):

        def show(view: View[Any, Any]) -> None:
            live.update(picture(view, *console.size), refresh=True)

        return game(Stage(keys, show, time.monotonic))
