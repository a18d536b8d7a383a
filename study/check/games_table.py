"""A table of games examined: ``games.csv`` of a reproduction, or of an exported study."""

import csv
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from thetafront.agents.agent import LARGEST_SEED, N_DIGITS, Agent, Game, Outcome
from thetafront.agents.parameters import Value
from thetafront.study.check.replay import Entry
from thetafront.study.check.report import Check
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.exported import (
    manifest_in,
    numbers_of_games,
    record_in,
    record_of,
    thetas_of,
)
from thetafront.study.log.game_rows import cells_of_game, failed_in, fields_in, is_reported
from thetafront.study.log.ledger import AGENTS_FILE, Ledger, line_of
from thetafront.study.log.same_game import difference
from thetafront.study.log.seeds import is_countable, search_seed, shortened, validation_seed
from thetafront.study.log.validated_points import key_of

GAMES = "games.csv"


def kind_of(columns: list[str]) -> type[Game] | None:
    """Return the class of games with these columns; None if there is none."""
    fits = [each for each in Game.kinds.values() if {*each.columns().values()} <= {*columns}]
    return max(fits, key=lambda each: len(each.columns()), default=None)


def heading_of(path: Path) -> list[str]:
    """Return the columns of a table; none if it cannot be read."""
    if not path.is_file():
        raise InputError(f"{path}: is not a file")
    first = path.read_bytes().partition(b"\n")[0].decode(errors="replace")
    try:
        return next(csv.reader([first]), [])
    except csv.Error:
        return []


@dataclass
class Line:
    """A line of the table: what it holds by column, and what is to be written in its place."""

    number: int
    content: bytes
    cells: dict[str, str]
    is_kept: bool = True


