"""A page as a browser would read it, without one: its structure, its policy, what it escapes."""

import base64
import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from tests.study.charts.published import published
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread, store_trial
from tests.study.page.html_parts import Parts
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space
from thetafront.study.log.location import Location, locate
from thetafront.study.log.log import Log
from thetafront.study.log.study_data import store_run
from thetafront.study.page.document import (
    BEGINNING,
    TURNING,
    check_page,
    checked,
    embedded,
    write_library,
    write_page,
)
from thetafront.study.page.library import BESIDE, library
from thetafront.study.page.page import Circumstances, page_html, pick_words
from thetafront.study.report.analysis import Analysis

MADE = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
SCRIPT = "</script><script>alert(1)</script><!--"
QUOTES = "\"'`><img src=x onerror=alert(2)>&amp;{{7*7}}{% raw %}"
RTL = "\u202eevil\u2066 \u05d0\u05d1\u2028\u2029"
LONG = "x" * 10_000
HOSTILE = (SCRIPT, QUOTES, RTL, LONG)


@pytest.fixture(scope="module")
def whole() -> Parts:
    location, page = published("mcmdp")
    return Parts(page_html(page, location, Circumstances(MADE)))


def quick_page(study: Log, quick: Experiment, name: str = "quick") -> Parts:
    location = Location(name, "sqlite:///results/quick/study.db", Path("results/quick"))
    html = page_html(Analysis(data_of(study, quick)), location, Circumstances(MADE))
    return Parts(html)


def policy_of(parts: Parts) -> dict[str, list[str]]:
    given = parts.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    assert given is not None
    rules = [rule.split() for rule in given.split(";")]
    return {name: values for name, *values in rules}


def test_it_is_well_formed_and_complete(whole: Parts) -> None:
    assert whole.problems == []
    assert len(set(whole.ids)) == len(whole.ids)
    assert whole.html.startswith(BEGINNING)
    anchors = [each.attributes["href"] or "" for each in whole.all("a")]
    assert {each.removeprefix("#") for each in anchors} <= set(whole.ids)
    assert len(whole.all("h1")) == 1
    charts = [each.attributes["id"] for each in whole.all("div", **{"class": "chart"})]
    assert charts == list(whole.data["charts"]), "page.html.j2 and page.py differ, or their order"
    assert charts == ["front", "slices", "pair", "importance", "scores", "timeline", "gain"]
    # Points, parameters and runs; the other charts, and that of θ, have their numbers in tables.
    labels = [each.attributes["aria-label"] for each in whole.all("div", role="region")[:1]]
    assert labels == ["Parameters: table"]
    assert len(whole.all("table")) == 3 + len(charts) - 2 + 1
    headings = [each.text for tag in ("h1", "h2", "h3", "summary") for each in whole.all(tag)]
    assert len({*headings} - {"Numbers as a table"}) == len(
        [each for each in headings if each != "Numbers as a table"]
    ), "no heading is doubled"
    assert all(each.attributes["data-label"] for each in whole.all("div", **{"class": "chart"}))
    assert whole.all("div", role="img") == []  # it would hide the charts' controls


def test_it_asks_nobody_and_runs_its_own_scripts_only(whole: Parts) -> None:
    policy = policy_of(whole)
    assert policy["default-src"] == policy["connect-src"] == ["'none'"]
    assert policy["base-uri"] == policy["form-action"] == ["'none'"]
    digests = [
        f"'sha256-{base64.b64encode(hashlib.sha256(each.text.encode()).digest()).decode()}'"
        for each in whole.scripts
    ]
    assert policy["script-src"] == digests
    assert len(digests) == 3  # library, replays, page
    for each in whole.elements:
        assert not any(name.startswith("on") for name in each.attributes)
        for name in ("src", "href", "srcset", "action", "data"):
            value = each.attributes.get(name) or ""
            assert value.startswith(("#", "data:")) or not value
    assert "@import" not in whole.html.partition("</style>")[0]
    assert "url(" not in whole.html.partition("</style>")[0]


def test_the_library_may_be_beside(quick: Experiment, tmp_path: Path) -> None:
    page = Analysis(data_of(new_study(), quick))
    parts = Parts(page_html(page, locate("quick", tmp_path, None), library_at=BESIDE))
    (first, *others) = parts.scripts
    assert first.attributes["src"] == BESIDE
    assert policy_of(parts)["script-src"][:2] == ["'self'", "file:"]
    assert len(policy_of(parts)["script-src"]) == 2 + len(others)
    assert len(parts.html.encode()) < 100_000
    write_library(tmp_path)
    assert (tmp_path / BESIDE).read_text() == library()
    (tmp_path / BESIDE).write_text("torn")
    write_library(tmp_path)
    assert (tmp_path / BESIDE).read_text() == library()


def test_it_is_small(whole: Parts) -> None:
    assert len(whole.html.encode()) < 6e6


def test_it_says_when_it_was_made_and_what_runs(quick: Experiment, whole: Parts) -> None:
    assert whole.one("time", id="made").attributes["datetime"] == "2026-05-04T03:02:01+00:00"
    assert whole.data["made"] == MADE.timestamp()
    assert whole.data["reload"] is None
    assert "No sweep was running when this page was made" in whole.html
    page, location = Analysis(data_of(new_study(), quick)), locate("s", Path("results"), None)
    now = Parts(page_html(page, location, Circumstances(MADE, "thetafront sweep", 60.0)))
    assert "A sweep was running when this page was made" in now.html
    assert now.data["reload"] == 60.0


