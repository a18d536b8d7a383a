"""The list of published studies, and the pages that it links to."""

import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.study.page.html_parts import Parts
from thetafront.study.errors import InputError
from thetafront.study.page.document import BEGINNING
from thetafront.study.page.results import write_each

PUBLISHED = Path(__file__).parents[3] / "results" / "reference"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two studies, one of an odd name, and something else."""
    folder = tmp_path_factory.mktemp("published")
    shutil.copytree(PUBLISHED / "dice_study", folder / "dice study?")
    shutil.copytree(PUBLISHED / "dice_study", folder / "dice")
    shutil.copytree(PUBLISHED / "rounds", folder / "rounds")
    assert write_each(folder) == folder / "index.html"
    return folder


@pytest.mark.sweeps
def test_every_study_has_a_page_and_a_row(written: Path) -> None:
    parts = Parts((written / "index.html").read_text())
    assert parts.problems == []
    links = {str(each.attributes["href"]) for each in parts.all("a")} - {"#main"}
    assert {unquote(each) for each in links} == {"dice study?/report.html", "dice/report.html"}
    for each in links:
        assert (written / unquote(each)).read_text().startswith(BEGINNING)
    assert not (written / "rounds" / "report.html").exists()
    cells = [each.text for each in parts.all("td")]
    assert {"128", "10", "Three dice, solved by value iteration"} <= set(cells)


def test_the_pages_share_one_script(written: Path) -> None:
    parts = Parts((written / "dice" / "report.html").read_text())
    (source,) = [
        str(each.attributes["src"]) for each in parts.all("script") if "src" in each.attributes
    ]
    assert (written / "dice" / source).resolve() == written / "thetafront-page.js"
    assert (written / "thetafront-page.js").stat().st_size > 500_000
    assert (written / "dice" / "report.html").stat().st_size < 700_000


def test_what_cannot_be_listed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        write_each(tmp_path / "nowhere")
    (tmp_path / "some").mkdir()
    with pytest.raises(InputError, match="has no folder with tables of a study"):
        write_each(tmp_path)


def test_a_foreign_page_stops_all_before_anything_is_written(tmp_path: Path) -> None:
    shutil.copytree(
        PUBLISHED / "dice_study", tmp_path / "a", ignore=shutil.ignore_patterns("*.html")
    )
    shutil.copytree(
        PUBLISHED / "dice_study", tmp_path / "b", ignore=shutil.ignore_patterns("*.html")
    )
    (tmp_path / "b" / "report.html").write_text("mine")
    with pytest.raises(InputError, match="not a page of a study"):
        write_each(tmp_path)
    assert not (tmp_path / "a" / "report.html").exists()
    assert not (tmp_path / "thetafront-page.js").exists()
