"""The whole pipeline with games that are not 2048: a coin, by its win rate; and an exact score.

What is true of both is known: :mod:`tests.study.conftest` says by which formulas they win.
"""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from scipy.stats import binomtest

from tests.study.conftest import Coin, Solver
from tests.study.made_studies import new_study_in
from tests.study.program import refused, succeeded
from thetafront.agents.agent import Game
from thetafront.agents.catalog import build
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.cluster.executors import executor_for
from thetafront.study.errors import InputError
from thetafront.study.experiments.agent_parser import build_agent_2048
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.game_summary import check_2048
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SWEEPS
from thetafront.study.experiments.play_summary import PlaySummary
from thetafront.study.experiments.registry import experiment
from thetafront.study.experiments.space import Space
from thetafront.study.log.seeds import game_to_record, record_to_outcome
from thetafront.study.log.storage import open_for_reading
from thetafront.study.log.study_data import StudyData
from thetafront.study.run.options import SweepOptions
from thetafront.study.run.orders import SweepOrder
from thetafront.study.run.settings import SearchSettings
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import fit_hyperparameters

pytestmark = pytest.mark.usefixtures("no_processes")


def columns(path: Path) -> list[str]:
    return list(pd.read_csv(path).columns)


GAMES = [Coin(20).play(5), Coin(1).play(5), Solver(3).play(0)]
GAMES += [build(name, {}).play(1) for name in ("dice", "dice_solver", "pacman_random")]
GAMES += [
    Game2048(0, 1000, 100, 0.5, 40_000, 32768, 0xFEDCBA9876543210),
    Game2048(1, 3000, 300, 0.5, 60_000, 2, 0x11),
]


@pytest.mark.parametrize("game", GAMES)
def test_games_of_all_kinds_are_stored_and_read_back(game: Game) -> None:
    record = json.loads(json.dumps(game_to_record(game)))
    assert record["game"] == game.kind
    assert record_to_outcome(record) == game


def test_a_record_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be a game of .*2048.*coin.* \(got 'chess'\)"):
        record_to_outcome({"game": "chess", "seed": 1})


