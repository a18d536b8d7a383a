"""The page of a study: one HTML file, made from one snapshot, that needs no network."""

import shlex
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from altair.utils.schemapi import debug_mode

from thetafront.study.log.location import RESULTS, Location, usual_url
from thetafront.study.log.published_study import PublishedStudy
from thetafront.study.page.charts.importance import importance_of
from thetafront.study.page.choices import Choices
from thetafront.study.page.claims import claims
from thetafront.study.page.contents import contents_of
from thetafront.study.page.document import charts_of, document, sortable
from thetafront.study.page.made_by import again, again_note, facts, runs_table
from thetafront.study.page.replays import recorded
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.pick_text import command_of
from thetafront.study.report.validated_rows import cost_columns
from thetafront.study.text import counted

NAME = "report.html"


@dataclass(frozen=True)
class Circumstances:
    """What a page tells of its own making.

    Attributes
    ----------
    made : datetime
        When.
    running : str
        Which sweep held the study then; empty if none did.
    reload_seconds : float, optional
        After which time the page reads itself again; None if nothing will rewrite it.
    """

    made: datetime = field(default_factory=lambda: datetime.now(UTC))
    running: str = ""
    reload_seconds: float | None = None


def page_html(
    page: Analysis,
    location: Location,
    circumstances: Circumstances | None = None,
    library_at: str = "",
) -> str:
    """Return a study's page.

    Parameters
    ----------
    page : Analysis
        The study.
    location : Location
        Where it is, for commands that name it.
    circumstances : Circumstances, optional
        When it is made, and whether a sweep runs; now, and none, by default.
    library_at : str
        The file with the library that draws the charts, relative to the page; empty where the
        library is in the page.
    """
    circumstances = circumstances or Circumstances()
    experiment = page.data.experiment
    choices = Choices.of(page)
    importance = importance_of(page)
    with debug_mode(False):  # tests validate charts: it takes as long as making them
        figures = contents_of(page, importance)
    games = recorded(page)
    said, others = claims(page, importance)
    ask = "" if isinstance(page.data, PublishedStudy) else pick_words(page, location)
    every = [each for group in figures.values() for each in group]
    data = {
        "charts": charts_of(every),
        "choices": None if choices is None else choices.as_data(),
        "pick": ask,
        "replays": [each.data for each in games.replays],
        "csv": page.tables["front"].to_csv(index=False),
        "reload": circumstances.reload_seconds,
        "name": location.name,
    }
    texts = {
        "name": location.name,
        "experiment": experiment,
        "goal": experiment.goal,
        "cost": experiment.cost,
        "summary": summary(page),
        "circumstances": circumstances,
        "claims": said,
        "compared": others,
        "figures": figures,
        "choices": choices,
        "pick_words": ask,
        "validated": validated_table(page),
        "games": games,
        "facts": facts(page),
        "runs": runs_table(page.data),
        "again": again(page.data),
        "again_note": again_note(page.data),
    }
    return document(
        "page.html.j2",
        circumstances.made,
        data,
        texts,
        ["replay.js", "page.js"] if games.replays else ["page.js"],
        ["page.css", "replay.css"] if games.replays else ["page.css"],
        library_at,
    )


def summary(page: Analysis) -> str:
    """Say in a line what the study holds."""
    data = page.data
    n_trials = sum(each.state == "complete" for each in data.trials)
    n_failed = sum(each.state == "fail" for each in data.trials)
    n_games = sum(len(each.games) for each in data.trials)
    points = [each for each in data.points if each.games]
    said = f"{counted(n_trials, 'trial')} with {counted(n_games, 'game')}"
    if n_failed:
        said += f", {n_failed:,} failed"
    if points:
        n_validation = sum(len(each.games) for each in points)
        said += (
            f"; {counted(len(points), 'validated point')} with {counted(n_validation, 'game')} "
            "on fresh seeds"
        )
    return said


def pick_words(page: Analysis, location: Location) -> str:
    """Return the command that asks for a budget, up to the budget itself."""
    words, results = ["thetafront", "pick", location.name], location.folder.parent
    if location.url != usual_url(RESULTS / location.name):
        if location.url == usual_url(results / location.name):
            words += ["--results", str(results)]
        else:
            words = [*words[:2], location.url_without_password, "--name", location.name]
    return f"{shlex.join([*words, '--games', '0'])} {page.data.experiment.cost.option} "


def validated_table(page: Analysis) -> dict[str, Any]:
    """Return headings and rows of the table of validated points; a cell is a text and a value."""
    experiment, front = page.data.experiment, page.tables["front"]
    goal, summary = experiment.goal, experiment.summary
    own = [] if goal.is_exact else ["validated alone ± 95%"]
    columns = [
        "number",
        "from",
        f"{goal.label} ± 95%",
        *own,
        "games",
        f"{experiment.cost.label} ± 95%",
        "P(front)",
        *(each.label for each in experiment.space),
        *summary.cells(summary.columns([])),
        "play it",
    ]
    rows = []
    for row in front.to_dict("records"):
        expected, alone = (
            [row[column(each)] for each in ("mean", "low95", "high95")]
            for column in (goal.combined_column, goal.column)
        )
        costs = [row[f"combined_{name}"] for name in cost_columns(experiment.cost)]
        theta = {each.name: row[each.name] for each in experiment.space}
        cells: list[tuple[str, Any]] = [
            (str(row["number"]), row["number"]),
            (str(row["origin"]), str(row["origin"])),
            (goal.format.interval(*expected), expected[0]),
            *([(goal.format.interval(*alone), alone[0])] if own else []),
            (f"{row['n_games']:,}", row["n_games"]),
            (experiment.cost.interval(*costs), costs[0]),
            (f"{row['p_on_front']:.2f}", row["p_on_front"]),
            *((each.cell(theta[each.name]), theta[each.name]) for each in experiment.space),
            *((text, text) for text in summary.cells(row).values()),
        ]
        theta = experiment.space.clip(theta)
        rows.append(
            {
                "number": int(row["number"]),
                "on_front": bool(row["on_front"]),
                "cells": [(text, sortable(value)) for text, value in cells],
                "command": command_of(experiment, theta),
            }
        )
    return {"columns": columns, "rows": rows}
