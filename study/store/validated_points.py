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
from study.store.damage import locating
from study.store.seeds import MOST_REPLICATES, record_to_game, replicate_of, shortened

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


def points_in(attributes: Mapping[str, Any], kind: type[Game] = Game) -> list[ValidatedPoint]:
    """Return all points in a study's user attributes, with their games.

    DamageError if one cannot be read, or is not there for a game.
    """
    points = {}
    for name, stored in attributes.items():
        if name.startswith(POINT_PREFIX):
            with locating(name):
                key = name[len(POINT_PREFIX) :]
                points[key] = stored_point(key, stored)
    for name, record in attributes.items():
        if name.startswith(GAME_PREFIX):
            with locating(name):
                key, _, replicate = name[len(GAME_PREFIX) :].partition(":")
                if key not in points:
                    raise ValueError(f"a game given, but there is no {POINT_PREFIX}{key}")
                points[key].games[replicate_of(replicate)] = record_to_game(record, kind)
    for point in points.values():
        point.games = dict(sorted(point.games.items()))
    return list(points.values())


def stored_point(key: str, stored: Any) -> ValidatedPoint:
    """Read a point back, without its games; ValueError if it is none."""
    if not isinstance(stored, Mapping):
        raise ValueError(f"{shortened(stored)} given, a point expected")
    params, origin = stored.get("params"), stored.get("origin")
    number = stored.get("number", 0)  # formerly all points had the seeds of the first
    if not (isinstance(params, Mapping) and isinstance(origin, str)):
        raise ValueError(f"{shortened(stored)} given, a point with params and origin expected")
    if type(number) is not int or not 0 <= number < MOST_REPLICATES:
        raise ValueError(f"number {shortened(number)} given, that of a point expected")
    return ValidatedPoint(key, params, origin, number=number)
