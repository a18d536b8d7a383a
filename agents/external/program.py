"""Agents that are programs, in any language.

With the protocol *once*, a new process is started for each game. On its command line, the values of
parameters replace ``{name}`` and the seed replaces ``{seed}``. The process also reads these values
from one JSON line on its standard input, such as ``{"seed": 7, "depth": 3}``. The last line of its
output is the report: a JSON object, or the objective's value alone. The CPU seconds of the game are
those of the process and of the children it has waited for.

A parameter is inactive if it depends on a condition that θ does not meet. Then it is not in the
JSON line, and a word of the command that contains its ``{name}`` is left out. If the word is only
``{name}``, an option before it (as in ``--batch {batch}``) is left out, too.

With the protocol *serve*, each worker starts one process for all its games. The process answers
each JSON line with one line, until its input ends. The first game of the process is played and
discarded, so start-up time does not count. The CPU seconds of a game are those that the process and
its descendants spend between the JSON line and the answer.

A game that fails is not tried again. The failure counts against θ, and a game with another seed is
played instead.
"""

import hashlib
import json
import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from thetafront.agents.agent import N_DIGITS, Agent, ChangedError, GameError, check_seed, digits
from thetafront.agents.external.child import Child, get_server, shown
from thetafront.agents.external.limits import Limits
from thetafront.agents.external.report import Report, ReportedGame, ReportError
from thetafront.agents.external.source import Stamp, read_stamps
from thetafront.agents.parameters import Value

SEED = "seed"
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")
MAX_NAME_LENGTH = 255  # of a file


class Protocol(StrEnum):
    """How a program plays games."""

    ONCE = "once"
    SERVE = "serve"


