"""Where games are short, trials after the design have more of them."""

import sys
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from typer.testing import CliRunner

from thetafront import Experiment, NumericParameter, Space, mean, sweep
from thetafront.study.cli import app
from thetafront.study.log.location import locate
from thetafront.study.log.storage import create_or_resume
from thetafront.study.run.search import MAX_SHORT_GAMES, SECONDS_A_TRIAL, Search, short_games
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import Finished, Task

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize(
    ("games_in_time", "n_usual", "n"),
    [
        *[(0.01, 4, 4), (4.0, 4, 4), (7.9, 4, 4), (8.0, 4, 8), (15.9, 4, 8), (100.0, 4, 64)],
        *[(19.0, 10, 10), (20.0, 10, 16), (1e6, 10, MAX_SHORT_GAMES), (1e6, 200, 200)],
    ],
)
def test_games_fill_the_time_of_a_proposal(games_in_time: float, n_usual: int, n: int) -> None:
    assert short_games(SECONDS_A_TRIAL / games_in_time, n_usual) == n


@pytest.mark.usefixtures("no_processes")
def test_a_study_keeps_its_number_of_games_until_another_is_asked_for(tmp_path: Path) -> None:
    def games(trials: int, replicates: int | None = None) -> list[int]:
        study = sweep(
            "pacman_small",
            trials=trials,
            replicates=replicates,
            design_size=2,
            sampler="random",
            validate=False,
            progress=False,
            jobs=1,
            results=tmp_path,
        )
        return study.trials["n_games"].tolist()

    *design, more = games(3)
    assert design == [10, 10]
    assert more >= 16, "a game takes some milliseconds"
    assert games(4) == [10, 10, more, more]
    assert games(5, replicates=5) == [10, 10, more, more, 5]
    assert games(6) == [10, 10, more, more, 5, 5]


@pytest.mark.usefixtures("no_processes")
def test_the_longest_games_of_a_design_count(tmp_path: Path) -> None:
    """Those of a cheap θ are short, but a trial of the dearest would take a minute."""

    def play(seed: int, depth: int) -> dict[str, float]:
        if depth > 3:
            sleep(0.4)
        return {"score": float(seed % 7 + depth)}

    space = Space((NumericParameter("depth", 1, 4, integer=True),))
    slow = Experiment(name="slow", agent=play, space=space, goal=mean("score"))
    asked = {"trials": 9, "design_size": 8, "sampler": "random", "results": tmp_path}
    study = sweep(slow, validate=False, progress=False, jobs=1, **asked)
    assert (study.trials["depth"][:8] > 3).any()
    assert study.trials["n_games"].tolist() == [4] * 9


def test_the_start_of_a_users_process_is_no_game(tmp_path: Path) -> None:
    def play(seed: int, depth: float) -> float:
        if not hasattr(sys, "has_loaded"):
            sys.has_loaded = True  # type: ignore[attr-defined]
            sleep(2)
        return depth + seed % 7

    space = Space((NumericParameter("depth", 1, 4),))
    quick = Experiment(name="quick", agent=play, space=space, goal=mean("score"))
    asked = {"trials": 9, "design_size": 8, "sampler": "random", "results": tmp_path}
    study = sweep(quick, validate=False, progress=False, jobs=1, **asked)
    assert study.trials["n_games"][8] > 8


@pytest.mark.parametrize(("seconds", "n"), [(10.0, 2), (0.001, 128)])
def test_games_of_an_earlier_run_count(
    seconds: float, n: int, coin: Experiment, tmp_path: Path
) -> None:
    """The first θ after the design may be a cheap one."""
    settings = SearchSettings(9, 2, sampler="random", design_size=1, adapts=True)
    location = locate("s", tmp_path, None)
    location.folder.mkdir()
    log = create_or_resume(location, settings.record(coin))
    for n_tasks, seconds_now in ((2, seconds), (9, 0.001)):
        source = Search(coin, log, settings, 1, print)
        for _ in range(n_tasks):
            task: Task[Any] | None = None
            while task is None:
                task = source.next_task()
            games = tuple(replace(task.agent.play(x), seconds=seconds_now) for x in task.seeds)
            source.record(Finished(task.key, games, "", 0.0, seconds_now))
        source.close()
    assert source.settings.n_replicates == n


@pytest.mark.usefixtures("no_processes")
def test_a_dry_run_tells_the_number_of_games_once(coin: Experiment, tmp_path: Path) -> None:
    """And not that of its own games, of which each θ has two."""
    words = ["sweep", "coin", "--jobs", "1", "--dry-run", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.stdout.count("trials after the design have 128 each") == 1, done.output
    assert done.stdout.count("games are short") == 1
