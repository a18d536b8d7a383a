"""Agents that are a user's Python functions or classes.

A *function* plays a game, given the seed and θ: ``play(seed, effort, bias)``. A *class* is a frozen
dataclass whose fields are θ, with a method ``play(seed)``. Both return a report
(:mod:`agents.external.report`): a mapping, the objective's value alone, or a
:class:`~agents.agent.Game`.

Each worker plays these games in a separate process (:mod:`agents.external.python_server`). So a
game that hangs, crashes or exceeds a limit ends this process, but not the worker. CPU seconds are
those of the process and its descendants. The first game in the process is played twice, and the
first result is discarded.

The process usually imports the function or class from the place of its definition, a
:class:`~agents.external.source.Source`. A function or class from a notebook or a script is pickled
instead.
"""

import functools
import inspect
import io
import json
import math
import os
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import cloudpickle

from thetafront.agents.agent import Agent, ChangedError, GameError, check_seed, digits
from thetafront.agents.external.child import Child, get_server, python_command
from thetafront.agents.external.limits import SECONDS, Limits
from thetafront.agents.external.program import SEED, parsed
from thetafront.agents.external.report import Report, ReportedGame
from thetafront.agents.external.source import Source, SourceError
from thetafront.agents.parameters import Value

Player = Callable[..., Any]
"""A function, or a class with a method ``play``."""
SERVER = "thetafront.agents.external.python_server"


def check_player(player: Any, names: tuple[str, ...], where: str = "") -> None:
    """Raise ValueError if an object cannot play with these parameters.

    The message has ``where`` before the object's name if the parameters do not fit.
    """
    label = getattr(player, "__qualname__", repr(player))
    if not callable(player):
        raise ValueError(f"agent must be a function, or a class with play(seed) (got {player!r})")
    if isinstance(player, type):
        if not callable(getattr(player, "play", None)):
            raise ValueError(f"agent must have play(seed), which {label} lacks")
        made = getattr(player, "__dataclass_params__", None)
        if made is None or not made.frozen:
            raise ValueError(
                f"agent must be a frozen dataclass (got {label}, whose state may change)"
            )
        bound: tuple[str, ...] = names
    else:
        bound = ("seed", *names)
    try:
        inspect.signature(player).bind(**dict.fromkeys(bound))
    except TypeError as error:
        raise ValueError(
            f"agent: {where}{label} cannot be called with {', '.join(bound)}: {error}"
        ) from None
    except ValueError:  # the parameters of a function in C may be unknown
        return


class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles functions of scripts and notebooks, also those that `functools.lru_cache` wraps."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, functools._lru_cache_wrapper):
            return cached_again, (obj.__wrapped__, obj.cache_parameters())
        return super().reducer_override(obj)


def cached_again(function: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """Wrap a function in a cache again; the cache is empty."""
    return functools.lru_cache(**parameters)(function)


@dataclass(frozen=True)
class PythonAgent(Agent):
    """An agent that plays by calling a user's function or class with one θ."""

    name: ClassVar[str] = "python"
    is_ours: ClassVar[bool] = False

    player: Player | bytes | None  # the player, perhaps pickled; None if it is imported
    report: Report  # what the player must report about a game
    theta: tuple[tuple[str, Value], ...]
    source: Source | None = None  # the place of the experiment whose ``agent`` is the player
    digest: str = ""  # the source's digest when the study was opened
    limits: Limits = field(default_factory=Limits)  # of a game

    @property
    def depends_on(self) -> Mapping[str, Value]:
        digest = self.digest if self.packed is None else digits(self.packed)
        return {**dict(self.theta), "source": str(self.source), "digest": digest}

    @cached_property
    def packed(self) -> bytes | None:
        """The pickled player; None if the player is imported."""
        if self.source is not None or isinstance(self.player, bytes | None):
            return self.player if isinstance(self.player, bytes) else None
        file = io.BytesIO()
        Pickler(file).dump(self.player)
        return file.getvalue()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the source instead of the player if there is a source."""
        fields = (self.packed, self.report, self.theta, self.source, self.digest, self.limits)
        return type(self), fields

    @cached_property
    def sent(self) -> bytes:
        """The data that the process needs before its first game.

        ChangedError if the source has changed since the run began.
        """
        try:
            is_same = self.source is None or self.source.digest == self.digest
        except (SourceError, OSError) as error:  # the source is missing, which is not due to θ
            raise ChangedError(str(error)) from None
        if not is_same:
            raise ChangedError(f"{self.source} has changed since the run began")
        return pickle.dumps((self.source or self.packed, self.report))

    def warm_up(self) -> None:
        """Do nothing: each process plays its first game twice, and discards the first result."""

    def start(self) -> Child:
        """Start a process that imports the player; time limits of games apply after the import."""
        longest = max(SECONDS, self.limits.seconds)
        starting = replace(self.limits, seconds=longest, cpu_seconds=math.inf)
        with os.fdopen(os.memfd_create("player"), "wb") as file:
            file.write(self.sent)
            file.flush()
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            command = python_command(SERVER, str(file.fileno()))
            child = Child(command, Path(), starting, (file.fileno(),))
        child.ask(b"\n", lambda said: checked(parsed(said)))
        child.limits = self.limits
        return child

    def play(self, seed: int) -> ReportedGame:
        check_seed(seed)
        line = json.dumps({SEED: seed, "theta": dict(self.theta)}).encode() + b"\n"
        try:
            server = get_server((self.sent, self.digest, self.limits), self.start)
            if not server.is_warm:  # the first game may take longer: it compiles code or reads data
                checked(server.ask(line, parsed))
                server.is_warm = True
            return ReportedGame.from_row(checked(server.ask(line, parsed)))
        except (GameError, SourceError, OSError) as error:
            raise GameError(f"{error} (seed {seed})") from None


def checked(answer: Any) -> Any:
    """Return an answer; GameError if it reports an error in the user's code."""
    if "error" in answer:
        raise GameError(answer["error"])
    return answer
