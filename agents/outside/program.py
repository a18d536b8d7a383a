"""Agents that are programs, in any language.

By the protocol *once* a game is a process. θ and the seed are in its command line, where that has
``{name}`` or ``{seed}``, and always in one JSON line on its standard input, such as
``{"seed": 7, "depth": 3}``. The last line of its output is the report: a JSON object, or the
objective's value alone. CPU seconds are those of the process and of children it has waited for.

By *serve* a worker starts one process, which answers each such line with one line, until its input
ends. A first game is played when it starts and thrown away, so that starting costs nothing; CPU
seconds are what the process took from the line to its answer.

A game that fails is played once more, by a new process, before its error counts.
"""

import atexit
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from agents.agent import N_DIGITS, Agent, ChangedError, GameError, check_seed
from agents.outside.child import Child, end_children
from agents.outside.report import Report, ReportedGame, ReportError
from agents.outside.source import Stamp, stamps_of
from agents.parameters import Value

SEED = "seed"
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")
LONGEST_NAME = 255  # of a file
SHOWN = 60  # characters of an answer in a message
TRIES = 2
SECONDS = 300.0


class Protocol(StrEnum):
    """How a program plays games."""

    ONCE = "once"
    SERVE = "serve"


@dataclass(frozen=True)
class Program:
    """A program that plays games.

    Attributes
    ----------
    command : tuple of str
        The program and its arguments, with ``{name}`` for parameters and ``{seed}``.
    folder : str
        Where it runs, the current folder by default; paths in the command are relative to it.
    protocol : Protocol
        A process a game, or one process a worker.
    seconds : float
        Wall-clock time that a game may take.
    memory : int
        Bytes that its processes may have in memory; 0 for no limit.
    environment : mapping of str to str
        Variables beside those of thetafront's own process.
    named : tuple of str
        Other files that games depend on.
    report : Report
        What it must tell of a game.

    Raises
    ------
    ValueError
        If there is no such program, or a limit is not above 0.
    """

    command: tuple[str, ...]
    folder: str = "."
    protocol: Protocol = Protocol.ONCE
    seconds: float = SECONDS
    memory: int = 0
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    named: tuple[str, ...] = ()
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        if not self.command or not self.command[0]:
            raise ValueError("command: nothing given, a program and its arguments allowed")
        self.stamps  # noqa: B018, refuses a program that is not there
        if not 0 < self.seconds < float("inf"):
            raise ValueError(f"time_limit: {self.seconds:g} given, seconds above 0 allowed")
        names = {name for word in self.command for name in placeholders(word)}
        if names and self.protocol is Protocol.SERVE:
            raise ValueError(
                f"command: {{{min(names)}}} given, but a program that serves has all games in one "
                "process; it reads θ from its input"
            )

    def check_names(self, names: tuple[str, ...]) -> None:
        """Refuse, by ValueError, placeholders that are no parameters."""
        for word in self.command:
            for name in placeholders(word):
                if name not in {*names, SEED}:
                    raise ValueError(
                        f"command: {{{name}}} given in {word!r}, one of "
                        f"{', '.join((*names, SEED))} allowed (write {{{{{name}}}}} for braces)"
                    )

    @cached_property
    def executable(self) -> str:
        """The path of the program; ValueError if there is none."""
        given = self.command[0]
        name = str(Path(self.folder, given)) if "/" in given else given
        found = shutil.which(name, path=self.environment.get("PATH"))
        if found is None:
            why = "cannot be executed" if Path(name).exists() and "/" in given else "is not there"
            raise ValueError(f"command: {given!r} given, which {why}")
        return os.path.abspath(found)

    @property
    def files(self) -> list[Path]:
        """The program, and all files that its command names: what its games may depend on."""
        words = [*(word for word in self.command[1:] if len(word) < LONGEST_NAME), *self.named]
        named = [Path(self.folder, word) for word in words]
        return [Path(self.executable), *(path for path in named if path.is_file())]

    @cached_property
    def digest(self) -> str:
        """Digits that name the content of :attr:`files`."""
        whole = hashlib.sha256()
        for path in self.files:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        return whole.hexdigest()[:N_DIGITS]

    @cached_property
    def stamps(self) -> dict[Path, Stamp]:
        """What tells that a file is as it was when this was first asked for."""
        return stamps_of(self.files)

    def check_unchanged(self) -> None:
        """Refuse, by ChangedError, to play if a file has changed since."""
        now = stamps_of(self.stamps)
        for path, stamp in self.stamps.items():
            if now[path] != stamp:
                raise ChangedError(f"{path} has changed since the run began")

    def as_record(self) -> dict[str, Any]:
        """Return what a study remembers of it, as JSON data."""
        return {
            "command": list(self.command),
            "protocol": self.protocol.value,
            "time_limit": self.seconds,
            "memory_limit": self.memory,
            # Not the values: what is stored and published is no place for secrets.
            "environment": {name: digest_of_text(each) for name, each in self.environment.items()},
            "files": list(self.named),
        }

    def words(self, theta: Mapping[str, Value], seed: int) -> tuple[str, ...]:
        """Return the command of one game."""
        values = {**theta, SEED: seed}

        def filled(match: re.Match[str]) -> str:
            name = match.group(1)
            return match.group()[0] if name is None else str(values[name])

        return (self.executable, *(PLACEHOLDER.sub(filled, word) for word in self.command[1:]))

    def start(self, words: tuple[str, ...]) -> Child:
        """Start a process."""
        return Child(words, Path(self.folder), dict(self.environment), self.memory)

    def answer(self, theta: Mapping[str, Value], seed: int) -> tuple[Any, float]:
        """Play a game; return its report, as JSON data, and the CPU seconds that it took.

        Raises
        ------
        GameError
            If the program fails, answers nothing that can be read, or exceeds a limit.
        """
        line = json.dumps({SEED: seed, **theta}).encode() + b"\n"
        if self.protocol is Protocol.SERVE:
            return server_of(self, line).answer(line, seed)
        child = self.start(self.words(theta, seed))
        used = 0.0
        try:
            said = child.answer(line, self.seconds, last=True)
        finally:
            used = child.end()
        return parsed(said, seed), used

    def __hash__(self) -> int:
        return hash((self.command, self.folder, self.protocol))


