"""All that a study leaves in its folder: tables, figures, manifest and page, of one snapshot."""

from pathlib import Path

from threadpoolctl import threadpool_limits

from study.page.page import (
    NAME,
    Circumstances,
    Library,
    check_page,
    page_html,
    write_library,
    write_page,
)
from study.page.page_data import PageData
from study.report.export import write_tables
from study.store.location import Location, make_folder
from study.store.study_data import StudyData


def write_results(
    data: StudyData, location: Location, circumstances: Circumstances | None = None
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
        page = PageData.of(data)
        trace = page.trace if page.model is not None else None
        paths = write_tables(data, location, location.folder, page.tables, trace)
        write_page(page_html(page, location, circumstances), path)
    return [*paths, path]


def default_path(location: Location) -> Path:
    """Return where a study's page is, in its folder, which is made."""
    make_folder(location.folder)
    return location.folder / NAME


def write_report(
    data: StudyData,
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
        html = page_html(PageData.of(data), location, circumstances, library_is)
    if library_is == "beside":
        write_library(path.parent)
    write_page(html, path)
