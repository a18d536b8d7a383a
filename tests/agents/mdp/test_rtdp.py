"""Heuristic search against optimal values by plain Python, and against itself told slowly."""

from typing import Any

import numpy as np
import pytest

from agents.mdp import rtdp as heuristic_search
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.rtdp import HeuristicSearch
from agents.twenty48.small_board import DEAL, Small2048
from tests.oracles import finite_mdp as oracle
from tests.oracles import small_2048

TINY = 1e-9


def random_mdp(seed: int, discount: float) -> tuple[FiniteMDP, oracle.Description, Any]:
    description = oracle.random_description(seed)
    best = np.array(list(oracle.optimal_values(description, discount).values()))
    return FiniteMDP.from_description(description, discount), description, best


def test_the_chain_by_hand() -> None:
    mdp = FiniteMDP.from_description(oracle.CHAIN, 1.0)
    for start in range(5):
        found = HeuristicSearch(2000, 200).solve(mdp, start, seed=start)
        assert found.value == pytest.approx(oracle.CHAIN_VALUES[start], abs=TINY)
        assert mdp.action_name(found.action) == oracle.CHAIN_ACTIONS[start]
        assert found.residual < TINY


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_algorithm_of_the_book(seed: int) -> None:
    """The same random words, told in plain Python: the same values, the same number of backups."""
    mdp, description, best = random_mdp(seed, 0.9)
    bound = best + np.random.default_rng(seed).uniform(0, 5, len(best))
    bound[-1] = 0
    found = HeuristicSearch(25, 7).solve(mdp, 0, bound, seed)
    values, n_backups = oracle.heuristic_search(
        description, 0.9, 0, dict(enumerate(bound.tolist())), 25, 7, seed
    )
    assert found.values.tolist() == pytest.approx(list(values.values()), rel=1e-12)
    assert found.n_backups == n_backups


@pytest.mark.parametrize("seed", range(10))
def test_bounds_stay_bounds_and_come_down(seed: int) -> None:
    """Whatever the bound: every value falls with every simulation, none below the optimum."""
    mdp, _, best = random_mdp(seed, 0.95)
    bound = best + np.random.default_rng(seed).uniform(0, 20, len(best))
    bound[-1] = 0
    before = bound
    for n_simulations in (1, 2, 5, 20, 100, 3000):
        found = HeuristicSearch(n_simulations, 100).solve(mdp, 0, bound, seed)
        assert (found.values >= best - TINY).all()
        assert (found.values <= before).all()
        before = found.values
    assert found.value == pytest.approx(best[0], abs=1e-6)
    assert found.residual < 1e-6
    assert found.action in mdp.actions(0)
    assert mdp.greedy(best)[1][0] == found.action


def check_small(
    game: Small2048, best: small_2048.Solved, faces: list[list[int]], excess: float
) -> None:
    """From a board: a value that is at most ``excess`` too high, and an optimal action.

    What is missing is the boards that a 4 after a 4 after a 4 leads to: they are met in one game of a thousand.
    """
    found = HeuristicSearch(100_000, 200).solve(game.mdp, game.state(faces))
    values = best.action_values(tuple(map(tuple, faces)))
    optimum = max(values.values())
    value = found.value
    assert optimum - TINY <= value <= optimum + excess
    assert values[int(game.actions[found.action])] == pytest.approx(optimum, rel=1e-12)


def test_two_by_two() -> None:
    game, best = Small2048(2, 2), small_2048.solved(2, 2)
    for bound in (None, game.upper_bound()):
        found = HeuristicSearch(100_000, 50).solve(game.mdp, DEAL, bound)
        assert found.value == pytest.approx(best.value_of_the_deal, abs=TINY)
        assert found.residual < TINY


@pytest.mark.parametrize(
    "faces",
    [[[2, 0], [0, 2]], [[2, 8], [0, 4]], [[16, 0], [4, 2]], [[16, 2], [4, 4]]],
)
def test_two_by_two_from_boards(faces: list[list[int]]) -> None:
    check_small(Small2048(2, 2), small_2048.solved(2, 2), faces, 0.02)


@pytest.mark.parametrize(
    ("faces", "excess"),
    [
        ([[64, 32, 8], [2, 2, 16]], TINY),  # two ways on, and then the end
        ([[64, 64, 4], [2, 8, 2]], 1.0),  # 287.9 against 136.0
        ([[64, 32, 16], [2, 4, 4]], 10.0),  # 49.9 against 8, under a bound of 500
    ],
)
def test_two_by_three_from_boards(faces: list[list[int]], excess: float) -> None:
    check_small(Small2048(2, 3), small_2048.solved(2, 3), faces, excess)