@pytest.mark.sweeps
def test_a_win_rate_goes_through_the_pipeline(coin: Experiment, tmp_path: Path) -> None:
    words = ["sweep", "coin", "--trials", "8", "--design-size", "4", "--jobs", "1"]
    said = succeeded(tmp_path, *words, "--replicates", "10", "--no-validation")
    assert "8 trials, 10 games each" in said
    assert "predicted win rate, 95% band" in said
    words = ["validate", "coin", "--validation-games", "40", "--validation-points", "2"]
    said = succeeded(tmp_path, *words, "--jobs", "1")
    assert "each until its standard error is 1.5% or it has 40 games" in said
    assert re.search(r" win rate .*\n.* ± 95%", said)
    folder = tmp_path / "coin"
    games, front = pd.read_csv(folder / "games.csv"), pd.read_csv(folder / "front.csv")
    assert columns(folder / "games.csv")[-3:] == ["seconds_per_move", "won", "n_backups"]
    assert "playout_moves_per_move" not in front
    assert not any(name.startswith("share_reaching") for name in front)
    fresh = games[games["phase"] == "validation"].groupby("point")
    for _, row in front.iterrows():
        mine = fresh.get_group(row["point"])
        wilson = binomtest(int(mine["won"].sum()), len(mine)).proportion_ci(method="wilson")
        assert row["n_games"] == 40
        assert row["win_rate_mean"] == mine["won"].mean()
        assert row["win_rate_low95"] == pytest.approx(wilson.low, abs=1e-6)
        assert row["win_rate_high95"] == pytest.approx(wilson.high, abs=1e-6)
        assert row["score_mean_points"] == pytest.approx(mine["score_points"].mean())
        assert row["seconds_per_move"] == pytest.approx(1e-6 * row["effort"])
        assert row["backups_per_move"] == pytest.approx(row["effort"])
        truth = Coin(int(row["effort"])).p_win
        assert row["win_rate_mean"] == pytest.approx(
            truth, abs=5 * np.sqrt(truth * (1 - truth) / 40)
        )
    curve = pd.read_csv(folder / "predicted_front.csv")
    assert curve["posterior_mean"].is_monotonic_increasing
    truth = np.array([Coin(int(effort)).p_win for effort in curve["effort"]])
    assert np.abs(curve["posterior_mean"] - truth).max() < 0.25, "80 games in all"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["objectives"] == {"win_rate_mean": "maximize", "seconds_per_move": "minimize"}
    assert manifest["reference_point"] == {"win_rate": 0.0, "seconds_per_move": 0.001}
    for name in ("pareto.png", "hypervolume.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    before = (folder / "front.csv").read_bytes()
    assert "front.csv" in succeeded(tmp_path, "export", "coin")
    assert (folder / "front.csv").read_bytes() == before
    assert "win rate·decades" in succeeded(tmp_path, "status", "coin")
    assert "% to " in succeeded(tmp_path, "front", "coin")
    succeeded(tmp_path, "compare", "coin")
    picked_is_right(tmp_path)
    for command in ("validate", "sweep"):
        line = refused(command, "coin", "--standard-error", "2", "--results", str(tmp_path))
        assert line == (
            "thetafront: standard error of a win rate must be a share above 0 and up to 1 "
            "(got 2), such as 0.015 for 1.5%\n"
        )
    line = refused("sweep", "coin", "--until-regret", "15", "--results", str(tmp_path))
    assert line == (
        "thetafront: until regret must be a share of 1 or less, such as 0.02 for 2 percentage "
        "points of a win rate (got 15)\n"
    )


def n_stored(results: Path) -> int:
    """How many games of validation the coin's study has."""
    _, _, data = open_for_reading("coin", results)
    return sum(len(point.games) for point in data.points)


def picked_is_right(results: Path) -> None:
    """What is picked from the coin's study, and what is refused."""
    before = n_stored(results)
    words = ["pick", "coin", "--min-win-rate", "0.3", "--games", "30", "--jobs", "1"]
    answer = json.loads(succeeded(results, *words, "--json"))
    assert n_stored(results) in {before, before + 30}, "a θ that has as many is not played again"
    assert answer["expected_win_rate"]["mean"] >= 0.3
    assert 0.5 <= answer["p_reaches_wanted"] <= 1.0
    assert set(answer) >= {"expected_win_rate", "validated_win_rate", "seconds_per_move"}
    assert answer["validated_win_rate"]["n_games"] >= 30
    truth = Coin(answer["params"]["effort"]).p_win
    assert answer["expected_win_rate"]["mean"] == pytest.approx(truth, abs=0.25)
    assert "  30 │ ok (30 of" in succeeded(results, "verify", "coin")
    words = ["pick", "coin", "--max-seconds-per-move", "1", "--games", "0"]
    before = n_stored(results)
    said = succeeded(results, *words)
    assert "% to " in said
    assert "points" not in said
    assert n_stored(results) == before
    either = "pick must have --max-seconds-per-move or --min-win-rate"
    share = "win rate must be a share above 0 and up to 1, such as 0.3 for 30%"
    for option, message in (
        (["--min-score", "5"], f"{either} (got --min-score)"),
        (["--max-playout-moves-per-move", "5"], f"{either} (got --max-playout-moves-per-move)"),
        ([], "pick must have exactly one of --max-seconds-per-move and --min-win-rate"),
        (["--games", "-1", "--min-win-rate", "0.3"], "games must be between 0 and 10000 (got -1)"),
        (["--games", "0", "--min-win-rate", "1"], "pick: no θ is expected to reach "),
        *((["--min-win-rate", value], f"{share} (got {value})") for value in ("30", "nan", "0")),
    ):
        assert message in refused("pick", "coin", *option, "--results", str(results))


@pytest.mark.sweeps
def test_an_exact_score_goes_through_the_pipeline(solver: Experiment, tmp_path: Path) -> None:
    words = ["sweep", "solver", "--trials", "8", "--design-size", "4", "--jobs", "1"]
    said = succeeded(tmp_path, *words)
    assert "8 trials, 1 game each" in said
    assert "to measure costs, because scores are exact" in said
    folder = tmp_path / "solver"
    front, trials = pd.read_csv(folder / "front.csv"), pd.read_csv(folder / "trials.csv")
    for frame in (front, trials):
        truth = np.array([Solver(int(sweeps)).worth for sweeps in frame["sweeps"]])
        assert frame["score_mean_points"].to_numpy() == pytest.approx(truth, abs=1e-12)
        assert frame["solving_seconds"].to_numpy() == pytest.approx(1e-5 * frame["sweeps"])
        assert (frame["score_sem_points"] == 0.0).all()
    assert (trials["n_games"] == 1).all()
    assert set(front["n_games"]) <= {3, 4}, "three times, and a trial's"
    assert (front["score_low95_points"] == front["score_high95_points"]).all()
    # A model without noise goes through what it knows, as far as its jitter lets it.
    assert trials["posterior_mean_points"].to_numpy() == pytest.approx(
        trials["score_mean_points"].to_numpy(), abs=1e-3
    )
    assert front["p_on_front"].between(0.0, 1.0).all(), "times are not exact"
    curve = pd.read_csv(folder / "predicted_front.csv")
    truth = np.array([Solver(int(sweeps)).worth for sweeps in curve["sweeps"]])
    assert np.abs(curve["posterior_mean_points"] - truth).max() < 0.3
    status = succeeded(tmp_path, "status", "solver")
    assert "points·decades" in status
    assert "interval" not in status, "there is nothing to be unsure of"
    assert "nan" not in status
    assert "pareto.png" in succeeded(tmp_path, "plot", "solver")
    assert not (folder / "scores.png").exists()
    words = ["pick", "solver", "--min-score", "11", "--jobs", "1", "--json"]
    answer = json.loads(succeeded(tmp_path, *words))
    assert answer["validated_score"]["n_games"] in {3, 4}, "for its time"
    expected = answer["expected_score"]
    assert expected["low95"] == expected["high95"] == expected["mean"]
    assert expected["mean"] == pytest.approx(Solver(answer["params"]["sweeps"]).worth)
    words = ["pick", "solver", "--max-solving-seconds", "1", "--jobs", "1"]
    assert "(exact)" in succeeded(tmp_path, *words)


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["coin", "--cost", "playout_moves_per_move"], "seconds_per_move, backups_per_move"),
        (["solver", "--cost", "seconds_per_move"], "solving_seconds, n_sweeps"),
        (["mcmdp", "--cost", "n_sweeps"], "seconds_per_move, playout_moves_per_move"),
    ],
)
def test_a_cost_that_is_not_offered_is_refused(
    words: list[str], allowed: str, coin: Experiment, solver: Experiment, tmp_path: Path
) -> None:
    line = refused("sweep", *words, "--results", str(tmp_path))
    assert line == f"thetafront: cost must be one of {allowed} (got '{words[-1]}')\n"
    assert not list(tmp_path.iterdir())


