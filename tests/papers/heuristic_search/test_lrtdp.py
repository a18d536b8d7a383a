"""Labelled heuristic search: against optimal values, the book in plain Python, and its labels."""

from typing import Any

import numpy as np
import pytest

from results.papers.heuristic_search import search
from results.papers.heuristic_search.lrtdp import LabelledHeuristicSearch, LabelledSolution
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


def check_labels(mdp: FiniteMDP, found: LabelledSolution, delta: float) -> None:
    """Greedy play from a solved state stays in solved states, whose residuals are δ or less."""
    assert found.is_solved
    backed_up, policy = mdp.greedy(found.values)
    assert policy.tolist() == found.policy.tolist()
    for state in np.flatnonzero(found.solved & ~mdp.terminal):
        assert found.values[state] - backed_up[state] <= delta
        assert found.solved[mdp.outcomes(policy[state])[0]].all()
    assert found.residual <= delta


def test_the_chain_by_hand() -> None:
    for start in range(5):
        found = LabelledHeuristicSearch(50, 1e-10).solve(CHAIN, start, seed=start)
        assert found.value == pytest.approx(oracle.CHAIN_VALUES[start], abs=TINY)
        assert CHAIN.action_name(found.action) == oracle.CHAIN_ACTIONS[start]
        check_labels(CHAIN, found, 1e-10)
    # From 4, walking is best long before the value of a leap is exact.
    assert np.flatnonzero(found.solved).tolist() == [4, 5]
    assert found.values[1] > oracle.CHAIN_VALUES[1] + 1


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("depth", [3, 40])
def test_it_is_the_algorithm_of_the_book(seed: int, depth: int) -> None:
    """With the same random words, plain Python finds the same values, labels and rounds."""
    mdp, description, best = random_mdp(seed, 0.9)
    bound = loose(best, seed, 5)
    found = LabelledHeuristicSearch(depth, 0.01).solve(mdp, 0, bound, seed)
    values, solved, n_rounds = oracle.labelled_heuristic_search(
        description, 0.9, 0, dict(enumerate(bound.tolist())), depth, 0.01, seed
    )
    assert found.values.tolist() == pytest.approx(list(values.values()), rel=1e-12)
    assert set(np.flatnonzero(found.solved).tolist()) == solved
    assert found.n_rounds == n_rounds


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("delta", [1.0, 0.01, 1e-8])
def test_it_is_right_to_within_delta(seed: int, delta: float) -> None:
    """In solved states, U and the return of greedy play are within δ/(1 - γ) of V*."""
    discount = 0.9
    mdp, description, best = random_mdp(seed, discount)
    for bound in (None, loose(best, seed, 20)):
        found = LabelledHeuristicSearch(30, delta).solve(mdp, 0, bound, seed)
        check_labels(mdp, found, delta)
        slack = delta / (1 - discount) + TINY
        assert (found.values >= best - TINY).all()
        assert (found.values <= best + slack)[found.solved].all()
        greedy = {
            state: {mdp.action_name(a): description[state][mdp.action_name(a)]} if a >= 0 else {}
            for state, a in enumerate(found.policy.tolist())
        }
        assert oracle.optimal_values(greedy, discount)[0] >= best[0] - slack


def n_actions_expected(mdp: FiniteMDP, policy: Any, start: int) -> float:
    """The mean length of greedy play, if outcomes have higher numbers than their states."""
    expected = np.zeros(mdp.n_states)
    for state in range(mdp.n_states - 1, start - 1, -1):
        if policy[state] >= 0:
            outcomes, probabilities = mdp.outcomes(policy[state])
            expected[state] = 1 + probabilities @ expected[outcomes]
    return float(expected[start])


@pytest.mark.parametrize("delta", [1.0, 0.01, 0.0])
def test_two_by_two(delta: float) -> None:
    game = Small2048(2, 2)
    optimal = small_2048_values(game)
    for bound in (None, game.upper_bound(), loose(optimal, 1, 50)):
        found = LabelledHeuristicSearch(50, delta).solve(game.mdp, DEAL, bound)
        check_labels(game.mdp, found, delta)
        slack = delta * n_actions_expected(game.mdp, found.policy, DEAL)
        assert -TINY <= found.value - optimal[DEAL] <= slack + TINY
        assert (found.values >= optimal - TINY).all()


