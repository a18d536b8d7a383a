"""The command line, through typer's runner and as real processes that are killed."""

import io
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from tests.study.conftest import QUICK
from tests.study.made_studies import add_trials, data_of, new_study
from tests.study.program import output_refused, refused, run, signalled, stored, succeeded
from thetafront.study import interrupt
from thetafront.study.charts.export import PICTURES
from thetafront.study.log.location import locate
from thetafront.study.log.point import Point
from thetafront.study.log.storage import open_for_reading
from thetafront.study.report import prediction_check
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.prediction_check import PredictionCheck
from thetafront.study.run.pick_games import played_for
from thetafront.study.run.stopping import Precision
from thetafront.study.run.sweep import Sweep

QUICK_SWEEP = ["sweep", "--trials", "6", "--replicates", "2", "--jobs", "2", "--name", "s"]
QUICK_SWEEP += ["--validation-games", "4", "--validation-points", "2"]
N_GAMES = 6 * 2


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of a sweep that ran to its end, and what it printed."""
    results = tmp_path_factory.mktemp("results")
    done = run(*QUICK_SWEEP, "--results", str(results))
    assert done.returncode == 0, done.stderr
    (results / "stdout.txt").write_text(done.stdout)
    return results


@pytest.mark.sweeps
def test_a_backend_that_is_not_there_stops_no_figure(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "nonsense")
    done = run("plot", "s", "--results", str(finished))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_sweep_leaves_its_tables_and_pictures(finished: Path) -> None:
    folder = finished / "s"
    trials = pd.read_csv(folder / "trials.csv")
    everything = pd.read_csv(folder / "games.csv")
    games = everything[everything["phase"] == "search"]
    fresh = everything[everything["phase"] == "validation"]
    front = pd.read_csv(folder / "front.csv")
    assert len(trials) == 6
    assert (trials["n_games"] == 2).all()
    assert (len(games), len(fresh)) == (N_GAMES, 4 * len(front))
    firsts = [500_000 + 20_000 * p for p in range(len(front))]
    assert sorted(fresh["seed"]) == [first + r for first in firsts for r in range(4)]
    assert sorted(games["seed"]) == [1000 * t + r for t in range(6) for r in range(2)]
    assert "author's θ" in set(front["origin"])
    assert 3 <= len(front) <= 5
    by_point = fresh.groupby("point")["score_points"]
    validated = front.set_index("point").sort_index()
    assert by_point.mean().to_numpy() == pytest.approx(validated["score_mean_points"].to_numpy())
    low, high = (validated[f"score_{end}95_points"] for end in ("low", "high"))
    assert (high - low > 2 * 1.96 * validated["score_sem_points"]).all(), "Student's t"
    assert front["p_on_front"].between(0, 1).all()
    assert trials["p_on_front"].between(0, 1).all()
    curve = pd.read_csv(folder / "predicted_front.csv")
    assert curve["seconds_per_move"].is_monotonic_increasing
    assert curve["posterior_mean_points"].is_monotonic_increasing
    by_trial = games.groupby("trial")
    assert by_trial["score_points"].mean().to_numpy() == pytest.approx(
        trials["score_mean_points"].to_numpy()
    )
    sems = by_trial["score_points"].sem().to_numpy()
    assert sems == pytest.approx(trials["score_sem_points"].to_numpy())
    speed = by_trial["cpu_seconds"].sum() / by_trial["n_moves"].sum()
    assert speed.to_numpy() == pytest.approx(trials["seconds_per_move"].to_numpy())
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["experiment"] == "mcmdp"
    assert manifest["seed"] == 0
    assert [p["name"] for p in manifest["space"]] == [f"theta{k}" for k in range(1, 7)]
    assert {"numba", "optuna"} <= set(manifest["versions"])
    assert manifest["command_line"].startswith("thetafront sweep --trials 6")
    assert manifest["phase"] == "validation"
    searched = manifest["earlier_runs"][0]
    assert (searched["n_trials"], searched["n_replicates"], searched["sampler"]) == (
        6,
        2,
        "knowledge-gradient",
    )
    assert searched["n_games"] == N_GAMES
    assert 0 < searched["share_of_worker_time_in_games"] <= 1
    for name in PICTURES:
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert "± 95%" in (finished / "stdout.txt").read_text()


def test_repeating_it_changes_nothing_and_says_so(finished: Path) -> None:
    tables = [finished / "s" / f"{name}.csv" for name in ("trials", "games")]
    before = [each.read_bytes() for each in tables]
    again = succeeded(finished, *QUICK_SWEEP)
    assert "search already complete: 6 trials, 12 games" in again
    assert "validation already complete" in again
    assert [each.read_bytes() for each in tables] == before


def test_a_finished_study_can_be_read(finished: Path) -> None:
    named, by_url = "s", f"sqlite:///{finished}/s/study.db"
    for study in (named, by_url):
        status = succeeded(finished, "status", study)
        assert "6 complete of at most 6" in status
        assert "none running" in status
        assert "Validated θ" in succeeded(finished, "front", study)
    assert "pareto.png" in succeeded(finished, "plot", named)
    assert "games.csv" in succeeded(finished, "export", by_url)


def test_front_and_pick_say_that_validation_refutes_the_model(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pick` does with every answer, also for programs."""
    refuted = PredictionCheck(13, 7, 3524.0, 1786.0)
    monkeypatch.setattr(prediction_check, "check_predictions", lambda _: refuted)
    line = "The model of the trials is too optimistic, by 3,524 points on average (up to"
    assert line in succeeded(finished, "front", "s")
    for limit in (["--max-seconds-per-move", "1"], ["--min-score", "10"]):
        pick = ["pick", "s", *limit, "--games", "0"]
        assert line in succeeded(finished, *pick)
        told = succeeded(finished, *pick, "--json")
        assert json.loads(told)["distrust"].startswith(line)


