"""What is written: the folder of a study, the list of studies, a page that follows its study."""

import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.study.charts.published import REFERENCE
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from tests.study.page.html_parts import Parts
from thetafront.study import interrupt
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.location import locate
from thetafront.study.page.document import BEGINNING
from thetafront.study.page.results import (
    MAX_SHARE,
    SECONDS_BETWEEN_PAGES,
    follow,
    write_each,
    write_results,
)
from thetafront.study.report.analysis import Analysis


def test_the_page_is_among_the_results(quick: Experiment, tmp_path: Path) -> None:
    study, location = new_study(), locate("s", tmp_path, None)
    add_trials(study, quick)
    add_point(study, 5, spread(2100, 300), 0.05)
    paths = write_results(Analysis(data_of(study, quick)), location)
    assert paths[-1] == tmp_path / "s" / "report.html"
    assert {each.name for each in paths} == {each.name for each in (tmp_path / "s").iterdir()}
    assert {each.name for each in paths} >= {"front.csv", "manifest.json", "pareto.png"}
    assert paths[-1].read_text().startswith(BEGINNING)


def test_a_foreign_page_stops_before_anything_is_written(quick: Experiment, tmp_path: Path) -> None:
    location = locate("s", tmp_path, None)
    location.folder.mkdir()
    (location.folder / "report.html").write_text("mine")
    with pytest.raises(InputError, match="not a study page"):
        write_results(Analysis(data_of(new_study(), quick)), location)
    assert [each.name for each in location.folder.iterdir()] == ["report.html"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two studies, one of an odd name, and something else."""
    folder = tmp_path_factory.mktemp("published")
    shutil.copytree(REFERENCE / "dice_study", folder / "dice study?")
    shutil.copytree(REFERENCE / "dice_study", folder / "dice")
    shutil.copytree(REFERENCE / "rounds", folder / "rounds")
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
    with pytest.raises(InputError, match="contains no subfolder with a study's tables"):
        write_each(tmp_path)


def test_a_foreign_page_stops_all_before_anything_is_written(tmp_path: Path) -> None:
    for name in "ab":
        without_page = shutil.ignore_patterns("*.html")
        shutil.copytree(REFERENCE / "dice_study", tmp_path / name, ignore=without_page)
    (tmp_path / "b" / "report.html").write_text("mine")
    with pytest.raises(InputError, match="not a study page"):
        write_each(tmp_path)
    assert not (tmp_path / "a" / "report.html").exists()
    assert not (tmp_path / "thetafront-page.js").exists()


class Turned:
    """A clock, a study that grows at some times, and a reader who leaves at another."""

    def __init__(self, grows_at: list[float], leaves_at: float, writing: float) -> None:
        self.now = 0.0
        self.grows_at, self.leaves_at, self.writing = grows_at, leaves_at, writing
        self.written: list[tuple[float, float | None]] = []

    def newest(self) -> int:
        return sum(each <= self.now for each in self.grows_at)

    def write(self, reload_seconds: float | None) -> None:
        self.written.append((self.now, reload_seconds))
        self.now += self.writing

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now >= self.leaves_at:
            interrupt._State.requested = True

    def run(self) -> list[float]:
        try:
            follow(self.newest, self.write, lambda: self.now, self.sleep)
        finally:
            interrupt._State.requested = False
        *pages, last = self.written
        assert last[1] is None  # nobody rewrites it: it reads itself no more
        assert {reload for _, reload in pages} == {SECONDS_BETWEEN_PAGES}
        return [at for at, _ in pages]


def test_it_is_written_when_the_study_has_grown() -> None:
    assert Turned(grows_at=[40.5], leaves_at=100.0, writing=0.5).run() == [0.0, 40.5]


def test_it_is_not_written_without_need() -> None:
    assert Turned(grows_at=[], leaves_at=1000.0, writing=1.0).run() == [0.0]


def test_writing_takes_a_small_share_of_the_time() -> None:
    always = [float(k) for k in range(2000)]
    times = Turned(grows_at=always, leaves_at=1000.0, writing=4.0).run()
    assert len(times) * 4.0 / 1000.0 <= MAX_SHARE * 1.1
    assert len(Turned(grows_at=always, leaves_at=1000.0, writing=0.1).run()) <= 1000.0 / 15.0 + 1
