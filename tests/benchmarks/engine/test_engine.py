"""The benchmark: its C programs play, its rates count real games, its figures are laid out."""

import json
import shutil
from pathlib import Path

import pytest

from results.benchmarks.engine import rates
from results.benchmarks.engine.__main__ import c_rounds, program_milliseconds, table
from results.benchmarks.engine.rates import (
    all_rounds,
    author_times,
    decision_microseconds,
    inside,
    median_rates,
    n_simulations_of_game,
)
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.pacman import Layout
from thetafront.study.log.manifest import ROOT


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_the_c_programs_compile_and_play(tmp_path: Path) -> None:
    rounds = c_rounds(tmp_path, seconds=0.1)
    assert "C, table" in rounds  # the other one needs AVX-512
    for each in rounds.values():
        n_moves, seconds = each(1)
        assert 1e6 < n_moves / seconds < 1e11


def test_rates_are_counts_over_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    named = {"a": lambda number: (number * 2_000_000, 1.0), "b": lambda _: (5_000_000, 0.5)}
    measured = median_rates({"moves": named}, 3)["moves"]
    assert measured["a"] == {"median": 4.0, "min": 2.0, "max": 6.0}
    assert measured["b"] == {"median": 10.0, "min": 10.0, "max": 10.0}
    said = capsys.readouterr().err.splitlines()
    assert said == [f"round {number} of 3" for number in range(4)]


def test_single_decisions_are_timed() -> None:
    latency = decision_microseconds(author_times(0.05), 50)
    assert latency["n"] == 50
    assert 0 < latency["p50"] <= latency["p90"] <= latency["p99"]


def test_simulations_are_counted_where_something_is_decided() -> None:
    agent = UCT(5, 3, leaf_value=LeafValue.SCORE)
    for seed in (0, 2, 5):
        simulated = [move.decision.n_playout_moves > 0 for move in agent.moves(seed)]
        assert n_simulations_of_game(agent, seed) == 5 * simulated.count(True) > 0
    assert not all(simulated), "the last game has a move with nothing to decide"


def test_counts_are_those_of_the_games_move_by_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "SECONDS_OF_AGENT_GAMES", 1e-9)  # a game each
    monkeypatch.setattr(rates, "SECONDS_OF_PLAYOUTS", 1e-4)  # a batch each
    medium = Layout.named("medium")
    rounds = all_rounds()
    sweeps = [m.decision.n_sweeps for m in PacmanMDP(layout=medium).moves(1000)]
    n_cells = int((~medium.walls).sum())
    assert rounds["backups"]["inside pacman_mdp, medium"](1)[0] == n_cells * sum(sweeps) > 0
    n_moves = sum(1 for _ in PacmanAStar(layout=medium).moves(1000))
    assert rounds["decisions"]["pacman_astar, medium"](1)[0] == n_moves > 0
    agent = author_times(0.05)
    n_playout_moves = inside(agent, lambda game: game.n_playout_moves)(1)[0]
    assert n_playout_moves == agent.play(1000).n_playout_moves
    n_moves = PacmanRandom(layout=medium).play(1000).n_moves
    assert rounds["decisions"]["pacman_random, medium"](1)[0] == n_moves
    assert rounds["games"]["three dice, optimal policy"](1)[0] == 20_000


def test_games_of_programs_take_time_and_figures_are_laid_out() -> None:
    programs = program_milliseconds(2)
    for each in programs.values():
        assert 0.0 < each["min"] <= each["median"] <= each["max"] < 1000.0
    assert programs["serve"]["median"] < programs["once"]["median"]
    figures = json.loads((ROOT / "results" / "reference" / "bench" / "bench.json").read_text())
    rate = {"median": 0.856, "min": 0.8, "max": 1234.5}
    figures |= {"million_per_cpu_second": {"moves": {"one ply": rate}}}
    laid_out = table(figures | {"program_milliseconds": programs})
    assert laid_out.loc[("million moves", "one ply")].to_dict() == rate
    assert laid_out.loc[("fresh processes", "compile_cold_seconds"), "median"] > 10.0
    assert len(laid_out.loc["milliseconds of a program's game"]) == 2
