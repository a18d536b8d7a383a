"""What made a study, as its page says it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.study.charts.published import published
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES
from thetafront.study.report.made_by import (
    again,
    again_note,
    facts,
    machine_text,
    moment,
    runs_table,
    verify_command,
)


def test_it_says_what_the_manifest_has() -> None:
    page = published("mcmdp")[1]
    said = dict(facts(page))
    last = page.data.runs[-1]
    assert said["revisions"] == last["git_revision"]
    assert said["machines"].startswith("AMD EPYC, 2 cores, x86_64, Linux")
    for name, version in last["versions"].items():
        assert f"{name} {version}" in said["versions"]
    assert said["seeds"] == "study 0; games 0 to 760,399, all listed in games.csv"
    assert said["samplers"] == "knowledge-gradient"
    assert "cluster workers" not in said


def test_commands_are_those_that_were_given(monkeypatch: pytest.MonkeyPatch) -> None:
    location, page = published("mcmdp")
    data = page.data
    assert verify_command(data, location) == "thetafront verify mcmdp/ --games all"
    monkeypatch.chdir(location.folder)
    here = replace(location, folder=Path())
    assert verify_command(data, here) == "thetafront verify mcmdp/ --games all"
    assert again(data).splitlines() == [
        f"git checkout {data.runs[0]['git_revision']}",
        "thetafront sweep mcmdp",
        "thetafront pick mcmdp --max-seconds-per-move 100us",
    ]
    assert "within its intervals only on an equally" in again_note(data)
    counted = replace(data, experiment=replace(data.experiment, cost=PLAYOUT_MOVES))
    assert "How many games fit into a time budget" in again_note(counted)
    table = runs_table(data)
    assert len(table) == len(data.runs) == 3
    assert [*table.iloc[1]] == [
        "2026-11-27 05:57 UTC",
        "thetafront sweep mcmdp",
        "validation",
        "7,772",
        "643 s",
        "2",
        "97.4%",
    ]


def test_what_is_not_recorded_is_left_out() -> None:
    assert machine_text({}) == ""
    assert machine_text({"machine": {"cpu": "c", "cores": 3}}) == "c, 3 cores"
    assert moment("2026-01-02T03:04:05+02:00") == "2026-01-02 01:04 UTC"
    assert moment("yesterday") == "yesterday"


def test_no_path_of_this_machine_is_on_a_published_page() -> None:
    assert str(Path.cwd()) not in str(facts(published("mcmdp")[1]))
