"""Heuristic search, plain and labelled: against optimal values, and the book in plain Python."""

from typing import Any

import numpy as np
import pytest

from results.papers.heuristic_search.search import NO_LABELS, Search, expand
from results.papers.heuristic_search.small_board import DEAL, small_2048
from tests.agents.mdp.cases import CHAIN, actions_of, mdp_of
from tests.oracles import finite_mdp as oracle
from tests.papers.heuristic_search.cases import (
    TINY,
    action_values,
    loose,
    random_mdp,
    small_2048_values,
)
from thetafront.agents.mdp.finite_mdp import FiniteMDP

ZEROS = np.zeros(6)  # a bound of the chain, whose rewards are costs


def searched(
    mdp: FiniteMDP,
    start: int,
    bound: Any,
    depth: int,
    delta: float = NO_LABELS,
    n: int = 10**6,
    seed: int = 0,
) -> Search:
    """Search for n rounds, or until the start is solved."""
    search = Search(mdp, start, bound, seed, depth, delta)
    while not search.is_done and search.n_done < n:
        search.advance(1)  # a round has a backup or more
    return search


def residual(mdp: FiniteMDP, search: Search) -> float:
    """The largest residual of what greedy play reaches from the start."""
    work = search.work._replace(solved=mdp.terminal.copy(), met=np.zeros(mdp.n_states, np.int64))
    return float(expand(mdp.tables, search.values, search.start, np.inf, work, 1)[1])


def check_labels(mdp: FiniteMDP, search: Search) -> None:
    """Greedy play from a solved state stays in solved states, whose residuals are δ or less."""
    assert search.is_done
    backed_up, policy = mdp.greedy(search.values)
    for state in np.flatnonzero(search.work.solved & ~mdp.terminal):
        assert search.values[state] - backed_up[state] <= search.delta
        assert search.work.solved[mdp.outcomes(policy[state])[0]].all()
    assert residual(mdp, search) <= search.delta


@pytest.mark.parametrize("seed", range(10))
def test_they_are_the_algorithms_of_the_book(seed: int) -> None:
    """With the same random words, plain Python finds the same values, backups, labels, rounds."""
    mdp, description, best = random_mdp(seed, 0.9)
    bound = loose(best, seed, 5)
    given = description, 0.9, 0, dict(enumerate(bound.tolist()))
    plain = searched(mdp, 0, bound, 7, n=25, seed=seed)
    values, n_backups = oracle.heuristic_search(*given, 25, 7, seed)
    assert plain.values.tolist() == pytest.approx(list(values.values()), rel=1e-12)
    assert plain.n_backups == n_backups
    for depth in (3, 40):
        search = searched(mdp, 0, bound, depth, 0.01, seed=seed)
        values, solved, n_rounds = oracle.labelled_heuristic_search(*given, depth, 0.01, seed)
        assert search.values.tolist() == pytest.approx(list(values.values()), rel=1e-12)
        assert set(np.flatnonzero(search.work.solved).tolist()) == solved
        assert search.n_done == n_rounds


@pytest.mark.parametrize("seed", range(10))
def test_bounds_fall_to_the_optimum_and_not_below(seed: int) -> None:
    """In solved states, U and the return of greedy play are within δ/(1 - γ) of V*."""
    mdp, description, best = random_mdp(seed, 0.9)
    bound = loose(best, seed, 20)
    search, before = Search(mdp, 0, bound, seed, 100), bound
    for n in (1, 2, 5, 20, 100, 3000):
        while search.n_done < n:
            search.advance(1)
        assert (search.values >= best - TINY).all()
        assert (search.values <= before).all()
        before = search.values.copy()
    assert search.values[0] == pytest.approx(best[0], abs=1e-6)
    assert mdp.greedy(best)[1][0] == mdp.greedy(search.values)[1][0]
    for delta in (1.0, 0.01, 1e-8):
        labelled = searched(mdp, 0, bound, 30, delta, seed=seed)
        check_labels(mdp, labelled)
        slack = delta / (1 - 0.9) + TINY
        assert (labelled.values >= best - TINY).all()
        assert (labelled.values <= best + slack)[labelled.work.solved].all()
        policy = actions_of(description, mdp.greedy(labelled.values)[1])
        greedy = {
            state: {} if action is None else {action: description[state][action]}
            for state, action in enumerate(policy)
        }
        assert oracle.solve(greedy, 0.9)[0][0] >= best[0] - slack


