"""Finished games in a table that only grows: a run that was killed goes on where it stood.

One line a game in ``games.csv``, written at once when the game has ended, under a digest of the agent that
played it. The file is the result, too: what is published is what was played.
"""

import csv
import errno
import fcntl
import hashlib
import io
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from agents.agent import Agent, Game
from agents.twenty48.agent import Game2048
from engine.twenty48 import largest_exponent, tile
from study.errors import InputError, naming

G = TypeVar("G", bound=Game)


def digest_of(agent: Agent) -> str:
    """Name an agent by twelve digits that depend on all of its parameters."""
    return hashlib.sha256(repr(agent).encode()).hexdigest()[:12]


def line_of(words: tuple[object, ...]) -> bytes:
    """Write one line of the table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(words)
    return text.getvalue().encode()


class Ledger(ABC, Generic[G]):
    """The games in one file, of one kind: a subclass says what a line holds.

    Parameters
    ----------
    path : Path
        The table; it need not be there yet. It is read, and nothing is changed before :meth:`held`.

    Attributes
    ----------
    columns : tuple of str
        The table's, ``agent`` first.
    what : str
        The games' name in messages.

    Raises
    ------
    InputError
        If the file is no such table, or a whole line of it is no game.
    """

    columns: ClassVar[tuple[str, ...]]
    what: ClassVar[str] = "games"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: io.FileIO | None = None
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: a folder given, a table of games allowed")
        self.played, _ = self.games_in(path.read_bytes() if path.exists() else b"")

    @abstractmethod
    def words_of(self, game: G) -> tuple[object, ...]:
        """Return what a line says of a game, after the agent."""

    @abstractmethod
    def game_of(self, words: list[str]) -> G:
        """Read that back; ValueError if it is no finished game."""

    def games_in(self, content: bytes) -> tuple[dict[str, dict[int, G]], int]:
        """Read a table of games, up to the last whole line.

        Returns
        -------
        played : dict of str to dict of int to Game
            By the agent's digest, and by seed.
        n_bytes : int
            How much of the content is whole: what comes after was torn by a kill.

        Raises
        ------
        InputError
            If it is no such table, or a whole line of it is no game.
        """
        heading = line_of(self.columns)
        if heading.startswith(content):
            return {}, len(heading) if content == heading else 0
        n_bytes = content.rfind(b"\n") + 1
        if not content[:n_bytes].startswith(heading):
            raise InputError(
                f"{self.path}: no table of {self.what} of this version; use another folder, or move it away"
            )
        played: dict[str, dict[int, G]] = {}
        for number, line in enumerate(content[:n_bytes].splitlines()[1:], 2):
            try:
                (words,) = csv.reader([line.decode()])
                agent, *rest = words
                game = self.game_of(rest)
            except (ValueError, csv.Error):
                raise InputError(
                    f"{self.path}: line {number} is no finished game; use another folder, or move the file away"
                ) from None
            played.setdefault(agent, {})[game.seed] = game
        return played, n_bytes

    @property
    def n_games(self) -> int:
        """How many games there are, of all agents."""
        return sum(len(games) for games in self.played.values())

    def games(self, agent: Agent) -> dict[int, G]:
        """Return an agent's games, by seed."""
        return self.played.setdefault(digest_of(agent), {})

    def add(self, agent: Agent, *games: G) -> None:
        """Keep finished games; one that is there already is the same game, and stays.

        Only while the ledger is :meth:`held`.

        Raises
        ------
        OSError
            If they cannot be written; the file then ends with the game before them.
        """
        if self.file is None:
            raise RuntimeError("a ledger is written only while it is held")
        known = self.games(agent)
        new = [game for game in games if game.seed not in known]
        self.append(b"".join(line_of((digest_of(agent), *self.words_of(game))) for game in new))
        known |= {game.seed: game for game in new}

    def append(self, lines: bytes) -> None:
        """Write lines, or nothing of them: a full disk may take a part without complaint."""
        assert self.file is not None
        end = self.file.seek(0, os.SEEK_END)
        with naming(self.path):
            n_written = self.file.write(lines)
        if n_written != len(lines):
            self.file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from writing here meanwhile, and make the file whole.

        It is read again, since another run may have written to it; a last line torn by a kill is cut off, and its
        game played again. Within itself it does nothing.

        Raises
        ------
        InputError
            If another run holds it, or the file is no table of games.
        """
        if self.file is not None:
            yield
            return
        with self.path.open("ab+", buffering=0) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(f"{self.path}: another run is writing it") from None
            file.seek(0)
            self.played, n_bytes = self.games_in(file.readall())
            file.truncate(n_bytes)
            self.file = file
            try:
                if not n_bytes:
                    self.append(line_of(self.columns))
                yield
            finally:
                self.file = None


class GameLedger(Ledger[Game2048]):
    """Games of 2048."""

    columns = (
        "agent",
        "seed",
        "score_points",
        "n_moves",
        "cpu_seconds",
        "n_playout_moves",
        "max_tile",
        "end_board_hex",
    )

    def words_of(self, game: Game2048) -> tuple[object, ...]:
        """Return what a line says of a game, after the agent."""
        return (
            game.seed,
            game.score,
            game.n_moves,
            f"{game.seconds:.6f}",
            game.n_playout_moves,
            game.max_tile,
            f"{game.end_board:016x}",
        )

    def game_of(self, words: list[str]) -> Game2048:
        """Read that back; ValueError if it is no finished game."""
        seed, score, n_moves, seconds, n_playout_moves, max_tile, end = words
        game = Game2048(
            seed=int(seed),
            score=int(score),
            n_moves=int(n_moves),
            seconds=float(seconds),
            n_playout_moves=int(n_playout_moves),
            max_tile=int(max_tile),
            end_board=int(end, 16),
        )
        least = min(game.seed, game.score, game.n_moves - 1, game.n_playout_moves, game.seconds)
        board_fits = game.max_tile == tile(largest_exponent(game.end_board))
        if not (math.isfinite(game.seconds) and least >= 0 and board_fits):
            raise ValueError("figures that no game has")
        return game