def test_front_and_pick_answer_from_tables_as_from_their_study(
    finished: Path, tmp_path: Path
) -> None:
    tables = tmp_path / "s"
    shutil.copytree(finished / "s", tables, ignore=shutil.ignore_patterns("*.db*"))
    limit = ["--max-seconds-per-move", "1"]
    for words in (["front"], ["pick", *limit, "--games", "0"]):
        command, *options = words
        # The results folder is named in the command that widens the space.
        read = succeeded(finished, command, str(tables), *options)
        of_study = succeeded(finished, command, "s", *options)
        assert read == of_study.replace("; `pick` can play it", "")
    assert succeeded(None, "pick", str(tables), *limit) == read
    refusal = refused("pick", str(tables), *limit, "--games", "5")
    assert "games must be 0 for a folder of tables, which cannot store games (got 5)" in refusal


def test_a_theta_with_enough_games_is_not_played_for_a_pick(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished / "s", tmp_path / "s")
    _, location, data = open_for_reading("s", tmp_path)
    proposal, said = Analysis(data).to_pick_from().played[0], io.StringIO()
    found, played = played_for(location, data, proposal, 4, 1, Console(file=said, width=400))
    assert (found, played) == (data, [])
    assert said.getvalue() == "the most promising θ already has enough games; none are played\n"


@pytest.mark.sweeps
def test_a_theta_is_picked_and_played(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished / "s", tmp_path / "s")
    for limit in (["--max-seconds-per-move", "1"], ["--min-score", "10"]):
        answer = json.loads(succeeded(tmp_path, "pick", "s", *limit, "--games", "5", "--json"))
        assert answer["validated_score"]["n_games"] in {4, 5}
        assert answer["expected_score"]["n_games"] > N_GAMES
        assert "play it" in succeeded(tmp_path, "pick", "s", *limit, "--games", "0")
        theta = answer["command"].split()[-1]
        succeeded(tmp_path, "export", "s")
        front = pd.read_csv(tmp_path / "s" / "front.csv")
        names = list(answer["params"])
        is_picked = np.isclose(front[names], list(answer["params"].values())).all(axis=1)
        (point,) = front.loc[is_picked, "point"]
        games = pd.read_csv(tmp_path / "s" / "games.csv")
        stored = games[games["point"] == point].iloc[0]
        one_game = ["--games", "1", "--seed", str(stored["seed"]), "--json"]
        again = succeeded(None, "play", "mcmdp", "--theta", theta, *one_game)
        assert json.loads(again)["games"][0]["score"] == stored["score_points"]


@pytest.mark.sweeps
def test_validation_can_be_asked_for_more(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished / "s", tmp_path / "s")
    more = run(
        "validate", "s", "--validation-games", "6", "--validation-points", "2", "--jobs", "2",
        "--results", str(tmp_path),
    )  # fmt: skip
    assert more.returncode == 0, more.stderr
    front = pd.read_csv(tmp_path / "s" / "front.csv")
    assert (front["n_games"] == 6).all()
    before = pd.read_csv(finished / "s" / "games.csv").query("phase == 'validation'")
    after = pd.read_csv(tmp_path / "s" / "games.csv").query("phase == 'validation'")
    kept = before.merge(after, on=["point", "replicate", "score_points", "end_board_hex"])
    assert len(kept) == len(before)


