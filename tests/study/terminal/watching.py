"""Watching without a terminal: a fake user with a clock, and pictures as lines of text."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console, RenderableType
from rich.screen import Screen

from thetafront.study.terminal.keys import END
from thetafront.study.terminal.pace import OVER_KEYS, Stage, View


@dataclass
class FakeUser:
    """Presses keys at given times of its own clock, and leaves when that alone is left to do."""

    script: list[tuple[float, str]] = field(default_factory=list)
    ends_at: float = 1e5
    now: float = 0.0
    views: list[tuple[float, View[Any, Any]]] = field(default_factory=list)
    answer: Callable[[View[Any, Any]], str] | None = None

    def stage(self) -> Stage:
        return Stage(keyboard=self.read, show=self.show, clock=lambda: self.now)

    def show(self, view: View[Any, Any]) -> None:
        self.views.append((self.now, view))

    def read(self, timeout: float) -> list[str]:
        assert timeout >= 0
        if self.views and self.views[-1][1].keys == OVER_KEYS:
            return ["q"]
        if self.now >= self.ends_at:
            return [END]
        if self.answer:
            return [self.answer(self.views[-1][1])]
        until = self.now + timeout + 1e-9  # a wait is never too short
        if self.script and self.script[0][0] <= until:
            at, key = self.script.pop(0)
            self.now = max(self.now, at)
            return [key]
        self.now = until
        return []


def drawn(
    picture: Callable[[View[Any, Any], int, int], RenderableType],
    view: View[Any, Any],
    width: int,
    height: int,
) -> list[str]:
    """Return the lines of a terminal of that size that shows the picture of a view."""
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True)
    options = console.options.update(height=height)
    lines = console.render_lines(Screen(picture(view, width, height)), options)
    return ["".join(segment.text for segment in line) for line in lines]
