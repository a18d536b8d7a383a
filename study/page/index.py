"""The page that lists studies, each with a page of its own."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from thetafront.study.page.claims import best_at_three, best_text
from thetafront.study.page.document import document, sortable
from thetafront.study.report.analysis import Analysis

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
    return {"name": data.name, "link": link, "claim": claim_of(page), "cells": cells}


def claim_of(page: Analysis) -> str:
    """Say what the best θ of a middle budget is."""
    candidates = page.candidates
    if candidates is None or not (candidates.played or candidates.anywhere):
        return "No trial is complete."
    chosen = best_at_three(candidates)
    limit, best = chosen[len(chosen) // 2]
    return f"Within {page.data.experiment.cost.in_words(limit)}: {best_text(candidates, best)}"


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
    data: dict[str, Any] = {
        "charts": {},
        "choices": None,
        "replays": [],
        "reload": None,
        "name": "studies",
    }
    return document("index.html.j2", made, data, {"entries": entries, "columns": COLUMNS})
