"""All of it in one folder: choose settings, play what is missing, and write tables, text and pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.agent import digest_of
from agents.pacman.agent import PacmanGame
from study.report.style import save
from study.report.tables import write_csv, write_text
from study.reproduce.pacman.claims import claims, claims_frame
from study.reproduce.pacman.design import (
    MEDIUM,
    SMALL,
    Chosen,
    all_agents,
    astar_candidates,
    mdp_candidates,
    strategies,
)
from study.reproduce.pacman.figures import (
    distance_figure,
    medium_figure,
    small_figure,
    strategies_figure,
    sweeps_figure,
)
from study.reproduce.pacman.points import (
    distance_frame,
    points_frame,
    strategies_frame,
    sweeps_frame,
)
from study.reproduce.pacman.report import pacman_markdown
from study.reproduce.pacman.selection import chosen, seeds_to_choose_on, selection_frame
from study.reproduce.pacman.trials import play_missing
from study.store.ledger import Ledger
from study.store.location import make_folder
from study.store.manifest import earlier_manifest, provenance, write_manifest

GAMES = "games.csv"
MANIFEST = "manifest.json"


def reproduce(
    folder: Path, seeds: Sequence[int], jobs: int, out: Console, settings: Mapping[str, Any]
) -> str:
    """Do what is missing in a folder, write all of it, and return the text.

    Parameters
    ----------
    folder : Path
        Where tables, text, pictures and manifest are written; games that are there are not played again.
    seeds : sequence of int
        What each point plays, ascending.
    jobs : int
        Worker processes.
    out : rich.console.Console
        Where progress is shown.
    settings : mapping
        What the manifest says of the command's options.

    Raises
    ------
    InputError
        If the folder cannot be written, another run holds it, or its games are no games.
    study.run.workers.PlayError
        If a game cannot be played.
    """
    make_folder(folder, "output")
    earlier_manifest(folder / MANIFEST)  # is one, or is refused before hours of play
    made_by = provenance()
    ledger = Ledger(folder / GAMES, PacmanGame)
    with ledger.held():
        n_before = ledger.n_games
        other_seeds = seeds_to_choose_on(seeds)
        layouts = (SMALL, MEDIUM)
        mdps = {layout: mdp_candidates(layout) for layout in layouts}
        astars = {layout: astar_candidates(layout) for layout in layouts}
        tried = play_missing(
            [agent for layout in layouts for agent in (*mdps[layout], *astars[layout])],
            other_seeds,
            ledger,
            jobs,
            out,
            "choosing settings",
        )
        best = {
            layout: Chosen(chosen(tried, mdps[layout]), chosen(tried, astars[layout]))
            for layout in layouts
        }
        played = play_missing(all_agents(best), seeds, ledger, jobs, out, "points of the figures")

        rows = {layout: strategies(layout, ours) for layout, ours in best.items()}
        found = claims(played, rows)
        tables = {
            "points": points_frame(played),
            "sweeps": sweeps_frame(played),
            "distance": distance_frame(played),
            "strategies": strategies_frame(played, rows),
            "claims": claims_frame(found),
            "selection": selection_frame(tried, best),
        }
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")
        text = pacman_markdown(played, tables, found, best, seeds, other_seeds)
        write_text(text, folder / "pacman.md")
        pictures = {
            "figure2": small_figure(played, against_gamma=False),
            "figure3": small_figure(played, against_gamma=True),
            "figure4": sweeps_figure(played, tables["sweeps"], SMALL.name),
            "figure5": medium_figure(played),
            "figure6": sweeps_figure(played, tables["sweeps"], MEDIUM.name),
            "figure7": strategies_figure(played, tables["strategies"]),
            "distance": distance_figure(played),
        }
        for name, figure in pictures.items():
            save(figure, folder / f"{name}.png")
        contents = {
            **made_by,
            **settings,
            "seeds_to_choose_on": [other_seeds[0], other_seeds[-1]],
            "chosen": {
                layout.name: {"mdp": digest_of(ours.mdp), "astar": digest_of(ours.astar)}
                for layout, ours in best.items()
            },
            "n_games_played": ledger.n_games - n_before,
            "n_games_before": n_before,
            "layouts": {layout.name: list(layout.rows) for layout in best},
        }
        write_manifest(contents, folder / MANIFEST)
    return text