class Server:
    """A process that answers games, one after the other."""

    def __init__(self, program: Program, line: bytes) -> None:
        self.program = program
        self.child = program.start(program.words({}, 0))
        self.is_ended = False
        self.answer(line, None)  # thrown away: it may compile, or read its data

    def answer(self, line: bytes, seed: int | None) -> tuple[Any, float]:
        """Play a game as :meth:`Program.answer` does; after an error the process has ended."""
        try:
            self.child.look(0)
            if self.child.pending:
                raise GameError(f"wrote more than a line: {shown(self.child.pending)}")
            before = self.child.cpu_seconds()
            said = self.child.answer(line, self.program.seconds, last=False)
            used = self.child.cpu_seconds() - before
            return parsed(said, seed), used
        except BaseException as error:
            self.end()
            if isinstance(error, OSError):  # it ended between an answer and a look at its clock
                raise GameError(f"ended by itself{self.child.said}") from None
            raise

    def end(self) -> None:
        """End the process."""
        if not self.is_ended:
            self.is_ended = True
            self.child.end()


SERVERS: dict[Program, Server] = {}
"""The processes of this worker, by program."""


def server_of(program: Program, line: bytes) -> Server:
    """Return the process that serves a program's games; start one if there is none."""
    server = SERVERS.get(program)
    if server is None or server.is_ended:
        server = SERVERS[program] = Server(program, line)
    return server


def end_programs() -> None:
    """End all processes of games of this worker."""
    for server in SERVERS.values():
        server.end()
    SERVERS.clear()
    end_children()


atexit.register(end_programs)


def digest_of_text(text: str) -> str:
    """Return digits that name a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:N_DIGITS]


def placeholders(word: str) -> Iterator[str]:
    """Yield the names in braces of a word of a command."""
    return (name for name in PLACEHOLDER.findall(word) if name)


def parsed(said: bytes, seed: int | None) -> Any:
    """Read a program's answer; GameError if it is no JSON object or number, or of another game."""
    if not said.strip():
        raise GameError("ended without an answer")
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict | int | float):
        raise GameError(f"{shown(said)} answered, a JSON object in one line allowed")
    if isinstance(found, dict) and seed is not None and found.pop(SEED, seed) != seed:
        raise GameError(f"{shown(said)} answered, which is the game of another seed than {seed}")
    return found


def shown(said: bytes) -> str:
    """Write an answer for a message."""
    text = repr(said.decode(errors="replace"))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


@dataclass(frozen=True)
class ProgramAgent(Agent):
    """A program with one θ.

    Attributes
    ----------
    program : Program
        What plays.
    theta : tuple of (str, int or float or str)
        θ, by name.
    """

    name: ClassVar[str] = "program"
    is_ours: ClassVar[bool] = False

    program: Program
    theta: tuple[tuple[str, Value], ...]

    @property
    def made_of(self) -> Mapping[str, Value]:
        return {**dict(self.theta), "program": self.program.digest}

    def warm_up(self) -> None:
        """Do nothing: a process that serves is warm when it has started."""

    def play(self, seed: int) -> ReportedGame:
        check_seed(seed)
        self.program.check_unchanged()
        for k in range(TRIES):
            try:
                answer, seconds = self.program.answer(dict(self.theta), seed)
                return self.program.report.game(seed, answer, seconds)
            except ReportError as error:
                raise GameError(f"{error} (seed {seed})") from None
            except GameError as error:
                if k == TRIES - 1:
                    raise GameError(f"{error} (seed {seed})") from None
        raise AssertionError
