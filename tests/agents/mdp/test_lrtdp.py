"""Labelled heuristic search against optimal values by plain Python, and what its labels promise."""

from typing import Any

import numpy as np
import pytest

from agents.mdp import lrtdp as labelled_heuristic_search
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.lrtdp import LabelledHeuristicSearch, LabelledSolution
from agents.twenty48.small_board import DEAL, Small2048
from tests.oracles import finite_mdp as oracle
from tests.oracles import small_2048

TINY = 1e-9


def loose(best: Any, seed: int, most: float) -> Any:
    """A bound that a backup may raise here and there."""
    bound = best + np.random.default_rng(seed).uniform(0, most, len(best))
    bound[-1] = 0
    return bound


def random_mdp(seed: int, discount: float) -> tuple[FiniteMDP, oracle.Description, Any]:
    description = oracle.random_description(seed)
    best = np.array(list(oracle.optimal_values(description, discount).values()))
    return FiniteMDP.from_description(description, discount), description, best


def check_labels(mdp: FiniteMDP, found: LabelledSolution, delta: float) -> None:
    """Greedy play from a solved state stays among solved states, and no residual there is above δ."""
    backed_up, policy = mdp.greedy(found.values)
    assert policy.tolist() == found.policy.tolist()
    for state in np.flatnonzero(found.solved & ~mdp.terminal):
        assert found.values[state] - backed_up[state] <= delta
        assert found.solved[mdp.outcomes(policy[state])[0]].all()
    assert found.residual <= delta


def test_the_chain_by_hand() -> None:
    mdp = FiniteMDP.from_description(oracle.CHAIN, 1.0)
    for start in range(5):
        found = LabelledHeuristicSearch(50, 1e-10).solve(mdp, start, seed=start)
        assert found.is_solved
        assert found.value == pytest.approx(oracle.CHAIN_VALUES[start], abs=TINY)
        assert mdp.action_name(found.action) == oracle.CHAIN_ACTIONS[start]
        check_labels(mdp, found, 1e-10)
    # From 4 one walks to the end, and need not know what a leap is worth to the last digit.
    assert np.flatnonzero(found.solved).tolist() == [4, 5]
    assert found.values[1] > oracle.CHAIN_VALUES[1] + 1


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("depth", [3, 40])
def test_it_is_the_algorithm_of_the_book(seed: int, depth: int) -> None:
    """The same random words, told in plain Python: the same values, labels and rounds."""
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
    """U - V* is between 0 and δ/(1 - γ) in all solved states, and so is V* less what greedy play earns."""
    discount = 0.9
    mdp, description, best = random_mdp(seed, discount)
    for bound in (None, loose(best, seed, 20)):
        found = LabelledHeuristicSearch(30, delta).solve(mdp, 0, bound, seed)
        assert found.is_solved
        check_labels(mdp, found, delta)
        slack = delta / (1 - discount) + TINY
        assert (found.values >= best - TINY).all()
        assert (found.values <= best + slack)[found.solved].all()
        greedy = {
            state: {mdp.action_name(a): description[state][mdp.action_name(a)]} if a >= 0 else {}
            for state, a in enumerate(found.policy.tolist())
        }
        earned = oracle.optimal_values(greedy, discount)
        assert earned[0] >= best[0] - slack


def n_actions_expected(mdp: FiniteMDP, policy: Any, start: int) -> float:
    """How many actions greedy play takes to the end, where outcomes have higher numbers."""
    expected = np.zeros(mdp.n_states)
    for state in range(mdp.n_states - 1, start - 1, -1):
        if policy[state] >= 0:
            outcomes, probabilities = mdp.outcomes(policy[state])
            expected[state] = 1 + probabilities @ expected[outcomes]
    return float(expected[start])


@pytest.mark.parametrize("delta", [1.0, 0.01, 0.0])
def test_two_by_two(delta: float) -> None:
    game, best = Small2048(2, 2), small_2048.solved(2, 2)
    optimal = np.array(
        [
            best.value_of_the_deal,
            *(best.values[tuple(map(tuple, game.faces(s)))] for s in range(1, game.mdp.n_states)),
        ]
    )
    for bound in (None, game.upper_bound(), loose(optimal, 1, 50)):
        found = LabelledHeuristicSearch(50, delta).solve(game.mdp, DEAL, bound)
        assert found.is_solved
        check_labels(game.mdp, found, delta)
        slack = delta * n_actions_expected(game.mdp, found.policy, DEAL)
        assert -TINY <= found.value - best.value_of_the_deal <= slack + TINY
        assert (found.values >= optimal - TINY).all()


