"""The benchmark: its baselines play the same game, its rates, its tables and figure."""

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from results.benchmarks.engine import games, rates, simulations
from results.benchmarks.engine.figures import bench_tables, throughput_figure
from results.benchmarks.engine.games import dice_games, game_rates, game_rounds, random_steps
from results.benchmarks.engine.processes import CReference
from results.benchmarks.engine.rates import (
    author_times,
    decision_microseconds,
    inside,
    median_rates,
)
from results.benchmarks.engine.simulations import (
    FLOORS,
    allocations,
    allocations_per_simulation,
    inside_games,
    n_simulations_of_game,
    simulation_rates,
)
from results.benchmarks.engine.table_playout import row_tables, table_playouts
from results.benchmarks.engine.values import learning, value_rounds
from tests.oracles import twenty48 as oracle
from thetafront.agents.dice.agent import DiceAgent, DiceGames
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.pacman import Layout, LayoutName
from thetafront.engine.twenty48.board import initial
from thetafront.study.log.manifest import ROOT
from thetafront.study.report.style import save


def test_row_tables_are_the_oracles() -> None:
    left, right = row_tables()
    for row in range(65536):
        faces = [2**e if (e := row >> (4 * cell) & 15) else 0 for cell in range(4)]
        forward, _ = oracle.merge_line(faces)
        backward, _ = oracle.merge_line(faces[::-1])
        for table, expected in ((left, forward), (right, backward[::-1])):
            exponents = [tile.bit_length() - 1 if tile else 0 for tile in expected]
            assert table[row] == sum(e << (4 * cell) for cell, e in enumerate(exponents))


def test_the_table_kernel_plays_the_same_game() -> None:
    """10,000 seeded games average 1,095 points and 118.4 moves, within five standard errors."""
    boards = np.array([initial(np.uint64(seed)) for seed in range(10_000)], np.uint64)
    scores, n_moves = table_playouts(boards, row_tables(), np.uint64(3))
    assert abs(scores.mean() - 1095.0) < 5 * scores.std() / 100
    assert n_moves / 10_000 == pytest.approx(118.4, abs=2.0)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_the_c_programs_compile_and_play() -> None:
    with CReference() as reference:
        for name in ("bitslice", "table"):
            n_moves, seconds = reference.run(name, 0.1)
            supported = n_moves > 0
            assert supported or name == "bitslice"  # which needs AVX-512
            if supported:
                assert 1e6 < n_moves / seconds < 1e11


def test_rates_are_counts_over_seconds() -> None:
    rounds = {"a": lambda number: (number * 2_000_000, 1.0), "b": lambda _: (5_000_000, 0.5)}
    measured = median_rates(rounds, 3, lambda _: None, floors={"b": 7.0})
    assert measured["a"] == {"median": 4.0, "min": 2.0, "max": 6.0}
    assert measured["b"] == {"median": 10.0, "min": 10.0, "max": 10.0, "floor": 7.0}


def test_agents_are_measured_on_real_games() -> None:
    agent = author_times(0.05)
    n_moves, seconds = inside(agent, seconds=0.01)(1)
    first = agent.play(1000)
    assert n_moves >= first.n_playout_moves
    assert seconds > 0
    latency = decision_microseconds(agent, 50)
    assert latency["n"] == 50
    assert 0 < latency["p50"] <= latency["p90"] <= latency["p99"]


def test_simulations_are_counted_where_something_is_decided() -> None:
    agent = UCT(5, 3, leaf_value=LeafValue.SCORE)
    expected = []
    for seed in (0, 2, 5):
        simulated = [move.decision.n_playout_moves > 0 for move in agent.moves(seed)]
        expected.append(5 * simulated.count(True))
        assert n_simulations_of_game(agent, seed) == expected[-1] > 0
    assert not all(simulated), "the last game has a move with nothing to decide"
    play = inside_games(agent, 1e-9)
    assert [play(number)[0] for number in range(2)] == [
        expected[0]
    ] * 2  # a round goes on from seed 0
    assert inside_games(agent, 0.05)(0)[1] >= 0.05


