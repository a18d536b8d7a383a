"""Optuna's own dashboard on a study of ours: it opens, and nothing floods it."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.browser.ground import opened
from tests.ports import free_port
from thetafront.study.api import sweep

if TYPE_CHECKING:
    from playwright.sync_api import Browser

N_TRIALS = 110
SECONDS_TO_START = 60.0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Sweep, and show what it has stored at an address of this machine."""
    pytest.importorskip("optuna_dashboard", reason="it is not installed: make test-browser")
    folder = tmp_path_factory.mktemp("results")
    sweep(
        "dice", name="shown", trials=N_TRIALS, sampler="random", budget=None, results=folder, jobs=2
    )
    found = f"http://127.0.0.1:{(port := free_port())}"
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from optuna_dashboard._cli import main; main()",
            f"sqlite:///{folder / 'shown' / 'study.db'}",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline:
            assert process.poll() is None, "it has ended"
            with suppress(URLError):
                answer(found, "studies")
                break
            time.sleep(0.2)
        yield found
    finally:
        process.kill()
        process.wait()


def answer(address: str, of: str) -> Any:
    """Ask the dashboard's API."""
    with urlopen(f"{address}/api/{of}", timeout=30) as found:
        return json.load(found)


def test_it_knows_names_and_shows_no_flood(address: str) -> None:
    (summary,) = answer(address, "studies")["study_summaries"]
    assert summary["study_name"] == "shown"
    assert summary["directions"] == ["maximize", "minimize"]
    found = answer(address, f"studies/{summary['study_id']}?after=0")
    assert found["objective_names"] == ["score_mean_points", "solving_seconds"]
    trials = found["trials"]
    assert len(trials) >= N_TRIALS
    assert {each["key"] for each in found["union_user_attrs"]} == {"origin"}
    ours = [sum(len(each["value"]) for each in trial["user_attrs"]) for trial in trials]
    assert max(ours) < 100, "bytes of ours a trial: games are in the log"
    assert len(json.dumps(found["user_attrs"])) < 20_000
    size = len(json.dumps(found))
    print(f"\n{len(trials)} trials in {size:,} bytes, {size / len(trials):,.0f} per trial")
    assert size / len(trials) < 2_000


def test_it_opens_in_a_browser(browser: "Browser", address: str) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    (summary,) = answer(address, "studies")["study_summaries"]
    with opened(browser, f"{address}/dashboard/studies/{summary['study_id']}") as found:
        expect(found.page.get_by_text("shown").first).to_be_visible(timeout=60_000)
        expect(found.page.get_by_text("solving_seconds").first).to_be_visible(timeout=60_000)
        assert [each for each in found.errors if each.startswith("exception")] == []
        assert [each for each in found.requests if not each.startswith(address)] == []
        found.page.goto(f"{address}/dashboard/studies/{summary['study_id']}/trials")
        expect(found.page.get_by_text("Trial 0").first).to_be_visible(timeout=60_000)
