"""All files of a study's folder: tables, figures, manifest and page, from one snapshot.

This module also makes the page that lists studies and links to their pages.
"""

import math
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from threadpoolctl import threadpool_limits

from thetafront.study import interrupt
from thetafront.study.charts.export import draw, pictured_charts
from thetafront.study.charts.front import BASELINE, ON_FRONT, point_rows
from thetafront.study.charts.theta import share
from thetafront.study.errors import InputError
from thetafront.study.log.location import Location, make_folder
from thetafront.study.log.manifest import MANIFEST
from thetafront.study.log.published_study import read_published
from thetafront.study.page.choices import budget_text
from thetafront.study.page.claims import best_at_three
from thetafront.study.page.document import (
    check_page,
    document,
    sortable,
    write_library,
    write_page,
)
from thetafront.study.page.library import BESIDE
from thetafront.study.page.page import NAME, Circumstances, page_html
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import write_tables
from thetafront.study.report.recommend import cost_text

INDEX = "index.html"
COLUMNS = ("study", "experiment", "goal", "trials", "games", "validated points", "validation games")
OF_A_STUDY = (MANIFEST, "trials.csv", "games.csv", "front.csv")
POLL_INTERVAL = 1.0
SECONDS_BETWEEN_PAGES = 15.0
MAX_SHARE = 0.1
"""Maximum share of the time for rewriting a page; the rest of the time is left to the sweep."""


def write_results(
    analysis: Analysis, location: Location, circumstances: Circumstances | None = None
) -> list[Path]:
    """Write a study's tables, manifest, figures and page to its folder; return paths.

    InputError if the folder cannot be written, or contains other files with the same names.
    """
    path = page_path(location)
    with threadpool_limits(1):  # more threads are slower on matrices this small
        paths = write_tables(analysis, location, location.folder)
        charts = pictured_charts(analysis)
        paths += draw(charts, location.folder)
        write_page(page_html(analysis, location, circumstances, charts=charts), path)
    return [*paths, path]


def page_path(location: Location, path: Path | None = None) -> Path:
    """Return the path of a study's page, by default in the study's folder, which is created.

    InputError if the page cannot be written there, or would replace another file.
    """
    if path is None:
        make_folder(location.folder)
        path = location.folder / NAME
    check_page(path)
    return path


def write_report(
    analysis: Analysis,
    location: Location,
    path: Path | None = None,
    circumstances: Circumstances | None = None,
    library_beside: bool = False,
) -> Path:
    """Write only a study's page, and the library beside it if requested; return the page's path.

    By default, the page is written to the study's folder. InputError if the file exists and is not
    a page, or if it cannot be written.
    """
    path = page_path(location, path)
    with threadpool_limits(1):
        html = page_html(analysis, location, circumstances, BESIDE if library_beside else "")
    if library_beside:
        write_library(path.parent)
    write_page(html, path)
    return path


def follow(
    newest: Callable[[], object],
    write: Callable[[float | None], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write a page at once, again whenever there is more to show, and one last time at Ctrl-C.

    ``newest`` returns a value that changes when the study grows, or when a sweep begins or ends; it
    is called every second and must be fast. ``write`` gets the number of seconds after which the
    page reloads itself; None for the last page.
    """
    try:
        with interrupt.deferred():
            while not interrupt.requested():
                known, began = newest(), clock()
                write(SECONDS_BETWEEN_PAGES)
                due = clock() + max(SECONDS_BETWEEN_PAGES, (clock() - began) / MAX_SHARE)
                while not interrupt.requested() and (clock() < due or newest() == known):
                    sleep(POLL_INTERVAL)
            write(None)
    except KeyboardInterrupt:
        return


def write_each(folder: Path) -> Path:
    """Write page and pictures of every study in a folder; return the path of the list of pages.

    The pages share the library, which is a file in the folder. InputError if there is no study, or
    a file cannot be written.
    """
    if not folder.is_dir():
        raise InputError(f"folder {str(folder)!r} does not exist")
    folders = sorted(
        each for each in folder.iterdir() if all((each / name).is_file() for name in OF_A_STUDY)
    )
    if not folders:
        raise InputError(f"folder {str(folder)!r} contains no subfolder with a study's tables")
    for each in folders:
        check_page(each / NAME)
    check_page(folder / INDEX)
    pages = {}
    with threadpool_limits(1):
        write_library(folder)
        for each in folders:
            location, data = read_published(each)
            page = pages[f"{quote(each.name)}/{NAME}"] = Analysis(data)
            charts = pictured_charts(page)
            draw(charts, each)
            html = page_html(page, location, library_at=f"../{BESIDE}", charts=charts)
            write_page(html, each / NAME)
        write_page(index_html(pages), folder / INDEX)
    return folder / INDEX


def make_entry(link: str, page: Analysis) -> dict[str, Any]:
    """Describe a study: name, link, a sentence, cells with sort keys, points of a small front."""
    data, experiment = page.data, page.data.experiment
    complete = data.complete_trials
    values = (
        data.name,
        experiment.title,
        f"{experiment.goal.label} against {experiment.cost.label}",
        len(complete),
        sum(len(trial.games) for trial in complete),
        len(data.played_points),
        sum(len(point.games) for point in data.played_points),
    )
    cells = [
        (value if isinstance(value, str) else f"{value:,}", sortable(value)) for value in values
    ]
    claim, front = headline_claim(page), small_front(page)
    return {"name": data.name, "link": link, "claim": claim, "cells": cells, "front": front}


def headline_claim(page: Analysis) -> str:
    """Describe the best θ for the middle one of up to three budgets."""
    candidates, experiment = page.candidates, page.data.experiment
    if candidates is None:
        return "No trial is complete."
    chosen = best_at_three(candidates)
    limit, best = chosen[len(chosen) // 2]
    score = best.expected.score
    return (
        f"Within {budget_text(experiment.cost, limit, in_words=True)}: "
        f"{f'number {best.number}' if best.number else 'an untested θ'}, {experiment.goal.label} "
        f"{experiment.goal.format.interval_with_unit(score.value, score.low, score.high)} at "
        f"{cost_text(best.expected, experiment)}"
    )


def small_front(page: Analysis) -> list[tuple[float, float]]:
    """Return the measured points on the front, x and y from 0 to 1; better points are higher."""
    experiment = page.data.experiment
    rows = point_rows(page.tables["front"], experiment)
    on_front = [row for row in rows if row["kind"] in (ON_FRONT.label, BASELINE.label)]
    x = [math.log(row["x"]) for row in on_front]
    y = [experiment.goal.sign * row["y"] for row in on_front]
    return [(share(a, x), share(b, y)) for a, b in zip(x, y, strict=True)]


def index_html(pages: Mapping[str, Analysis]) -> str:
    """Return the page that lists some studies.

    ``pages`` has the studies by the paths of their pages, which are relative to this page.
    """
    entries = [make_entry(link, page) for link, page in pages.items()]
    entries.sort(key=lambda entry: entry["name"])
    texts = {"entries": entries, "columns": COLUMNS}
    return document("index.html.j2", datetime.now(UTC), {"name": "studies"}, texts)
