"""Numbers of things in sentences: one is one."""

import math
import re
from pathlib import Path

import pytest

from tests.study.program import succeeded
from thetafront.study.experiments.definition import Experiment
from thetafront.study.text import counted, did_you_mean, duration, seconds_in


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 games"), (1, "1 game"), (2, "2 games"), (1000, "1,000 games")]
)
def test_one_has_no_s(n: int, said: str) -> None:
    assert counted(n, "game") == said


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1h30m", 5400.0), ("90s", 90.0), ("1m500ms", 60.5), ("100us", 1e-4), ("2µs", 2e-6)],
)
def test_times_have_units(text: str, seconds: float) -> None:
    assert seconds_in(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(42.4, "42 s"), (425.0, "7 min 05 s"), (220_800_000.0, "61,333 h 20 min"), (math.inf, "-")],
)
def test_durations_have_two_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("text", ["", "15", "s", "5m1h", "1 s", "-1s", "1d"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a time such as 15m or 100us"):
        seconds_in(text)


def test_a_word_that_is_like_another_is_corrected() -> None:
    assert did_you_mean("swep", ["sweep", "pick"]) == "; did you mean sweep?"
    assert did_you_mean("fly", ["sweep", "pick"]) == ""


@pytest.mark.sweeps
def test_a_sweep_of_one_job_and_one_trial_says_so(solver: Experiment, tmp_path: Path) -> None:
    """All output of a study of one trial, of one game, by one job: no plural after 1."""
    sweep = ["sweep", "solver", "--trials", "1", "--design-size", "1", "--jobs", "1"]
    pick = ["pick", "solver", "--min-score", "1", "--games", "0"]
    commands = (sweep, sweep, ["status", "solver"], pick, ["compare", "solver"])
    said = "".join(succeeded(tmp_path, *words) for words in commands)
    assert "1 trial, 1 game each, 1 job, sampler" in said
    assert "search already complete: 1 trial, 1 game (for more" in said
    assert not re.findall(r"(?<![\d,.])1 (?:trials|games|jobs|points|validated points)\b", said)
