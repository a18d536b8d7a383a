"""Checks of a table of games: ``games.csv`` of a reproduced paper, or of an exported study."""

import csv
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from thetafront.agents.agent import MAX_SEED, Agent, Game, Outcome, digits
from thetafront.agents.parameters import Value
from thetafront.study.check.replay import Entry
from thetafront.study.check.report import Check
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.game_rows import (
    MOVES,
    cells_of_game,
    fields_in,
    is_reported,
    outcome_in,
    own_columns,
)
from thetafront.study.log.ledger import AGENTS_FILE, Ledger, format_line
from thetafront.study.log.point import theta_key
from thetafront.study.log.published_study import (
    manifest_in,
    read_csv_rows,
    read_folder_record,
    record_in,
    row_theta,
)
from thetafront.study.log.same_game import difference, timed_fields
from thetafront.study.log.seeds import is_countable, search_seed, shortened, validation_seed
from thetafront.study.log.tables import SEARCH, VALIDATION
from thetafront.study.text import counted

GAMES, TRIALS, FRONT = "games.csv", "trials.csv", "front.csv"
OF_ANOTHER_VERSION = "not a games table in the format of this thetafront version"


def words_in(line: bytes) -> list[str]:
    """Return the cells of a line; none if it cannot be read."""
    try:
        return next(csv.reader([line.decode()]), [])
    except (ValueError, csv.Error):
        return []


@dataclass(eq=False)
class TableLine:
    """A line of the table: its cells by column, and its content, which a repair may replace."""

    where: str  # its place, for messages: `line 12`, or `trial 3, replicate 2`
    content: bytes
    cells: dict[str, str]
    is_kept: bool = True


Place = tuple[str, int]
"""The owner of a game (the agent, trial or validated point that played it), and its seed."""