def test_each_leaf_value_has_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation takes between a nanosecond and a millisecond, so the unit is right."""
    monkeypatch.setattr(simulations, "SEARCH", UCT(5, 3))
    monkeypatch.setattr(simulations, "SECONDS_OF_AGENT_GAMES", 1e-9)
    said: list[str] = []
    measured = simulation_rates(1, said.append)
    assert said == ["simulations, round 1 of 1"]
    assert list(measured) == [leaf.value for leaf in LeafValue]
    for leaf, rate in measured.items():
        assert 1e-3 < rate["min"] <= rate["median"] <= rate["max"] < 1e3
        assert rate.get("floor") == FLOORS.get(leaf)


def test_simulations_allocate_nothing() -> None:
    agent = UCT(50, 10, k_action=1.0, k_state=2.0)
    assert allocations_per_simulation(agent, 20) == 0
    boards = [move.board for move in agent.moves(0)][:20]
    assert allocations(agent, boards) >= 20, "each decision's values: what is allocated is seen"


def test_dice_are_played_by_an_optimal_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """60,000 games on distinct seeds average 13.34827 points within five standard errors."""
    batches: list[DiceGames] = []
    play = DiceAgent.games

    def kept(agent: DiceAgent, first_seed: int, n_games: int) -> DiceGames:
        assert agent.expected_score == pytest.approx(13.34827, abs=5e-6)
        batches.append(play(agent, first_seed, n_games))
        return batches[-1]

    monkeypatch.setattr(DiceAgent, "games", kept)
    counts = [dice_games(number) for number in (0, 1, 2)]
    assert counts == [len(batch.scores) for batch in batches] == [20_000] * 3
    assert [batch.first_seed for batch in batches] == [0, 20_000, 40_000]
    scores = np.concatenate([batch.scores for batch in batches])
    assert abs(scores.mean() - 13.34827) < 5 * scores.std() / np.sqrt(60_000)


@pytest.mark.parametrize(
    "layout", [Layout.named(each) for each in LayoutName], ids=lambda each: each.name
)
def test_random_steps_are_those_of_the_games_one_by_one(layout: Layout) -> None:
    agent = PacmanRandom(layout=layout)
    assert random_steps(layout, 7) == sum(agent.play(seed).n_moves for seed in range(1400, 1600))


def test_backups_and_moves_are_those_of_the_games_move_by_move() -> None:
    medium = Layout.named("medium")
    rounds = game_rounds(seconds=1e-9)  # a game each
    sweeps = [m.decision.n_sweeps for m in PacmanMDP(layout=medium).moves(1000)]
    n_cells = int((~medium.walls).sum())
    assert rounds["backups"][games.INSIDE_MDP](1)[0] == n_cells * sum(sweeps) > 0
    n_moves = sum(1 for _ in PacmanAStar(layout=medium).moves(1000))
    assert rounds["moves"][games.ASTAR](1)[0] == n_moves > 0


def test_both_games_have_their_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "SECONDS_OF_PLAYOUTS", 1e-3)
    monkeypatch.setattr(games, "SECONDS_OF_AGENT_GAMES", 1e-9)
    said: list[str] = []
    measured = game_rates(2, said.append)
    assert said == ["dice and Pacman, round 1 of 2", "dice and Pacman, round 2 of 2"]
    units = {name: rate["unit"] for name, rate in measured.items()}
    assert units == {
        "three dice, optimal policy": "games",
        "Pacman at random, small": "steps",
        "Pacman at random, medium": "steps",
        "inside pacman_mdp, medium": "backups",
        "pacman_astar, medium": "moves",
    }
    assert {name: rate["floor"] for name, rate in measured.items() if "floor" in rate} == {
        "three dice, optimal policy": 5,
        "Pacman at random, medium": 1,
    }
    for rate in measured.values():
        assert 1e-4 < rate["min"] <= rate["median"] <= rate["max"] < 1e4


def test_learning_and_search_have_their_rates() -> None:
    """Learning counts the moves of its games; the first game, which compiles, is left out."""
    settings = TrainingSettings(patterns="4x5")
    on = learning(settings, 0.05)
    n_moves, seconds = on(0)
    assert seconds >= 0.05
    assert 1e4 < n_moves / seconds < 1e8
    assert set(value_rounds(1e-9)["moves"]) == {
        "learning 4x6, tc",
        "learning 4x6, td",
        "expectimax, one ply",
        "expectimax, two plies",
    }


def test_published_figures_can_be_laid_out_and_drawn(tmp_path: Path) -> None:
    figures = json.loads((ROOT / "results" / "reference" / "bench" / "bench.json").read_text())
    figures.pop("other_games", None)
    figures.pop("values", None)
    (alone,) = bench_tables(figures)
    assert alone.row_count > 10
    figures["million_simulations_per_cpu_second"] = {
        "random": {"median": 0.25, "min": 0.21, "max": 0.261, "floor": 0.2},
        "weights_a": {"median": 1.5, "min": 1.4, "max": 1.6},
    }
    figures["allocations_per_simulation"] = 0.0
    figures["other_games"] = {
        "three dice": {"unit": "games", "median": 9.876, "min": 9, "max": 10.5, "floor": 5},
        "pacman_astar": {"unit": "moves", "median": 0.31, "min": 0.3, "max": 0.32},
    }
    figures["values"] = {"learning": {"unit": "moves", "median": 0.85, "min": 0.8, "max": 0.9}}
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(*bench_tables(figures))
    text = console.export_text()
    assert "leaf value random" in text
    assert "0.25 million simulations a CPU second (floor 0.2)" in text
    assert "0.21 to 0.26 " in text
    assert "1.50 million simulations a CPU second " in text
    assert "allocations of a simulation of uct" in text
    assert text.index("memory of a worker") < text.index("Dice and Pacman on ")
    assert "0.85 million moves a CPU second " in text
    assert "9.88 million games a CPU second (floor 5)" in text
    assert "9.00 to 10.50 " in text
    assert "0.31 million moves a CPU second " in text
    save(throughput_figure(figures), tmp_path / "throughput.png")
    assert (tmp_path / "throughput.png").read_bytes().startswith(b"\x89PNG")
