"""A sweep that goes on until the regret is small: whole commands."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.study.cli.test_definitions import thetafront
from tests.study.cli.test_failures import ASKED, made


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Scores are 10 x and up to 1 of noise, costs 10^(2 x): a budget's best x is known."""
    folder = tmp_path_factory.mktemp("until")
    made(folder)
    said = thetafront(folder, "sweep", "flaky.toml", *ASKED, "--until-regret", "2")
    return folder, said


@pytest.mark.sweeps
def test_it_continues_until_the_bounds_are_small(swept: tuple[Path, str]) -> None:
    folder, said = swept
    assert "the target regret, 2, is reached at every budget" in " ".join(said.split())
    found = pd.read_csv(folder / "results/flaky/certificate.csv")
    assert (found["regret_bound95"] <= 2.2).all(), "but for draws of another run"
    front = pd.read_csv(folder / "results/flaky/front.csv")
    x = front.set_index("number")["x"]
    best = 5.0 * np.log10(found["work_per_game_limit"].clip(upper=100.0))
    regret = best - 10.0 * found["number"].map(x)
    assert (regret <= found["regret_bound95"] + 0.05).all()
    assert len(front) > 4, "predictions in between were played"
    n_trials = len(pd.read_csv(folder / "results/flaky/trials.csv"))
    assert n_trials > 12, "more trials came first, although there is no budget"
    assert "study 'flaky', 4 games each" in " ".join(said.split()), "12 trials are only the start"
    assert "search continues, up to 18 trials" in said
    assert "already stored" not in said


@pytest.mark.sweeps
def test_the_same_command_again_has_nothing_to_do(swept: tuple[Path, str]) -> None:
    folder, _ = swept
    n_games = len(pd.read_csv(folder / "results/flaky/games.csv"))
    thetafront(folder, "sweep", "flaky.toml", *ASKED, "--until-regret", "900%")
    assert len(pd.read_csv(folder / "results/flaky/games.csv")) == n_games
    said = thetafront(folder, "front", "flaky")
    start = r"certificate: with 95% probability, at every budget from 1(\.0\d*)? to "
    assert re.search(start, " ".join(said.split())), said


@pytest.mark.sweeps
def test_points_are_validated_in_time_even_if_trials_are_too_few(tmp_path: Path) -> None:
    made(tmp_path)
    words = [*ASKED[2:6], "--budget", "6s", *ASKED[8:], "--until-regret", "0.001"]
    said = thetafront(tmp_path, "sweep", "flaky.toml", *words)
    assert "the budget of 6 s is spent" in said
    assert " is not reached at every budget" in " ".join(said.split())
    front = pd.read_csv(tmp_path / "results/flaky/front.csv")
    assert len(front) >= 4
    assert (front["n_games"] > 1).all()


@pytest.mark.sweeps
def test_exact_scores_need_few_trials(tmp_path: Path) -> None:
    said = thetafront(tmp_path, "sweep", "dice", "--until-regret", "4", "--budget", "60s")
    said = " ".join(said.split())
    assert "the target regret, 4 points, is reached at every budget" in said
    assert "done before the budget of 1 min 00 s was spent" in said
    assert "for more, use a smaller --until-regret to read it" in said
    assert len(pd.read_csv(tmp_path / "results/dice/trials.csv")) < 100


def test_what_it_cannot_do_is_refused(tmp_path: Path) -> None:
    made(tmp_path)
    words = ["sweep", "flaky.toml", "--until-regret"]
    said = thetafront(tmp_path, *words, "none", code=2)
    assert "until regret must be a number above 0 or a percentage such as 2% (got 'none')" in said
    said = thetafront(tmp_path, *words, "2", "--no-validation", code=2)
    assert "--until-regret cannot be combined with --no-validation" in said
    assert not (tmp_path / "results").exists()


def test_a_dry_run_says_that_its_plan_is_only_the_start(tmp_path: Path) -> None:
    made(tmp_path)
    said = thetafront(tmp_path, "sweep", "flaky.toml", *ASKED, "--until-regret", "2", "--dry-run")
    start = "this is only the start: more trials and points follow until no regret bound is above 2"
    assert start in " ".join(said.split())
    assert not (tmp_path / "results").exists()