class GamesTable(ABC):
    """A table of games, examined.

    Parameters
    ----------
    folder : Path
        Where it is, with what tells its agents.

    Attributes
    ----------
    checks : list of Check
        What was checked, and what is wrong.
    entries : list of Entry
        The games whose agent and seed are known.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / GAMES
        self.folder = folder
        self.columns = heading_of(self.path)
        self.kind = self.kind_of_table()
        self.agents = Check("agents rebuilt")
        self.games = Check("games readable")
        self.seeds = Check("seeds")
        self.entries: list[Entry] = []
        self.seen: dict[tuple[str, int], Line] = {}
        self.prepare()
        content = self.path.read_bytes()
        *lines, torn = content.split(b"\n")
        self.heading = lines[0] if lines else torn
        self.lines = [self.line(number, each) for number, each in enumerate(lines[1:], 2)]
        if torn and lines:
            self.games.flaws.append(f"line {len(lines) + 1}: torn off, without an end")
        for name in self.lacking():
            raise InputError(
                f"{folder / name}: missing, or nothing in it; restore it, since nothing else tells "
                f"who played the games of {GAMES}"
            )
        self.examine()

    def kind_of_table(self) -> type[Game]:
        """Return the class of all games; InputError if there is none with these columns."""
        if (kind := kind_of(self.columns)) is None:
            raise InputError(f"{self.path}: no table of games of this version")
        return kind

    @property
    def checks(self) -> list[Check]:
        """What was checked."""
        return [self.agents, self.games, self.seeds]

    @abstractmethod
    def prepare(self) -> None:
        """Read what tells the agents; InputError if it cannot be read."""

    @abstractmethod
    def lacking(self) -> list[str]:
        """Return the files that tell the agents of lines of the table, and hold none."""

    @abstractmethod
    def owner(self, cells: Mapping[str, str]) -> str | None:
        """Return who played a line's game, as its cells name it; None if that is unknown."""

    @abstractmethod
    def agent(self, owner: str) -> Agent:
        """Return an owner's agent; ValueError or InputError if it cannot be made."""

    @abstractmethod
    def seed_flaw(self, owner: str, cells: Mapping[str, str], seed: int) -> str:
        """Say why a game has not the seed that it should have; empty if it has."""

    @abstractmethod
    def written(self, owner: str, line: Line, game: Outcome) -> bytes:
        """Return the line of a game that was played again."""

    def line(self, number: int, content: bytes) -> Line:
        """Read a line as far as it can be read."""
        try:
            words = next(csv.reader([content.decode()]), [])
        except (ValueError, csv.Error):
            words = []
        return Line(number, content, dict(zip(self.columns, words, strict=False)))

    def game_in(self, line: Line) -> Outcome:
        """Return a line's game; ValueError if it is none."""
        words = line.content.decode().count(",") + 1
        if len(line.cells) != len(self.columns) or (words < len(self.columns)):
            raise ValueError(f"{shortened(line.content.decode())} is no line of this table")
        if (failed := failed_in(line.cells)) is not None:
            return failed
        kind = self.kind_of(line.cells)
        game = kind.from_row(self.fields(line.cells, kind))
        if not (is_countable(game) and game.is_possible):
            raise ValueError(f"no game of {game.kind} has these figures")
        return game

    def kind_of(self, cells: Mapping[str, str]) -> type[Game]:
        """Return the class of a line's game: games side by side have columns of their own."""
        kinds = [each for each in Game.kinds.values() if issubclass(self.kind, each)]
        whole = [each for each in kinds if all(map(cells.get, each.columns().values()))]
        return (whole or kinds)[-1 if whole else 0]

    def fields(self, cells: Mapping[str, str], kind: type[Game] | None = None) -> dict[str, Any]:
        """Return a line's cells by the game's fields."""
        columns = (kind or self.kind).columns()
        return {name: cells[column] for name, column in columns.items() if column in cells}

    def examine(self) -> None:
        """Check all lines, and collect the games."""
        agents: dict[str, Agent] = {}
        seen = self.seen
        lost = []
        for line in self.lines:
            self.games.n += 1
            where, game, flaw = f"line {line.number}", None, ""
            try:
                game = self.game_in(line)
            except (ValueError, OverflowError) as error:
                flaw = f"{where}: {error}"
            owner = self.owner(line.cells)
            seed = game.seed if game is not None else number_in(line.cells, "seed")
            if owner is None or seed is None:
                lost.append(line)
                self.games.flaws.append(flaw or f"{where}: nothing on who played it")
                continue
            if owner not in agents:
                self.agents.n += 1
                try:
                    agents[owner] = self.agent(owner)
                except (ValueError, InputError) as error:
                    self.agents.flaws.append(f"{owner}: {error}")
                    continue
            self.seeds.n += 1
            seed_flaw = self.seed_flaw(owner, line.cells, seed)
            if (owner, seed) in seen or seed_flaw:
                twice = (
                    f"the game of line {seen[owner, seed].number} again" if not seed_flaw else ""
                )
                self.seeds.flaws.append(f"{where}: {seed_flaw or twice}")
                if game is not None and not seed_flaw:
                    self.doubt(f"line {seen[owner, seed].number}", game)
                lost.append(line)
                continue
            if flaw:
                self.games.flaws.append(flaw)
            seen[owner, seed] = line
            keep = partial(self.keep, owner, line)
            self.entries.append(
                Entry(where, agents[owner], seed, game, self.fields(line.cells), keep)
            )
        for line in lost:
            self.find(line, agents)

    def doubt(self, where: str, other: Outcome) -> None:
        """Have a line's game played again if another line has other figures for it."""
        for entry in self.entries:
            if entry.where == where and entry.game is not None and difference(entry.game, other):
                entry.game = None

    def find(self, line: Line, agents: Mapping[str, Agent]) -> None:
        """Give a line without a place the one game that is missing; drop it if more are."""
        owner, seed = self.owner(line.cells), number_in(line.cells, "seed")
        gaps = [
            (each, missing)
            for each in agents
            for missing in self.gaps([number for of, number in self.seen if of == each])
        ]
        fits = [gap for gap in gaps if gap[0] == owner or gap[1] == seed]
        fits = [gap for gap in fits if gap == (owner, seed)] or fits or gaps
        if len(fits) != 1:
            line.is_kept = False
            return
        ((owner, seed),) = fits
        self.seen[owner, seed] = line
        keep = partial(self.keep, owner, line)
        where = f"line {line.number}"
        self.entries.append(Entry(where, agents[owner], seed, None, self.fields(line.cells), keep))

    def gaps(self, seeds: list[int]) -> list[int]:
        """Return the seeds that games of one owner lack, between the first and the last."""
        if not seeds or max(seeds) - min(seeds) > 2 * len(seeds) + 16:
            return []
        return sorted(set(range(min(seeds), max(seeds))) - set(seeds))

    def keep(self, owner: str, line: Line, game: Outcome) -> None:
        """Put a game that was played again into its line."""
        line.content = self.written(owner, line, game)

    @property
    def n_dropped(self) -> int:
        """Lines of which nothing tells what game they were."""
        return sum(not line.is_kept for line in self.lines)

    @property
    def content(self) -> bytes:
        """The table with the lines as they are now."""
        kept = [line.content for line in self.lines if line.is_kept]
        return b"\n".join([self.heading, *kept, b""])

    def write(self) -> None:
        """Write the table with the lines as they are now."""
        with atomic_write(self.path) as draft:
            draft.write_bytes(self.content)


