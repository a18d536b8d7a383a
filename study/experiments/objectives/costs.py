"""Costs: objectives that are minimized.

Seconds per move are the time that a user waits; they depend on the machine. Playout moves per move
and Bellman backups per move count the work exactly; they are the same on every machine and in every
run. If an agent does all its work before it plays, a "game" of a study is this work alone, and its
cost is the time or the number of sweeps that it takes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

import numpy as np

from thetafront.agents.agent import Game
from thetafront.agents.external.report import MOVES, ReportedGame, is_time
from thetafront.study.arrays import Floats
from thetafront.study.batch_means import LogVariances, deviations, variances_of_log_ratios
from thetafront.study.estimate import Z95, Estimate
from thetafront.study.experiments.objectives.formats import (
    SECONDS_PREFIXES,
    beside_unit,
    format_seconds,
    significant,
)
from thetafront.study.shrinkage import Moments, are_equal
from thetafront.study.text import seconds_in

Per = Literal["move", "game"]

OF_EVERY_GAME = {each.name for each in fields(ReportedGame)} | set(dir(ReportedGame)) | {MOVES}
# In seconds; both signs for micro are in use.
TIME_UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
TIMED_TOGETHER = 50  # games in a block of times; a machine's speed drifts between blocks


@dataclass(frozen=True)
class Cost:
    """A sum over games, divided by the number of their moves or by the number of games."""

    name: str  # the name of its column, and of its option on the command line
    label: str  # its name on axes and in sentences
    counted: str  # the attribute of a game that is summed
    unit: str = ""  # one of TIME_UNITS for a time; empty for a count
    per_move: bool = True  # whether it is divided by the moves of all games, not by their number
    is_reported: bool = False  # whether it is a time that the games report, not a measured one
    is_whole: bool = True  # written without decimals because it is large; never for a time

    def value(self, games: Sequence[Game]) -> float:
        """Return the cost of some games; NaN if there are none.

        Times come only from games that were played alone, counts from all games. If a count is the
        same in all games, so is the cost, whatever the number of games.
        """
        games = self.measured(games)
        if not games:
            return math.nan
        counts = [getattr(game, self.counted) for game in games]
        divisors = self.divisors(games)
        first = counts[0] / divisors[0]
        if all(count / n == first for count, n in zip(counts, divisors, strict=True)):
            return float(first)
        return float(sum(counts) / sum(divisors))

    def divisors(self, games: Sequence[Game]) -> list[int]:
        """Return by how much each game adds to what the sum is divided by."""
        return [game.n_moves for game in games] if self.per_move else [1] * len(games)

    def moments(self, games: Sequence[Game]) -> Moments:
        """Return the number of measured games, their cost, and the sum of their squared errors."""
        ((counts, divisors),) = self.counts_and_divisors([games])
        value = self.value(games)
        if not len(counts) or are_equal(counts / divisors):
            return Moments(len(counts), value, 0.0)
        errors = value * deviations(counts, divisors, len(counts))
        return Moments(len(counts), value, float(errors @ errors))

    @property
    def moments_attribute(self) -> str:
        """Name of the attribute of Optuna's trials in which samplers find the moments."""
        return f"moments:{self.name}"

    @property
    def columns(self) -> tuple[str, str, str]:
        """Names of the columns of the cost and its 95% interval."""
        return self.name, f"{self.name}_low95", f"{self.name}_high95"

    @property
    def is_timed(self) -> bool:
        """Whether it is a time, which depends on the machine and drifts with its load.

        Without a unit, its field's name decides (:func:`agents.external.report.is_time`).
        """
        return self.unit in TIME_UNITS if self.unit else is_time(self.counted)

    @property
    def is_in_seconds(self) -> bool:
        """Whether it is a time in seconds, which is written with the prefix that fits."""
        return self.unit == "s"

    def log_variances(
        self,
        samples: Sequence[Sequence[Game]],
        are_alike: bool = False,
        others: Sequence[Sequence[Game]] = (),
    ) -> LogVariances:
        """Return the variances of log₁₀ of the samples' costs; NaN where unknown.

        Times are compared between blocks of consecutive games, counts between single games
        (:mod:`study.batch_means`). ``samples`` are the games of each θ of one study; the
        variance of a block is estimated from all θ together. Counts that are the same in all games
        of each sample have no error. ``are_alike`` says whether all games of a sample do the same
        work, so that a single game shows this; if not, ``others``, the games of other θ, may show
        that counts vary although they are the same in each sample.
        """
        n_games = sum(map(len, samples))
        columns = self.counts_and_divisors(samples)
        per_unit = [counts / divisors for counts, divisors in columns if len(counts)]
        is_known = are_alike or any(len(each) > 1 for each in per_unit)
        if not self.is_timed and all(map(are_equal, per_unit)):
            if others and not are_alike:
                found = self.log_variances([*samples, *others])
                return LogVariances(found.own[: len(samples)], found.shared)
            if is_known:
                known = [0.0 if len(counts) else math.nan for counts, _ in columns]
                return LogVariances(np.array(known))
        if not self.is_timed or are_alike:
            return variances_of_log_ratios(columns, 1, drifts=self.is_timed)
        # A block is the time in which 50 games are played. Games that were played side by side are
        # not measured, so only the other games of this time count.
        n_measured = sum(len(counts) for counts, _ in columns)
        length = max(2, round(TIMED_TOGETHER * n_measured / max(n_games, 1)))
        return variances_of_log_ratios(columns, length, drifts=True)

    def counts_and_divisors(self, samples: Sequence[Sequence[Game]]) -> list[tuple[Floats, Floats]]:
        """Return the count and the divisor of each measured game, for each sample."""
        return [
            (
                np.array([getattr(game, self.counted) for game in games], np.float64),
                np.array(self.divisors(games), np.float64),
            )
            for games in map(self.measured, samples)
        ]

    def estimates(
        self,
        samples: Sequence[Sequence[Game]],
        are_alike: bool = False,
        others: Sequence[Sequence[Game]] = (),
    ) -> list[Estimate]:
        """Return the samples' costs with 95% intervals; ``sem`` is that of log₁₀ of the cost.

        The arguments are those of :meth:`log_variances`.
        """
        found = []
        variances = self.log_variances(samples, are_alike, others).total
        for games, variance in zip(samples, variances.tolist(), strict=True):
            value, deviation = self.value(games), math.sqrt(variance)
            factor = 10.0 ** (Z95 * deviation)
            found.append(Estimate(value, value / factor, value * factor, deviation))
        return found

    def measured(self, games: Sequence[Game]) -> Sequence[Game]:
        """Return the games from which the cost is computed."""
        ended = [game for game in games if game.has_ended]
        return [game for game in ended if game.is_timed] if self.is_timed else ended

    def text(self, value: float) -> str:
        """Write a cost with its unit."""
        if self.is_in_seconds:
            return format_seconds(value)
        return beside_unit(f"{value:,.0f}" if self.is_whole else significant(value), self.unit)

    def interval(self, value: float, low: float, high: float) -> str:
        """Write a cost with its 95% interval in percent, if it has a width: ``129 µs ± 2%``."""
        if low == high:
            return self.text(value)
        half = (high / low) ** 0.5 - 1.0
        percents = f"{significant(100.0 * half, 2)}%" if math.isfinite(half) else "?"
        return f"{self.text(value)} ± {percents}"

    def in_words(self, value: float) -> str:
        """Write a cost in a sentence: ``1.00 ms per move``."""
        if not self.unit:
            return f"{self.text(value)} {self.label}"
        # A user's label may name another unit of work, as in `CPU time per slice`.
        _, of, what = self.label.rpartition(" per ")
        if not of:
            per = "move" if self.per_move else "game"
            of, what = (" per ", per) if self.name.endswith(f"_per_{per}") else ("", "")
        return f"{self.text(value)}{of}{what}"

    @property
    def bound(self) -> str:
        """Name of a limit in commands and calls: ``max_seconds_per_move``."""
        return f"max_{self.name}"

    @property
    def option_help(self) -> str:
        """Help of the option for a limit."""
        unit = self.unit and f"in {self.unit}"
        if self.is_in_seconds:
            unit = "such as 100us or 0.0001 (seconds)"
        return f"Limit: {self.label}{unit and f', {unit}'}."

    def read(self, given: str | float) -> float:
        """Read a value that a user gives, with or without its unit; ValueError if it is invalid."""
        text = str(given)
        try:
            return float(text.removesuffix(self.unit))
        except ValueError:
            if self.unit not in TIME_UNITS:
                raise
            return seconds_in(text) / TIME_UNITS[self.unit]

    def argument(self, value: float) -> str:
        """Write a value as :meth:`read` reads it: ``100us``."""
        value = float(f"{value:.3g}")
        if not self.is_in_seconds:
            return f"{value:g}"
        for scale, unit in SECONDS_PREFIXES:
            if value >= scale:
                return f"{value / scale:.10g}{unit.replace('µ', 'u')}"
        return f"{value:g}"

    @property
    def axis_label(self) -> str:
        """Its name on an axis; times have their unit at the ticks."""
        return f"{self.label}{'' if self.is_in_seconds or not self.unit else f', {self.unit}'}"