def test_another_seed_is_refused(finished: Path) -> None:
    line = refused(*QUICK_SWEEP, "--results", str(finished), "--seed", "3")
    assert line.startswith("thetafront: study: 's' was made with seed 0, not 3")


def stored_games(database: Path) -> int:
    return len(stored(database, "SELECT 1 FROM thetafront_game"))


def test_an_interrupt_and_kill_9_lose_nothing_and_play_nothing_twice(
    finished: Path, tmp_path: Path
) -> None:
    """Interrupted within a trial, killed in the validation, then finished as in one go."""
    database = tmp_path / "s" / "study.db"
    words = [*QUICK_SWEEP, "--results", str(tmp_path)]
    returncode, stdout, stderr = signalled(
        words, tmp_path, lambda: stored_games(database) >= 5, signal.SIGINT, to_workers=True
    )
    assert returncode == 130
    assert "the same command resumes" in stdout
    assert stderr.splitlines() == ["thetafront: interrupted"]
    table = pd.read_csv(tmp_path / "s" / "games.csv")
    interrupted = stored_games(database)
    assert 5 <= len(table) <= interrupted, "tables show what is stored"
    status = run("status", "s", "--results", str(tmp_path)).stdout
    assert "none running" in status
    assert not re.search(r"\d running", status), "a trial that was interrupted does not run"
    signalled(words, tmp_path, lambda: stored_games(database) >= N_GAMES + 5)
    survived = stored_games(database)
    assert survived >= interrupted, "a stored game was lost"
    ended = run(*words)
    assert ended.returncode == 0, ended.stderr
    assert f"{survived - N_GAMES} games already stored" in ended.stdout
    resumed = pd.read_csv(tmp_path / "s" / "games.csv")
    assert stored_games(database) == len(resumed)
    assert not resumed.duplicated(["phase", "trial", "point", "replicate"]).any()
    # All six trials are design points, so θ and games must be those of the unbroken run.
    whole = pd.read_csv(finished / "s" / "games.csv")
    columns = ["trial", "replicate", "seed", "score_points", "n_moves", "end_board_hex"]
    of_search = [each.query("phase == 'search'")[columns] for each in (resumed, whole)]
    pd.testing.assert_frame_equal(*of_search)


def test_an_interrupt_speaks_of_stored_games_only_where_there_are_some(tmp_path: Path) -> None:
    study, said = new_study(), io.StringIO()
    sweep = Sweep(QUICK, locate("s", tmp_path, None), study, None, Console(file=said, width=400))
    for part in (
        "search, before its first game ended; the",
        "search: finished games are stored in ",
    ):
        with pytest.raises(KeyboardInterrupt), sweep.stops("search"):
            raise KeyboardInterrupt
        assert f"stopped during the {part}" in said.getvalue()
        add_trials(study, QUICK)
    study.counts, sweep.latest = None, Analysis(data_of(study, QUICK))  # this process only read
    assert sweep.has_games


@pytest.mark.parametrize(
    ("step", "method", "phase"),
    [("points_to_validate", "validate", "validation"), ("print_notes", "report", "report")],
)
def test_an_interrupt_while_no_games_are_played_writes_tables(
    step: str, method: str, phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is fitted before the validation and before the report, which may take long."""

    def interrupted(*_: object) -> list[Point]:
        signal.raise_signal(signal.SIGINT)
        return []

    monkeypatch.setattr(f"thetafront.study.run.sweep.{step}", interrupted)
    study, said = new_study(QUICK), io.StringIO()
    add_trials(study, QUICK)
    sweep = Sweep(QUICK, locate("s", tmp_path, None), study, None, Console(file=said, width=400))
    sweep.precision = Precision(None, 4)
    with interrupt.as_guest(), pytest.raises(KeyboardInterrupt):
        getattr(sweep, method)()
    assert f"stopped during the {phase}: finished games are stored in " in said.getvalue()
    assert len(pd.read_csv(tmp_path / "s" / "trials.csv")) == len(data_of(study, QUICK).trials)


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    piped = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m thetafront --help | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (piped.returncode, piped.stderr) == (0, "")


def test_so_it_is_where_a_study_is_read(finished: Path, tmp_path: Path) -> None:
    line = output_refused(
        ["compare", "s", "--results", str(finished)], tmp_path / "missing" / "out"
    )
    assert f"created: '{tmp_path}/missing' does not exist" in line
