"""Commands that read studies: status, front, pick, plot, export."""

import json
import sys
from typing import Annotated

import typer

from thetafront.study.cli.late_options import ObjectiveCommand, given_late
from thetafront.study.cli.options import (
    JsonOption,
    NameOption,
    StudyArgument,
    reading,
    reading_tables,
    study_names,
)
from thetafront.study.cli.program import app, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import RESULTS, JobsOption, ResultsOption, whole
from thetafront.study.terminal.console import console, print_text


@app.command()
def status(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Show a study's progress, also while its sweep runs."""
    from thetafront.study.report.status import status_lines

    with reading(study, name, results) as (_, location, data):
        lines = status_lines(data, location)
    print_text(console(), "\n".join(lines))


@app.command()
def front(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Print a study's validated front, or the predicted one."""
    from thetafront.study.report.analysis import Analysis
    from thetafront.study.report.front_tables import print_front, print_notes

    with reading(study, name, results) as (_, location, data):
        analysis = Analysis(data)
        print_front(console(), analysis)
        print_notes(console(), analysis, location)


@app.command(cls=ObjectiveCommand)
def pick(
    context: typer.Context,
    study: StudyArgument = "mcmdp",
    games: Annotated[
        int | None,
        whole(
            "Games to play of the θ that is proposed; 0 answers at once.",
            "--games",
            show_default="a minute's, 20 to 400",
        ),
    ] = None,
    jobs: JobsOption = None,
    json_: JsonOption = False,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Choose a θ for a budget or a target.

    Give a limit of the study's cost, or a target of its goal. The most promising θ is played on
    fresh seeds and becomes a validated point; the answer is the best θ that has been played.
    """
    from thetafront.study.report.analysis import Analysis
    from thetafront.study.report.pick_text import pick_json, pick_text
    from thetafront.study.report.prediction_check import distrust_line
    from thetafront.study.report.recommend import PickQuery

    given = given_late(context)
    if games:
        from thetafront.study.run.pick_games import MAX_GAMES_ASKED

        check_range("games", games, 0, MAX_GAMES_ASKED)
    with reading(study, name, results) as (_, location, data):
        wish = PickQuery.read(data.experiment, given)
        with working("looking for the best θ"):
            analysis = Analysis(data)
            candidates = analysis.to_pick_from()
            proposal = candidates.propose(wish)
        played: list[str] = []
        if proposal is not None and games != 0:
            from thetafront.study.run.pick_games import played_for

            out = console(stderr=True)
            try:
                now, played = played_for(location, data, proposal, games, jobs, out)
                analysis = Analysis(now)
                candidates = analysis.to_pick_from()
            except InputError as error:
                if games is not None:
                    raise
                print(f"no game is played: {error}", file=sys.stderr)
        picked = candidates.pick(wish, None if played else proposal, played)
        doubt = distrust_line(analysis) if picked.prospect is not None else ""
    if json_:
        print(json.dumps(pick_json(picked)))
    else:
        print_text(console(), "\n".join(filter(None, (pick_text(picked), doubt))))


@app.command()
def plot(
    study: Annotated[
        str,
        typer.Argument(
            help="Name of a study, a storage URL, or a folder (a path with a slash) with the "
            "tables of one.",
            autocompletion=study_names,
        ),
    ],
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Draw a study's pictures, also from a folder of tables."""
    from thetafront.study.charts.export import draw
    from thetafront.study.report.analysis import Analysis

    with reading_tables(study, name, results) as (location, data), working("drawing figures"):
        paths = draw(Analysis(data), location.folder)
    if not paths:
        raise InputError(f"study: {data.name!r} has no complete trial yet: nothing to draw")
    print(*paths, sep="\n")


@app.command()
def export(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Write a study's tables, manifest, figures and page."""
    from thetafront.study.page.results import write_results
    from thetafront.study.report.analysis import Analysis

    with reading(study, name, results) as (_, location, data), working("tables and figures"):
        paths = write_results(Analysis(data), location)
    print(*paths, sep="\n")
