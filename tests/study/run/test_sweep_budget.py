"""Sweeps and validations with a budget: they end by it, say what they reached, and go on."""

import itertools
import json
import re
import time
from functools import partial
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest
from sqlalchemy import NullPool, Pool, QueuePool, create_engine

from tests.study.cli.test_failures import made
from tests.study.conftest import Coin, CoinGame
from tests.study.experiments.definitions import COINS
from tests.study.made_studies import store_coins
from tests.study.program import invoked, refused, succeeded
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, SCORE, WIN_RATE, Goal
from thetafront.study.log import database as database_module
from thetafront.study.run import stopping
from thetafront.study.run.budget import RunningTime
from thetafront.study.run.stopping import Precision
from thetafront.study.run.sweep import without_widening

pytestmark = pytest.mark.usefixtures("no_processes")

SWEEP = ["sweep", "coin", "--replicates", "10", "--design-size", "4", "--jobs", "1"]
SWEEP += ["--validation-points", "2", "--sampler", "random"]
TARGETS = ["--trials", "4", "--validation-games", "40"]


@pytest.mark.sweeps
def test_a_sweep_ends_by_its_budget_and_continues(
    coin: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = itertools.count()  # each takes 10 ms, so that a busy machine changes little
    monkeypatch.setattr(RunningTime, "__call__", lambda _: next(looks) / 100)
    monkeypatch.setattr(stopping, "MIN_GAMES_OF_A_RUN", 20_000)
    folder = tmp_path / "coin"
    n_validated = 0
    for words in (SWEEP, ["validate", "coin", "--jobs", "1", "--validation-points", "2"]):
        text = succeeded(tmp_path, *words, "--budget", "8s")
        assert "validation on fresh seeds: " in text
        reached = r"^the budget of 8 s is spent: .* points? validated to (a )?standard errors? of "
        assert re.search(reached, text, re.M)
        assert "\nto continue: " in text
        games = pd.read_csv(folder / "games.csv")
        is_validation = games["phase"] == "validation"
        assert (~is_validation).sum() % 10 == 0, "trials that were begun are complete"
        assert is_validation.sum() > n_validated
        n_validated = is_validation.sum()
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["budget_seconds"] == 8.0
    assert (folder / "pareto.png").read_bytes().startswith(b"\x89PNG")
    study = optuna.load_study(study_name="coin", storage=f"sqlite:///{folder / 'study.db'}")
    assert study.metric_names == ["win_rate_mean", "seconds_per_move"], "as dashboards show them"


def test_games_of_microseconds_keep_a_budget_of_seconds(coin: Experiment, tmp_path: Path) -> None:
    """Plans, proposals and reports cost more than the games; waiting for them took a minute once.

    The limit is far from what a quiet machine takes: 7 seconds.
    """
    begin = time.monotonic()
    text = succeeded(tmp_path, "sweep", "coin", "--jobs", "1", "--budget", "5s")
    assert time.monotonic() - begin < 25.0
    assert "the budget of 5 s is spent" in text


@pytest.mark.parametrize(
    ("goal", "given", "budget", "open_end"),
    [
        (SCORE, (None, None), 900.0, True),
        (WIN_RATE, (None, None), 900.0, True),
        (SCORE, (None, None), float("inf"), False),
        (SCORE, (250.0, None), 900.0, False),
        (SCORE, (None, 40), 900.0, False),
        (EXACT_SCORE, (None, None), 900.0, False),
    ],
)
def test_validation_continues_until_the_budget_is_spent_unless_a_target_is_given(
    goal: Goal, given: tuple[float | None, int | None], budget: float, open_end: bool
) -> None:
    precision = Precision.from_options(goal, *given, 6, budget)
    assert precision.open_end is open_end
    assert precision.most_games == (given[1] or (3 if goal.is_exact else 1000))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_dry_run_plays_the_definition_that_is_given(tmp_path: Path) -> None:
    """Also if the study has another one, which is gone."""
    store_coins(tmp_path, 8)
    (tmp_path / "coins.py").write_text(COINS.replace("0.05", "0.06"))
    words = ["--trials", "12", "--design-size", "4", "--replicates", "2", "--budget", "none"]
    dry = ["sweep", f"{tmp_path}/coins.py", *words, "--jobs", "1", "--dry-run", "--accept-change"]
    assert "plan: 12 trials in all, with 8 more games" in succeeded(tmp_path, *dry)


@pytest.mark.sweeps
def test_a_dry_run_prints_the_plan_and_writes_nothing(coin: Experiment, tmp_path: Path) -> None:
    """Neither of a new study, for which it leaves no folder, nor of one that is there."""
    dry = [*SWEEP, *TARGETS, "--dry-run"]
    text = succeeded(tmp_path, *dry)
    assert list(tmp_path.iterdir()) == []
    plan = r"plan: 4 trials in all, with 40 more games in \d+ s; (\d) points validated with (\d+)"
    found = re.search(f"{plan} games", text)
    assert found, text
    assert int(found[2]) == 40 * int(found[1])
    ended = succeeded(tmp_path, *SWEEP, *TARGETS, "--budget", "1h")
    assert re.search(r"all trials are complete after .*for more", ended), ended
    assert "\ndone before the budget of 1 h 00 min was spent: 4 trials, " in ended
    wanted = "--trials or a smaller --standard-error or more --validation-games"
    assert f"\nfor more, use {wanted}\n" in ended
    ended = succeeded(tmp_path, *SWEEP, *TARGETS[:2], "--no-validation", "--budget", "1h")
    assert "\nfor more, use --trials\n" in ended
    before = files(tmp_path)
    more = ["--trials", "6", "--validation-games", "50"]
    assert "plan: 6 trials in all, with 20 more games in " in succeeded(tmp_path, *dry, *more)
    assert files(tmp_path) == before
    other = refused(*dry, "--seed", "3", "--results", str(tmp_path))
    assert "was made with seed 0, not 3" in other


def test_the_command_that_continues_does_not_widen_again() -> None:
    command = "thetafront sweep mcmdp --widen theta4 --budget 5m --widen=theta5=1:20 --seed 1"
    assert without_widening(command) == "thetafront sweep mcmdp --budget 5m --seed 1"
    assert (
        without_widening("thetafront sweep x --widen 'a b' --seed 1")
        == "thetafront sweep x --seed 1"
    )
    for widen in ("'x'", "['x', 'y=1:2']", "('x',)"):
        assert without_widening(f"sweep('s', widen={widen}, seed=1)") == "sweep('s', seed=1)"


@pytest.mark.sweeps
def test_a_coarse_front_gets_more_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours of four points differ by fifty standard errors: between them, more is learned."""
    looks = itertools.count()
    monkeypatch.setattr(RunningTime, "__call__", lambda _: next(looks) / 100)
    monkeypatch.chdir(tmp_path)
    results = made(tmp_path)
    results.parent.mkdir()
    words = ["--trials", "12", "--design-size", "8", "--jobs", "1", "--validation-points", "4"]
    words += ["--replicates", "4"]
    text = succeeded(results.parent, "sweep", "flaky.toml", *words, "--budget", "15s")
    assert text.count("differ by more than their errors: adding points") == 1
    assert "there are 8 points now (for more, use a larger --validation-points)" in text
    front = pd.read_csv(results / "front.csv")
    assert len(front) == 8
    assert (front["n_games"] >= 20).all()
    gaps = np.diff(np.log10(front["work_per_game"]))
    assert gaps.max() < 0.6, "two decades have seven gaps, which are wider where the score is flat"
    text = succeeded(results.parent, "sweep", "flaky.toml", *words, "--budget", "5s")
    assert "validation on fresh seeds: 8 θ" in text
    again = pd.read_csv(results / "front.csv")
    assert set(again["x"]) == set(front["x"])
    assert again["n_games"].sum() > front["n_games"].sum()


@pytest.mark.parametrize("pool", [QueuePool, NullPool], ids=lambda pool: pool.__name__)
def test_a_study_that_was_moved_away_is_said_so(
    coin: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: type[Pool]
) -> None:
    play, database = Coin.play, tmp_path / "coin" / "study.db"

    def play_and_move(agent: Coin, seed: int) -> CoinGame:
        if database.exists() and next(games) == 20:
            database.rename(tmp_path / "elsewhere.db")
        return play(agent, seed)

    games = itertools.count()
    monkeypatch.setattr(Coin, "play", play_and_move)
    # Whether a thread opens a new connection after the move is a matter of timing.
    monkeypatch.setattr(database_module, "create_engine", partial(create_engine, poolclass=pool))
    said = invoked(tmp_path, *SWEEP, *TARGETS, code=1).stderr
    assert f"storage: sqlite:///{database} fails: the file was moved or deleted" in said
