"""A reproduction's folder: games while they are played, then tables, text, figures and manifest."""

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


@dataclass(frozen=True)
class Results:
    """The files of a reproduction.

    Attributes
    ----------
    name : str
        Of the text's file.
    text : str
        Markdown.
    tables : mapping of str to DataFrame
        By file name.
    figures : mapping of str to Figure
        By file name.
    """

    name: str
    text: str
    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, Figure]


@dataclass(frozen=True)
class ResultFolder:
    """A folder of results, and the provenance of the run that writes it; use :meth:`made`.

    Attributes
    ----------
    path : Path
        The folder.
    made_by : mapping
        Provenance of this run, from its start.
    """

    path: Path
    made_by: Mapping[str, Any] = field(default_factory=provenance)

    @classmethod
    def made(cls, path: Path) -> "ResultFolder":
        """Make the folder; InputError, before hours of play, if it or its manifest is unusable."""
        make_folder(path, "output")
        earlier_manifest(path / MANIFEST)
        return cls(path)

    def write(self, results: Results, contents: Mapping[str, Any]) -> list[Path]:
        """Write all files, ``contents`` into the manifest; return their paths."""
        paths = []
        for name, frame in results.tables.items():
            paths.append(self.path / f"{name}.csv")
            write_csv(frame, paths[-1])
        paths.append(self.path / f"{results.name}.md")
        write_text(results.text, paths[-1])
        for name, figure in results.figures.items():
            paths.append(self.path / f"{name}.png")
            save(figure, paths[-1])
        paths.append(self.path / MANIFEST)
        write_manifest({**self.made_by, **contents}, paths[-1])
        return paths


@dataclass
class Reproduction:
    """Games of some agents in a folder, and the results made from them; use :meth:`begun`.

    Attributes
    ----------
    output : ResultFolder
        The folder.
    jobs : int
        Worker processes.
    out : rich.console.Console
        Shows progress.
    ledger : Ledger
        All games, earlier runs' included.
    n_before : int
        Games at the start.
    rows : dict of str to Agent
        Agents that have played, by the names of their rows.
    """

    output: ResultFolder
    jobs: int
    out: Console
    ledger: Ledger[Game2048]
    n_before: int
    rows: dict[str, Agent] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def begun(cls, folder: Path, jobs: int, out: Console) -> "Iterator[Reproduction]":
        """Make the folder, and hold its games until the end, so that no other run writes them.

        Raises
        ------
        InputError
            If the folder cannot be written, another run holds it, or its games cannot be read.
        """
        output = ResultFolder.made(folder)
        ledger = Ledger(folder / GAMES, Game2048)
        with ledger.held():
            yield cls(output, jobs, out, ledger, ledger.n_games)

    def reuse(self, folders: Iterable[Path], agents: Iterable[Agent]) -> None:
        """Copy these agents' games from other reproductions' folders."""
        wanted = list(agents)
        for each in folders:
            path = each / GAMES
            if not path.is_file():
                raise InputError(f"reuse: {str(each)!r} given, a folder with a {GAMES} allowed")
            other = Ledger(path, Game2048)
            for agent in wanted:
                self.ledger.add(agent, *other.games(agent).values())
        self.n_before = self.ledger.n_games

    def play(self, rows: Mapping[str, Agent], seeds: Sequence[int]) -> dict[str, list[Game2048]]:
        """Play the missing games of some rows: :func:`study.run.play_missing.play_missing`."""
        self.rows.update(rows)
        return play_missing(rows, seeds, self.ledger, self.jobs, self.out)

    def write(self, results: Results, contents: Mapping[str, Any]) -> None:
        """Write the results; to the manifest add the rows and the numbers of games."""
        counts = {
            "n_games_played": self.ledger.n_games - self.n_before,
            "n_games_before": self.n_before,
        }
        rows = {digest_of(agent): row for row, agent in self.rows.items()}
        self.output.write(results, {**contents, **counts, "rows": rows})
