"""The process in which a user's Python code plays games.

The process answers each line of input with one line, like a program with the protocol *serve*
(:mod:`agents.external.program`). It inherits an open file with the player (the user's function or
class). After the first line it imports the player, and for each further line it plays a game. The
answer is the game as a row, or an error with its place in the user's code.

Answers are written to a copy of standard output. What the user's code prints goes to standard
error. The user's code reads an empty standard input.
"""

import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thetafront.agents.external.processes import cpu_seconds_of_descendants
from thetafront.agents.external.report import Report, ReportError
from thetafront.agents.external.source import Source, SourceError, format_error
from thetafront.agents.parameters import Value

MAIN = "__mp_main__"  # multiprocessing's name for the main module in a child process
Play = Callable[[int], Any]


class Host:
    """Plays the games of a function or class, and returns them as rows."""

    def __init__(self, what: Source | bytes, report: Report) -> None:
        self.what, self.report = what, report
        self.player: Any = None
        self.theta: Mapping[str, Value] = {}
        self.play: Play | None = None

    def load(self) -> None:
        """Import or unpickle the player, under names by which child processes can find it, too."""
        main = sys.modules["__main__"]
        if isinstance(self.what, Source):
            module = self.what.load(MAIN)
            if module.__name__ == MAIN:
                module.__spec__ = None  # child processes find the module by its path
                sys.modules["__main__"] = module
            self.player = getattr(module, self.what.name).agent
            return
        self.player = pickle.loads(self.what)
        function = getattr(self.player, "play", self.player)
        known = getattr(function, "__globals__", {})
        vars(main).update({name: each for name, each in known.items() if name[:2] != "__"})

    def row(self, seed: int, theta: Mapping[str, Value]) -> Mapping[str, Any]:
        """Play a game; return its row."""
        if self.play is None or theta != self.theta:
            self.theta, self.play = theta, self.make_play(theta)
        before, own_before = cpu_seconds_of_descendants(), time.process_time()
        found = self.play(seed)
        seconds = time.process_time() - own_before
        seconds += max(0.0, cpu_seconds_of_descendants() - before)
        return self.report.game(seed, found, seconds).to_row()

    def make_play(self, theta: Mapping[str, Value]) -> Play:
        """Return a function that takes a seed and plays a game with θ."""
        if isinstance(self.player, type):
            return self.player(**theta).play  # type: ignore[no-any-return]
        return lambda seed: self.player(seed=seed, **theta)

    def answer(self, line: bytes) -> Mapping[str, Any]:
        """Return a game's row, or the reason why there is none."""
        try:
            if self.player is None:
                self.load()
                return {}
            return self.row(**json.loads(line))
        except (SourceError, ReportError) as error:
            return {"error": str(error)}
        except BaseException as error:  # whatever the user's code raises
            place = None
            if isinstance(self.what, Source) and self.what.is_file:
                place = Path(self.what.module).parent
            return {"error": format_error(error, place)}


def main() -> None:
    """Answer each line of input, until the input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # until here ignored, as in the worker
    own = os.getpid()
    with os.fdopen(int(sys.argv.pop()), "rb") as file:
        host = Host(*pickle.load(file))
    for line in requests:
        found = host.answer(line)
        if os.getpid() != own:
            os._exit(0)  # a game has forked this process
        answers.write(json.dumps(found).encode() + b"\n")
        answers.flush()
