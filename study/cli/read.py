"""Commands that read studies: status, front, pick, plot, export, report, compare."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from study.cli.objective_options import ObjectiveCommand, objectives_given
from study.cli.options import (
    RESULTS,
    JobsOption,
    JsonOption,
    NameOption,
    OutputOption,
    ResultsOption,
    StudyArgument,
    file,
    reading,
    study_names,
    whole,
)
from study.cli.program import app, console, working
from study.errors import InputError, check_range

if TYPE_CHECKING:
    import optuna

    from study.page.page import Library
    from study.store.location import Location
    from study.store.study_data import StudyData


@app.command()
def status(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Show how far a study is, even while its sweep runs."""
    from study.report.status import status_lines

    with reading(study, name, results) as (_, location, data):
        lines = status_lines(data, location)
    console().print("\n".join(lines), soft_wrap=True)


@app.command()
def front(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Print a study's front, validated or else predicted."""
    from study.report.edges import edge_line
    from study.report.front_tables import print_front

    with reading(study, name, results) as (_, location, data):
        print_front(console(), data)
        if line := edge_line(data, location):
            console().print(line, soft_wrap=True)


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
    """Draw a study's figures into its folder.

    From a folder of tables, all but that of the hypervolume.
    """
    from study.report.export import draw
    from study.report.published import draw_published

    if "/" in study and "://" not in study:
        with working("drawing figures"):
            paths = draw_published(Path(study))
        print(*paths, sep="\n")
        return
    with reading(study, name, results) as (_, location, data), working("drawing figures"):
        paths = draw(data, location.folder)
    print(*paths, sep="\n")


@app.command()
def export(study: StudyArgument, name: NameOption = None, results: ResultsOption = RESULTS) -> None:
    """Write a study's tables, manifest, figures and page."""
    from study.page.results import write_results

    with reading(study, name, results) as (_, location, data), working("tables and figures"):
        paths = write_results(data, location)
    print(*paths, sep="\n")


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

    Give one of the study's own cost and goal. The best θ as far as the study knows is played on
    fresh seeds, and its games are stored as those of a validated point; the answer is the best one
    that has been played.
    """
    from study.report.pick_text import pick_json, pick_text
    from study.report.recommend import Wish, propose
    from study.report.recommend import pick as choose

    given = objectives_given(context)
    if games:
        from study.run.pick_games import MOST_GAMES_ASKED

        check_range("games", games, 0, MOST_GAMES_ASKED)
    with reading(study, name, results) as (_, location, data):
        cost, goal = data.experiment.cost, data.experiment.goal
        for option in given:
            if option not in {cost.option, goal.option}:
                raise InputError(f"pick: {option} given, {cost.option} or {goal.option} allowed")
        wish = Wish(data.experiment, given.get(cost.option), given.get(goal.option))
        with working("looking for the best θ"):
            proposal = propose(data, wish)
        now = data
        played: list[str] = []
        if proposal is not None and games != 0:
            from study.run.pick_games import played_for

            out = console(stderr=True)
            try:
                now, played = played_for(location, data, proposal, games, jobs, out)
            except InputError as error:
                if games is not None:
                    raise
                print(f"no game is played: {error}", file=sys.stderr)
        picked = choose(now, wish, None if played else proposal, played)
    if json_:
        print(json.dumps(pick_json(picked)))
    else:
        console().print(pick_text(picked), soft_wrap=True)


@app.command()
def report(
    study: Annotated[
        str,
        typer.Argument(
            help="Name of a study, a storage URL, or a folder (a path with a slash) with the "
            "tables of one.",
            autocompletion=study_names,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write.",
            parser=file,
            metavar="FILE",
            show_default="report.html in the study's folder",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Show it in a browser.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Write it again while a sweep runs, until Ctrl-C.")
    ] = False,
    library: Annotated[
        str,
        typer.Option(
            "--library",
            help="Where the script that draws the charts is: inside the page, or in a file beside "
            "it, thetafront-page.js, which several pages share.",
            metavar="inside|beside",
        ),
    ] = "inside",
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Write a study as one HTML page that needs no network.

    Its charts answer to a pointer, and a slider to a budget.
    """
    from study.store.lock import holder_of

    if library not in {"inside", "beside"}:
        raise InputError(f"--library: {library!r} given, inside or beside allowed")
    where: Library = "beside" if library == "beside" else "inside"
    is_folder = "/" in study and "://" not in study
    if is_folder and watch:
        raise InputError(f"--watch: folder {study!r} given, a study in a storage allowed")
    if is_folder:
        from study.store.published_study import read_published

        location, data = read_published(Path(study))
        path = written(data, location, output, where, running="")
    else:
        with reading(study, name, results) as (opened, location, data):
            if watch:
                follow(opened, location, output, where, open_)
                return
            path = written(data, location, output, where, holder_of(location))
    print(path)
    if open_:
        show(path)


def written(
    data: "StudyData",
    location: "Location",
    output: Path | None,
    library: "Library",
    running: str,
) -> Path:
    """Write the page of a study as it is; return its path."""
    from study.page.page import Circumstances
    from study.page.results import default_path, write_report

    path = default_path(location) if output is None else output
    with working("writing the page"):
        write_report(data, location, path, Circumstances(running=running), library)
    return path


def show(path: Path) -> None:
    """Show a page in a browser."""
    import webbrowser

    if not webbrowser.open(path.absolute().as_uri()):
        print(f"--open: no browser is found; the page is {path}", file=sys.stderr)


def follow(
    opened: "optuna.Study",
    location: "Location",
    output: Path | None,
    library: "Library",
    open_: bool,
) -> None:
    """Write the page, and again while the study grows, until Ctrl-C."""
    from study.page.follow import Follower
    from study.page.page import Circumstances, check_page
    from study.page.results import default_path, write_report
    from study.store.games_table import newest_game
    from study.store.lock import holder_of
    from study.store.study_data import StudyData

    path = default_path(location) if output is None else output
    check_page(path)
    print(path, "is written again while the study grows; Ctrl-C ends it", flush=True)
    shown: list[Path] = []

    def write(reload_seconds: float | None) -> None:
        circumstances = Circumstances(running=holder_of(location), reload_seconds=reload_seconds)
        write_report(StudyData.read(opened), location, path, circumstances, library)
        if open_ and not shown:
            shown.append(path)
            show(path)

    Follower(lambda: (newest_game(opened), holder_of(location)), write).run()


@app.command()
def compare(
    studies: Annotated[
        list[str],
        typer.Argument(help="Names of studies, or storage URLs.", autocompletion=study_names),
    ],
    output: OutputOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Compare the validated fronts of several studies.

    Draws one figure, and prints hypervolumes with intervals.
    """
    from study.report.compare import (
        check_comparable,
        compare_figure,
        compare_frame,
        compare_markdown,
        compared_study,
    )
    from study.report.style import save
    from study.report.tables import write_csv, write_text
    from study.store.location import make_folder
    from study.store.manifest import MANIFEST, check_output, provenance, write_json

    if len(set(studies)) < len(studies):
        raise InputError(f"studies: {', '.join(studies)} given, each once allowed")
    entries, experiments = [], []
    for study in studies:
        with reading(study, None, results) as (_, _, data):
            entries.append(compared_study(data))
            experiments.append(data.experiment)
    check_comparable(experiments)
    if output is not None:
        make_folder(output, "output")
        check_output(output)
    with working("comparing"):
        frame = compare_frame(entries, experiments[0])
        if output is not None:
            write_csv(frame, output / "compare.csv")
            write_text(compare_markdown(frame, experiments[0].goal), output / "compare.md")
            save(compare_figure(entries, experiments[0]), output / "compare.png")
            write_json(provenance(), output / MANIFEST)
    print(compare_markdown(frame, experiments[0].goal), end="")
