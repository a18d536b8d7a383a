"""A reproduction's folder: games while they are played, then tables, text, figures and manifest."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd
from matplotlib.figure import Figure
from rich.console import Console
from rich.status import Status

from results.papers import paper
from thetafront.agents.agent import Agent, Game
from thetafront.study.errors import InputError
from thetafront.study.report.style import save
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.play_missing import play_missing
from thetafront.study.run.workers import check_jobs
from thetafront.study.store.ledger import Ledger
from thetafront.study.store.location import make_folder
from thetafront.study.store.manifest import MANIFEST, check_output, provenance, write_manifest

G = TypeVar("G", bound=Game)

GAMES = "games.csv"


def games_in(folder: Path) -> Path:
    """Return the games of another reproduction's folder; InputError if it has none."""
    path = folder / GAMES
    # Path.is_file raises for a name that is too long.
    if not os.path.isfile(path):
        raise InputError(f"reuse: {str(folder)!r} given, a folder with a {GAMES} allowed")
    return path


@dataclass(frozen=True)
class Results:
    """The files of a reproduction: Markdown text, and tables and figures by file name."""

    name: str  # of the text's file
    text: str
    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, Figure]


@dataclass(frozen=True)
class ResultFolder:
    """A folder of results, and the provenance of the run that writes it; use :meth:`made`."""

    path: Path
    made_by: Mapping[str, Any] = field(default_factory=provenance)

    @classmethod
    def made(cls, path: Path) -> "ResultFolder":
        """Make the folder; InputError, before hours of play, if it or its manifest is unusable."""
        make_folder(path, "output")
        check_output(path)
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
class Reproduction(Generic[G]):
    """Games of some agents in a folder, and the results made from them; use :meth:`begun`."""

    output: ResultFolder
    ledger: Ledger[G]  # all games, earlier runs' included
    jobs: int  # worker processes
    out: Console  # shows progress
    status: Status  # between the games: that tables are made
    batch_size: int  # games that a worker plays one after the other
    n_before: int  # games at the start
    rows: dict[str, Agent] = field(default_factory=dict)  # that have played

    @classmethod
    @contextmanager
    def begun(
        cls, folder: Path, game: type[G], jobs: int, out: Console, batch_size: int = 1
    ) -> "Iterator[Reproduction[G]]":
        """Make the folder, and hold its games until the end, so that no other run writes them.

        Raises
        ------
        InputError
            If the folder cannot be written, another run holds it, or its games cannot be read.
        """
        output = ResultFolder.made(folder)
        ledger = Ledger(folder / GAMES, game)
        with ledger.held(), out.status("tables and figures") as status:
            yield cls(output, ledger, jobs, out, status, batch_size, ledger.n_games)

    def reuse(self, folders: Iterable[Path], agents: Iterable[Agent]) -> None:
        """Copy these agents' games from other reproductions' folders."""
        wanted = list(agents)
        for folder in folders:
            other = Ledger(games_in(folder), self.ledger.game)
            for agent in wanted:
                self.ledger.add(agent, *other.games(agent).values())
        self.n_before = self.ledger.n_games

    def play(
        self, rows: Mapping[str, Agent], seeds: Sequence[int], what: str = ""
    ) -> dict[str, list[G]]:
        """Play the missing games of rows: :func:`study.run.play_missing.play_missing`."""
        self.rows.update(rows)
        self.status.stop()  # games have a display of their own
        try:
            return play_missing(
                rows, seeds, self.ledger, self.jobs, self.out, self.batch_size, what
            )
        finally:
            self.status.start()

    def write(self, results: Results, contents: Mapping[str, Any]) -> None:
        """Write the results; add the rows and the numbers of games to the manifest."""
        counts = {
            "n_games_played": self.ledger.n_games - self.n_before,
            "n_games_before": self.n_before,
        }
        rows = {self.ledger.digest(agent): row for row, agent in self.rows.items()}
        self.output.write(results, {**contents, **counts, "rows": rows})


@contextmanager
def opened(of: paper.Paper, game: type[G]) -> Iterator[Reproduction[G]]:
    """Open the folder of a script."""
    out = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with Reproduction.begun(of.output, game, check_jobs(of.jobs), out) as run:
        yield run


def settings_of(of: paper.Paper) -> dict[str, int]:
    """Return what the manifest says of the options."""
    return {"seed": of.seed, "games_a_row": of.n_games}