@dataclass(frozen=True)
class Program(Limits):
    """A program that plays games, within limits.

    Attributes
    ----------
    command : tuple of str
        The program and its arguments. ``{name}`` stands for a parameter, and ``{seed}`` for the
        seed.
    folder : str
        The folder in which the program runs, by default the current one. Paths in the command are
        relative to this folder.
    protocol : Protocol or str
        Whether there is one process per game, or one per worker.
    named : tuple of str
        Files that the command does not name, but on which games depend.
    report : Report
        The fields that the program must report about a game.

    Raises
    ------
    ValueError
        If there is no such program or protocol, or a limit is not above 0.
    """

    command: tuple[str, ...]
    folder: str = "."
    protocol: Protocol | str = Protocol.ONCE
    named: tuple[str, ...] = ()
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.protocol not in list(Protocol):
            allowed = " or ".join(Protocol)
            raise ValueError(f"protocol must be {allowed} (got {self.protocol!r})")
        object.__setattr__(self, "protocol", Protocol(self.protocol))
        for name in ("command", "named"):
            object.__setattr__(self, name, tuple(getattr(self, name)))  # lists could not be hashed
        if not self.command or not self.command[0]:
            raise ValueError("command must be a program and its arguments (got nothing)")
        self.stamps  # noqa: B018, raises ValueError if the program does not exist
        names = set(placeholders(" ".join(self.command)))
        if names and self.protocol is Protocol.SERVE:
            raise ValueError(
                f"command must not contain {{{min(names)}}}: under the serve protocol, a program "
                "plays all games in one process and reads θ from its input"
            )

    def check_names(self, names: tuple[str, ...]) -> None:
        """Raise ValueError if a placeholder has a format, or is neither parameter nor seed."""
        allowed = "|".join((*names, SEED))
        for word in self.command:
            # A $ before it, or a space or a quote in it, shows that it is code, as of a shell.
            pattern = rf"(?<![{{$])\{{({allowed})(?=[!:])(![rsa])?(:[^{{}}\s'\"]*)?\}}"
            if formatted := re.search(pattern, word):
                raise ValueError(
                    f"command must contain values without formats (got {formatted[0]} in {word!r}; "
                    f"write {{{formatted[1]}}}, or {{{formatted[0]}}} for literal braces)"
                )
            for name in placeholders(word):
                if name not in {*names, SEED}:
                    raise ValueError(
                        f"command must contain only {', '.join((*names, SEED))} in braces (got "
                        f"{{{name}}} in {word!r}; write {{{{{name}}}}} for literal braces)"
                    )

    @cached_property
    def executable(self) -> str:
        """The path of the program; ValueError if there is none."""
        given = self.command[0]
        name = os.path.abspath(Path(self.folder, given)) if "/" in given else given
        found = shutil.which(name, path=self.environment.get("PATH"))
        if found is None:
            why = "cannot be executed" if Path(name).exists() and "/" in given else "does not exist"
            raise ValueError(f"command: {given!r} {why}")
        return os.path.abspath(found)

    @property
    def files(self) -> list[Path]:
        """The program and all files in ``command`` and ``named``: its games may depend on them."""
        words = [
            *(each for each in self.command[1:] if len(os.fsencode(each)) < MAX_NAME_LENGTH),
            *self.named,
        ]
        named = [Path(self.folder, word) for word in words]
        return [Path(self.executable), *(path for path in named if path.is_file())]

    @cached_property
    def digest(self) -> str:
        """A digest of the contents of :attr:`files`."""
        whole = hashlib.sha256()
        for path in self.files:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        return whole.hexdigest()[:N_DIGITS]

    @cached_property
    def stamps(self) -> dict[Path, Stamp]:
        """Inode, size and modification time of each file at the first call, to detect changes."""
        return read_stamps(self.files)

    def check_unchanged(self) -> None:
        """Raise ChangedError if a file has changed since :attr:`stamps` were read."""
        now = read_stamps(self.stamps)
        for path, stamp in self.stamps.items():
            if now[path] != stamp:
                raise ChangedError(f"{path} has changed since the run began")

    def as_record(self) -> dict[str, Any]:
        """Return the record of the program that a study stores, as JSON data."""
        return {
            "command": list(self.command),
            "protocol": str(self.protocol),
            "time_limit": self.seconds,
            "memory_limit": self.memory,
            **({"cpu_time_limit": self.cpu_seconds} if math.isfinite(self.cpu_seconds) else {}),
            # Digests, not values: secrets must not be stored or published.
            "environment": {name: digits(each) for name, each in self.environment.items()},
            "files": list(self.named),
        }

    def words(self, theta: Mapping[str, Value], seed: int) -> tuple[str, ...]:
        """Return the words of the command for one game."""
        values = {**theta, SEED: seed}

        def filled(match: re.Match[str]) -> str:
            name = match.group(1)
            if name is None:
                return match.group()[0]
            value = values[name]
            return str(value).lower() if isinstance(value, bool) else str(value)

        words: list[str] = []
        for word, before in zip(self.command[1:], self.command, strict=False):
            if all(name in values for name in placeholders(word)):
                words.append(PLACEHOLDER.sub(filled, word))
            elif (
                PLACEHOLDER.fullmatch(word)
                and before.startswith("-")
                and all(name in values for name in placeholders(before))
            ):
                words.pop()  # the option whose value is left out
        return (self.executable, *words)

    def start(self, theta: Mapping[str, Value], seed: int) -> Child:
        """Start a process with the command of a game."""
        return Child(self.words(theta, seed), Path(self.folder), self)

    def serve(self, line: bytes) -> Child:
        """Start a process that serves, and discard its first game, in which it may compile code."""
        child = self.start({}, 0)
        child.ask(line, parsed)
        return child

    def answer(self, theta: Mapping[str, Value], seed: int) -> tuple[Any, float]:
        """Play a game; return its report, as JSON data, and the CPU seconds that the game took.

        GameError if the program fails, gives no readable answer, or exceeds a limit.
        """
        line = json.dumps({SEED: seed, **theta}).encode() + b"\n"
        if self.protocol is Protocol.SERVE:
            server = get_server((self, *self.stamps.items()), lambda: self.serve(line))
            return server.ask_timed(line, lambda said: parsed(said, seed))
        child = self.start(theta, seed)
        return child.ask(line, lambda said: parsed(said, seed), last=True), child.end()


def placeholders(word: str) -> Iterator[str]:
    """Yield the names in braces that one word of a command contains."""
    return (name for name in PLACEHOLDER.findall(word) if name)


def parsed(said: bytes, seed: int | None = None) -> Any:
    """Read a program's answer.

    GameError if it is neither a JSON object nor a number, or if it belongs to another game.
    """
    if not said.strip():
        raise GameError("ended without a report")
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict | int | float):
        raise GameError(f"report must be a JSON object or number in one line (got {shown(said)})")
    if isinstance(found, dict) and seed is not None and found.pop(SEED, seed) != seed:
        raise GameError(f"report {shown(said)} is for a seed other than {seed}")
    return found


@dataclass(frozen=True)
class ProgramAgent(Agent):
    """An agent that plays by running a program with one θ."""

    name: ClassVar[str] = "program"
    is_ours: ClassVar[bool] = False

    program: Program
    theta: tuple[tuple[str, Value], ...]

    @property
    def depends_on(self) -> Mapping[str, Value]:
        return {**dict(self.theta), "program": self.program.digest}

    def warm_up(self) -> None:
        """Do nothing: a process that serves discards its first game when it is started."""

    def play(self, seed: int) -> ReportedGame:
        check_seed(seed)
        self.program.check_unchanged()
        try:
            answer, seconds = self.program.answer(dict(self.theta), seed)
            return self.program.report.game(seed, answer, seconds)
        except (ReportError, GameError) as error:
            raise GameError(f"{error} (seed {seed})") from None
