"""Reports of users' agents about games, and the game that is made from a report."""

import ast
import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import Any, ClassVar, Self

from thetafront.agents.agent import FailedGame, Game, column
from thetafront.agents.parameters import is_real

Reported = float | str | None
"""A stored value of a report: a number, a text, or None, which also replaces infinity and NaN."""

SCORE = "score"
MOVES = "moves"
SECONDS = "seconds"
RESULTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}
MIN_SECONDS = 1e-9
MAX_NUMBER = 2**53
TIME = re.compile(r"(.*_)?(seconds|time|elapsed|s|ms|us|ns)")
MAX_TEXT_LENGTH = 200
MAX_FIELDS = 64


def is_time(name: str) -> bool:
    """Return whether a field holds a time, judging by its name.

    A time is different each time that a game is played.
    """
    return TIME.fullmatch(name) is not None


def kept_fields(given: Mapping[str, Any]) -> dict[str, Reported]:
    """Return the stored fields of a report: at most 64, with texts of up to 200 characters."""
    some = list(given.items())[:MAX_FIELDS]
    return {kept_name(str(name)): kept(value) for name, value in some}


def read_fields(given: Any) -> dict[str, Reported]:
    """Read the stored fields of a report, given as a mapping or as its text in a CSV file.

    ValueError if it is neither.
    """
    try:
        fields = ast.literal_eval(given) if isinstance(given, str) else given
        return kept_fields(fields)
    except (SyntaxError, AttributeError) as error:
        raise ValueError(f"fields: {error}") from None


def one_line(text: str) -> str:
    """Return the first 200 characters of a text, on one line and in valid UTF-8."""
    return " ".join(text.encode(errors="replace").decode().splitlines())[:MAX_TEXT_LENGTH]


kept_name = lru_cache(maxsize=1024)(one_line)
"""Like :func:`one_line`, for the names of fields, which are the same in every game."""


def kept(value: Any) -> Reported:
    """Return the stored form of a value of a report: a number, a short text or None."""
    if isinstance(value, bool):
        return int(value)
    if type(value) in {int, float}:  # most values; it saves time when a study is read
        return value if abs(value) <= MAX_NUMBER else None
    if is_real(value):
        number = int(value) if isinstance(value, Integral) else float(value)
        return number if abs(number) <= MAX_NUMBER else None
    if value is None or isinstance(value, str):
        return value if value is None else one_line(value)
    return json.dumps(value, default=str)[:MAX_TEXT_LENGTH]


@dataclass(frozen=True)
class ReportedGame(Game, kind="reported"):
    """A game of a user's agent.

    Attributes
    ----------
    score : float
        The objective's value, in its own unit.
    n_moves : int
        Number of moves according to the report; 1 if the report does not give it.
    seconds : float
        CPU seconds that the game took.
    reported : mapping
        All other fields of the report, by name. They can also be read as attributes of the game.
    """

    score: float = column("score")
    reported: Mapping[str, Reported] = column(write=dict, read=read_fields)

    def __getattr__(self, name: str) -> Reported:
        """Return a field of the report."""
        try:
            return self.__dict__["reported"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}") from None


@dataclass(frozen=True)
class PenalizedGame(ReportedGame, kind="penalized"):
    """A failed game that counts with a penalty as its objective's value; it has no cost."""

    is_timed: ClassVar[bool] = False
    has_ended: ClassVar[bool] = False

    @classmethod
    def from_failed(cls, failed: FailedGame, penalty: float) -> Self:
        """Return a failed game with its penalty."""
        return cls(failed.seed, penalty, 1, MIN_SECONDS, {"error": failed.error})


class ReportError(ValueError):
    """A report lacks a field that it must have, or has a value that is not allowed."""


@dataclass(frozen=True)
class Report:
    """The fields that the report of a game must have."""

    objective: str = SCORE  # field with the objective's value; if missing, ``score`` is read
    is_share: bool = False  # whether the value is 0 or 1, or ½ for a draw
    # Fields that must be above 0. If ``seconds`` is one of them, it replaces the measured time.
    costs: tuple[str, ...] = ()
    low: float | None = None  # smallest and largest value allowed
    high: float | None = None
    is_match: bool = False  # whether the value is a word of RESULTS, or a share of the points

    def game(self, seed: int, given: Any, seconds: float) -> ReportedGame:
        """Make a game from a report; the game took ``seconds`` of CPU time.

        A report is one of three: a mapping that has the objective's field, the objective's value
        alone, or a :class:`~agents.agent.Game`, whose ``seconds`` replace the argument.
        ReportError if the report lacks a field, or if a field has a value that is not allowed.
        """
        if isinstance(given, Game):
            fields = {each.name: getattr(given, each.name) for each in dataclasses.fields(given)}
            fields[MOVES] = fields.pop("n_moves")
            del fields["seed"]
            seconds = fields[SECONDS] if SECONDS in self.costs else fields.pop(SECONDS)
        elif isinstance(given, Mapping):
            fields = dict(given)
        else:
            fields = {self.objective: given}
        name = self.objective if self.objective in fields else SCORE
        if name not in fields:
            other = "" if self.objective == SCORE else f" or {SCORE!r}"
            raise ReportError(f"a report must have {self.objective!r}{other}")
        score = self.value(name, fields.pop(name))
        moves: Any = fields.pop(MOVES, 1)
        if not is_real(moves) or moves != moves // 1 or not 1 <= moves <= MAX_NUMBER:
            raise ReportError(f"{MOVES} must be a whole number from 1 to 2**53 (got {moves!r})")
        for cost in self.costs:
            spent: Any = fields.get(cost)
            if not (is_real(spent) and 0 < spent <= MAX_NUMBER):
                shown = repr(spent) if cost in fields else "nothing"
                raise ReportError(f"{cost} must be a number above 0, up to 2**53 (got {shown})")
        if SECONDS in self.costs:
            seconds = fields.pop(SECONDS)
        if not (is_real(seconds) and 0 <= seconds <= MAX_NUMBER):
            raise ReportError(f"{SECONDS} must be a number from 0 to 2**53 (got {seconds!r})")
        costs = {name: fields.pop(name) for name in self.costs if name in fields}
        return ReportedGame(
            seed,
            score,
            int(moves),
            max(float(seconds), MIN_SECONDS),
            kept_fields({**costs, **fields}),
        )

    def value(self, name: str, given: Any) -> float:
        """Return the objective's value; ReportError if it is invalid."""
        is_bool = isinstance(given, bool) or str(getattr(given, "dtype", "")) == "bool"
        number = float(given) if is_bool else given
        if self.is_match:
            number = RESULTS.get(given, number) if isinstance(given, str) else number
            if not (is_real(number) and 0 <= number <= 1):
                words = ", ".join(map(repr, RESULTS))
                raise ReportError(
                    f"{name} must be {words}, or a number from 0 to 1 (got {given!r})"
                )
        if not (is_real(number) and abs(number) <= MAX_NUMBER):
            raise ReportError(f"{name} must be a number from -2**53 to 2**53 (got {given!r})")
        if self.is_share and number not in {0, 0.5, 1}:
            raise ReportError(f"{name} must be true, false, 1, 0 or 0.5 (got {given!r})")
        if self.low is not None and number < self.low:
            raise ReportError(f"{name} must be {self.low:g} or more (got {given!r})")
        if self.high is not None and number > self.high:
            raise ReportError(f"{name} must be {self.high:g} or less (got {given!r})")
        return float(number)
