"""Fronts laid out for a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import counted_as, rate_interval
from thetafront.study.experiments.objectives import Goal
from thetafront.study.log.location import Location
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import edge_line, front_thetas
from thetafront.study.report.validated_rows import Row, cost_columns

if TYPE_CHECKING:
    import pandas as pd

WIDEST = 400  # characters
VALIDATED = "validated alone"


def print_front(out: Console, analysis: Analysis) -> None:
    """Print the validated front; before there is one, the front that the model predicts."""
    experiment = analysis.data.experiment
    if analysis.rows:
        print_whole(out, front_table(analysis.rows, experiment))
    elif analysis.model is None:
        out.print("no trial is complete yet")
    else:
        # Slow to import, and not needed above.
        from thetafront.study.report.validated_front import predicted_front_frame  # noqa: PLC0415

        frame = predicted_front_frame(experiment, analysis.model)
        print_whole(out, predicted_front_table(frame, experiment))


def print_notes(out: Console, analysis: Analysis, location: Location) -> None:
    """Print what is said below a front: bounds that may be too narrow, and the certificate."""
    from thetafront.study.report.certificate import certificate_line  # noqa: PLC0415, slow too

    edges = edge_line(analysis.data, location, front_thetas(analysis))
    for line in filter(None, (edges, certificate_line(analysis.certificate))):
        out.print(line, soft_wrap=True)


def print_whole(out: Console, table: Table) -> None:
    """Print a table with all of its columns; a terminal that is too narrow wraps the lines."""
    needed = out.measure(table, options=out.options.update(max_width=WIDEST)).maximum
    if needed > out.width:
        out = Console(
            file=out.file,
            force_terminal=out.is_terminal,
            quiet=out.quiet,
            width=needed,
            highlight=False,
        )
    out.print(table)


def show_theta(theta: Any, experiment: Experiment) -> list[str]:
    """Write each component of θ."""
    return [each.cell(theta.get(each.name)) for each in experiment.space]


def new_table(
    title: str, first: Sequence[str], experiment: Experiment, columns: Sequence[str]
) -> Table:
    """Return an empty table with a column a component of θ."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
    for name in first:
        table.add_column(name, no_wrap=True)
    for name in (*(parameter.label for parameter in experiment.space), *columns):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def front_table(rows: Sequence[Row], experiment: Experiment) -> Table:
    """Lay out the validated points, with their numbers, for a terminal; dominated ones are dim."""
    goal, summary = experiment.goal, experiment.summary
    has_failures = bool(rows) and "n_failed" in rows[0]
    own = [] if goal.is_exact else [f"{VALIDATED} ± 95%"]
    columns = [
        f"{goal.label} ± 95%",
        *own,
        "n",
        *(["failed, 95%"] if has_failures else []),
        f"{experiment.cost.label} ± 95%",
        "P(front)",
        *summary.cells(summary.columns([])),
    ]
    title = f"{'Front' if goal.is_exact else 'Validated front'}: {experiment.title}"
    table = new_table(title, ("", "from"), experiment, columns)
    notes = []
    if own:
        notes += [
            f"{goal.label}: given all games of the study",
            f"{VALIDATED}: by a point's own n games",
        ]
    if has_failures:
        notes.append(counted_as(goal))
    table.caption = "; ".join(notes) or None
    table.caption_justify = "left"
    for row in rows:
        score, alone = (
            goal.format.interval(*(row[column(what)] for what in ("mean", "low95", "high95")))
            for column in (goal.combined_column, goal.column)
        )
        costs = (row[f"combined_{name}"] for name in cost_columns(experiment.cost))
        table.add_row(
            f"{row['number']}",
            row["origin"],
            *show_theta(row, experiment),
            score,
            *([alone] if own else []),
            f"{row['n_games']:,.0f}",
            *([failed_cell(row, goal)] if has_failures else []),
            experiment.cost.interval(*costs),
            f"{row['p_on_front']:.2f}",
            *summary.cells(row).values(),
            style="" if row["on_front"] else "dim",
        )
    return table


def failed_cell(row: Row, goal: Goal) -> str:
    """Write how many of a point's games failed, with the rate's interval."""
    n_failed = int(row["n_failed"])
    n_games = int(row["n_games"]) + (n_failed if goal.penalty is None else 0)
    return f"{n_failed:,}: {rate_interval(n_failed, n_games)}"


def predicted_front_table(front: "pd.DataFrame", experiment: Experiment, n_rows: int = 12) -> Table:
    """Lay out some rows of the predicted front for a terminal."""
    goal = experiment.goal
    columns = [f"predicted {goal.label}, 95% band", experiment.cost.label]
    title = f"Predicted front, not validated: {experiment.title}"
    table = new_table(title, (), experiment, columns)
    chosen = np.unique(np.linspace(0, len(front) - 1, n_rows).round().astype(int))
    for _, row in front.iloc[chosen].iterrows():
        band = (row[goal.posterior_column(what)] for what in ("mean", "low95", "high95"))
        table.add_row(
            *show_theta(row, experiment),
            goal.format.interval(*band),
            experiment.cost.text(row[experiment.cost.name]),
        )
    return table
