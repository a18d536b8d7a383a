"""The page of a study: one HTML file, made from one snapshot, that needs no network.

Everything that a user or a study has named is text to the template, which escapes it; data for
scripts are JSON in which ``<`` is written as an escape. A Content-Security-Policy allows the page's
own scripts by their digests, and no request.
"""

import base64
import hashlib
import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from altair.utils.schemapi import debug_mode
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from study.errors import InputError
from study.page.charts.importance import importance_of
from study.page.choices import Choices
from study.page.claims import Claim, against, claims
from study.page.contents import contents_of
from study.page.library import BESIDE, library
from study.page.made_by import again, again_note, facts, runs_table
from study.page.page_data import PageData
from study.page.replays import recorded
from study.report.pick_text import command_of
from study.report.tables import write_text
from study.report.validated_rows import cost_columns
from study.store.location import RESULTS, Location, usual_url, why_unusable
from study.text import counted

STATIC = Path(__file__).parent / "static"
NAME = "report.html"
GENERATOR = "thetafront report"
BEGINNING = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="{GENERATOR}">"""
"""What a page begins with, so that no other file is overwritten."""
Library = Literal["inside", "beside"]
N_CLAIMED_BASELINES = 2


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
    page: PageData,
    location: Location,
    circumstances: Circumstances | None = None,
    library_is: Library = "inside",
) -> str:
    """Return a study's page.

    Parameters
    ----------
    page : PageData
        The study.
    location : Location
        Where it is, for commands that name it.
    circumstances : Circumstances, optional
        When it is made, and whether a sweep runs; now, and none, by default.
    library_is : {"inside", "beside"}
        Where the library that draws the charts is: in the page, or in a file beside it.
    """
    circumstances = circumstances or Circumstances()
    experiment = page.data.experiment
    choices = Choices.of(page)
    importance = importance_of(page)
    with debug_mode(False):  # tests validate charts: it takes as long as making them
        figures = contents_of(page, importance)
    games = recorded(page)
    said = claims(page, importance)
    candidates = page.candidates
    more: list[Claim] = []
    if candidates is not None:
        more = [claim for name in experiment.baselines for claim in against(candidates, name)]
    shown = {each.about for each in more[:N_CLAIMED_BASELINES]}
    compared = {each.about for each in more}
    every = [each for group in figures.values() for each in group]
    scripts = [static("page.js")]
    if games.replays:
        scripts.insert(0, static("replay.js"))
    if library_is == "inside":
        scripts.insert(0, library())
    data = {
        "charts": {
            each.key: each.chart.to_dict(validate=False) for each in every if each.chart is not None
        },
        "choices": None if choices is None else choices.as_data(),
        "pick": pick_words(page, location),
        "replays": [each.data for each in games.replays],
        "csv": page.tables["front"].to_csv(index=False),
        "made": circumstances.made.timestamp(),
        "reload": circumstances.reload_seconds,
        "name": location.name,
    }
    template = Environment(
        loader=FileSystemLoader(STATIC), autoescape=True, undefined=StrictUndefined
    ).get_template("page.html.j2")
    return template.render(
        beginning=Markup(BEGINNING),
        policy=policy(scripts, library_is),
        style=Markup(static("page.css") + (static("replay.css") if games.replays else "")),
        scripts=[Markup(checked(each)) for each in scripts],
        beside=BESIDE if library_is == "beside" else "",
        data=Markup(embedded(data)),
        name=location.name,
        experiment=experiment,
        goal=experiment.goal,
        cost=experiment.cost,
        summary=summary(page),
        circumstances=circumstances,
        made=circumstances.made.astimezone(UTC).isoformat(timespec="seconds"),
        made_text=f"{circumstances.made.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        claims=[each for each in said if each.about in shown or each.about not in compared],
        compared=[each for each in more if each.about not in shown],
        figures=figures,
        choices=choices,
        pick_words=pick_words(page, location),
        validated=validated_table(page),
        games=games,
        facts=facts(page),
        runs=runs_table(page.data),
        again=again(page.data),
        again_note=again_note(page.data),
        table_of=table_of,
    )


def static(name: str) -> str:
    """Read a file of the page's own."""
    return (STATIC / name).read_text(encoding="utf-8")


def summary(page: PageData) -> str:
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
            "on seeds that chose nothing"
        )
    return said


def pick_words(page: PageData, location: Location) -> str:
    """Return the command that asks for a budget, up to the budget itself."""
    words, results = ["thetafront", "pick", location.name], location.folder.parent
    if location.url != usual_url(RESULTS / location.name):
        if location.url == usual_url(results / location.name):
            words += ["--results", str(results)]
        else:
            words = [*words[:2], location.url_without_password, "--name", location.name]
    return f"{shlex.join([*words, '--games', '0'])} {page.data.experiment.cost.option} "


def validated_table(page: PageData) -> dict[str, Any]:
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
        theta = {each.name: each.clip(theta[each.name]) for each in experiment.space}
        rows.append(
            {
                "number": int(row["number"]),
                "on_front": bool(row["on_front"]),
                "cells": [(text, sortable(value)) for text, value in cells],
                "command": command_of(experiment, theta),
            }
        )
    return {"columns": columns, "rows": rows, "n_text": 2}


def sortable(value: Any) -> str:
    """Write a value for a script that sorts: numbers in full, texts as they are."""
    if isinstance(value, int | float) and math.isfinite(value):
        return repr(float(value))
    return str(value)


def table_of(frame: pd.DataFrame) -> dict[str, Any]:
    """Return headings and rows of texts of a chart's table."""
    return {
        "columns": [str(each) for each in frame.columns],
        "rows": [[cell_text(value) for value in row] for row in frame.itertuples(index=False)],
    }


def cell_text(value: Any) -> str:
    """Write a cell; nothing where there is no value."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def embedded(data: Any) -> str:
    """Write data as JSON that can stand in a script element, whatever texts it has."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def checked(script: str) -> str:
    """Return a script that can stand in a script element."""
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError("script: has the end of a script element, or a comment's beginning")
    return script


def digest(script: str) -> str:
    """Return a script's digest as a Content-Security-Policy names it."""
    found = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{found}'"


def policy(scripts: Sequence[str], library_is: Library) -> str:
    """Return the Content-Security-Policy: these scripts, styles and pictures inside, no request."""
    beside = ["'self'", "file:"] if library_is == "beside" else []
    allowed = " ".join([*beside, *map(digest, scripts)])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def write_page(html: str, path: Path) -> None:
    """Write a page atomically.

    Raises
    ------
    InputError
        If something else than a page is there, or it cannot be written.
    """
    check_page(path)
    write_text(html, path)


def check_page(path: Path) -> None:
    """Refuse, by InputError, to overwrite what is no page of a study."""
    given, folder = f"output: {str(path)!r} given", path.parent
    if path.is_dir():
        raise InputError(f"{given}, a folder; a file allowed")
    if flaw := why_unusable(folder):
        raise InputError(f"{given}, and folder {str(folder)!r} {flaw}")
    if path.exists() and not path.is_file():
        raise InputError(f"{given}, which is no regular file")
    try:
        start = path.read_bytes()[: len(BEGINNING)] if path.exists() else b""
    except OSError as error:
        raise InputError(f"{given}, which cannot be read: {error.strerror}") from None
    if start and start != BEGINNING.encode():
        raise InputError(
            f"{given}, which is no page of a study; give another file, or move it away"
        )


def write_library(folder: Path) -> None:
    """Write the library beside pages, unless it is there already."""
    path, script = folder / BESIDE, library()
    if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != script:
        write_text(script, path)