class GamesTable(ABC):
    """A table of games, what was checked in it (``checks``), and what is wrong.

    Its folder also has the files that define its agents. InputError if the file is not a table of
    this version, or if no file says who played its games.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / GAMES
        self.folder = folder
        *lines, torn = self.path.read_bytes().split(b"\n")
        self.heading = lines[0] if lines else torn
        self.columns = words_in(self.heading)
        self.agents = Check("agents rebuilt")
        self.games = Check("games readable")
        self.seeds = Check("seeds")
        self.checks = [self.agents, self.games, self.seeds]
        self.unknown: frozenset[str] = frozenset()  # fields of games that the table lacks
        self.built: dict[str, Agent | None] = {}
        self.places: dict[Place, tuple[TableLine, Entry]] = {}
        self.lines = [
            TableLine(f"line {number}", each, dict(zip(self.columns, words_in(each), strict=False)))
            for number, each in enumerate(lines[1:], 2)
        ]
        if torn and lines:
            self.games.problems.append(f"line {len(lines) + 1}: incomplete")
        self.prepare()
        self.examine()

    @abstractmethod
    def prepare(self) -> None:
        """Read the files that define the agents; InputError if they or the columns are wrong."""

    def lacks(self, name: str) -> InputError:
        """Return the error for a file that should define agents of the table but defines none."""
        return InputError(
            f"{self.folder / name}: missing or empty; restore it, because no other file says "
            f"who played the games in {GAMES}"
        )

    @abstractmethod
    def owner(self, cells: Mapping[str, str]) -> str | None:
        """Return the owner of a game from the cells of its line; None if the owner is unknown."""

    @abstractmethod
    def agent(self, owner: str) -> Agent:
        """Return an owner's agent; ValueError or InputError if it cannot be created."""

    @abstractmethod
    def game_in(self, cells: Mapping[str, str]) -> Outcome:
        """Return a line's game; ValueError if it is invalid."""

    @abstractmethod
    def fields(self, cells: Mapping[str, str]) -> dict[str, Any]:
        """Return a line's cells, named by the fields of a game."""

    @abstractmethod
    def written(self, owner: str, line: TableLine, game: Outcome) -> bytes:
        """Return the line to write for a game that was played again."""

    def seed_problem(self, owner: str, cells: Mapping[str, str], seed: int) -> str:
        """Say what is wrong with a game's seed; empty if nothing is wrong."""
        return ""

    @property
    def entries(self) -> list[Entry]:
        """The games whose agent and seed are known."""
        return [entry for _, entry in self.places.values()]

    def examine(self) -> None:
        """Check all lines, and collect the games.

        A line that does not say which game it is gets a missing game: the one with the line's owner
        and seed, else one with the line's owner or seed, else any. If there is no such game, or
        more than one, the line is dropped.
        """
        lost = [line for line in self.lines if not self.take(line)]
        missing = self.missing() if lost else []
        for line in lost:
            owner, seed = self.owner(line.cells), number_in(line.cells, "seed")
            fits = [each for each in missing if each[0] == owner or each[1] == seed]
            fits = [each for each in fits if each == (owner, seed)] or fits or missing
            line.is_kept = len(fits) == 1
            if line.is_kept:
                (place,) = fits
                missing.remove(place)
                self.enter(line, place)

    def take(self, line: TableLine) -> bool:
        """Check a line; return False if its cells do not say for certain which game it is."""
        self.games.n += 1
        game, problem = None, ""
        try:
            words = line.content.decode()
            if len(words_in(line.content)) != len(self.columns):
                raise ValueError(f"{shortened(words)} is not a line of this table")
            game = self.game_in(line.cells)
            if isinstance(game, Game) and not (is_countable(game.to_row()) and game.is_possible):
                raise ValueError(f"no {game.kind} game can have these values")
        except (ValueError, OverflowError) as error:
            game, problem = None, f"{line.where}: {error}"
        owner = self.owner(line.cells)
        seed = game.seed if game is not None else number_in(line.cells, "seed")
        if owner is None or seed is None:
            self.games.problems.append(problem or f"{line.where}: its agent is unknown")
            return False
        if not self.is_built(owner):
            return True
        self.seeds.n += 1
        if wrong := self.seed_problem(owner, line.cells, seed):
            self.seeds.problems.append(f"{line.where}: {wrong}")
            return False
        if (owner, seed) in self.places:
            _, other = self.places[owner, seed]
            self.seeds.problems.append(f"{line.where}: repeats the game in {other.where}")
            if game is not None and other.game is not None and difference(other.game, game):
                other.game = None  # it is played again, to find out which line is right
            return False
        if problem:
            self.games.problems.append(problem)
        self.enter(line, (owner, seed), game)
        return True

    def is_built(self, owner: str) -> bool:
        """Return whether an owner's agent can be created; if not, note the problem."""
        if owner not in self.built:
            self.agents.n += 1
            self.built[owner] = None
            try:
                self.built[owner] = self.agent(owner)
            except (ValueError, InputError) as error:
                self.agents.problems.append(f"{owner}: {error}")
        return self.built[owner] is not None

    def enter(self, line: TableLine, place: Place, game: Outcome | None = None) -> None:
        """Assign a line to a place; if ``game`` is None, the game will be played again."""
        owner, seed = place
        agent = self.built[owner]
        assert agent is not None

        def keep(played: Outcome) -> None:
            line.content = self.written(owner, line, played)

        cells = self.fields(line.cells)
        entry = Entry(line.where, agent, seed, game, cells, keep, self.unknown)
        self.places[place] = line, entry

    def missing(self) -> list[Place]:
        """Return the missing games between the first and the last seed of each owner."""
        seeds: dict[str, set[int]] = {}
        for owner, seed in self.places:
            seeds.setdefault(owner, set()).add(seed)
        return [
            (owner, seed)
            for owner, mine in seeds.items()
            if max(mine) - min(mine) <= 2 * len(mine) + 16
            for seed in sorted({*range(min(mine), max(mine))} - mine)
        ]

    @property
    def n_dropped(self) -> int:
        """The number of lines to which no game can be assigned."""
        return sum(not line.is_kept for line in self.lines)

    @property
    def content(self) -> bytes:
        """The table with its current lines."""
        kept = [line.content for line in self.lines if line.is_kept]
        return b"\n".join([self.heading, *kept, b""])


