"""Validated points: θ that are played again, what names them, and how a study stores them.

A study keeps them as user attributes, ``point:<key>``, and their games in the table of games
(:mod:`study.store.games_table`); those of studies of before are ``validation:<key>:<replicate>``.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.study.experiments.failures import split
from thetafront.study.store.damage import locating
from thetafront.study.store.games_table import StoredGames
from thetafront.study.store.seeds import (
    MOST_REPLICATES,
    record_to_game,
    record_to_outcome,
    replicate_of,
    shortened,
)

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
    def as_record(self) -> dict[str, Any]:
        """The point without its games, as a study stores it."""
        record = {"params": dict(self.params), "origin": self.origin, "number": self.number}
        return {**record, "error": self.error} if self.error else record

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


def points_in(
    attributes: Mapping[str, Any],
    kind: type[Game] = Game,
    games: StoredGames | None = None,
    penalty: float | None = None,
) -> list[ValidatedPoint]:
    """Return all points in a study's user attributes, with their games.

    ``games`` are those in the table; failed ones count with the ``penalty``, if there is one.
    DamageError if a point or game cannot be read, or a point is not there for a game.
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
    for key, point in points.items():
        outcomes: dict[int, Outcome] = {**point.games}
        for replicate, cell in ({} if games is None else games.of_point(key)).items():
            with locating(f"point {key}, replicate {replicate}"):
                outcomes[replicate_of(replicate)] = record_to_outcome(cell.json, kind)
        point.games, point.failures = split(dict(sorted(outcomes.items())), penalty)
    return list(points.values())


def stored_point(key: str, stored: Any) -> ValidatedPoint:
    """Read a point back, without its games; ValueError if it is none."""
    if not isinstance(stored, Mapping):
        raise ValueError(f"{shortened(stored)} given, a point expected")
    params, origin, error = stored.get("params"), stored.get("origin"), stored.get("error", "")
    number = stored.get("number", 0)  # formerly all points had the seeds of the first
    if not (isinstance(params, Mapping) and isinstance(origin, str) and isinstance(error, str)):
        raise ValueError(f"{shortened(stored)} given, a point with params and origin expected")
    if type(number) is not int or not 0 <= number < MOST_REPLICATES:
        raise ValueError(f"number {shortened(number)} given, that of a point expected")
    return ValidatedPoint(key, params, origin, number=number, error=error)