class LedgerTable(GamesTable):
    """The games of a reproduction; ``agents.json`` tells who played them."""

    def prepare(self) -> None:
        """Read the agents."""
        if self.columns != ["agent", *self.kind.columns().values()]:
            raise InputError(f"{self.path}: no table of games of this version")
        self.ledger: Ledger[Game] = Ledger(self.path.with_name(".none"), self.kind)
        for digest, stored in self.ledger.identities.items():
            text = json.dumps(stored, sort_keys=True)
            if sha256(text.encode()).hexdigest()[:N_DIGITS] != digest:
                self.agents.flaws.append(f"{digest}: {AGENTS_FILE} has other parameters")

    def lacking(self) -> list[str]:
        """Return the file of agents, if it has none of any line."""
        return [AGENTS_FILE] if self.lines and not self.ledger.identities else []

    def owner(self, cells: Mapping[str, str]) -> str | None:
        """Return the agent's digest."""
        digest = cells.get("agent")
        return digest if digest in self.ledger.identities else None

    def agent(self, owner: str) -> Agent:
        """Return the agent of a digest."""
        return self.ledger.agent(owner)

    def seed_flaw(self, owner: str, cells: Mapping[str, str], seed: int) -> str:
        """Return nothing: a reproduction may play any seed."""
        return ""

    def written(self, owner: str, line: Line, game: Outcome) -> bytes:
        """Return the line as a ledger writes it."""
        return line_of((owner, *game.to_row().values())).rstrip(b"\n")


