"""The page of a study: one HTML file that needs no network, made from one snapshot."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from thetafront.study.charts.chart import Chart
from thetafront.study.charts.export import pictured_charts
from thetafront.study.charts.hypervolume import timeline_chart
from thetafront.study.charts.importance import importance_chart
from thetafront.study.charts.slices import slices_chart
from thetafront.study.charts.theta import theta_chart
from thetafront.study.log.location import Location
from thetafront.study.log.published_study import PublishedStudy
from thetafront.study.page.choices import Choices
from thetafront.study.page.claims import claims
from thetafront.study.page.document import document, make_table, sortable
from thetafront.study.page.replays.recorded import recorded
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.front_tables import front_cells
from thetafront.study.report.made_by import again, again_note, facts, runs_table, verify_command
from thetafront.study.report.pick_text import play_command
from thetafront.study.report.played_rows import forbidden_line
from thetafront.study.text import counted

NAME, NOTE = "report.html", "note.txt"


@dataclass(frozen=True)
class Circumstances:
    """When and how a page was made."""

    made: datetime = field(default_factory=lambda: datetime.now(UTC))
    running: str = ""  # the sweep that was running at that time; empty if none was
    # Seconds after which the page reloads itself; None if nothing will rewrite it.
    reload_seconds: float | None = None


def page_html(
    page: Analysis,
    location: Location,
    circumstances: Circumstances | None = None,
    library_at: str = "",
    charts: Mapping[str, Chart] | None = None,
) -> str:
    """Return a study's page; commands on it name the study by its ``location``.

    By default, the page is made now, and no sweep is running. ``library_at`` is as in
    :func:`study.page.document.document`. ``charts`` are those of
    :func:`study.charts.export.pictured_charts`, if they already exist.
    """
    circumstances = circumstances or Circumstances()
    experiment = page.data.experiment
    choices = Choices.from_analysis(page)
    pictured = pictured_charts(page) if charts is None else charts
    shown = (
        pictured["pareto.png"],
        slices_chart(page),
        pictured["pair.png"],
        importance_chart(page),
        pictured["scores.png"],
        timeline_chart(page),
        pictured["hypervolume.png"],
    )
    charts = {each.key: each for each in shown}
    games = recorded(page)
    commands = again(page.data)
    ask = "" if isinstance(page.data, PublishedStudy) else pick_words(page, location)
    data = {
        "choices": choices and asdict(choices),
        "pick": ask,
        "replays": games.replays,
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
        "note": note_in(location.folder),
        "circumstances": circumstances,
        "claims": claims(page),
        "charts": charts,
        "theta": theta_chart(page),
        "choices": choices,
        "pick_words": ask,
        "validated": validated_table(page),
        "games": games,
        "facts": facts(page),
        "runs": make_table(runs_table(page.data)),
        "again": commands,
        "again_note": again_note(page.data),
        "n_commands": sum(not line.startswith("git ") for line in commands.splitlines()),
        "verify": verify_command(page.data, location),
    }
    return document("page.html.j2", circumstances.made, data, texts, shown, library_at)


def note_in(folder: Path) -> str:
    """Return the user's note on a study; empty if there is none."""
    path = folder / NOTE
    return path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else ""


def summary(page: Analysis) -> str:
    """Say in one line how many trials, points and games the study has."""
    data, trials, points = page.data, page.data.complete_trials, page.data.played_points
    n_games, n_validation = (sum(len(each.games) for each in some) for some in (trials, points))
    said = [f"{counted(len(trials), 'trial')} with {counted(n_games, 'game')}"]
    if n_failed := sum(each.state == "fail" for each in data.trials):
        said.append(f"{counted(n_failed, 'trial')} failed")
    if points:
        of_points = f"{counted(len(points), 'validated point')} with"
        said.append(f"{of_points} {counted(n_validation, 'game')} on fresh seeds")
    return "; ".join(filter(None, (*said, forbidden_line(data))))


def pick_words(page: Analysis, location: Location) -> str:
    """Return the command that picks a θ for a budget; the budget must be appended to it."""
    bound = page.data.experiment.cost.bound.replace("_", "-")
    words = ["thetafront", "pick", *location.words, "--games", "0"]
    return f"{shlex.join(words)} --{bound} "


def validated_table(page: Analysis) -> dict[str, Any]:
    """Return headings and rows of the table of validated points; θ comes last."""
    space, front = page.data.experiment.space, page.tables["front"]
    columns: list[str] = []
    rows = []
    for row in front.to_dict("records"):
        cells = front_cells(row, page.data.experiment)
        cells = [*cells[:2], *cells[2 + len(space) :], *cells[2 : 2 + len(space)]]
        columns = ["number", *(cell.heading for cell in cells[1:]), "play it"]
        rows.append(
            {
                "number": int(row["number"]),
                "on_front": bool(row["on_front"]),
                "cells": [(cell.text, sortable(cell.value)) for cell in cells],
                "command": play_command(page.data.experiment, space.clip(space.present(row))),
            }
        )
    return {"columns": columns, "rows": rows}
