"""Heuristic search: against optimal values, and step by step against the book in plain Python."""

from typing import Any

import pytest

from results.papers.heuristic_search import search
from results.papers.heuristic_search.bounds import upper_bound
from results.papers.heuristic_search.rtdp import HeuristicSearch
from results.papers.heuristic_search.small_board import DEAL, Small2048
from tests.oracles import finite_mdp as oracle
from tests.papers.heuristic_search.cases import (
    CHAIN,
    TINY,
    action_values,
    loose,
    random_mdp,
    small_2048_values,
)
from thetafront.agents.mdp.finite_mdp import FiniteMDP


def test_the_chain_by_hand() -> None:
    for start in range(5):
        found = HeuristicSearch(2000, 200).solve(CHAIN, start, seed=start)
        assert found.value == pytest.approx(oracle.CHAIN_VALUES[start], abs=TINY)
        assert CHAIN.action_name(found.action) == oracle.CHAIN_ACTIONS[start]
        assert found.residual < TINY


def test_a_search_can_be_looked_at() -> None:
    """Between simulations U falls, and what is counted grows, up to the solution's."""
    game = Small2048(2, 2)
    whole = HeuristicSearch(300, 50).solve(game.mdp, DEAL, seed=4)
    running = HeuristicSearch(300, 50).begin(game.mdp, DEAL, seed=4)
    seen = [(running.values[DEAL], -running.n_backups, -running.n_touched)]
    while not running.is_done:
        running.advance(200)
        seen.append((running.values[DEAL], -running.n_backups, -running.n_touched))
    assert seen == sorted(seen, reverse=True)
    assert len(seen) > 5
    assert seen[-1] == (whole.value, -whole.n_backups, -whole.n_touched)
    lowered = running.values < upper_bound(game.mdp)
    assert lowered.sum() <= whole.n_touched < game.mdp.n_states
    assert running.touched[lowered].all()


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_algorithm_of_the_book(seed: int) -> None:
    """With the same random words, plain Python finds the same values in as many backups."""
    mdp, description, best = random_mdp(seed, 0.9)
    bound = loose(best, seed, 5)
    found = HeuristicSearch(25, 7).solve(mdp, 0, bound, seed)
    values, n_backups = oracle.heuristic_search(
        description, 0.9, 0, dict(enumerate(bound.tolist())), 25, 7, seed
    )
    assert found.values.tolist() == pytest.approx(list(values.values()), rel=1e-12)
    assert found.n_backups == n_backups


@pytest.mark.parametrize("seed", range(10))
def test_bounds_fall_to_the_optimum_and_not_below(seed: int) -> None:
    mdp, _, best = random_mdp(seed, 0.95)
    bound = before = loose(best, seed, 20)
    for n_simulations in (1, 2, 5, 20, 100, 3000):
        found = HeuristicSearch(n_simulations, 100).solve(mdp, 0, bound, seed)
        assert (found.values >= best - TINY).all()
        assert (found.values <= before).all()
        before = found.values
    assert found.value == pytest.approx(best[0], abs=1e-6)
    assert found.residual < 1e-6
    assert mdp.greedy(best)[1][0] == found.action


def test_two_by_two() -> None:
    game = Small2048(2, 2)
    for bound in (None, game.upper_bound()):
        found = HeuristicSearch(100_000, 50).solve(game.mdp, DEAL, bound)
        assert found.value == pytest.approx(small_2048_values(game)[DEAL], abs=TINY)
        assert found.residual < TINY


@pytest.mark.parametrize(
    ("faces", "excess"),
    [
        ([[2, 0], [0, 2]], 0.02),
        ([[2, 8], [0, 4]], 0.02),
        ([[16, 0], [4, 2]], 0.02),
        ([[16, 2], [4, 4]], 0.02),
        ([[64, 32, 8], [2, 2, 16]], TINY),  # two actions until the end
        ([[64, 64, 4], [2, 8, 2]], 1.0),  # 287.9 against 136.0
        ([[64, 32, 16], [2, 4, 4]], 10.0),  # 49.9 against 8, with a bound of 500
    ],
)
def test_boards(faces: list[list[int]], excess: float) -> None:
    """An optimal action, and a value that is at most ``excess`` too high.

    The excess is due to boards after three 4s in a row, which one game in a thousand meets.
    """
    game = Small2048(len(faces), len(faces[0]))
    found = HeuristicSearch(100_000, 200).solve(game.mdp, game.state(faces))
    values = action_values(faces)
    optimum = max(values.values())
    assert optimum - TINY <= found.value <= optimum + excess
    assert values[int(game.actions[found.action])] == pytest.approx(optimum, rel=1e-12)


def test_two_by_three_from_the_deal() -> None:
    """68,341 boards with an action; the loose bound of the game falls slowly."""
    game = Small2048(2, 3)
    optimal = small_2048_values(game)
    bound = game.upper_bound()
    values = [
        HeuristicSearch(n, 200).solve(game.mdp, DEAL, bound).value for n in (1, 10_000, 60_000)
    ]
    assert values == sorted(values, reverse=True)
    assert optimal[DEAL] <= values[-1] < 1.2 * optimal[DEAL]
    near = HeuristicSearch(20_000, 200).solve(game.mdp, DEAL, 1.1 * optimal)
    assert (near.values >= optimal - TINY).all()
    assert near.value < 1.01 * optimal[DEAL]


def test_unvisited_states_keep_their_bound() -> None:
    """Without discount, a loop without reward keeps its bound as well."""
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
    assert high.value == 7
    assert mdp.action_name(high.action) == "wait"


def test_endless_costs_fall_by_each_backup() -> None:
    mdp = FiniteMDP.from_description([{"pay": (-1.0, {0: 1.0})}], 1.0)
    found = HeuristicSearch(30, 100).solve(mdp, 0)
    assert found.value == -30 * 100
    assert found.residual == 1


def test_depth_one_is_one_backup() -> None:
    found = HeuristicSearch(1, 1).solve(CHAIN, 2)
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
    monkeypatch.setattr(search, "BACKUPS_PER_CHUNK", 1)
    in_parts = HeuristicSearch(500, 50).solve(game.mdp, DEAL, seed=9)
    assert in_parts.values.tolist() == whole.values.tolist()
    assert in_parts.n_backups == whole.n_backups
    other = HeuristicSearch(500, 50).solve(game.mdp, DEAL, seed=10)
    assert other.values.tolist() != whole.values.tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((0, 1), r"n_simulations: 0 given"),
        ((10**30, 1), r"n_simulations: 10+ given, an integer from 1 to 1e\+09 allowed"),
        ((1.5, 1), r"n_simulations: 1.5 given, an integer from 1 to 1e\+09"),
        ((1, 0), r"depth: 0 given"),
        ((1, 1.5), r"depth: 1.5 given, an integer from 1 to 1000000 allowed"),
        ((1, 10**30), r"depth: 10+ given, an integer from 1 to 1000000 allowed"),
    ],
)
def test_bad_parameters_are_named(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HeuristicSearch(*parameters)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": 6}, r"start: 6 given, 0 to 5 allowed"),
        ({"start": -1}, r"start: -1 given"),
        ({"start": 5}, r"start: 5 given, a terminal state"),
        ({"start": 0, "seed": -1}, r"seed: -1 given"),
        ({"start": 0, "seed": 2**63}, r"seed: 9223372036854775808 given"),
        ({"start": 0, "upper_bound": [0.0]}, r"upper_bound: 1 given for 6 states"),
    ],
)
def test_bad_searches_are_named(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HeuristicSearch(1, 1).solve(CHAIN, **arguments)
