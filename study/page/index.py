"""The page that lists studies, each with a page of its own."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from thetafront.study.charts.front import BASELINE, ON_FRONT, point_rows
from thetafront.study.charts.theta import share
from thetafront.study.page.choices import budget_text
from thetafront.study.page.claims import best_at_three
from thetafront.study.page.document import document, sortable
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.recommend import cost_text

NAME = "index.html"
COLUMNS = ("study", "experiment", "goal", "trials", "games", "validated points", "validation games")


def entry_of(link: str, page: Analysis) -> dict[str, Any]:
    """Describe a study: its name, its page, a sentence, and cells with what sorts them."""
    data, experiment = page.data, page.data.experiment
    complete = [trial for trial in data.trials if trial.state == "complete"]
    values = (
        data.name,
        experiment.title,
        f"{experiment.goal.label} against {experiment.cost.label}",
        len(complete),
        sum(len(trial.games) for trial in complete),
        sum(bool(point.games) for point in data.points),
        sum(len(point.games) for point in data.points),
    )
    cells = [
        (value if isinstance(value, str) else f"{value:,}", sortable(value)) for value in values
    ]
    claim, front = claim_of(page), small_front(page)
    return {"name": data.name, "link": link, "claim": claim, "cells": cells, "front": front}


def claim_of(page: Analysis) -> str:
    """Say what the best θ of a middle budget is."""
    candidates, experiment = page.candidates, page.data.experiment
    if candidates is None or not (candidates.played or candidates.anywhere):
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
    """Return the measured points of the front, better ones higher: x and y from 0 to 1."""
    experiment = page.data.experiment
    rows = point_rows(page.tables["front"], experiment)
    on_front = [row for row in rows if row["kind"] in (ON_FRONT.label, BASELINE.label)]
    x = [math.log(row["x"]) for row in on_front]
    y = [experiment.goal.sign * row["y"] for row in on_front]
    return [(share(a, x), share(b, y)) for a, b in zip(x, y, strict=True)]


def index_html(pages: Mapping[str, Analysis], made: datetime | None = None) -> str:
    """Return the page that lists some studies.

    Parameters
    ----------
    pages : mapping of str to Analysis
        The studies, by the paths of their pages, relative to this one.
    made : datetime, optional
        When the page is made; now by default.
    """
    made = datetime.now(UTC) if made is None else made
    entries = [entry_of(link, page) for link, page in pages.items()]
    entries.sort(key=lambda entry: entry["name"])
    texts = {"entries": entries, "columns": COLUMNS}
    return document("index.html.j2", made, {"charts": {}, "name": "studies"}, texts)
