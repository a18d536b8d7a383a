"""The page of a study with 2,000 trials and 100,000 games of search: made of a published one."""

import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.browser.ground import opened
from tests.browser.test_page import MAX_BYTES, ROOT, wait_until_drawn
from tests.study.charts.published import REFERENCE, published
from thetafront.study.log.study_data import StudyData
from thetafront.study.page.page import page_html
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import write_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser

N_TRIALS, N_GAMES = 2000, 50
CPU_SECONDS, CPU_SECONDS_OF_DEFAULT = 30.0, 10.0
BUSY_CPU, BUSY = 2.0, 5.0
"""How much longer things may take on a machine that has more to do: CPU time, and wall time."""


def enlarged(data: StudyData) -> StudyData:
    """The same with many trials: each near one of the study's in θ, with its result."""
    rng = np.random.default_rng(1)
    space = data.experiment.space
    played = [game for point in data.points for game in point.in_order if game.is_timed]
    complete = [trial for trial in data.trials if trial.state == "complete"]
    trials, moments = [], {}
    for number in range(N_TRIALS):
        like = complete[number % len(complete)]
        units = np.array([each.to_unit(like.params[each.name]) for each in space])
        near = np.clip(units + rng.normal(0.0, 0.03, len(units)), 0.0, 1.0)
        first = number * N_GAMES
        games = {k: played[(first + k) % len(played)] for k in range(N_GAMES)}
        params = space.from_unit(near.tolist())
        trials.append(replace(like, number=number, params=params, games=games))
        moments[number] = data.moments[like.number]
    found = replace(data, trials=trials)
    found.__dict__.update(moments=moments)
    return found


def test_it_is_made_and_drawn_in_time(browser: "Browser", tmp_path: Path) -> None:
    location, analysis = published("mcmdp")
    large = enlarged(analysis.data)
    assert sum(len(trial.games) for trial in large.trials) == 100_000
    begun = time.process_time()
    html = page_html(Analysis(large), location)
    seconds = time.process_time() - begun
    path = tmp_path / "page.html"
    write_text(html, path)
    size = path.stat().st_size
    print(f"\nmade in {seconds:.1f} CPU s: {size:,} bytes")
    assert seconds < CPU_SECONDS * BUSY_CPU
    assert size < MAX_BYTES
    for _ in range(2):
        start = time.monotonic()
        with opened(browser, str(path)) as found:
            wait_until_drawn(found)
            drawn = time.monotonic() - start
            print(f"opened and drawn in {drawn:.2f} s")
            assert drawn < 2.0 * BUSY
            assert found.overflow <= 0
            found.check()


def test_the_default_study_is_reported_in_time(tmp_path: Path) -> None:
    """The whole command, start-up included; the first run compiles what replays need."""
    command = [sys.executable, "-m", "thetafront", "report", str(REFERENCE / "mcmdp")]
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--output", str(tmp_path / "page.html")], check=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"\nreported in {seconds:.1f} CPU s")
    assert seconds < CPU_SECONDS_OF_DEFAULT * BUSY_CPU
