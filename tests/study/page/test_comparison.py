"""The page of several studies, and what it says at three budgets."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from study.errors import InputError
from study.page.charts.comparison import compared, difference
from study.page.comparison import comparison_claims, comparison_html
from study.page.page_data import PageData
from study.store.published_study import read_published
from tests.study.page.html_parts import Parts

PUBLISHED = Path(__file__).parents[3] / "results" / "reference"
NUMBER = r"[−-]?[\d,]+"


@pytest.fixture(scope="module")
def pages() -> list[PageData]:
    return [PageData.of(read_published(PUBLISHED / name)[1]) for name in ("mcmdp", "uct")]


def numbers(text: str) -> list[float]:
    return [float(each.replace(",", "").replace("−", "-")) for each in re.findall(NUMBER, text)]


def test_sentences_have_the_numbers_of_the_fronts(pages: list[PageData]) -> None:
    fronts = compared(pages)
    said = comparison_claims(fronts)
    assert len(said) == 3
    for claim in said:
        found = re.match(r"Within ([\d.]+) (µs|ms) a move", claim.about)
        assert found is not None
        budget = np.array([float(found[1]) * {"µs": 1e-6, "ms": 1e-3}[found[2]]])
        first, other = (front.within(budget) for front in fronts)
        value, low, high = difference(other, first)[0]
        words = re.search(
            rf"mcmdp has ({NUMBER}) ± {NUMBER} points and "
            rf"uct has ({NUMBER}) ± ({NUMBER}) points less",
            claim.text,
        )
        if low <= 0.0 <= high:
            assert "cannot be told apart" in claim.text
        else:
            assert words is not None
            mean, less, half = numbers(" ".join(words.groups()))
            assert mean == pytest.approx(first[0, 0], abs=0.5)
            assert less == pytest.approx(-value, abs=0.5)
            assert half == pytest.approx((high - low) / 2, abs=0.5)


def test_the_page_has_both_charts_and_the_commands_of_all(pages: list[PageData]) -> None:
    html = comparison_html(pages)
    parts = Parts(html)
    assert parts.flaws == []
    data = json.loads(parts.one("script", id="data").text)
    assert set(data["charts"]) == {"fronts", "differences"}
    assert {each.attributes["id"] for each in parts.all("div", **{"class": "chart"})} == {
        "fronts",
        "differences",
    }
    shown = [each.text for each in parts.all("pre")]
    assert len(shown) == 2
    assert "thetafront sweep uct --budget 25m" in shown[1]
    assert "src" not in {name for each in parts.all("script") for name in each.attributes}


def test_hostile_names_are_text(pages: list[PageData]) -> None:
    hostile = "<script>alert(1)</script>\"'\u202e"
    named = replace(pages[0], data=replace(pages[0].data, name=hostile))
    parts = Parts(comparison_html([named, pages[1]]))
    assert parts.flaws == []
    plain = Parts(comparison_html(pages))
    assert len(parts.all("script")) == len(plain.all("script"))
    assert any(hostile in each.text for each in parts.all("bdi"))


def test_a_study_without_a_trial_is_refused(pages: list[PageData]) -> None:
    empty = replace(pages[1], model=None)
    with pytest.raises(InputError, match="'uct' has no complete trial"):
        comparison_html([pages[0], empty])