class ExportedTable(GamesTable):
    """The games of a study; ``trials.csv`` and ``front.csv`` tell θ, ``manifest.json`` the rest."""

    def kind_of_table(self) -> type[Game]:
        """Return the class of all games; users' have columns that only the experiment tells."""
        if (record := record_in(manifest_in(self.folder))) is not None:
            made = record_of(record, self.folder).experiment_as_made()
            if is_reported(made):
                return made.summary.game
        return super().kind_of_table()

    def fields(self, cells: Mapping[str, str], kind: type[Game] | None = None) -> dict[str, Any]:
        """Return a line's cells by the game's fields."""
        if is_reported(self.experiment):
            return fields_in(cells, self.experiment)
        return super().fields(cells, kind)

    def prepare(self) -> None:
        """Read what made the study, and θ of its trials and points."""
        record = record_in(manifest_in(self.folder))
        if record is None:
            raise InputError(f"{self.folder / 'manifest.json'}: nothing on the study of {GAMES}")
        self.record = record_of(record, self.folder)
        self.experiment: Experiment = self.record.experiment_as_made()
        space = self.experiment.space
        self.thetas: dict[str, Mapping[str, Value]] = {
            f"trial {number}": theta
            for number, theta in thetas_of(self.folder / "trials.csv", "trial", space).items()
        }
        for key, theta in thetas_of(self.folder / "front.csv", "point", space).items():
            self.thetas[f"point {key}"] = theta
            if key_of(theta) != key:
                self.agents.flaws.append(f"point {key}: front.csv has another θ")
        is_replaced = self.experiment.goal.penalty is None
        self.numbers = {
            f"{column} {name}": n
            for table, column in (("trials.csv", "trial"), ("front.csv", "point"))
            # Games of trials count in a front of exact scores, too.
            if not (column == "point" and self.experiment.goal.is_exact)
            for name, n in numbers_of_games(self.folder / table, column, is_replaced).items()
        }

    def examine(self) -> None:
        """Check all lines, and that trials and points have as many as their own rows say."""
        super().examine()
        lines: dict[str, dict[int, Line]] = {}
        for (owner, seed), line in self.seen.items():
            if owner in self.first_seeds:
                lines.setdefault(owner, {})[seed - self.first_seeds[owner]] = line
        for owner, n in self.numbers.items():
            mine = lines.get(owner, {})
            if len(mine) == n:
                continue
            self.games.flaws.append(f"{owner} must have {n:,} games (got {len(mine):,})")
            if mine and max(mine) < n <= 2 * len(mine) + 16:
                for replicate in sorted(set(range(n)) - set(mine)):
                    self.add(owner, replicate, mine)

    def add(self, owner: str, replicate: int, lines: dict[int, Line]) -> None:
        """Add a line for a game that is not there, to be played."""
        nearest = min(lines, key=lambda each: abs(each - replicate))
        line = Line(0, b"", {"origin": lines[nearest].cells.get("origin", "")})
        place = next(place for place, each in enumerate(self.lines) if each is lines[nearest])
        self.lines.insert(place + (nearest < replicate), line)
        lines[replicate] = line
        seed = self.first_seeds[owner] + replicate
        keep = partial(self.keep, owner, line)
        where = f"{owner}, replicate {replicate}"
        self.entries.append(Entry(where, self.agent(owner), seed, None, {}, keep))

    def lacking(self) -> list[str]:
        """Return the tables without θ of any trial, or of any point, that the games need."""
        phases = {line.cells.get("phase") for line in self.lines}
        kinds = {name.partition(" ")[0] for name in self.thetas}
        needed = (("search", "trial", "trials.csv"), ("validation", "point", "front.csv"))
        return [name for phase, kind, name in needed if phase in phases and kind not in kinds]

    def owner(self, cells: Mapping[str, str]) -> str | None:
        """Return the trial or the point."""
        is_search = cells.get("phase") == "search"
        name = f"trial {cells.get('trial')}" if is_search else f"point {cells.get('point')}"
        return name if name in self.thetas else None

    def agent(self, owner: str) -> Agent:
        """Return the agent with its θ."""
        return self.experiment.build(self.thetas[owner])

    def seed_flaw(self, owner: str, cells: Mapping[str, str], seed: int) -> str:
        """Compare a game's seed with that of its replicate."""
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
        """The seed of each point's and trial's first game: that of most of its lines."""
        votes: dict[str, Counter[int]] = {}
        for line in self.lines:
            owner, seed = self.owner(line.cells), number_in(line.cells, "seed")
            replicate = number_in(line.cells, "replicate")
            if owner and seed is not None and replicate is not None:
                votes.setdefault(owner, Counter())[seed - replicate] += 1
        return {owner: each.most_common(1)[0][0] for owner, each in votes.items()}

    def written(self, owner: str, line: Line, game: Outcome) -> bytes:
        """Return the line as an export writes it."""
        kind, _, name = owner.partition(" ")
        cells = line.cells
        row = cells_of_game(game, self.experiment) | {
            "phase": "search" if kind == "trial" else "validation",
            "trial": name if kind == "trial" else "",
            "point": "" if kind == "trial" else name,
            "origin": cells.get("origin", ""),
            "replicate": game.seed - self.first_seeds[owner],
        }
        return line_of(tuple(row.get(column) for column in self.columns)).rstrip(b"\n")


def number_in(cells: Mapping[str, Any], name: str) -> int | None:
    """Return the seed, say, in a line's cells; None if there is none that a game can have."""
    word = cells.get(name)
    if not isinstance(word, str) or not word.isdecimal() or len(word) > len(str(LARGEST_SEED)):
        return None
    return int(word) if int(word) <= LARGEST_SEED else None


def table_in(folder: Path) -> GamesTable:
    """Examine the table of games in a folder; InputError if it is none of this version."""
    columns = heading_of(folder / GAMES)
    return (ExportedTable if columns[:1] == ["phase"] else LedgerTable)(folder)
