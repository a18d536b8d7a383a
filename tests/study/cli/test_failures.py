"""Programs whose games fail now and then, or in a part of their space: whole commands."""

import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.study.cli.test_definitions import thetafront
from tests.study.made_studies import forge
from tests.study.program import signalled, stored
from thetafront.agents.agent import FailedGame
from thetafront.study.api import sweep
from thetafront.study.check.games_table import GAMES
from thetafront.study.log.location import locate
from thetafront.study.log.published_study import read_published
from thetafront.study.log.storage import open_for_games

FLAKY = """
import hashlib, json, sys

def uniform(*what):
    return int(hashlib.sha256(repr(what).encode()).hexdigest()[:12], 16) / 16**12

for line in sys.stdin:
    asked = json.loads(line)
    seed, x = asked["seed"], asked["x"]
    if uniform("fails", seed) < RATE or x > EDGE:
        sys.exit("no luck")
    score = 10 * x + uniform("score", seed)
    print(json.dumps({"score": score, "work": 10 ** (2 * x)}), flush=True)
"""
TOML = """
command = ["python", "flaky.py"]
files = ["flaky.py"]
protocol = "serve"
[parameters.x]
low = 0.0
high = 1.0
[objective]
standard_error = 0.05
[cost]
field = "work"
"""
ASKED = ["--trials", "12", "--design-size", "8", "--replicates", "4", "--budget", "none"]
ASKED += ["--validation-points", "4", "--validation-games", "60", "--jobs", "2"]


def made(folder: Path, rate: float = 0.0, edge: float = 1.0, more: str = "") -> Path:
    """Write a definition whose program fails at a rate, and always beyond an edge."""
    text = FLAKY.replace("RATE", str(rate)).replace("EDGE", str(edge))
    (folder / "flaky.py").write_text(text)
    toml = TOML.replace('"python"', json.dumps(sys.executable))
    (folder / "flaky.toml").write_text(more + toml)
    return folder / "results" / "flaky"


def failed_games(database: Path) -> set[tuple[str, str, int]]:
    """Return the failed games of a study, by phase, number and replicate."""
    query = "SELECT phase, number, replicate FROM thetafront_game WHERE record LIKE '%\"failed\"%'"
    return set(stored(database, query))


@pytest.mark.sweeps
def test_a_failing_seed_in_a_hundred_loses_no_point(tmp_path: Path) -> None:
    """Tables, figures and all commands count the failures; verify plays them again."""
    results = made(tmp_path, rate=0.03)
    said = thetafront(tmp_path, "sweep", "flaky.toml", *ASKED)
    assert "failed, 95%" in said
    assert "means are over games that ended" in " ".join(said.split())  # lines may wrap
    front, trials = (pd.read_csv(results / f"{name}.csv") for name in ("front", "trials"))
    games = pd.read_csv(results / GAMES)
    assert len(front) == 4
    assert (trials["state"] == "complete").sum() == 12
    assert (trials["n_games"] == 4).all()
    is_failed = games["failed_with"].notna()
    assert is_failed.sum() == front["n_failed"].sum() + trials["n_failed"].sum() > 0
    assert games.loc[is_failed, "score"].isna().all()
    assert games.loc[is_failed, "failed_with"].str.contains("no luck").all()
    assert len(failed_games(results / "study.db")) == is_failed.sum()
    for point, group in games[games["phase"] == "validation"].groupby("point"):
        row = front.set_index("point").loc[point]
        ended = group[group["failed_with"].isna()]
        assert (len(ended), len(group)) == (row["n_games"], row["n_games"] + row["n_failed"])
        assert ended["score"].mean() == pytest.approx(row["score_mean"])
        assert sorted(group["replicate"]) == list(range(len(group)))  # none is missing
    n_failed, n = int(is_failed.sum()), len(games)
    assert f"{n_failed} of {n:,} games failed" in thetafront(tmp_path, "status", "flaky")
    page = (results / "report.html").read_text(encoding="utf-8")
    assert f"{n_failed} of {n:,} games failed" in page
    location, data = read_published(results)
    assert data.failed_of_played == (n_failed, n)
    assert {each.key: len(each.failures) for each in data.points} == dict(
        zip(front["point"], front["n_failed"], strict=True)
    )
    assert location.name == "flaky"
    verify = ("verify", "flaky", "--games", "all")
    assert "ok" in thetafront(tmp_path, *verify)
    log = open_for_games(locate("flaky", results.parent, None))
    rows = list(enumerate(log.rows().games))
    place, row = next((n, row) for n, row in rows if row.phase == "validation" and row.n_moves)
    forge(log, place, FailedGame(row.seed, "made up"))
    told = " ".join(thetafront(tmp_path, *verify, code=1).replace("│", " ").split())
    assert "failed (made up), but ended when played again" in told
    thetafront(tmp_path, *verify, "--repair")
    assert "ok" in thetafront(tmp_path, *verify)
    assert len(failed_games(results / "study.db")) == n_failed