def test_two_by_three_from_the_deal() -> None:
    """68,341 boards with an action, under a bound that knows nothing: it comes down by and by."""
    game, best = Small2048(2, 3), small_2048.solved(2, 3)
    optimum = best.value_of_the_deal
    bound = game.upper_bound()
    values = [
        HeuristicSearch(n, 200).solve(game.mdp, DEAL, bound).value for n in (1, 10_000, 60_000)
    ]
    assert values == sorted(values, reverse=True)
    assert optimum <= values[-1] < 1.2 * optimum
    optimal = np.array(
        [optimum, *(best.values[tuple(map(tuple, game.faces(s)))] for s in range(1, len(bound)))]
    )
    near = HeuristicSearch(20_000, 200).solve(game.mdp, DEAL, 1.1 * optimal)
    assert (near.values >= optimal - TINY).all()
    assert optimum <= near.value < 1.01 * optimum


def test_states_that_are_not_reached_keep_their_bound() -> None:
    """The loop beside the way is never met, and the one on it, at γ = 1, earns nothing: it is left for 2 points."""
    mdp = FiniteMDP.from_description(
        {
            "aside": {"earn": (5.0, {"aside": 1.0})},
            "here": {"wait": (0.0, {"here": 1.0}), "go": (2.0, {"there": 1.0})},
            "there": {},
        },
        1.0,
    )
    found = HeuristicSearch(3, 10).solve(mdp, mdp.state("here"), [99.0, 2.0, 0.0])
    assert found.values.tolist() == [99, 2, 0]
    assert found.n_envelope == 1
    high = HeuristicSearch(3, 10).solve(mdp, mdp.state("here"), [99.0, 7.0, 0.0])
    assert high.value == 7  # as the module says: without discount a loop may keep its bound
    assert mdp.action_name(high.action) == "wait"


def test_endless_costs_are_no_number_to_come_to() -> None:
    """At γ = 1 a state that costs a point an action and has no way out is worth -∞: each backup takes one off."""
    mdp = FiniteMDP.from_description([{"pay": (-1.0, {0: 1.0})}], 1.0)
    found = HeuristicSearch(30, 100).solve(mdp, 0)
    assert found.value == -30 * 100
    assert found.residual == 1


def test_depth_one_is_one_backup() -> None:
    mdp = FiniteMDP.from_description(oracle.CHAIN, 1.0)
    found = HeuristicSearch(1, 1).solve(mdp, 2)
    assert found.values.tolist() == [0, 0, -1, 0, 0, 0]
    assert found.n_backups == 1
    assert found.policy[5] == -1


def test_an_optimum_stays() -> None:
    mdp, _, best = random_mdp(3, 0.9)
    found = HeuristicSearch(100, 50).solve(mdp, 0, best)
    assert found.values.tolist() == pytest.approx(best.tolist(), abs=TINY)
    assert found.residual < TINY


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Small2048(2, 2)
    whole = HeuristicSearch(500, 50).solve(game.mdp, DEAL, seed=9)
    monkeypatch.setattr(heuristic_search, "BACKUPS_PER_CHUNK", 1)
    in_parts = HeuristicSearch(500, 50).solve(game.mdp, DEAL, seed=9)
    assert in_parts.values.tolist() == whole.values.tolist()
    assert in_parts.n_backups == whole.n_backups
    other = HeuristicSearch(500, 50).solve(game.mdp, DEAL, seed=10)
    assert other.values.tolist() != whole.values.tolist()


def test_bad_input_is_named() -> None:
    mdp = FiniteMDP.from_description(oracle.CHAIN, 1.0)
    search = HeuristicSearch(1, 1)
    for run, message in (
        (lambda: HeuristicSearch(0, 1), r"n_simulations: 0 given"),
        (
            lambda: HeuristicSearch(10**30, 1),
            r"n_simulations: 10+ given, an integer from 1 to 1000000000 allowed",
        ),
        (lambda: HeuristicSearch(1, 0), r"depth: 0 given"),
        (
            lambda: HeuristicSearch(1.5, 1),
            r"n_simulations: 1.5 given, an integer from 1 to 1000000000",
        ),
        (
            lambda: HeuristicSearch(1, 1.5),
            r"depth: 1.5 given, an integer from 1 to 1000000 allowed",
        ),
        (
            lambda: HeuristicSearch(1, 10**30),
            r"depth: 10+ given, an integer from 1 to 1000000 allowed",
        ),
        (lambda: search.solve(mdp, 6), r"start: 6 given, 0 to 5 allowed"),
        (lambda: search.solve(mdp, -1), r"start: -1 given"),
        (lambda: search.solve(mdp, 5), r"start: 5 given, which is terminal"),
        (lambda: search.solve(mdp, 0, seed=-1), r"seed: -1 given"),
        (lambda: search.solve(mdp, 0, [0.0]), r"upper_bound: 1 given for 6 states"),
    ):
        with pytest.raises(ValueError, match=message):
            run()
