"""The ledger: a table of finished games, so that a killed run can resume where it stopped.

A game's line is added to ``games.csv`` as soon as the game has ended. The line identifies the agent
by a digest of its name and parameters. ``agents.json``, in the same folder, has the name and all
parameters for each digest. So any game can be played again. When a later version adds a parameter
or changes a default, games still belong to their agent.
"""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from thetafront.agents.agent import Agent, Game, agent_digest, identity
from thetafront.agents.catalog import build_identified
from thetafront.study.errors import InputError
from thetafront.study.log.append_only import AppendOnlyFile
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.seeds import is_countable, shortened

AGENTS_FILE = "agents.json"

G = TypeVar("G", bound=Game)


def format_line(words: tuple[object, ...]) -> bytes:
    """Write one line of the table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(words)
    return text.getvalue().encode()


def identities_in(path: Path) -> dict[str, dict[str, Any]]:
    """Read the agents of a ledger, by digest; InputError if the file is damaged."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not all(isinstance(each["agent"], str) for each in found.values()):
            raise ValueError("an agent without a name")
    except (OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        raise InputError(f"{path}: not an agents table; restore it, or move it away") from None
    assert isinstance(found, dict)
    return found


class Ledger(Generic[G]):
    """The games in one file, all of class ``game``.

    The file need not exist. It can be written only while it is :meth:`held`. InputError if it is
    not such a table, if a complete line is not a game, or if ``agents.json`` is damaged.
    """

    def __init__(self, path: Path, game: type[G]) -> None:
        self.path = path
        self.game = game
        self.columns = ("agent", *game.columns().values())
        self.file = AppendOnlyFile(path, "a games table")
        self.read(self.file.content())

    def read(self, content: bytes) -> int:
        """Read the games in the file's content; return the size of the complete lines in bytes.

        Anything after them is a line cut short by a kill. InputError if the content is not such a
        table, or if a complete line is not a game.
        """
        self.identities = identities_in(self.path.with_name(AGENTS_FILE))
        self.today = {digest: self.current(digest) for digest in self.identities}
        self.written_as = {now: digest for digest, now in self.today.items()}
        self.played: dict[str, dict[int, G]] = {}  # by the agent's digest and by seed
        heading = format_line(self.columns)
        if heading.startswith(content):
            return len(heading) if content == heading else 0
        n_bytes = content.rfind(b"\n") + 1
        if not content[:n_bytes].startswith(heading):
            first = content.partition(b"\n")[0].decode(errors="replace")
            raise InputError(
                f"{self.path}: not a {self.game.kind} games table in the format of this thetafront "
                f"version: line 1 is {shortened(first, 60)}, not "
                f"{heading.decode().rstrip()!r}; use another folder, or move the file away"
            )
        fields = tuple(self.game.columns())
        for number, line in enumerate(content[:n_bytes].splitlines()[1:], 2):
            try:
                (words,) = csv.reader([line.decode()])
                agent, *cells = words
                game = self.game.from_row(dict(zip(fields, cells, strict=True)))
                if not (is_countable(game.to_row()) and game.is_possible):
                    raise ValueError("values that no game can have")
            except (ValueError, csv.Error):
                raise InputError(
                    f"{self.path}: line {number} is not a finished game; use another folder, or "
                    "move the file away"
                ) from None
            self.played.setdefault(self.today.get(agent, agent), {})[game.seed] = game
        return n_bytes

    @property
    def n_games(self) -> int:
        """The number of games of all agents."""
        return sum(len(games) for games in self.played.values())

    def games(self, agent: Agent) -> dict[int, G]:
        """Return an agent's games, by seed."""
        return self.played.setdefault(agent_digest(agent), {})

    def digest(self, agent: Agent) -> str:
        """Return an agent's digest in the file, which an earlier version may have computed."""
        return self.written_as.get(agent_digest(agent), agent_digest(agent))

    def agent(self, digest: str) -> Agent:
        """Create the agent to which a digest in the file belongs.

        InputError if ``agents.json`` lacks the digest, or if this version has no such agent.
        """
        path = self.path.with_name(AGENTS_FILE)
        if digest not in self.identities:
            raise InputError(f"{path} lacks agent {digest}, which {self.path.name} names")
        try:
            return build_identified(self.identities[digest])
        except ValueError as error:
            raise InputError(f"{path}: {digest}: {error}") from None

    def current(self, digest: str) -> str:
        """Return an agent's digest in this version, given its digest in the file."""
        try:
            return agent_digest(self.agent(digest))
        except InputError:  # the catalog has no such agent
            return digest

    def add(self, agent: Agent, *games: G) -> None:
        """Store finished games, except those that are stored already.

        OSError if they cannot be written; the file then has none of them.
        """
        if not self.file.is_held:
            raise RuntimeError(f"{self.path}: lines may be appended only while it is held")
        known = self.games(agent)
        new = [game for game in games if game.seed not in known]
        digest = self.written_as.setdefault(agent_digest(agent), agent_digest(agent))
        if digest not in self.identities:
            self.identities[digest] = identity(agent)
            with atomic_write(self.path.with_name(AGENTS_FILE)) as draft:
                written = json.dumps(self.identities, indent=1, ensure_ascii=False)
                draft.write_text(written + "\n", encoding="utf-8")
        self.file.append(b"".join(format_line((digest, *game.to_row().values())) for game in new))
        known |= {game.seed: game for game in new}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from writing until the block ends, and repair the file's end.

        The file is read again, since another run may have written to it. If a kill has cut the last
        line short, the line is deleted, and its game is played again. Nested calls do nothing.
        RunError if another run holds the file; InputError if it is not a table of games.
        """
        if self.file.is_held:
            yield
            return
        with self.file.held(self.read):
            if not self.path.stat().st_size:
                self.file.append(format_line(self.columns))
            yield
