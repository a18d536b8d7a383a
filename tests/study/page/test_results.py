"""Results of a study in its folder."""

from pathlib import Path

import pytest

from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.location import locate
from thetafront.study.page.document import BEGINNING
from thetafront.study.page.results import write_report, write_results
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
    with pytest.raises(InputError, match="not a page of a study"):
        write_results(Analysis(data_of(new_study(), quick)), location)
    assert [each.name for each in location.folder.iterdir()] == ["report.html"]


def test_the_library_beside_a_page(quick: Experiment, tmp_path: Path) -> None:
    data, location = data_of(new_study(), quick), locate("s", tmp_path, None)
    write_report(Analysis(data), location, tmp_path / "page.html", library_is="beside")
    names = {each.name for each in tmp_path.iterdir()}
    assert names == {"page.html", "thetafront-page.js"}
