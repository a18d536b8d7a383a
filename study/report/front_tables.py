"""Fronts laid out for a terminal, and for notebooks."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import counted_as, rate_interval
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.location import Location
from thetafront.study.log.study_data import StudyData
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import edge_line, front_edges
from thetafront.study.report.played_rows import Row, forbidden_line
from thetafront.study.report.prediction_check import distrust_line
from thetafront.study.report.sections import new_table
from thetafront.study.samplers.predicted_front import spread
from thetafront.study.shrinkage import ENOUGH, are_equal
from thetafront.study.terminal.console import print_table
from thetafront.study.text import counted

if TYPE_CHECKING:
    import pandas as pd


CELL = "text-align: {}; white-space: nowrap"
DIM = ' style="opacity: 0.5"'
VALIDATED = "validated alone"
MIN_EQUAL = 4  # trials without any difference between their games before a note says so


def print_front(out: Console, analysis: Analysis) -> None:
    """Print the validated front; before there is one, the front that the model predicts."""
    experiment = analysis.data.experiment
    if analysis.rows:
        spare = [*experiment.summary.cells(analysis.rows[0]), *spare_columns(experiment)]
        print_table(out, front_table(analysis.rows, experiment), spare)
    elif analysis.model is None:
        out.print("no trial is complete yet")
    else:
        # Slow to import, and not needed above.
        from thetafront.study.report.tables import predicted_front_frame  # noqa: PLC0415

        frame = predicted_front_frame(analysis.data, analysis.model)
        print_table(out, predicted_front_table(frame, experiment), spare_columns(experiment))


def print_notes(out: Console, analysis: Analysis, location: Location) -> None:
    """Print the notes below a front, such as narrow ranges, and the certificate."""
    from thetafront.study.report.certificate import certificate_text  # noqa: PLC0415, slow too

    edges = edge_line(analysis.data, location, front_edges(analysis))
    forbidden, equal = forbidden_line(analysis.data), equal_games_line(analysis.data)
    for line in filter(None, (edges, forbidden, equal, distrust_line(analysis))):
        out.print(line)
    if analysis.certificate is not None:
        out.print(f"certificate: {certificate_text(analysis.certificate)}")


def equal_games_line(data: StudyData) -> str:
    """Say that all games of each θ have the same score; empty if some differ."""
    goal = data.experiment.goal
    repeated = [each.in_order for each in data.trials if len(each.games) > 1]
    # Shares are of few possible values, which small samples often have in common.
    if goal.is_exact or goal.is_share or len(repeated) < MIN_EQUAL:
        return ""
    if not all(are_equal(goal.samples(games)) for games in repeated):
        return ""
    return (
        f"in each of {counted(len(repeated), 'trial')}, all games have the same {goal.label}; if "
        "the program ignores its seed, define the goal as exact, and each θ is played only once"
    )


def spare_columns(experiment: Experiment) -> list[str]:
    """Return the columns that a narrow terminal can leave out, the most dispensable first.

    A point's number, goal and cost stay, because users choose by them.
    """
    rest = ["P(front)", f"{VALIDATED} ± 95%", "n", "failed, 95%", "from"]
    theta = [each.label for each in experiment.space]
    return [*rest, *reversed(theta)]


def show_theta(theta: Any, experiment: Experiment) -> list[str]:
    """Write each component of θ."""
    return [each.cell(theta.get(each.name)) for each in experiment.space]


@dataclass(frozen=True)
class TableCell:
    """A cell of a table of validated points: its text, and the value it is sorted by."""

    heading: str
    text: str
    value: Any


def front_cells(row: Row, experiment: Experiment) -> list[TableCell]:
    """Return the cells of a validated point: its number, its origin, θ, and all other columns.

    Goal and cost are what the combined model expects, given all games of the study.
    """
    goal, cost, space = experiment.goal, experiment.cost, experiment.space
    expected, alone = (
        [row[column(what)] for what in ("mean", "low95", "high95")]
        for column in (goal.combined_column, goal.column)
    )
    costs = [row[f"combined_{name}"] for name in cost.columns]
    cells = [
        TableCell("", f"{row['number']}", row["number"]),
        TableCell("from", str(row["origin"]), row["origin"]),
        *(TableCell(each.label, each.cell(row[each.name]), row[each.name]) for each in space),
        TableCell(f"{goal.label} ± 95%", goal.format.interval(*expected), expected[0]),
    ]
    if not goal.is_exact:
        cells.append(TableCell(f"{VALIDATED} ± 95%", goal.format.interval(*alone), alone[0]))
    cells.append(TableCell("n", f"{row['n_games']:,.0f}", row["n_games"]))
    if "n_failed" in row:
        cells.append(TableCell("failed, 95%", failed_cell(row, goal), row["n_failed"]))
    cells += [
        TableCell(f"{cost.label} ± 95%", cost.interval(*costs), costs[0]),
        TableCell("P(front)", f"{row['p_on_front']:.2f}", row["p_on_front"]),
    ]
    return cells + [
        TableCell(each, text, text) for each, text in experiment.summary.cells(row).items()
    ]


def front_table(rows: Sequence[Row], experiment: Experiment) -> Table:
    """Lay out one or more validated points for a terminal; dominated points are dim."""
    goal, cells = experiment.goal, [front_cells(row, experiment) for row in rows]
    title = f"{'Front' if goal.is_exact else 'Validated θ'}: {experiment.title}"
    notes = []
    if not goal.is_exact:
        is_few = any(row["n_games"] < ENOUGH for row in rows)
        others = f" (below {ENOUGH}, the interval also uses the variance at other points)"
        notes += [
            f"{goal.label}: given all of the study's games",
            f"{VALIDATED}: from a point's own n games{others if is_few else ''}",
        ]
    elif not experiment.cost.is_timed:
        notes.append("of trials with the same score and cost, only the first is listed")
    if "n_failed" in rows[0]:
        notes.append(counted_as(goal))
    headings = [cell.heading for cell in cells[0]]
    table = new_table(title, headings, "ll".ljust(len(headings), "r"), "; ".join(notes))
    for row, line in zip(rows, cells, strict=True):
        table.add_row(*(cell.text for cell in line), style="" if row["on_front"] else "dim")
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
    headings = [*(each.label for each in experiment.space), *columns]
    table = new_table(title, headings, "r" * len(headings))
    for _, row in front.iloc[spread(len(front), n_rows)].iterrows():
        band = (row[goal.posterior_column(what)] for what in ("mean", "low95", "high95"))
        table.add_row(
            *show_theta(row, experiment),
            goal.format.interval(*band),
            experiment.cost.text(row[experiment.cost.name]),
        )
    return table


def table_html(table: Table) -> str:
    """Write a terminal's table as HTML: title, headings, rows (dim ones stay dim) and caption."""
    styles = [CELL.format(column.justify) for column in table.columns]

    def row_html(kind: str, cells: list[str], style: str = "") -> str:
        written = (
            f'<{kind} style="{each}">{escape(cell)}</{kind}>'
            for each, cell in zip(styles, cells, strict=True)
        )
        return f"<tr{style}>{''.join(written)}</tr>"

    head = row_html("th", [str(column.header) for column in table.columns])
    rows = [
        row_html("td", [str(cell) for cell in cells], DIM if row.style else "")
        for row, *cells in zip(table.rows, *(column.cells for column in table.columns), strict=True)
    ]
    return (
        f"<p><b>{escape(str(table.title or ''))}</b></p>"
        f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p><small>{escape(str(table.caption or ''))}</small></p>"
    )
