"""Where games are short, a trial has more of them."""

import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.study.program import succeeded
from thetafront import Experiment, NumericParameter, Space, mean, sweep
from thetafront.study.run.design_times import MAX_SHORT_GAMES, short_games

pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.mark.parametrize(
    ("games_in_time", "n_usual", "n"),
    [
        *[(0.01, 4, 4), (4.0, 4, 4), (5.6, 4, 4), (5.7, 4, 8), (11.3, 4, 8), (100.0, 4, 128)],
        *[(22.6, 10, 10), (22.7, 10, 32), (1e6, 10, MAX_SHORT_GAMES), (1e6, 300, 300)],
    ],
)
def test_games_fill_the_time_of_a_trial(games_in_time: float, n_usual: int, n: int) -> None:
    assert short_games(0.5 / games_in_time, n_usual, 0.5) == n


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

    more = games(1)[0]
    assert more >= 16, "a game takes some milliseconds"
    assert games(3) == [more] * 3
    assert games(4, replicates=5) == [more] * 3 + [5]
    assert games(5) == [more] * 3 + [5] * 2


@pytest.mark.usefixtures("no_processes")
def test_the_longest_games_of_a_design_count(tmp_path: Path) -> None:
    """Those of a cheap θ are short, but a trial of the dearest would take a minute.

    Ten minutes are enough for 384 trials of eight games.
    """

    def play(seed: int, depth: int) -> dict[str, float]:
        if depth > 3:
            sleep(0.4)
        return {"score": float(seed % 7 + depth)}

    space = Space((NumericParameter("depth", 1, 4, integer=True),))
    slow = Experiment(name="slow", agent=play, space=space, goal=mean("score"))
    asked = {"trials": 9, "design_size": 8, "sampler": "random"}
    for budget, n_games in (("1m", 4), ("10m", 8)):
        found = {"budget": budget, "results": tmp_path / budget}
        study = sweep(slow, validate=False, progress=False, jobs=1, **asked, **found)
        assert (study.trials["depth"][:8] > 3).any()
        assert study.trials["n_games"].tolist() == [n_games] * 9


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
    assert (study.trials["n_games"] > 8).all()


def test_games_that_do_not_end_are_long(tmp_path: Path) -> None:
    """Timing ends after some seconds, and the search plays all θ, this one too."""

    def play(seed: int, depth: int) -> float:
        if depth == 4 and not (tmp_path / "slept").exists():
            (tmp_path / "slept").touch()
            sleep(600)
        return depth + seed % 7

    space = Space((NumericParameter("depth", 1, 4, integer=True),))
    stuck = Experiment(name="stuck", agent=play, space=space, goal=mean("score"))
    asked = {"trials": 5, "design_size": 4, "sampler": "random", "results": tmp_path}
    began = monotonic()
    study = sweep(stuck, validate=False, progress=False, jobs=2, **asked)
    assert study.trials["n_games"].tolist() == [4] * 5
    assert (study.trials["depth"][:4] == 4).any()
    assert monotonic() - began < 300


@pytest.mark.usefixtures("no_processes")
def test_a_dry_run_prints_the_number_of_games_once(coin: Experiment, tmp_path: Path) -> None:
    """And not that of its own games, of which each θ has two."""
    said = succeeded(tmp_path, "sweep", "coin", "--jobs", "1", "--dry-run")
    assert said.count("there is time for 512 games per trial") == 1
    assert said.count("there is time") == 1
