"""Validated points: θ that are played again, and what names them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thetafront.agents.agent import FailedGame, Game, Outcome


@dataclass
class ValidatedPoint:
    """A θ that is played again.

    Attributes
    ----------
    key : str
        Its name in the study; the same for the same θ.
    params : mapping
        θ.
    origin : str
        ``trial 12``, ``proposal``, or a baseline's name.
    games : dict of int to Game
        Games that count, by replicate.
    number : int
        Its place in the order of first validation, which names its seeds.
    error : str
        Why it is left out, if too many of its games failed.
    failures : dict of int to FailedGame
        Games that failed, by replicate.
    """

    key: str
    params: Mapping[str, Any]
    origin: str
    games: dict[int, Game] = field(default_factory=dict)
    number: int = 0
    error: str = ""
    failures: dict[int, FailedGame] = field(default_factory=dict)

    @property
    def outcomes(self) -> dict[int, Outcome]:
        """All games that were played, those that failed as such, by replicate."""
        found: dict[int, Outcome] = {**self.games, **self.failures}
        return dict(sorted(found.items()))

    @property
    def in_order(self) -> list[Game]:
        """Games, by replicate."""
        return [self.games[replicate] for replicate in sorted(self.games)]

    @property
    def scores(self) -> list[float]:
        """Scores, by replicate."""
        return [game.score for game in self.in_order]


def key_of(params: Mapping[str, Any]) -> str:
    """Name a θ: ten hexadecimal digits, the same for the same values."""
    plain = {
        name: value if isinstance(value, str | bool) else float(value)
        for name, value in sorted(params.items())
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:10]
