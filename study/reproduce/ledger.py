"""Finished games in a table that only grows: a run that was killed goes on where it stood.

One line a game in ``games.csv``, written at once when the game has ended, under a digest of the agent that
played it. The file is the result, too: what is published is what was played.
"""

import csv
import fcntl
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.agent import Agent, Game
from study.errors import InputError

__all__ = ["GameLedger", "digest_of"]

COLUMNS = (
    "agent",
    "seed",
    "score_points",
    "n_moves",
    "cpu_seconds",
    "n_playout_moves",
    "max_tile",
    "end_board_hex",
)


def digest_of(agent: Agent) -> str:
    """Name an agent by twelve digits that depend on all of its parameters."""
    return hashlib.sha256(repr(agent).encode()).hexdigest()[:12]


def line_of(words: tuple[object, ...]) -> bytes:
    """Write one line of the table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(words)
    return text.getvalue().encode()


class GameLedger:
    """The games in one file.

    Parameters
    ----------
    path : Path
        The table; it need not be there yet. A last line torn by a kill is cut off, and its game played
        again.

    Raises
    ------
    InputError
        If the file is no such table, or a whole line of it is no game.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.played: dict[str, dict[int, Game]] = {}
        if not path.exists() or not path.stat().st_size:
            path.write_bytes(line_of(COLUMNS))
            return
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole.startswith(line_of(COLUMNS)):
            raise InputError(
                f"{path}: no table of games of this version; use another folder, or move it away"
            )
        if whole != content:
            with path.open("r+b") as file:
                file.truncate(len(whole))
        rows = csv.reader(io.StringIO(whole.decode()))
        next(rows)
        for number, row in enumerate(rows, 2):
            try:
                agent, seed, score, n_moves, seconds, n_playout_moves, max_tile, end = row
                game = Game(
                    seed=int(seed),
                    score=int(score),
                    n_moves=int(n_moves),
                    seconds=float(seconds),
                    n_playout_moves=int(n_playout_moves),
                    max_tile=int(max_tile),
                    end_board=int(end, 16),
                )
            except ValueError:
                raise InputError(
                    f"{path}: line {number} is no finished game; use another folder, or move the file "
                    "away"
                ) from None
            self.played.setdefault(agent, {})[game.seed] = game

    def games(self, agent: Agent) -> dict[int, Game]:
        """Return an agent's games, by seed."""
        return self.played.setdefault(digest_of(agent), {})

    def add(self, agent: Agent, game: Game) -> None:
        """Keep a finished game; one that is there already is the same game, and stays."""
        games = self.games(agent)
        if game.seed in games:
            return
        line = line_of(
            (
                digest_of(agent),
                game.seed,
                game.score,
                game.n_moves,
                f"{game.seconds:.6f}",
                game.n_playout_moves,
                game.max_tile,
                f"{game.end_board:016x}",
            )
        )
        with self.path.open("ab", buffering=0) as file:
            file.write(line)
        games[game.seed] = game

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from writing here meanwhile.

        Raises
        ------
        InputError
            If another run is writing.
        """
        with self.path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(f"{self.path}: another run is writing it") from None
            yield