class LedgerTable(GamesTable):
    """The games of a reproduced paper; ``agents.json`` says who played them."""

    def prepare(self) -> None:
        """Read the agents."""
        kinds = {("agent", *each.columns().values()): each for each in Game.kinds.values()}
        if (kind := kinds.get(tuple(self.columns))) is None:
            raise InputError(f"{self.path}: {OF_ANOTHER_VERSION}")
        self.kind = kind
        self.ledger: Ledger[Game] = Ledger(self.path.with_name(".none"), kind)
        for digest, stored in self.ledger.identities.items():
            if digits(json.dumps(stored, sort_keys=True)) != digest:
                self.agents.problems.append(
                    f"{digest}: its parameters in {AGENTS_FILE} do not match this digest"
                )
        if self.lines and not self.ledger.identities:
            raise self.lacks(AGENTS_FILE)

    def owner(self, cells: Mapping[str, str]) -> str | None:
        """Return the agent's digest."""
        digest = cells.get("agent")
        return digest if digest in self.ledger.identities else None

    def agent(self, owner: str) -> Agent:
        """Return the agent with this digest."""
        return self.ledger.agent(owner)

    def game_in(self, cells: Mapping[str, str]) -> Game:
        """Return a line's game."""
        return self.kind.from_row(self.fields(cells))

    def fields(self, cells: Mapping[str, str]) -> dict[str, Any]:
        """Return a line's cells, named by the fields of a game."""
        columns = self.kind.columns()
        return {name: cells[column] for name, column in columns.items() if column in cells}

    def written(self, owner: str, line: TableLine, game: Outcome) -> bytes:
        """Return the line as a ledger writes it."""
        return format_line((owner, *game.to_row().values())).rstrip(b"\n")


