"""The answer in files: tables, picture and what made them."""

from pathlib import Path
from typing import Any

from study.report.style import save
from study.report.tables import write_csv, write_text
from study.reproduce.sample_size.figure import sample_size_figure
from study.reproduce.sample_size.games import MANIFEST
from study.reproduce.sample_size.means import N_RESAMPLES
from study.reproduce.sample_size.measured import Measured
from study.reproduce.sample_size.order import N_RESAMPLES_A_WORLD, N_WORLDS
from study.reproduce.sample_size.paper import paper_frame
from study.reproduce.sample_size.tables import sections_of
from study.store.manifest import write_manifest


def write(measured: Measured, output: Path, made_by: dict[str, Any]) -> list[Path]:
    """Write tables, picture and manifest into a folder that is there; return the paths.

    The games are in ``games.csv`` already. ``inf`` in ``order.csv``: more games than were looked at.
    """
    frames = {"paper": paper_frame(), "replicates": measured.means}
    frames["standard_errors"] = measured.errors
    if measured.ranking is not None:
        frames["ranking"] = measured.ranking.chances
        frames["order"] = measured.ranking.levels
    paths = []
    for name, frame in frames.items():
        paths.append(output / f"{name}.csv")
        write_csv(frame, paths[-1])
    paths.append(output / "replicates.md")
    text = "\n".join(section.markdown() for section in sections_of(measured))
    write_text("# How many games make a trial\n\n" + text, paths[-1])
    paths.append(output / "replicates.png")
    save(sample_size_figure(measured), paths[-1])
    paths.append(output / MANIFEST)
    thetas = [
        {
            "name": each.name,
            "theta": each.theta,
            "origin": each.origin,
            "agent": each.agent,
            "n_games": each.n_games,
        }
        for each in measured.samples
    ]
    resamples = {"n_resamples": N_RESAMPLES, "n_worlds": N_WORLDS}
    resamples["n_resamples_a_world"] = N_RESAMPLES_A_WORLD
    write_manifest({**made_by, "thetas": thetas, **resamples}, paths[-1])
    return paths
