"""Validated points: θ that are played again, what names them, and how a study stores them.

A study keeps them as user attributes: ``point:<key>`` for each point, and
``validation:<key>:<replicate>`` for each of its games.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.agent import Game
from study.store.seeds import record_to_game

POINT_PREFIX = "point:"
GAME_PREFIX = "validation:"


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
        Finished games, by replicate.
    number : int
        Its place in the order of first validation, which names its seeds.
    """

    key: str
    params: Mapping[str, Any]
    origin: str
    games: dict[int, Game] = field(default_factory=dict)
    number: int = 0

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
        name: value if isinstance(value, str) else float(value)
        for name, value in sorted(params.items())
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:10]


def points_in(attributes: Mapping[str, Any]) -> list[ValidatedPoint]:
    """Return all points in a study's user attributes, with their games."""
    points = {}
    for name, stored in attributes.items():
        if name.startswith(POINT_PREFIX):
            key = name[len(POINT_PREFIX) :]
            number = stored.get("number", 0)  # formerly all points had the seeds of the first
            points[key] = ValidatedPoint(key, stored["params"], stored["origin"], number=number)
    for name, record in attributes.items():
        if name.startswith(GAME_PREFIX):
            key, _, replicate = name[len(GAME_PREFIX) :].partition(":")
            points[key].games[int(replicate)] = record_to_game(record)
    for point in points.values():
        point.games = dict(sorted(point.games.items()))
    return list(points.values())
