"""Validated fronts to compare: of a study in its storage, or of the tables in its folder."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import check_2048
from thetafront.study.experiments.registry import experiment as experiment_by_name
from thetafront.study.report.tables import thetas_of

NEEDED = {"point", "origin", "n_games"}


@dataclass(frozen=True)
class Front:
    """The validated points of a study of 2048; InputError if it is of another game."""

    name: str
    seed: int  # whose games the study used
    experiment: Experiment  # by its cost
    validated: pd.DataFrame  # of `validated_frame`

    def __post_init__(self) -> None:
        check_2048(f"study: {self.name!r}", self.experiment.summary.game)


def within(front: Front, other: Front) -> Front:
    """Drop the points that are cheaper, or more expensive, than all of another front's.

    By playout moves a move, which do not depend on the machine.
    """
    costs = other.validated["playout_moves_per_move"]
    mine = front.validated["playout_moves_per_move"]
    inside = (mine >= costs.min()) & (mine <= costs.max())
    return replace(front, validated=front.validated[inside].reset_index(drop=True))


def front_in_folder(folder: Path) -> Front:
    """Read the ``front.csv`` and ``manifest.json`` of a study.

    Raises
    ------
    InputError
        If one is missing, or is not a study's.
    """
    table, manifest = folder / "front.csv", folder / "manifest.json"
    for path in (table, manifest):
        if not path.is_file():
            raise InputError(f"front: folder {str(folder)!r} has no {path.name}")
    try:
        made = json.loads(manifest.read_text(encoding="utf-8"))
        name, seed, found = str(made["study"]), int(made["seed"]), str(made["experiment"])
        cost = str(made.get("cost", "seconds_per_move"))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise InputError(f"front: {manifest} is not a manifest of a study") from None
    experiment = experiment_by_name(found).by(cost)
    words = {choice.name: str for choice in experiment.space.categorical}
    try:
        validated = pd.read_csv(table, dtype=words)
    except (ValueError, pd.errors.ParserError):
        raise InputError(f"front: {table} is not a table") from None
    goal = experiment.goal
    needed = NEEDED | {goal.column("mean"), goal.column("sem")}
    needed |= {each.name for each in experiment.costs} | set(experiment.space.names)
    missing = sorted(needed - set(validated.columns))
    if missing:
        raise InputError(f"front: {table} has no column {', '.join(missing)}")
    check_rows(table, validated, experiment)
    return Front(name, seed, experiment, validated)


def check_rows(table: Path, validated: pd.DataFrame, experiment: Experiment) -> None:
    """Refuse impossible scores and costs, and a θ that the agent refuses, by InputError."""
    for column in (experiment.goal.column("mean"), *(each.name for each in experiment.costs)):
        numbers = pd.to_numeric(validated[column], errors="coerce").to_numpy(float)
        wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
        if len(wrong):
            raise InputError(
                f"front: {table}, {column} must be a finite number of 0 or more (got "
                f"{validated[column].iloc[wrong[0]]} in row {wrong[0] + 1})"
            )
    for number, theta in enumerate(thetas_of(validated, experiment), 1):
        try:
            experiment.build(theta)
        except ValueError as error:
            raise InputError(f"front: {table}, row {number}, {error}") from None