def test_two_by_three() -> None:
    game = Small2048(2, 3)
    found = LabelledHeuristicSearch(200, 0.01).solve(game.mdp, DEAL, game.upper_bound())
    check_labels(game.mdp, found, 0.01)
    slack = 0.01 * n_actions_expected(game.mdp, found.policy, DEAL)
    assert -TINY <= found.value - small_2048_values(game)[DEAL] <= slack
    assert found.n_envelope < 0.6 * (~game.mdp.terminal).sum()


@pytest.mark.parametrize("faces", [[[64, 64, 4], [2, 8, 2]], [[2, 0, 0], [0, 0, 2]]])
def test_two_by_three_exactly(faces: list[list[int]]) -> None:
    game = Small2048(2, 3)
    found = LabelledHeuristicSearch(200, 0.0).solve(game.mdp, game.state(faces))
    values = action_values(faces)
    assert found.value == pytest.approx(max(values.values()), rel=1e-12)
    assert values[int(game.actions[found.action])] == pytest.approx(max(values.values()), rel=1e-12)


def test_rounds_are_limited() -> None:
    found = LabelledHeuristicSearch(50, 1e-10, max_rounds=2).solve(CHAIN, 0)
    assert (found.is_solved, found.n_rounds) == (False, 2)
    assert found.residual > 1e-10


def test_endless_costs_are_never_solved() -> None:
    """Values fall for ever: in a round, by a hundred actions and one backup of the envelope."""
    mdp = FiniteMDP.from_description([{"pay": (-1.0, {0: 1.0})}], 1.0)
    found = LabelledHeuristicSearch(100, 0.5, max_rounds=7).solve(mdp, 0)
    assert (found.is_solved, found.n_rounds) == (False, 7)
    assert found.value == -7 * 101


def test_an_optimum_takes_one_round() -> None:
    game = Small2048(2, 2)
    optimal = small_2048_values(game)
    found = LabelledHeuristicSearch(50, TINY).solve(game.mdp, DEAL, optimal)
    assert found.n_rounds == 1
    assert found.values.tolist() == pytest.approx(optimal.tolist(), abs=TINY)
    # One backup for each state of the envelope, and one more for those of the simulation.
    assert found.n_envelope < found.n_backups <= found.n_envelope + 50
    assert found.n_touched == found.n_envelope


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Small2048(2, 2)
    labelled = LabelledHeuristicSearch(50, 0.01)
    whole = labelled.solve(game.mdp, DEAL, seed=9)
    monkeypatch.setattr(search, "BACKUPS_PER_CHUNK", 1)
    in_parts = labelled.solve(game.mdp, DEAL, seed=9)
    assert in_parts.values.tolist() == whole.values.tolist()
    assert in_parts.solved.tolist() == whole.solved.tolist()
    assert (in_parts.n_backups, in_parts.n_rounds) == (whole.n_backups, whole.n_rounds)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((0, 0.1), r"depth: 0 given"),
        ((10**7, 0.1), r"depth: 10+ given, an integer from 1 to 1000000 allowed"),
        ((1.5, 0.1), r"depth: 1.5 given, an integer from 1 to"),
        ((1, -0.1), r"delta: -0.1 given"),
        ((1, float("nan")), r"delta: nan given"),
        ((1, 0.1, 0), r"max_rounds: 0 given"),
        ((1, 0.1, 1.5), r"max_rounds: 1.5 given, an integer from 1 to 1e\+09 allowed"),
    ],
)
def test_bad_parameters_are_named(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LabelledHeuristicSearch(*parameters)


def test_a_bad_search_is_named() -> None:
    """All checks are those of heuristic search."""
    with pytest.raises(ValueError, match=r"start: 5 given, a terminal state"):
        LabelledHeuristicSearch(1, 0.1).solve(CHAIN, 5)
    with pytest.raises(ValueError, match=r"upper_bound: 1 given for 6 states"):
        LabelledHeuristicSearch(1, 0.1).solve(CHAIN, 0, [0.0])