def test_the_table_of_points_and_the_csv_are_the_front(whole: Parts) -> None:
    front = published("mcmdp")[1].tables["front"]
    rows = [each for each in whole.all("tr") if "data-number" in each.attributes]
    assert [int(each.attributes["data-number"] or 0) for each in rows] == front["number"].tolist()
    values = [each.attributes.get("data-value") for each in whole.all("td")]
    means = front["combined_mean_points"].tolist()
    assert set(map(repr, means)) <= set(values)
    assert whole.data["csv"] == front.to_csv(index=False)
    assert len(pd.read_csv(StringIO(whole.data["csv"]))) == len(front)


def test_hostile_names_are_text(quick: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a user or an agent may name something."""
    for text in (SCRIPT, QUOTES + RTL + LONG):
        parameter = replace(quick.space.parameters[0], symbol=text)
        assert isinstance(parameter, NumericParameter)
        hostile = replace(
            quick,
            title=text,
            space=Space((parameter,)),
            goal=replace(quick.goal, label=text, axis_label=text),
            baselines={text: {"n_playouts": 10}},
        )
        monkeypatch.setitem(EXPERIMENTS, "quick", hostile)
        study = new_study()
        add_trials(study, hostile)
        add_point(study, 5, spread(2100, 300), 0.05)
        add_point(study, 10, spread(3100, 300), 0.1, text)
        store_trial(study, hostile, {"n_playouts": 7}, [], text, text, n_games=3)
        store_run(study, {"command_line": text, "phase": text, "git_revision": text, "n_trials": 9})
        parts = quick_page(study, hostile, name=text)
        assert parts.problems == []
        assert len(parts.scripts) == 2 + any(parts.data["replays"])
        assert {each.tag for each in parts.elements}.isdisjoint({"img", "iframe", "base"})
        assert not any(name.startswith("on") for each in parts.elements for name in each.attributes)
        title, *_ = parts.all("title")
        text = text.translate(TURNING)  # noqa: PLW2901
        assert title.text == f"{text} · {text}"
        terms = [each.text for each in parts.all("dt")]
        assert f"Against {text}" in terms
        assert text in [each.text for each in parts.all("td")]
        assert parts.html.count("</script") == len(parts.all("script"))
        assert len(parts.html) < 6e6


def test_data_can_stand_in_a_script_element() -> None:
    written = embedded({text: [text] for text in HOSTILE})
    data = {each: [each] for each in (text.translate(TURNING) for text in HOSTILE)}
    assert "\u202e" in "".join(HOSTILE)
    assert "\u202e" not in written
    assert "<" not in written
    assert "\u2028" not in written
    assert json.loads(written) == data
    with pytest.raises(ValueError, match="JSON compliant"):
        embedded({"a": float("nan")})
    with pytest.raises(ValueError, match="script"):
        checked("'</ScRiPt>'")


def test_a_study_without_trials(quick: Experiment) -> None:
    parts = quick_page(new_study(), quick)
    assert parts.problems == []
    assert parts.data["choices"] is None
    assert parts.data["charts"] == {}
    assert "No trial is complete, so nothing is known yet." in parts.html


def test_a_study_without_validation(quick: Experiment) -> None:
    study = new_study()
    add_trials(study, quick)
    parts = quick_page(study, quick)
    assert parts.problems == []
    assert "There are no validated points; all numbers come from the model" in parts.html
    assert {each["number"] for each in parts.data["choices"]["answers"]} == {0}
    assert "No point has been played on fresh seeds yet." in parts.html


def test_a_point_with_one_game(quick: Experiment) -> None:
    """Its mean has no interval."""
    study = new_study()
    add_trials(study, quick)
    add_point(study, 5, [2100], 0.05)
    parts = quick_page(study, quick)
    assert parts.problems == []
    assert "2,100 ± ?" in parts.html


def test_the_command_names_the_study_where_it_is(tmp_path: Path) -> None:
    page = published("mcmdp")[1]
    usual = "thetafront pick s --games 0 --max-seconds-per-move "
    assert pick_words(page, locate("s", Path("results"), None)) == usual
    elsewhere = pick_words(page, locate("s", tmp_path, None))
    assert elsewhere == f"thetafront pick s --results {tmp_path} --games 0 --max-seconds-per-move "
    server = Location("s", "postgresql+psycopg://me:secret@host/db", Path("results/s"))
    said = pick_words(page, server)
    assert "secret" not in said
    assert "--name s" in said


def test_a_page_of_tables_asks_no_storage(quick: Experiment, whole: Parts) -> None:
    """``pick`` reads a storage, which a published folder does not have."""
    assert whole.data["pick"] == ""
    assert "pick" not in whole.ids
    study = new_study()
    add_trials(study, quick)
    stored = quick_page(study, quick)
    assert stored.data["pick"].startswith("thetafront pick quick --games 0 ")
    assert "pick" in stored.ids


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_page(f"{BEGINNING}1", page)
    write_page(f"{BEGINNING}2", page)
    assert page.read_text() == f"{BEGINNING}2"
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><p>mine")
    with pytest.raises(InputError, match="is not a study page"):
        write_page(BEGINNING, other)
    assert other.read_text() == "<!doctype html><p>mine"
    with pytest.raises(InputError, match="output must be a regular file"):
        check_page(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        check_page(tmp_path / "none" / "page.html")
    with pytest.raises(InputError, match="must be a regular file"):
        check_page(Path("/dev/null"))
