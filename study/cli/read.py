"""Commands that read studies: status, front, pick, plot, export, verify."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thetafront.study.cli.late_options import ObjectiveCommand, given_late
from thetafront.study.cli.options import (
    JsonOption,
    NameOption,
    StudyArgument,
    StudyOrFolder,
    is_folder,
    reading,
    reading_tables,
    study_names,
)
from thetafront.study.cli.program import EXIT_FAILURE, app, working
from thetafront.study.errors import InputError, check_range
from thetafront.study.run.options import RESULTS, JobsOption, ResultsOption, whole
from thetafront.study.terminal.console import console, print_table, print_text

if TYPE_CHECKING:
    from thetafront.study.check.replay import Settings
    from thetafront.study.check.report import CheckReport

ALL = "all"
DATABASE = "study.db"
MAX_GAMES = 10**9


@app.command()
def status(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Show a study's progress, even while its sweep runs."""
    from thetafront.study.report.status import status_lines

    with reading(study, name, results) as (_, location, data):
        lines = status_lines(data, location)
    print_text(console(), "\n".join(lines))


@app.command()
def front(study: StudyOrFolder, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Print a study's validated front, or else the predicted one."""
    from thetafront.study.report.analysis import Analysis
    from thetafront.study.report.front_tables import print_front, print_notes

    with reading_tables(study, name, results) as (location, data):
        analysis = Analysis(data)
        print_front(console(), analysis)
        of_study = replace(location, folder=results / location.name)  # also if tables were read
        print_notes(console(), analysis, of_study)


@app.command(cls=ObjectiveCommand)
def pick(
    context: typer.Context,
    study: StudyOrFolder = "mcmdp",
    games: Annotated[
        int | None,
        whole(
            "Games to play with the proposed θ; 0 gives the answer at once.",
            "--games",
            show_default="about a minute of games, 20 to 400; 3 if scores are exact",
        ),
    ] = None,
    jobs: JobsOption = None,
    json_: JsonOption = False,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Choose a θ for a budget or a target.

    Give a limit on the study's cost, or a target for its goal; without either, pick says which
    options the study has. The most promising θ is played on fresh seeds and becomes a validated
    point; the answer is the best validated θ. Given a folder of tables, pick plays nothing.
    """
    from thetafront.study.report.analysis import Analysis
    from thetafront.study.report.pick_text import pick_json, pick_text
    from thetafront.study.report.prediction_check import distrust_line
    from thetafront.study.report.recommend import PickQuery

    given = given_late(context)
    if games:
        from thetafront.study.run.pick_games import MAX_GAMES_ASKED

        check_range("games", games, 0, MAX_GAMES_ASKED)
    if is_folder(study):
        if games:
            raise InputError(
                f"games must be 0 for a folder of tables, which cannot store games (got {games})"
            )
        games = 0
    with reading_tables(study, name, results) as (location, data):
        query = PickQuery.read(data.experiment, given)
        with working("looking for the best θ"):
            analysis = Analysis(data)
            proposal = analysis.to_pick_from().propose(query)
        played: list[str] = []
        if proposal is not None and games != 0:
            from thetafront.study.run.pick_games import played_for

            out = console(stderr=True)
            try:
                now, played = played_for(location, data, proposal, games, jobs, out)
                analysis = Analysis(now) if played else analysis
            except InputError as error:
                if games is not None:
                    raise
                print(f"no game was played: {error}", file=sys.stderr)
        picked = analysis.to_pick_from().pick(query, None if played else proposal, played)
        distrust = distrust_line(analysis)
    if json_:
        print(json.dumps(pick_json(picked, distrust)))
    else:
        print_text(console(), pick_text(picked, distrust))


@app.command()
def plot(study: StudyOrFolder, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Draw pictures of a study or a folder of tables."""
    from thetafront.study.charts.export import draw, pictured_charts
    from thetafront.study.report.analysis import Analysis

    with reading_tables(study, name, results) as (location, data), working("drawing figures"):
        paths = draw(pictured_charts(Analysis(data)), location.folder)
    if not paths:
        raise InputError(f"study: {data.name!r} has no complete trial to draw yet")
    print(*paths, sep="\n")


@app.command()
def export(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Write a study's tables, manifest, figures and page."""
    from thetafront.study.page.results import write_results
    from thetafront.study.report.analysis import Analysis

    with reading(study, name, results) as (_, location, data), working("tables and figures"):
        paths = write_results(Analysis(data), location)
    print(*paths, sep="\n")


@app.command()
def verify(
    study: Annotated[
        str,
        typer.Argument(
            help="A study name, a study folder, a folder of published results, or a storage URL.",
            metavar="NAME_OR_FOLDER",
            autocompletion=study_names,
        ),
    ] = "mcmdp",
    games: Annotated[
        str, typer.Option(help="Number of games to replay and compare, or all.", metavar="N")
    ] = "30",
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Replay damaged games from their seeds, and store them."),
    ] = False,
    jobs: JobsOption = None,
    json_: JsonOption = False,
    storage: Annotated[
        str | None,
        typer.Option(help="A storage URL.", show_default="sqlite:///results/NAME/study.db"),
    ] = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Check a study, or a folder with a games.csv.

    Reads every stored value; compares counts, seeds and objectives with the games; and replays a
    sample of them. Each replayed game must equal the stored one, except for times and for how
    fractions are rounded. The exit code is 0 if all is well, and 1 otherwise.
    """
    from thetafront.study.check.replay import Settings
    from thetafront.study.check.verification import verify_folder
    from thetafront.study.run.workers import check_jobs

    settings = Settings(parse_n_games(games), check_jobs(jobs), console(stderr=True))
    folder = find_folder(study, results) if storage is None else None
    if folder is None:
        report = verify_stored(study, name, storage, results, settings, repair)
    else:
        report = verify_folder(folder, settings, repair)
    if json_:
        print(json.dumps(report.json()))
    else:
        out = console()
        for line in report.lines():
            out.print(line)
        print_table(out, report.table())
    if not report.ok:
        raise typer.Exit(EXIT_FAILURE)


def parse_n_games(text: str) -> int | None:
    """Read how many games to play again; None stands for all."""
    if text == ALL:
        return None
    if not text.isdecimal() or len(text) > len(str(MAX_GAMES)):
        raise InputError(f"games must be all, or between 0 and {MAX_GAMES} (got {text!r})")
    check_range("games", int(text), 0, MAX_GAMES)
    return int(text)


def find_folder(given: str, results: Path) -> Path | None:
    """Return the folder of published results that ``given`` names; None if it names a study."""
    from thetafront.study.log.published_study import server_in

    for folder in (results / given, Path(given)):
        if "://" in given or (folder / DATABASE).exists():
            return None
        if "/" not in given and folder == results / given and server_in(folder):
            return None  # its URL must be given
        if folder.is_dir() and given:
            return folder
    return None


def verify_stored(
    given: str,
    name: str | None,
    storage: str | None,
    results: Path,
    settings: "Settings",
    repair: bool,
) -> "CheckReport":
    """Verify a study that is given by its name, folder or storage."""
    from thetafront.study.check.verification import verify_study
    from thetafront.study.log.database import storage_errors_reported
    from thetafront.study.log.location import Location, sqlite_url
    from thetafront.study.log.storage import find_study

    url, of_name = given, name
    if storage is not None:
        url, of_name = storage, name or given
    elif not (results / given / DATABASE).exists() and (Path(given) / DATABASE).exists():
        url = sqlite_url(Path(given) / DATABASE)
    place = Location(given, url if "://" in url else "sqlite:///", results)
    with storage_errors_reported(place, is_repair=True):
        found, location = find_study(url, results, of_name, may_lack=True)
        if "://" in url and storage is None and "://" not in given:
            location = Location(location.name, location.url, Path(given))
        return verify_study(found, location, settings, repair)
