"""A reproduction's folder: its games while they are played, then its table, text, picture and manifest."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from rich.console import Console

from agents.agent import Agent, digest_of
from agents.twenty48.agent import Game2048
from study.errors import InputError
from study.report.style import save
from study.report.tables import write_csv, write_text
from study.run.play_missing import play_missing
from study.store.ledger import Ledger
from study.store.location import make_folder
from study.store.manifest import earlier_manifest, provenance, write_manifest

GAMES = "games.csv"
MANIFEST = "manifest.json"


@dataclass
class Reproduction:
    """What one call of a command plays and writes; use :meth:`begun`.

    Attributes
    ----------
    folder : Path
        Where it is kept.
    jobs : int
        Worker processes.
    out : rich.console.Console
        Where progress is shown.
    ledger : Ledger
        The games, those of earlier calls among them.
    agents : dict of str to Agent
        Who has played, by the rows' names.
    made_by : mapping
        What makes this call.
    n_before : int
        Games that were there before.
    """

    folder: Path
    jobs: int
    out: Console
    ledger: Ledger[Game2048]
    agents: dict[str, Agent] = field(default_factory=dict)
    made_by: Mapping[str, Any] = field(default_factory=provenance)
    n_before: int = 0

    @classmethod
    @contextmanager
    def begun(cls, folder: Path, jobs: int, out: Console) -> "Iterator[Reproduction]":
        """Make the folder, and hold it until the end: no other run writes there meanwhile.

        Raises
        ------
        InputError
            If the folder cannot be written, another run holds it, or its games are no games.
        """
        make_folder(folder, "output")
        earlier_manifest(folder / MANIFEST)  # is one, or is refused before hours of play
        begun = cls(folder, jobs, out, Ledger(folder / GAMES, Game2048))
        with begun.ledger.held():
            begun.n_before = begun.ledger.n_games
            yield begun

    def reuse(self, folders: Sequence[Path], agents: Iterable[Agent]) -> None:
        """Copy the games of these agents from other reproductions' folders, which are only read."""
        wanted = list(agents)
        for each in folders:
            path = each / GAMES
            if not path.is_file():
                raise InputError(f"reuse: {str(each)!r} given, a folder with a {GAMES} allowed")
            other = Ledger(path, Game2048)
            for agent in wanted:
                for game in other.games(agent).values():
                    self.ledger.add(agent, game)
        self.n_before = self.ledger.n_games

    def play(self, agents: Mapping[str, Agent], seeds: Sequence[int]) -> dict[str, list[Game2048]]:
        """Play what is missing: see :func:`study.run.play_missing.play_missing`."""
        self.agents.update(agents)
        return play_missing(agents, seeds, self.ledger, self.jobs, self.out)

    def write(
        self,
        name: str,
        text: str,
        figure: Figure,
        tables: Mapping[str, pd.DataFrame],
        settings: Mapping[str, Any],
    ) -> None:
        """Write the readable text, the picture, the tables and the manifest."""
        for table, frame in tables.items():
            write_csv(frame, self.folder / f"{table}.csv")
        write_text(text, self.folder / f"{name}.md")
        save(figure, self.folder / f"{name}.png")
        contents = {
            **self.made_by,
            **settings,
            "n_games_played": self.ledger.n_games - self.n_before,
            "n_games_before": self.n_before,
            "rows": {digest_of(agent): row for row, agent in self.agents.items()},
        }
        write_manifest(contents, self.folder / MANIFEST)
