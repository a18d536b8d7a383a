"""All that a study leaves in its folder: tables, figures, manifest and page, of one snapshot."""

from pathlib import Path
from urllib.parse import quote

from threadpoolctl import threadpool_limits

from thetafront.study.charts.export import draw
from thetafront.study.errors import InputError
from thetafront.study.log.location import Location, make_folder
from thetafront.study.log.manifest import MANIFEST
from thetafront.study.log.published_study import read_published
from thetafront.study.page.document import Library, check_page, write_library, write_page
from thetafront.study.page.index import NAME as INDEX
from thetafront.study.page.index import index_html
from thetafront.study.page.library import BESIDE
from thetafront.study.page.page import NAME, Circumstances, page_html
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import write_tables

OF_A_STUDY = (MANIFEST, "trials.csv", "games.csv", "front.csv")


def write_results(
    analysis: Analysis, location: Location, circumstances: Circumstances | None = None
) -> list[Path]:
    """Write a study's tables, manifest, figures and page to its folder; return paths.

    Raises
    ------
    InputError
        If the folder cannot be written, or has other files of the same names.
    """
    path = default_path(location)
    check_page(path)
    with threadpool_limits(1):  # more threads are slower on matrices this small
        paths = write_tables(analysis, location, location.folder)
        paths += draw(analysis, location.folder)
        write_page(page_html(analysis, location, circumstances), path)
    return [*paths, path]


def default_path(location: Location) -> Path:
    """Return where a study's page is, in its folder, which is made."""
    make_folder(location.folder)
    return location.folder / NAME


def write_report(
    analysis: Analysis,
    location: Location,
    path: Path,
    circumstances: Circumstances | None = None,
    library_is: Library = "inside",
) -> None:
    """Write a study's page alone, and the library beside it if it is to be there.

    Raises
    ------
    InputError
        If something else than a page is there, or it cannot be written.
    """
    check_page(path)
    with threadpool_limits(1):
        html = page_html(
            analysis, location, circumstances, BESIDE if library_is == "beside" else ""
        )
    if library_is == "beside":
        write_library(path.parent)
    write_page(html, path)


def write_each(folder: Path) -> Path:
    """Write page and pictures of every published study in a folder; return the path of their list.

    The pages share the library, which is a file of the folder.

    Raises
    ------
    InputError
        If there is no study, or a file cannot be written.
    """
    if not folder.is_dir():
        raise InputError(f"folder {str(folder)!r} does not exist")
    folders = sorted(
        each for each in folder.iterdir() if all((each / name).is_file() for name in OF_A_STUDY)
    )
    if not folders:
        raise InputError(f"folder {str(folder)!r} has no folder with tables of a study")
    for each in folders:
        check_page(each / NAME)
    check_page(folder / INDEX)
    pages = {}
    with threadpool_limits(1):
        write_library(folder)
        for each in folders:
            location, data = read_published(each)
            page = pages[f"{quote(each.name)}/{NAME}"] = Analysis(data)
            draw(page, each)
            write_page(page_html(page, location, library_at=f"../{BESIDE}"), each / NAME)
        write_page(index_html(pages), folder / INDEX)
    return folder / INDEX
