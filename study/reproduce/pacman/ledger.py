"""Finished games of Pacman in a table that only grows: a run that was killed goes on where it stood.

One line a game in ``games.csv``, written as soon as its trial of ten has ended, under a digest of the agent that played
it. The same in kind as :mod:`study.reproduce.ledger`, which knows games of 2048.
"""

import errno
import fcntl
import hashlib
import io
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agents.pacman_agent import PacmanAgent, PacmanGame
from engine.pacman import Outcome
from study.errors import InputError

__all__ = ["PacmanLedger", "digest_of"]

COLUMNS = (
    "agent",
    "seed",
    "outcome",
    "score_points",
    "n_moves",
    "cpu_seconds",
    "n_food_left",
    "n_sweeps",
    "n_backups",
    "residual_mean",
)
HEADING = (",".join(COLUMNS) + "\n").encode()
ENDS = {each.name.lower(): each for each in Outcome if each is not Outcome.RUNNING}


def digest_of(agent: PacmanAgent) -> str:
    """Name an agent by twelve digits that depend on all of its parameters, the maze's drawing among them."""
    return hashlib.sha256(repr(agent).encode()).hexdigest()[:12]


def line_of(digest: str, game: PacmanGame) -> bytes:
    """Write one line of the table."""
    words = (
        digest,
        game.seed,
        game.outcome.name.lower(),
        game.score,
        game.n_moves,
        f"{game.seconds:.6f}",
        game.n_food_left,
        game.n_sweeps,
        game.n_backups,
        repr(game.residual_mean),
    )
    return (",".join(str(word) for word in words) + "\n").encode()


def game_of(line: bytes) -> tuple[str, PacmanGame]:
    """Read one line of the table; ValueError if it is no finished game."""
    (digest, seed, outcome, score, n_moves, seconds, n_food, n_sweeps, n_backups, residual) = (
        line.decode().split(",")
    )
    if outcome not in ENDS:
        raise ValueError("no outcome")
    game = PacmanGame(
        seed=int(seed),
        score=int(score),
        n_moves=int(n_moves),
        seconds=float(seconds),
        outcome=ENDS[outcome],
        n_food_left=int(n_food),
        n_sweeps=int(n_sweeps),
        n_backups=int(n_backups),
        residual_mean=float(residual),
    )
    least = min(
        game.seed, game.n_moves - 1, game.seconds, game.n_food_left, game.n_sweeps, game.n_backups
    )
    finite = math.isfinite(game.seconds) and math.isfinite(game.residual_mean)
    if not finite or least < 0 or game.residual_mean < 0 or game.won != (game.n_food_left == 0):
        raise ValueError("figures that no game has")
    return digest, game


def games_in(content: bytes, path: Path) -> tuple[dict[str, dict[int, PacmanGame]], int]:
    """Read a table of games, up to the last whole line; return it and how many bytes are whole.

    Raises
    ------
    InputError
        If it is no such table, or a whole line of it is no game.
    """
    if HEADING.startswith(content):
        return {}, len(HEADING) if content == HEADING else 0
    n_bytes = content.rfind(b"\n") + 1
    if not content[:n_bytes].startswith(HEADING):
        raise InputError(
            f"{path}: no table of Pacman's games of this version; use another folder, or move it away"
        )
    played: dict[str, dict[int, PacmanGame]] = {}
    for number, line in enumerate(content[:n_bytes].splitlines()[1:], 2):
        try:
            digest, game = game_of(line)
        except ValueError:
            raise InputError(
                f"{path}: line {number} is no finished game; use another folder, or move the file away"
            ) from None
        played.setdefault(digest, {})[game.seed] = game
    return played, n_bytes


class PacmanLedger:
    """The games in one file. It is read, and nothing is changed before :meth:`held`.

    Parameters
    ----------
    path : Path
        The table; it need not be there yet.

    Raises
    ------
    InputError
        If the file is no such table, or a whole line of it is no game.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: io.FileIO | None = None
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: a folder given, a table of games allowed")
        self.played, _ = games_in(path.read_bytes() if path.exists() else b"", path)

    @property
    def n_games(self) -> int:
        """How many games there are, of all agents."""
        return sum(len(games) for games in self.played.values())

    def games(self, agent: PacmanAgent) -> dict[int, PacmanGame]:
        """Return an agent's games, by seed."""
        return self.played.setdefault(digest_of(agent), {})

    def add(self, agent: PacmanAgent, games: Sequence[PacmanGame]) -> None:
        """Keep finished games; of those that are there already nothing is changed. Only while :meth:`held`.

        Raises
        ------
        OSError
            If they cannot be written; the file then ends with what was there before.
        """
        if self.file is None:
            raise RuntimeError("a ledger is written only while it is held")
        known = self.games(agent)
        new = [game for game in games if game.seed not in known]
        self.append(b"".join(line_of(digest_of(agent), game) for game in new))
        known |= {game.seed: game for game in new}

    def append(self, lines: bytes) -> None:
        """Write lines, or nothing of them: a full disk may take a part without complaint."""
        assert self.file is not None
        end = self.file.seek(0, os.SEEK_END)
        if self.file.write(lines) != len(lines):
            self.file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from writing here meanwhile, and cut off a last line torn by a kill.

        Raises
        ------
        InputError
            If another run holds it, or the file is no table of games.
        """
        with self.path.open("ab+", buffering=0) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(f"{self.path}: another run is writing it") from None
            file.seek(0)
            self.played, n_bytes = games_in(file.readall(), self.path)
            file.truncate(n_bytes)
            self.file = file
            try:
                if not n_bytes:
                    self.append(HEADING)
                yield
            finally:
                self.file = None