SECONDS = Cost("seconds_per_move", "CPU time per move", "seconds", "s")
PLAYOUT_MOVES = Cost("playout_moves_per_move", "playout moves per move", "n_playout_moves")
BACKUPS = Cost("backups_per_move", "Bellman backups per move", "n_backups")
SOLVING_SECONDS = Cost("solving_seconds", "CPU time to solve", "seconds", "s", per_move=False)
SWEEPS = Cost("n_sweeps", "sweeps to solve", "n_sweeps", per_move=False)


def cpu_seconds(per: Per = "move") -> Cost:
    """Return the cost of CPU time, per move or per game."""
    check_per(per)
    if per == "move":
        return SECONDS
    return Cost("seconds_per_game", "CPU time per game", "seconds", "s", per_move=False)


def reported(field: str, *, unit: str = "", per: Per = "game", label: str | None = None) -> Cost:
    """Return a cost that games report in a field, per move or per game.

    Parameters
    ----------
    field : str
        The field's name, of letters, digits and ``_``. With ``seconds``, the reported time replaces
        the measured one.
    unit : str
        Unit of values, if they have one. A unit of time, such as ``ms``, ``us``, ``seconds`` or
        ``h``, makes the cost a time.
    per : {"move", "game"}
        The divisor of the sum over games.
    label : str, optional
        Its name on an axis and in text. By default, it is made from ``field`` and ``per``, as in
        ``nodes per game``; a unit at the end of ``field`` is left out.

    Raises
    ------
    ValueError
        If the name has other characters, or is that of a field that every game has, or if ``per``
        is neither.
    """
    if field == SECONDS.counted:
        if unit not in {"", "s"}:
            raise ValueError(f"unit of {field} must be s, or left out (got {unit!r})")
        return replace(cpu_seconds(per), label=label or f"time per {per}", is_reported=True)
    check_per(per)
    if check_name("cost", field) in OF_EVERY_GAME:
        raise ValueError(
            f"cost must not share its name with a field that every game has (got {field!r})"
        )
    words = label or f"{words_of(field, unit)} per {per}"
    return Cost(f"{field}_per_{per}", words, field, unit, per_move=per == "move", is_whole=False)


def words_of(field: str, unit: str) -> str:
    """Write a field's name in words, without the unit with which it may end: ``fit_ms``."""
    return field.removesuffix(f"_{unit}").replace("_", " ")


def check_per(per: str) -> None:
    """Raise ValueError if a cost cannot be per this."""
    if per not in get_args(Per):
        raise ValueError(f"per must be {' or '.join(get_args(Per))} (got {per!r})")


def check_name(what: str, name: str) -> str:
    """Return ``name`` if a column and an option may have it; ValueError otherwise."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{what} must have a name of letters, digits and _ (got {name!r})")
    return name
