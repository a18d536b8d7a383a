"""The page of several studies: their fronts overlaid, and differences at equal cost."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from thetafront.study.charts.comparison import (
    ComparedFront,
    common_budgets,
    compared,
    difference,
    differences_chart,
    fronts_chart,
    signed,
)
from thetafront.study.charts.picture import picture, save
from thetafront.study.estimate import Estimate
from thetafront.study.page.choices import near_round, rounded_up
from thetafront.study.page.document import document, write_page
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.made_by import again, machines_text
from thetafront.study.report.pick_text import Lines
from thetafront.study.text import listed

NAME, PNG = "comparison.html", ".png"
N_COSTS = 3


def comparison_html(studies: Sequence[Analysis]) -> str:
    """Return the page that compares each of the other studies with the first one.

    InputError if the studies cannot be compared.
    """
    fronts = compared(studies)
    experiment = fronts[0].experiment
    charts = [fronts_chart(fronts), differences_chart(fronts)]
    texts = {
        "title": listed([front.name for front in fronts]),
        "goal": experiment.goal,
        "cost": experiment.cost,
        "claims": comparison_claims(fronts),
        "charts": charts,
        "commands": [(front.name, again(front.data.data)) for front in fronts],
    }
    return document("comparison.html.j2", datetime.now(UTC), {"name": "comparison"}, texts, charts)


def write_comparison(studies: Sequence[Analysis], path: Path) -> None:
    """Write the page that compares some studies, and a picture of its fronts beside the page."""
    write_page(comparison_html(studies), path)
    save(picture(fronts_chart(compared(studies))), path.with_suffix(PNG))


def comparison_claims(fronts: Sequence[ComparedFront]) -> Lines:
    """Say how the other studies differ from the first, at up to three costs that all fronts reach.

    Warnings come first: about different experiments, and about times on different machines.
    """
    goal, cost, first = fronts[0].experiment.goal, fronts[0].experiment.cost, fronts[0]
    found = warnings(fronts)
    costs = np.array(plain_costs(fronts))
    base = first.at_cost(costs)
    for k, each in enumerate(costs.tolist()):
        said = [f"{first.name} reaches {goal.format.interval_with_unit(*base[k].tolist())}"]
        for front in fronts[1:]:
            value, low, high = difference(front.at_cost(costs), base)[k].tolist()
            seen = signed(Estimate(value, low, high), goal)
            unsure = ", possibly by chance" if low <= 0.0 <= high and low < high else ""
            said.append(f"{front.name} differs by {seen}{unsure}")
        about = f"At an expected {cost.in_words(each)}"
        found.append((about, f"{'; '.join(said)} (each with its own 95% interval)."))
    return found


def plain_costs(fronts: Sequence[ComparedFront]) -> list[float]:
    """Return up to three costs that all studies reach: round numbers, if there are any nearby."""
    least, middle, most = common_budgets(fronts, N_COSTS).tolist()
    wanted = [rounded_up(least), middle, most]
    found = [near_round(each, least, most) or rounded_up(each) for each in wanted]
    return list(dict.fromkeys(found))


def warnings(fronts: Sequence[ComparedFront]) -> Lines:
    """Say why these studies are hard to compare."""
    found = []
    titles = {front.name: front.experiment.title for front in fronts}
    if len({front.experiment.name for front in fronts}) > 1:
        each = listed([f"{name} is {title!r}" for name, title in titles.items()])
        text = f"{each}. The studies are comparable only if they play the same game."
        found.append(("Different experiments", text))
    machines = {front.name: machines_text(front.data.data) for front in fronts}
    if fronts[0].experiment.cost.is_timed and len(set(machines.values())) > 1:
        each = listed([f"{name}: {text or 'not recorded'}" for name, text in machines.items()])
        text = f"Times were measured on different machines, whose speeds differ. {each}."
        found.append(("Different machines", text))
    return found
