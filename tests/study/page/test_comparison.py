"""The page of several studies, and what it says at three budgets."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from tests.study.charts.published import published
from tests.study.conftest import Coin
from tests.study.made_studies import analysis_with, changed, data_of, new_study, store_trial
from tests.study.page.html_parts import Parts
from thetafront.study.charts.comparison import compared, difference
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.page.comparison import comparison_claims, comparison_html, warnings
from thetafront.study.page.document import TURNING
from thetafront.study.report.analysis import Analysis

NUMBER = r"[+−-]?[\d,]+"


@pytest.fixture(scope="module")
def pages() -> list[Analysis]:
    return [published(name)[1] for name in ("heuristic", "ntuple")]


def numbers(text: str) -> list[float]:
    return [float(each.replace(",", "").replace("−", "-")) for each in re.findall(NUMBER, text)]


def test_sentences_have_the_numbers_of_the_fronts(pages: list[Analysis]) -> None:
    fronts = compared(pages)
    (different, _), *said = comparison_claims(fronts)
    assert different == "Different experiments"
    assert len(said) == 3
    for about, text in said:
        found = re.match(r"At an expected ([\d.]+) (ns|µs) per move", about)
        assert found is not None
        cost = np.array([float(found[1]) * {"ns": 1e-9, "µs": 1e-6}[found[2]]])
        first, other = (front.at_cost(cost) for front in fronts)
        value, low, high = difference(other, first)[0]
        words = re.match(
            rf"heuristic reaches ({NUMBER}) ± {NUMBER} points; "
            rf"ntuple differs by ({NUMBER}) ± ({NUMBER}) points(, possibly by chance)?",
            text,
        )
        assert words is not None
        assert numbers(words[1]) == [pytest.approx(first[0, 0], abs=0.5)]
        assert numbers(words[2]) == [pytest.approx(value, abs=0.5)]
        assert numbers(words[3]) == [pytest.approx((high - low) / 2, abs=0.5)]
        assert (words[4] is not None) == (low <= 0.0 <= high)


def test_other_machines_are_reported_where_times_are_compared(pages: list[Analysis]) -> None:
    fronts = compared(pages)
    assert [about for about, _ in warnings(fronts)] == ["Different experiments"]
    data = pages[1].data
    runs = [run | {"machine": {"cpu": "another", "cores": 64}} for run in data.runs]
    fronts = compared([pages[0], changed(pages[1], data=replace(data, runs=runs))])
    (_, (about, text)) = warnings(fronts)
    assert about == "Different machines"
    assert "ntuple: another, 64 cores" in text


def test_differences_of_shares_are_in_percentage_points(coin: Experiment) -> None:
    study = new_study()
    for effort in (2, 5, 10, 20, 40, 80):
        games = [Coin(effort).play(seed) for seed in range(8)]
        store_trial(study, coin, {"effort": effort}, games)
    page = Analysis(data_of(study, coin))
    fronts = compared([page, page])
    for about, text in comparison_claims(fronts):
        assert about.startswith("At an expected")
        assert "differs by 0.0 ± " in text
        assert "percentage points, possibly by chance" in text


def test_costs_of_one_point_are_printed_once(pages: list[Analysis]) -> None:
    fronts = compared([pages[0], pages[0]])
    for front in fronts:
        object.__setattr__(front, "curve", front.curve[:1])
    ((about, _),) = comparison_claims(fronts)
    assert about.startswith("At an expected")


def test_the_page_has_both_charts_and_the_commands_of_all(pages: list[Analysis]) -> None:
    html = comparison_html(pages)
    parts = Parts(html)
    assert parts.problems == []
    data = json.loads(parts.one("script", id="data").text)
    assert set(data["charts"]) == {"fronts", "differences"}
    assert {each.attributes["id"] for each in parts.all("div", **{"class": "chart"})} == {
        "fronts",
        "differences",
    }
    shown = [each.text for each in parts.all("pre")]
    assert len(shown) == 2
    assert "thetafront sweep ntuple --budget 20m" in shown[1]
    assert "src" not in {name for each in parts.all("script") for name in each.attributes}


def test_hostile_names_are_text(pages: list[Analysis]) -> None:
    hostile = "<script>alert(1)</script>\"'\u202e"
    named = changed(pages[0], data=replace(pages[0].data, name=hostile))
    parts = Parts(comparison_html([named, pages[1]]))
    assert parts.problems == []
    plain = Parts(comparison_html(pages))
    assert len(parts.all("script")) == len(plain.all("script"))
    shown = hostile.translate(TURNING)
    assert any(shown in each.text for each in parts.all("bdi"))


def test_a_study_without_a_trial_is_refused(pages: list[Analysis]) -> None:
    empty = analysis_with(pages[1].data, model=None)
    with pytest.raises(InputError, match="'ntuple' has no complete trial"):
        comparison_html([pages[0], empty])
