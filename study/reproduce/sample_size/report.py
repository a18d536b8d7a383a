"""The answer in files: tables, text, figure and manifest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thetafront.study.report.sections import document
from thetafront.study.reproduce.reproduction import ResultFolder, Results
from thetafront.study.reproduce.sample_size.figure import sample_size_figure
from thetafront.study.reproduce.sample_size.means import N_RESAMPLES
from thetafront.study.reproduce.sample_size.measured import Measured
from thetafront.study.reproduce.sample_size.order import N_RESAMPLES_A_WORLD, N_WORLDS
from thetafront.study.reproduce.sample_size.paper import paper_frame
from thetafront.study.reproduce.sample_size.tables import sections_of


def write(measured: Measured, output: Path, made_by: Mapping[str, Any]) -> list[Path]:
    """Write tables, text, figure and manifest into an existing folder; return their paths.

    The games are in ``games.csv`` already. ``inf`` in ``order.csv``: more games than examined.
    """
    tables = {"paper": paper_frame()} if measured.is_2048 else {}
    tables |= {"replicates": measured.means, "standard_errors": measured.errors}
    if measured.ranking is not None:
        tables |= {"ranking": measured.ranking.probabilities, "order": measured.ranking.levels}
    text = document("How many games make a trial", *sections_of(measured))
    figures = {"replicates": sample_size_figure(measured)}
    names = ("name", "theta", "origin", "agent", "n_games")
    contents = {
        "thetas": [{name: getattr(each, name) for name in names} for each in measured.samples],
        "n_resamples": N_RESAMPLES,
        "n_worlds": N_WORLDS,
        "n_resamples_a_world": N_RESAMPLES_A_WORLD,
    }
    return ResultFolder(output, made_by).write(
        Results("replicates", text, tables, figures), contents
    )
