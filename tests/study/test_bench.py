"""What the benchmark compares with, and what it prints: the yardsticks must play the same game."""

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from agents.leaf_value import LeafValue
from agents.uct import UCT
from engine.twenty48.board import initial
from study.bench import simulations
from study.bench.figures import bench_table, throughput_figure
from study.bench.processes import CReference
from study.bench.rates import author_times, decision_microseconds, inside, median_rates
from study.bench.simulations import (
    FLOORS,
    allocations,
    allocations_per_simulation,
    inside_games,
    n_simulations_of_game,
    simulation_rates,
)
from study.bench.table_playout import row_tables, table_playouts
from study.manifest import ROOT
from study.plots import save
from tests.oracles import twenty48 as oracle


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
    rates = median_rates(rounds, 3, lambda _: None)
    assert rates["a"] == {"median": 4.0, "min": 2.0, "max": 6.0}
    assert rates["b"]["median"] == 10.0


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
    """Simulations take time, and less than a millisecond each: rates are what they are called."""
    monkeypatch.setattr(simulations, "SEARCH", UCT(5, 3))
    monkeypatch.setattr(simulations, "SECONDS_OF_AGENT_GAMES", 1e-9)
    said: list[str] = []
    rates = simulation_rates(1, said.append)
    assert said == ["simulations, round 1 of 1"]
    assert list(rates) == [leaf.value for leaf in LeafValue]
    for leaf, rate in rates.items():
        assert 1e-3 < rate["min"] <= rate["median"] <= rate["max"] < 1e3
        assert rate.get("floor") == FLOORS.get(LeafValue(leaf))


def test_simulations_allocate_nothing() -> None:
    agent = UCT(50, 10, k_action=1.0, k_state=2.0)
    assert allocations_per_simulation(agent, 20) == 0
    boards = [move.board for move in agent.moves(0)][:20]
    assert allocations(agent, boards) >= 20, "each decision's values: what is allocated is seen"


def test_published_figures_can_be_laid_out_and_drawn(tmp_path: Path) -> None:
    figures = json.loads((ROOT / "results" / "reference" / "bench" / "bench.json").read_text())
    n_rows = bench_table(figures).row_count
    assert n_rows > 10
    figures["million_simulations_per_cpu_second"] = {
        "random": {"median": 0.25, "min": 0.21, "max": 0.261, "floor": 0.2},
        "weights_a": {"median": 1.5, "min": 1.4, "max": 1.6},
    }
    figures["allocations_per_simulation"] = 0.0
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(bench_table(figures))
    text = console.export_text()
    assert "leaf value random" in text
    assert "0.25 million simulations a CPU second (floor 0.2)" in text
    assert "0.21 to 0.26 " in text
    assert "1.50 million simulations a CPU second " in text
    assert "allocations of a simulation of uct" in text
    save(throughput_figure(figures), tmp_path / "throughput.png")
    assert (tmp_path / "throughput.png").read_bytes().startswith(b"\x89PNG")