class ExportedTable(GamesTable):
    """The games of an exported study; their θ are in ``trials.csv`` and ``front.csv``."""

    def prepare(self) -> None:
        """Read the study's definition, and the θ of its trials and points."""
        record = record_in(manifest_in(self.folder))
        if record is None:
            raise InputError(f"{self.folder / 'manifest.json'}: does not describe a study")
        self.record = read_folder_record(record, self.folder)
        self.experiment: Experiment = self.record.experiment_as_made()
        self.unknown = timed_fields(self.experiment)
        if is_reported(self.experiment) and not self.experiment.summary.has_moves:
            self.unknown |= {MOVES}  # such tables have no column for moves
        if not {*own_columns(self.experiment)} <= {*self.columns}:
            raise InputError(f"{self.path}: {OF_ANOTHER_VERSION}")
        space, goal = self.experiment.space, self.experiment.goal
        self.thetas: dict[str, Mapping[str, Value]] = {}
        self.numbers: dict[str, int] = {}
        phases = {line.cells.get("phase") for line in self.lines}
        for table, kind, phase in ((TRIALS, "trial", SEARCH), (FRONT, "point", VALIDATION)):
            # If scores are exact, front.csv also counts the games of trials.
            has_numbers = kind == "trial" or not goal.is_exact
            for row in read_csv_rows(self.folder / table):
                owner, n = f"{kind} {row.get(kind)}", row_n_games(row, goal.penalty is None)
                if has_numbers and n is not None:
                    self.numbers[owner] = n
                if (theta := row_theta(row, space)) is not None:
                    self.thetas[owner] = theta
                    if kind == "point" and theta_key(theta) != row.get(kind):
                        problem = f"{owner}: its θ in {FRONT} does not match this key"
                        self.agents.problems.append(problem)
            if phase in phases and not any(owner.startswith(kind) for owner in self.thetas):
                raise self.lacks(table)

    def examine(self) -> None:
        """Check all lines, and whether trials and points have as many games as their rows say."""
        super().examine()
        lines: dict[str, dict[int, TableLine]] = {}
        for (owner, seed), (line, _) in self.places.items():
            if owner in self.first_seeds:
                lines.setdefault(owner, {})[seed - self.first_seeds[owner]] = line
        for owner, n in self.numbers.items():
            mine = lines.get(owner, {})
            if len(mine) == n:
                continue
            self.games.problems.append(
                f"{owner} must have {counted(n, 'game')} (got {len(mine):,})"
            )
            if mine and max(mine) < n <= 2 * len(mine) + 16:
                for replicate in sorted(set(range(n)) - set(mine)):
                    self.add(owner, replicate, mine)

    def add(self, owner: str, replicate: int, lines: dict[int, TableLine]) -> None:
        """Add a line for a missing game, which will be played."""
        nearest = min(lines, key=lambda each: abs(each - replicate))
        cells = {"origin": lines[nearest].cells.get("origin", "")}
        line = TableLine(f"{owner}, replicate {replicate}", b"", cells)
        self.lines.insert(self.lines.index(lines[nearest]) + (nearest < replicate), line)
        lines[replicate] = line
        self.enter(line, (owner, self.first_seeds[owner] + replicate))

    def owner(self, cells: Mapping[str, str]) -> str | None:
        """Return the trial or the point, such as ``trial 3``."""
        kind = "trial" if cells.get("phase") == SEARCH else "point"
        name = f"{kind} {cells.get(kind)}"
        return name if name in self.thetas else None

    def agent(self, owner: str) -> Agent:
        """Return the agent with the θ of a trial or point."""
        theta = self.thetas[owner]
        if broken := self.experiment.space.broken_text(theta):
            raise ValueError(f"constraint {broken!r} is not satisfied")
        return self.experiment.build_again(theta)

    def game_in(self, cells: Mapping[str, str]) -> Outcome:
        """Return a line's game."""
        return outcome_in(cells, self.experiment)

    def fields(self, cells: Mapping[str, str]) -> dict[str, Any]:
        """Return a line's cells, named by the fields of a game."""
        return fields_in(cells, self.experiment)

    def seed_problem(self, owner: str, cells: Mapping[str, str], seed: int) -> str:
        """Compare a game's seed with the seed that belongs to its replicate number."""
        if (replicate := number_in(cells, "replicate")) is None:
            return "no replicate"
        kind, _, name = owner.partition(" ")
        if kind == "trial":
            number = int(name)
            allowed = {search_seed(self.record.seed, each, replicate) for each in (number, 0)}
            return "" if seed in allowed else f"seed must be {min(allowed)} (got {seed})"
        first, least = self.first_seeds[owner], validation_seed(self.record.seed, 0, 0)
        if seed - replicate == first and first >= least:
            return ""
        return f"seed must be {max(first, least) + replicate} (got {seed})"

    @cached_property
    def first_seeds(self) -> dict[str, int]:
        """The seed of the first game of each trial and point, by the majority of its lines."""
        votes: dict[str, Counter[int]] = {}
        for line in self.lines:
            owner, seed = self.owner(line.cells), number_in(line.cells, "seed")
            replicate = number_in(line.cells, "replicate")
            if owner and seed is not None and replicate is not None:
                votes.setdefault(owner, Counter())[seed - replicate] += 1
        return {owner: each.most_common(1)[0][0] for owner, each in votes.items()}

    def written(self, owner: str, line: TableLine, game: Outcome) -> bytes:
        """Return the line as an export writes it."""
        kind, _, name = owner.partition(" ")
        row = cells_of_game(game, self.experiment) | {
            "phase": SEARCH if kind == "trial" else VALIDATION,
            kind: name,
            "origin": line.cells.get("origin", ""),
            "replicate": game.seed - self.first_seeds[owner],
        }
        return format_line(tuple(row.get(column, "") for column in self.columns)).rstrip(b"\n")


def row_n_games(row: Mapping[str, str], are_replaced: bool) -> int | None:
    """Return the number of games in a table's row, with failed ones; None if it is invalid.

    If failed games ``are_replaced``, the row's ``n_games`` does not include them, and ``n_failed``
    is added to it.
    """
    n_games, n_failed = number_in(row, "n_games"), number_in(row, "n_failed", "0")
    if n_games is None or n_failed is None:
        return None
    return n_games + n_failed if are_replaced else max(n_games, n_failed)


def number_in(cells: Mapping[str, str], name: str, usual: str = "") -> int | None:
    """Return a number, such as the seed, from a line's cells; None if it is not valid."""
    word = cells.get(name) or usual
    is_short = word.isdecimal() and len(word) <= len(str(MAX_SEED))
    return int(word) if is_short and int(word) <= MAX_SEED else None


def table_in(folder: Path) -> GamesTable:
    """Examine the table of games in a folder; InputError if it is not a table of this version."""
    with (folder / GAMES).open("rb") as file:
        is_exported = file.readline().startswith(b"phase,")
    return (ExportedTable if is_exported else LedgerTable)(folder)