def test_a_study_keeps_its_cost_unless_another_is_requested(
    coin: Experiment, tmp_path: Path
) -> None:
    """One begun on a cluster has adopted a cost that is the same on all machines."""
    record = SearchSettings().record(coin.by("backups_per_move"))
    study = StudyData.read(new_study_in(tmp_path, record))
    for cost, kept in ((None, "backups_per_move"), ("seconds_per_move", "seconds_per_move")):
        asked = SweepOptions(name="s", results=tmp_path, cost=cost)
        order = SweepOrder.from_options(coin, asked, executor_for(1, None, None))
        assert order.known_experiment(study, Console(quiet=True)).cost.name == kept


def test_an_experiment_offers_its_cost_and_has_a_reference_for_each() -> None:
    found = experiment("mcmdp")
    plain: dict[str, Any] = {each.name: getattr(found, each.name) for each in fields(found)}
    with pytest.raises(ValueError, match="cost must be one of seconds_per_move"):
        Experiment(**{**plain, "cost": SWEEPS})
    with pytest.raises(
        ValueError, match=r"reference costs must be given for seconds_per_move.* \(got n_sweeps\)"
    ):
        Experiment(**{**plain, "reference_costs": {"n_sweeps": 1.0}})
    with pytest.raises(ValueError, match=r"reference costs must be finite and above 0 \(got 0\)"):
        Experiment(**{**plain, "reference_costs": dict.fromkeys(found.reference_costs, 0.0)})
    space = Space((NumericParameter("seconds_per_move", 1, 2),))
    with pytest.raises(
        ValueError, match=r"parameters must not share a name with a cost \(got 'seconds_per_move'\)"
    ):
        Experiment(**{**plain, "space": space})
    assert experiment("mcmdp").by("playout_moves_per_move").cost == PLAYOUT_MOVES


def test_what_is_for_2048_alone_is_refused(coin: Experiment) -> None:
    check_2048("study: 'a'", Game2048)
    with pytest.raises(InputError, match=r"study: 'a' must play 2048 \(its games are of coin\)"):
        check_2048("study: 'a'", coin.summary.game)
    with pytest.raises(InputError, match=r"\(got 'coin', which plays another game\)"):
        build_agent_2048("coin")


def test_play_sums_up_other_games() -> None:
    games = [Coin(20).play(seed) for seed in range(5)]
    made = PlaySummary.from_agent("coin", Coin(20), {"effort": 20}, games)
    summary = made.json()
    assert "reach" not in summary
    assert summary["games"][0] == {**vars(games[0])}
    assert json.loads(json.dumps(summary)) == summary
    text = made.text()
    assert "5 games from seed 0" in text
    assert "reached" not in text


def test_a_model_of_exact_values_goes_through_them_duplicates_and_steps_too() -> None:
    """Variance 0 and points twice: K alone is singular, its jitter keeps the model whole."""
    rng = np.random.default_rng(0)
    points = np.repeat(rng.random((40, 2)), 2, axis=0)
    values = 13.0 + np.round(3.0 * points[:, 0]) + 0.1 * points[:, 1]
    noise = np.zeros(len(points))
    hyper = fit_hyperparameters(points, values, noise)
    model = GaussianProcess.condition(hyper, points, values, noise)
    mean, variance = model.predict(points)
    assert np.abs(mean - values).max() < 1e-3
    assert np.sqrt(variance).max() < 1e-2
    flat = np.full(len(points), 13.34827)
    alike = GaussianProcess.condition(fit_hyperparameters(points, flat, noise), points, flat, noise)
    assert alike.predict(points)[0] == pytest.approx(flat, abs=1e-9)