@pytest.mark.sweeps
def test_a_fifth_of_the_space_that_fails_is_avoided(tmp_path: Path) -> None:
    """The best θ lie beyond the edge; so the model would propose hardly anything else."""
    results = made(tmp_path, edge=0.8)
    asked = [*ASKED, "--trials", "20"]
    said = thetafront(tmp_path, "sweep", "flaky.toml", *asked)
    assert " left out; trials.csv says why" in said
    assert re.search(r"of [3-6] games failed; the first: ended .* 1; stderr: no luck", said), said
    trials, front = (pd.read_csv(results / f"{name}.csv") for name in ("trials", "front"))
    left_out = trials[trials["state"] == "fail"]
    assert (left_out["x"] > 0.8).all()
    assert left_out["error"].str.contains("no luck").all()
    assert left_out["n_failed"].between(3, 6).all(), "some were in flight"
    assert len(left_out[left_out["origin"] != "design"]) <= 4
    assert (trials["state"] == "complete").sum() == 20
    assert len(front) == 4
    assert 0.7 < front["x"].max() <= 0.8
    words = {"trials": 20, "design_size": 8, "replicates": 4, "validate": False, "jobs": 1}
    with pytest.warns(RuntimeWarning, match="trials? left out because games failed"):
        again = sweep(str(tmp_path / "flaky.toml"), results=results.parent, budget=None, **words)
    assert len(again.trials) == len(trials)


@pytest.mark.sweeps
def test_a_point_left_out_of_the_validation_is_replaced(tmp_path: Path) -> None:
    """It fails on seeds of the validation alone, so that nothing has warned of it."""
    results = made(tmp_path)
    body = FLAKY.replace("x > EDGE", "(x > 0.7 and seed >= 500_000)").replace("RATE", "0")
    (tmp_path / "flaky.py").write_text(body)
    said = thetafront(tmp_path, "sweep", "flaky.toml", *ASKED)
    assert "another point takes its place" in said, said
    front = pd.read_csv(results / "front.csv")
    assert len(front) == 4
    assert front["x"].max() <= 0.7
    assert front["x"].max() > 0.4
    more = [*ASKED[:-3], "80", *ASKED[-2:]]
    thetafront(tmp_path, "sweep", "flaky.toml", *more)
    again = pd.read_csv(results / "front.csv")
    assert sorted(again["point"]) == sorted(front["point"]), "the same points have more games"
    assert (again["n_games"] == 80).all()
    read_published(results)
    (results / "study.db").unlink()
    assert "ok" in thetafront(tmp_path, "verify", "flaky", "--games", "30")


@pytest.mark.sweeps
def test_play_continues_after_failed_games(tmp_path: Path) -> None:
    made(tmp_path, rate=0.1)
    words = ["play", "flaky.toml", "--set", "x=0.5", "--games", "100", "--jobs", "1"]
    said = thetafront(tmp_path, *words)
    found = json.loads(thetafront(tmp_path, *words, "--json"))
    n_failed = found["failures"]["n_failed"]
    assert found["n_games"] == 100 - n_failed < 100
    assert f"{n_failed} of 100 games failed, {n_failed}% (" in said
    assert said.count("stderr: no luck (seed ") == 3
    assert len(found["failed"]) == n_failed
    made(tmp_path, edge=0.1)
    said = thetafront(tmp_path, *words, code=1)
    assert "100 of 100 games failed; the first: ended with exit status 1" in said


@pytest.mark.sweeps
def test_a_penalty_counts_failed_games(tmp_path: Path) -> None:
    results = made(tmp_path, rate=0.1)
    text = (tmp_path / "flaky.toml").read_text()
    (tmp_path / "flaky.toml").write_text(text.replace("[objective]", "[objective]\npenalty = -50"))
    thetafront(tmp_path, "sweep", "flaky.toml", *ASKED)
    games, front = (pd.read_csv(results / f"{name}.csv") for name in ("games", "front"))
    games["score"] = games["score"].where(games["failed_with"].isna(), -50.0)
    for point, group in games[games["phase"] == "validation"].groupby("point"):
        row = front.set_index("point").loc[point]
        assert row["n_games"] == len(group)
        assert row["score_mean"] == pytest.approx(group["score"].mean())
        assert row["work_per_game"] == pytest.approx(group["work"].mean())
    assert "ok" in thetafront(tmp_path, "verify", "flaky", "--games", "30")
    read_published(results)


def test_failures_outlive_a_kill(tmp_path: Path) -> None:
    results = made(tmp_path, rate=0.2, more="max_failures = 0.5\n")
    database = results / "study.db"
    signalled(["sweep", "flaky.toml", *ASKED], tmp_path, lambda: len(failed_games(database)) > 4)
    before = failed_games(database)
    thetafront(tmp_path, "sweep", "flaky.toml", *ASKED)
    after = failed_games(database)
    assert before < after
    assert "ok" in thetafront(tmp_path, "verify", "flaky", "--games", "60")
    trials = pd.read_csv(results / "trials.csv")
    assert (trials.loc[trials["state"] == "complete", "n_games"] == 4).all()