@pytest.mark.parametrize("shape", [(2, 2), (2, 3)])
def test_small_boards_from_the_deal(shape: tuple[int, int]) -> None:
    """No game has 200 actions."""
    game = small_2048(*shape)
    optimal = small_2048_values(game)
    for delta in (1.0, 0.01) if shape == (2, 2) else (0.01,):
        search = searched(game.mdp, DEAL, game.upper_bound(), 200, delta)
        check_labels(game.mdp, search)
        assert -TINY <= search.values[DEAL] - optimal[DEAL] <= 200 * delta
        assert (search.values >= optimal - TINY).all()
    at_once = searched(game.mdp, DEAL, optimal, 200, TINY)
    assert at_once.n_done == 1
    assert at_once.values.tolist() == pytest.approx(optimal.tolist(), abs=TINY)
    plain = Search(game.mdp, DEAL, game.upper_bound(), 4, 200)
    seen = [plain.values[DEAL]]
    while plain.n_backups < 200_000:
        plain.advance(20_000)
        seen.append(plain.values[DEAL])
    assert seen == sorted(seen, reverse=True)
    lowered = plain.values < np.where(game.mdp.terminal, 0, game.upper_bound())
    assert plain.work.touched[lowered].all()
    assert lowered.sum() <= plain.n_touched < game.mdp.n_states


@pytest.mark.parametrize(
    "faces", [[[64, 64, 4], [2, 8, 2]], [[2, 0, 0], [0, 0, 2]], [[16, 2], [4, 4]]]
)
def test_a_board_exactly(faces: list[list[int]]) -> None:
    game = small_2048(len(faces), len(faces[0]))
    search = searched(game.mdp, game.state(faces), game.upper_bound(), 200, 0.0)
    values = action_values(faces)
    assert search.values[search.start] == pytest.approx(max(values.values()), rel=1e-12)
    action = int(game.actions[game.mdp.greedy(search.values)[1][search.start]])
    assert values[action] == pytest.approx(max(values.values()), rel=1e-12)


def test_calls_do_not_matter() -> None:
    game = small_2048(2, 2)
    for delta in (NO_LABELS, 0.01):
        whole = searched(game.mdp, DEAL, game.upper_bound(), 50, delta, 500, seed=9)
        at_once = Search(game.mdp, DEAL, game.upper_bound(), 9, 50, delta)
        at_once.advance(whole.n_backups)
        assert at_once.values.tolist() == whole.values.tolist()
        assert (at_once.n_backups, at_once.n_done) == (whole.n_backups, whole.n_done)
        other = searched(game.mdp, DEAL, game.upper_bound(), 50, delta, 500, seed=10)
        assert other.values.tolist() != whole.values.tolist()


def test_what_never_ends() -> None:
    """Endless costs fall by each backup; a loop without reward and what is aside keep a bound."""
    pay = mdp_of({0: {"pay": (-1.0, {0: 1.0})}}, 1.0)
    assert searched(pay, 0, [0.0], 100, n=30).values[0] == -30 * 100
    # In a round, a hundred actions and one backup of the envelope.
    assert searched(pay, 0, [0.0], 100, 0.5, n=7).values[0] == -7 * 101
    mdp = mdp_of(
        {
            "aside": {"earn": (5.0, {"aside": 1.0})},
            "here": {"wait": (0.0, {"here": 1.0}), "go": (2.0, {"there": 1.0})},
            "there": {},
        },
        1.0,
    )
    for bound, value in ((2.0, 2.0), (7.0, 7.0)):
        search = searched(mdp, 1, [99.0, bound, 0.0], 10, n=3)
        assert search.values.tolist() == [99, value, 0]


@pytest.mark.parametrize(
    ("start", "bound", "seed", "message"),
    [
        (6, ZEROS, 0, r"start must be between 0 and 5 \(got 6\)"),
        (5, ZEROS, 0, r"start must be a state with an action \(got 5"),
        (0, ZEROS, -1, r"seed must be between 0"),
        (0, [0.0], 0, r"upper_bound must have 6 values, one per state \(got 1\)"),
    ],
)
def test_bad_searches_are_named(start: int, bound: Any, seed: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Search(CHAIN, start, bound, seed, 1)
