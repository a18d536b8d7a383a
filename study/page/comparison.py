"""The page of several studies: their fronts over each other, and differences at equal cost."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from study.page.charts.comparison import (
    ComparedFront,
    budgets_of,
    compared,
    difference,
    differences_figure,
    fronts_figure,
)
from study.page.choices import rounded_up
from study.page.claims import Claim
from study.page.document import charts_of, document
from study.page.made_by import again
from study.page.page_data import PageData
from study.text import listed

NAME = "comparison.html"
N_BUDGETS = 3


def comparison_html(studies: Sequence[PageData], made: datetime | None = None) -> str:
    """Return the page of some studies.

    Parameters
    ----------
    studies : sequence of PageData
        Those compared; others are compared with the first.
    made : datetime, optional
        When the page is made; now by default.

    Raises
    ------
    InputError
        If they cannot be compared.
    """
    fronts = compared(studies)
    made = datetime.now(UTC) if made is None else made
    experiment = fronts[0].experiment
    figures = [fronts_figure(fronts), differences_figure(fronts)]
    data: dict[str, Any] = {
        "charts": charts_of(figures),
        "choices": None,
        "replays": [],
        "reload": None,
        "name": "comparison",
    }
    texts = {
        "title": listed([front.name for front in fronts]),
        "goal": experiment.goal,
        "cost": experiment.cost,
        "claims": comparison_claims(fronts),
        "figures": figures,
        "commands": [(front.name, again(front.data.data)) for front in fronts],
    }
    return document("comparison.html.j2", made, data, texts)


def comparison_claims(fronts: Sequence[ComparedFront]) -> list[Claim]:
    """Say at three budgets, which all studies keep, how the others differ from the first."""
    experiment, first = fronts[0].experiment, fronts[0]
    goal = experiment.goal
    budgets = np.array([rounded_up(each) for each in budgets_of(fronts, N_BUDGETS).tolist()])
    base = first.within(budgets)
    found = []
    for k, budget in enumerate(budgets.tolist()):
        said = [f"{first.name} has {goal.format.interval_with_unit(*base[k].tolist())}"]
        for front in fronts[1:]:
            value, low, high = difference(front.within(budgets), base)[k].tolist()
            seen = goal.format.interval_with_unit(abs(value), *sorted((abs(low), abs(high))))
            if low <= 0.0 <= high:
                seen = goal.format.interval_with_unit(value, low, high)
                said.append(f"{front.name} cannot be told apart (difference {seen})")
            else:
                said.append(f"{front.name} has {seen} {'more' if value > 0.0 else 'less'}")
        about = f"Within {experiment.cost.in_words(budget)}"
        found.append(Claim(about, f"{listed(said)} (95% intervals)."))
    return found
