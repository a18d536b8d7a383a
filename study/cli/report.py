"""The command that writes pages: of one study, of several, or of all studies in a folder."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thetafront.study.cli.options import (
    OR_A_FOLDER,
    NameOption,
    is_folder,
    reading,
    reading_tables,
    study_names,
)
from thetafront.study.cli.program import app, working
from thetafront.study.errors import InputError
from thetafront.study.run.options import RESULTS, ResultsOption, file

if TYPE_CHECKING:
    from thetafront.study.log.location import Location
    from thetafront.study.log.study_data import StudyData, StudySource


@app.command()
def report(
    studies: Annotated[
        list[str],
        typer.Argument(
            help=f"A study name, a storage URL, {OR_A_FOLDER}. When you give several studies, "
            "the others are compared with the first.",
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
            show_default="report.html in the study's folder; for several studies, comparison.html "
            "in the results folder",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    each: Annotated[
        bool,
        typer.Option(
            "--each",
            help="Write a page for each subfolder that holds a study's tables, and an index.html "
            "that lists the pages.",
        ),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Rewrite the page while a sweep runs, until Ctrl-C.")
    ] = False,
    library: Annotated[
        str,
        typer.Option(
            "--library",
            help="Where to put the script that draws the charts: inside the page, or beside it in "
            "thetafront-page.js, which several pages share.",
            metavar="inside|beside",
        ),
    ] = "inside",
    note: Annotated[
        str | None,
        typer.Option(
            "--note", help="A note that the study's page shows from now on; '' removes it."
        ),
    ] = None,
    name: NameOption = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Write one study, or several side by side, as an HTML page.

    The page needs no internet connection. Hover over a mark to see its numbers; a slider sets the
    budget.
    """
    if library not in {"inside", "beside"}:
        raise InputError(f"--library must be inside or beside (got {library!r})")
    is_beside = library == "beside"
    if each:
        refuse("--each", output=output, watch=watch, library=is_beside, name=name, note=note)
        path = every(studies)
    elif len(studies) > 1:
        refuse("several studies", watch=watch, library=is_beside, name=name, note=note)
        path = comparison(studies, output, results)
    elif is_folder(studies[0]):
        refuse(f"folder {studies[0]!r}", watch=watch, name=name)
        with reading_tables(studies[0], None, results) as (location, data):
            keep_note(note, location)
            path = written(data, location, output, is_beside)
    else:
        with reading(studies[0], name, results) as (opened, location, data):
            keep_note(note, location)
            if watch:
                follow(opened, location, output, is_beside, open_)
                return
            path = written(data, location, output, is_beside)
    print(path)
    if open_:
        show(path)


def keep_note(note: str | None, location: "Location") -> None:
    """Store a note in the folder of a study's tables, where its page finds it."""
    from thetafront.study.log.location import make_folder
    from thetafront.study.page.page import NOTE
    from thetafront.study.report.tables import write_text

    if note is not None:
        make_folder(location.folder)
        write_text(note, location.folder / NOTE)


def refuse(given: str, **options: object) -> None:
    """Refuse options that need a single study in a storage."""
    for option, value in options.items():
        if value:
            raise InputError(
                f"--{option} cannot be combined with {given}; use --{option} with a single study "
                f"in a storage"
            )


def every(folders: Sequence[str]) -> Path:
    """Write the pages of all studies in a folder; return the path of ``index.html``."""
    from thetafront.study.page.results import write_each

    if len(folders) != 1:
        raise InputError(f"--each must be followed by one folder (got {', '.join(folders)})")
    with working("writing the pages"):
        return write_each(Path(folders[0]))


def comparison(studies: Sequence[str], output: Path | None, results: Path) -> Path:
    """Write the page of several studies, and a picture of their fronts; return the page's path."""
    from thetafront.study.charts.picture import check_picture
    from thetafront.study.page.comparison import NAME, PNG, write_comparison
    from thetafront.study.page.document import check_page
    from thetafront.study.report.analysis import Analysis

    path = results / NAME if output is None else output
    if path.suffix == PNG:
        raise InputError(f"output must be an HTML file (got {str(path)!r})")
    check_page(path)
    check_picture(path.with_suffix(PNG))
    pages = []
    for study in studies:
        with reading_tables(study, None, results) as (_, data):
            pages.append(Analysis(data))
    with working("writing the page"):
        write_comparison(pages, path)
    return path


def written(
    data: "StudyData",
    location: "Location",
    output: Path | None,
    library_beside: bool,
    reload_seconds: float | None = None,
) -> Path:
    """Write the page of a study in its present state; return the path."""
    from thetafront.study.log.lock import lock_holder
    from thetafront.study.log.published_study import PublishedStudy
    from thetafront.study.page.page import Circumstances
    from thetafront.study.page.results import write_report
    from thetafront.study.report.analysis import Analysis

    running = "" if isinstance(data, PublishedStudy) else lock_holder(location)
    now = Circumstances(running=running, reload_seconds=reload_seconds)
    with working("writing the page"):
        return write_report(Analysis(data), location, output, now, library_beside)


def show(path: Path) -> None:
    """Show a page in a browser."""
    import webbrowser

    if not webbrowser.open(path.absolute().as_uri()):
        print(f"--open: no browser found; the page is {path}", file=sys.stderr)


def follow(
    opened: "StudySource",
    location: "Location",
    output: Path | None,
    library_beside: bool,
    open_: bool,
) -> None:
    """Write the page, and rewrite it while the study grows, until Ctrl-C."""
    from thetafront.study.log.lock import lock_holder
    from thetafront.study.log.study_data import StudyData
    from thetafront.study.page.results import follow as rewrite
    from thetafront.study.page.results import page_path

    path = page_path(location, output)
    print(path, "is rewritten while the study grows; Ctrl-C stops", flush=True)
    shown: list[Path] = []

    def write(reload_seconds: float | None) -> None:
        written(StudyData.read(opened), location, path, library_beside, reload_seconds)
        if open_ and not shown:
            shown.append(path)
            show(path)

    rewrite(lambda: (opened.newest(), lock_holder(location)), write)
