"""Figures of a study drawn again from the tables in its folder, without its storage.

What needs the trials' games anew, the growth of the hypervolume, is not drawn.
"""

import json
from pathlib import Path

import pandas as pd

from thetafront.study.errors import InputError
from thetafront.study.experiments.constraints import TEXT
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.registry import experiment as experiment_by_name
from thetafront.study.log.manifest import MANIFEST
from thetafront.study.log.study_record import ATTRIBUTE, FORMAT, StudyRecord
from thetafront.study.report.pareto_figure import pareto_figure
from thetafront.study.report.scores_figure import scores_figure
from thetafront.study.report.style import save


def draw_published(folder: Path) -> list[Path]:
    """Draw ``pareto.png``, and ``scores.png`` where a study has it; return their paths.

    A ``front.csv`` without numbers, of an earlier version, gets them.

    Raises
    ------
    InputError
        If a file is missing, or is not a study's.
    """
    experiment = experiment_in(folder)
    tables = {
        name: table_in(folder / f"{name}.csv", experiment)
        for name in ("front", "trials", "games", "predicted_front")
    }
    validated = tables["front"]
    if "number" not in validated:
        validated.insert(1, "number", range(1, len(validated) + 1))
        tables["front"] = validated
    figures = {}
    extra = folder / "combined_front.csv"  # which an earlier version did not write
    combined = table_in(extra, experiment) if extra.exists() else None
    try:
        figures["pareto.png"] = pareto_figure(
            tables["trials"], validated, tables["predicted_front"], experiment, combined
        )
        if len(validated) and experiment.goal.with_extremes:
            figures["scores.png"] = scores_figure(validated, tables["games"], experiment)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise InputError(
            f"study: {folder} has no tables of a study of {experiment.name!r}: {error}"
        ) from None
    for name, figure in figures.items():
        save(figure, folder / name)
    return [folder / name for name in figures]


def experiment_in(folder: Path) -> Experiment:
    """Return the experiment that a folder's manifest names, by its cost."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError(f"study: folder {str(folder)!r} given, which has no {MANIFEST}")
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
        name, cost = str(made["experiment"]), str(made.get("cost", "seconds_per_move"))
        is_ours = made.get("definition") is None
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise InputError(f"study: {path} is no manifest of a study") from None
    if is_ours:
        return experiment_by_name(name).by(cost)
    record = {key: made[key] for key in StudyRecord.__dataclass_fields__ if key in made}
    record["format"] = FORMAT
    return StudyRecord.read({ATTRIBUTE: record}, folder.name).experiment_as_made()


def table_in(path: Path, experiment: Experiment) -> pd.DataFrame:
    """Read a table of a study."""
    if not path.is_file():
        raise InputError(f"study: folder {str(path.parent)!r} given, which has no {path.name}")
    words = dict.fromkeys(("point", *(each.name for each in experiment.space.categorical)), str)
    try:
        table = pd.read_csv(path, dtype=words)
        for each in experiment.space.categorical:
            if each.kind != TEXT and each.name in table:
                table[each.name] = table[each.name].map(each.read, na_action="ignore")
        return table
    except (ValueError, InputError, pd.errors.ParserError):
        raise InputError(f"study: {path} is no table") from None
