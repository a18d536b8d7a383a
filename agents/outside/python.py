"""Agents that are a user's Python functions or classes.

A *function* plays a game of θ and a seed, ``play(seed, effort, bias)``. A *class* is a frozen
dataclass whose fields are θ, with a method ``play(seed)``. Both return a report
(:mod:`agents.outside.report`): a mapping, the objective's value alone, or a
:class:`~agents.agent.Game`. CPU seconds are those of the process.

A function or class travels to workers as the :class:`~agents.outside.source.Source` of its
definition, which each of them imports. What was defined in a notebook or a script is pickled.
"""

import dataclasses
import hashlib
import inspect
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

from agents.agent import N_DIGITS, Agent, ChangedError, GameError, check_seed
from agents.outside.report import Report, ReportedGame, ReportError
from agents.outside.source import Source, told
from agents.parameters import Value

Player = Callable[..., Any]
"""A function, or a class with a method ``play``."""
WARM: set[Hashable] = set()
"""Code of which a game has been played in this process."""


def check_player(player: Any, names: tuple[str, ...]) -> None:
    """Refuse, by ValueError, what cannot play with these parameters."""
    label = getattr(player, "__qualname__", repr(player))
    if not callable(player):
        raise ValueError(f"agent: {player!r} given, a function or class with play(seed) allowed")
    if isinstance(player, type):
        if not callable(getattr(player, "play", None)):
            raise ValueError(f"agent: {label} given, which has no play(seed)")
        if not (dataclasses.is_dataclass(player) and is_frozen(player)):
            raise ValueError(
                f"agent: {label} given, whose state may change; a frozen dataclass allowed"
            )
        bound: tuple[str, ...] = names
    else:
        bound = ("seed", *names)
    try:
        inspect.signature(player).bind(**dict.fromkeys(bound))
    except TypeError as error:
        raise ValueError(
            f"agent: {label} cannot be called with {', '.join(bound)}: {error}"
        ) from None
    except ValueError:  # of a function in C, which does not tell its parameters
        return


def is_frozen(player: type) -> bool:
    """Return whether a dataclass is frozen."""
    return bool(player.__dataclass_params__.frozen)  # type: ignore[attr-defined]


def code_digest(player: Any) -> str:
    """Return digits that name the code of what a script or notebook defines; empty if unknown.

    It is of the source, and of what that refers to in the same module: functions, classes, plain
    values, values of enclosing functions.
    """
    texts: dict[int, str] = {}
    waiting = [player]
    while waiting:
        each = waiting.pop()
        if id(each) in texts:
            continue
        if isinstance(each, partial):
            texts[id(each)] = repr((each.args, each.keywords))
            waiting.append(each.func)
        elif isinstance(each, type) or inspect.isfunction(each):
            try:
                texts[id(each)] = inspect.getsource(each)
            except (OSError, TypeError):  # there is no file
                return ""
            waiting += referred_by(each)
        elif isinstance(each, int | float | str | bytes | bool | tuple | None):
            texts[id(each)] = repr(each)
    whole = "\n".join(sorted(texts.values()))
    return hashlib.sha256(whole.encode()).hexdigest()[:N_DIGITS] if whole else ""


def referred_by(player: Any) -> list[Any]:
    """Return what a function, or the methods of a class, refer to in their module."""
    if isinstance(player, type):
        return [each for each in vars(player).values() if inspect.isfunction(each)]
    known = player.__globals__
    named = [known[name] for name in player.__code__.co_names if name in known]
    here = [
        each
        for each in named
        if getattr(each, "__module__", player.__module__) == player.__module__
    ]
    return here + [cell.cell_contents for cell in player.__closure__ or ()]


@dataclass(frozen=True)
class PythonAgent(Agent):
    """A user's function or class with one θ.

    Attributes
    ----------
    player : callable, optional
        The function or class; None if it is to be imported.
    report : Report
        What it must tell of a game.
    theta : tuple of (str, int or float or str)
        θ, by name.
    source : Source, optional
        An experiment whose ``agent`` it is.
    digest : str
        That of the source when the study was opened.
    """

    name: ClassVar[str] = "python"
    is_ours: ClassVar[bool] = False

    player: Player | None
    report: Report
    theta: tuple[tuple[str, Value], ...]
    source: Source | None = None
    digest: str = ""

    @property
    def made_of(self) -> Mapping[str, Value]:
        return {**dict(self.theta), "source": str(self.source), "digest": self.digest}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the source instead of what it defines."""
        kept = self if self.source is None else replace(self, player=None)
        fields = (kept.player, kept.report, kept.theta, kept.source, kept.digest)
        return type(self), fields

    @cached_property
    def ready(self) -> Callable[[int], Any]:
        """What plays a game of a seed.

        Raises
        ------
        GameError
            If it cannot be imported.
        ChangedError
            If it has changed since the run began.
        """
        player = self.player
        if player is None:
            assert self.source is not None
            try:
                if self.source.digest != self.digest:
                    raise ChangedError(f"{self.source} has changed since the run began")
                player = getattr(self.source.load(), self.source.name).agent
            except (ValueError, AttributeError, OSError) as error:
                raise GameError(str(error)) from None
        theta = dict(self.theta)
        if isinstance(player, type):
            return player(**theta).play  # type: ignore[no-any-return]
        return lambda seed: player(seed=seed, **theta)

    @property
    def code(self) -> Hashable:
        """What is warm after a first game in this process."""
        return (self.source, self.digest) if self.source is not None else id(self.player)

    def warm_up(self) -> None:
        """Do nothing: the first game in a process is played twice, and the second one counts."""

    def answer(self, seed: int) -> tuple[Any, float]:
        """Play a game; return what was reported, and the CPU seconds that it took.

        Raises
        ------
        GameError
            If the user's code fails: its own error, with its place there.
        """
        try:
            play = self.ready
            before = time.process_time()
            found = play(seed)
            return found, time.process_time() - before
        except (Exception, SystemExit) as error:
            if isinstance(error, GameError | ChangedError):
                raise
            folder = None
            if self.source is not None and self.source.is_file:
                folder = Path(self.source.module).parent
            raise GameError(f"{told(error, folder)} (seed {seed})") from None

    def play(self, seed: int) -> ReportedGame:
        check_seed(seed)
        if self.code not in WARM:
            self.answer(seed)  # it may compile, or read its data
            WARM.add(self.code)
        found, seconds = self.answer(seed)
        try:
            return self.report.game(seed, found, seconds)
        except ReportError as error:
            raise GameError(f"{error} (seed {seed})") from None