def test_two_by_three() -> None:
    game, best = Small2048(2, 3), small_2048.solved(2, 3)
    found = LabelledHeuristicSearch(200, 0.01).solve(game.mdp, DEAL, game.upper_bound())
    assert found.is_solved
    check_labels(game.mdp, found, 0.01)
    slack = 0.01 * n_actions_expected(game.mdp, found.policy, DEAL)
    assert -TINY <= found.value - best.value_of_the_deal <= slack
    assert found.n_envelope < 0.6 * (~game.mdp.terminal).sum()


@pytest.mark.parametrize("faces", [[[64, 64, 4], [2, 8, 2]], [[2, 0, 0], [0, 0, 2]]])
def test_two_by_three_exactly(faces: list[list[int]]) -> None:
    game, best = Small2048(2, 3), small_2048.solved(2, 3)
    found = LabelledHeuristicSearch(200, 0.0).solve(game.mdp, game.state(faces))
    values = best.action_values(tuple(map(tuple, faces)))
    assert found.value == pytest.approx(max(values.values()), rel=1e-12)
    assert values[int(game.actions[found.action])] == pytest.approx(max(values.values()), rel=1e-12)


def test_rounds_have_a_limit() -> None:
    mdp = FiniteMDP.from_description(oracle.CHAIN, 1.0)
    found = LabelledHeuristicSearch(50, 1e-10, most_rounds=2).solve(mdp, 0)
    assert not found.is_solved
    assert found.n_rounds == 2
    assert found.residual > 1e-10


def test_endless_costs_are_never_solved() -> None:
    """At γ = 1, with no way out, values fall for ever: by a hundred actions and the envelope's one backup a round."""
    mdp = FiniteMDP.from_description([{"pay": (-1.0, {0: 1.0})}], 1.0)
    found = LabelledHeuristicSearch(100, 0.5, most_rounds=7).solve(mdp, 0)
    assert not found.is_solved
    assert found.n_rounds == 7
    assert found.value == -7 * 101


def test_an_optimum_is_seen_at_once() -> None:
    game, best = Small2048(2, 2), small_2048.solved(2, 2)
    optimal = [best.value_of_the_deal] + [
        best.values[tuple(map(tuple, game.faces(s)))] for s in range(1, game.mdp.n_states)
    ]
    found = LabelledHeuristicSearch(50, TINY).solve(game.mdp, DEAL, optimal)
    assert found.n_rounds == 1
    assert found.values.tolist() == pytest.approx(optimal, abs=TINY)
    # Each state of the envelope is looked at once, and those of the simulation once more.
    assert found.n_envelope < found.n_backups <= found.n_envelope + 50


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Small2048(2, 2)
    search = LabelledHeuristicSearch(50, 0.01)
    whole = search.solve(game.mdp, DEAL, seed=9)
    monkeypatch.setattr(labelled_heuristic_search, "BACKUPS_PER_CHUNK", 1)
    in_parts = search.solve(game.mdp, DEAL, seed=9)
    assert in_parts.values.tolist() == whole.values.tolist()
    assert in_parts.solved.tolist() == whole.solved.tolist()
    assert (in_parts.n_backups, in_parts.n_rounds) == (whole.n_backups, whole.n_rounds)


def test_bad_input_is_named() -> None:
    mdp = FiniteMDP.from_description(oracle.CHAIN, 1.0)
    search = LabelledHeuristicSearch(1, 0.1)
    for run, message in (
        (lambda: LabelledHeuristicSearch(0, 0.1), r"depth: 0 given"),
        (
            lambda: LabelledHeuristicSearch(10**7, 0.1),
            r"depth: 10+ given, an integer from 1 to 1000000 allowed",
        ),
        (lambda: LabelledHeuristicSearch(1.5, 0.1), r"depth: 1.5 given, an integer from 1 to"),
        (
            lambda: LabelledHeuristicSearch(1, 0.1, most_rounds=1.5),
            r"most_rounds: 1.5 given, an integer from 1 to 1000000000 allowed",
        ),
        (lambda: LabelledHeuristicSearch(1, -0.1), r"delta: -0.1 given"),
        (lambda: LabelledHeuristicSearch(1, float("nan")), r"delta: nan given"),
        (lambda: LabelledHeuristicSearch(1, 0.1, most_rounds=0), r"most_rounds: 0 given"),
        (lambda: search.solve(mdp, 6), r"start: 6 given, 0 to 5 allowed"),
        (lambda: search.solve(mdp, 5), r"start: 5 given, which is terminal"),
        (lambda: search.solve(mdp, 0, seed=2**63), r"seed: 9223372036854775808 given"),
        (lambda: search.solve(mdp, 0, [0.0]), r"upper_bound: 1 given for 6 states"),
    ):
        with pytest.raises(ValueError, match=message):
            run()
