"""A comparison's folder: first the games, then tables, text, figures and manifest."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from rich.console import Console

from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.charts.picture import save
from thetafront.study.log.ledger import Ledger
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import MANIFEST, check_output, provenance, write_manifest
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.play_missing import play_missing

GAMES = "games.csv"


@dataclass
class Comparison:
    """Games of 2048 in a folder, and the results made from them; use :meth:`begun`."""

    folder: Path
    ledger: Ledger[Game2048]  # all games, including those of earlier runs
    jobs: int  # worker processes
    out: Console  # shows progress
    n_before: int  # games at the start
    made_by: Mapping[str, Any] = field(default_factory=provenance)
    rows: dict[str, Agent] = field(default_factory=dict)  # agents that have played, by row

    @classmethod
    @contextmanager
    def begun(cls, folder: Path, jobs: int, out: Console) -> "Iterator[Comparison]":
        """Make the folder, and lock its games against other runs until the context ends.

        InputError if the folder or its manifest is unusable, if another run has locked it, or if
        its games cannot be read.
        """
        make_folder(folder, "output")
        check_output(folder)
        ledger = Ledger(folder / GAMES, Game2048)
        with ledger.held():
            yield cls(folder, ledger, jobs, out, ledger.n_games)

    def play(
        self, rows: Mapping[str, Agent], seeds: Sequence[int], what: str = ""
    ) -> dict[str, list[Game2048]]:
        """Play the rows' missing games with :func:`study.run.play_missing.play_missing`."""
        self.rows.update(rows)
        return play_missing(rows, seeds, self.ledger, self.jobs, self.out, what=what)

    def write(
        self,
        name: str,
        text: str,
        tables: Mapping[str, pd.DataFrame],
        figure: Figure,
        contents: Mapping[str, Any],
    ) -> None:
        """Write the text and the figure under ``name``, and each table under its own name.

        The manifest has ``contents``, the rows, and the numbers of games.
        """
        with self.out.status("tables and figures"):
            for stem, frame in tables.items():
                write_csv(frame, self.folder / f"{stem}.csv")
            write_text(text, self.folder / f"{name}.md")
            save(figure, self.folder / f"{name}.png")
        counts = {
            "n_games_played": self.ledger.n_games - self.n_before,
            "n_games_before": self.n_before,
        }
        rows = {self.ledger.digest(agent): row for row, agent in self.rows.items()}
        manifest = {**self.made_by, **contents, **counts, "rows": rows}
        write_manifest(manifest, self.folder / MANIFEST)
