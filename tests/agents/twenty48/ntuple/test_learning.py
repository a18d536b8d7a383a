"""Learning against the rules of its documentation, on the games that the kernel played."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.agents.twenty48.ntuple.networks import (
    FOUR_BY_FIVE,
    plain_indices,
    plain_stage,
    plain_value,
    random_network,
)
from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.ntuple.learning import (
    CAROUSEL,
    Carousel,
    correct,
    learn,
    new_carousel,
    play_out,
    work_space,
)
from thetafront.agents.twenty48.ntuple.patterns import NETWORKS, count_weights, n_looked_up
from thetafront.engine.jit import kernel
from thetafront.engine.rng import SPAWN, START, next_word, stream
from thetafront.engine.twenty48.board import spawn_from_word
from thetafront.engine.twenty48.rows import row_tables

M = n_looked_up(FOUR_BY_FIVE)


@dataclass
class Learned:
    """What a call of the kernel leaves behind."""

    weights: np.ndarray
    coherence: np.ndarray
    path: list[int]
    rewards: list[float]
    counts: tuple[int, int, int, float]  # games, moves, games from the empty board, their scores


def learned(
    weights: np.ndarray,
    coherence: np.ndarray,
    games: range,
    *,
    rate: float = 1.0,
    decay: float = 0.0,
    restart: int = 0,
    coherent: bool = True,
    most_moves: int = 10**9,
    carousel: Carousel | None = None,
) -> Learned:
    weights, coherence = weights.copy(), coherence.copy()
    space = work_space(M)
    space.path[:] = 0
    counts = learn(
        NETWORKS[FOUR_BY_FIVE](weights),
        coherence,
        row_tables(),
        np.uint64(7),
        games.start,
        len(games),
        most_moves,
        rate,
        decay,
        restart,
        coherent,
        space,
        new_carousel(1) if carousel is None else carousel,
    )
    n = int(np.argmin(space.path)) if len(games) == 1 else 0
    return Learned(weights, coherence, space.path[:n].tolist(), space.rewards[:n].tolist(), counts)


def nothing() -> tuple[np.ndarray, np.ndarray]:
    n = count_weights(FOUR_BY_FIVE)
    return np.zeros(n, np.float32), np.zeros((n, 2), np.float32)


def afterstates(board: oracle.Board) -> list[tuple[int, float]]:
    slides = oracle.slides(board).values()
    return [(oracle.to_packed(after), reward) for after, reward in slides]


@pytest.mark.parametrize("coherent", [True, False])
@pytest.mark.parametrize("decay", [0.0, 0.6])
def test_weights_change_as_the_equations_say(coherent: bool, decay: float) -> None:
    """Three games one after the other, so that coherence matters; all in double precision."""
    weights, coherence = nothing()
    exact, sums = weights.astype(float), coherence.astype(float)
    rate = 1.0 if coherent else 0.1
    for game in range(3):
        done = learned(
            weights, coherence, range(game, game + 1), rate=rate, decay=decay, coherent=coherent
        )
        target = 0.0
        for after, reward in zip(reversed(done.path), reversed(done.rewards), strict=True):
            indices = plain_indices(FOUR_BY_FIVE, after)
            value = sum(exact[k] for k in indices)
            error = target - value
            for k in indices:  # one after the other: a weight may occur more than once
                share = abs(sums[k, 0]) / sums[k, 1] if coherent and sums[k, 1] else 1.0
                exact[k] += rate * share * error / M
                sums[k] += (error, abs(error)) if coherent else (0.0, 0.0)
                value += rate * share * error / M
            target = reward + (1.0 - decay) * value + decay * target
        weights, coherence = done.weights, done.coherence
        assert done.counts == (1, len(done.path), 1, sum(done.rewards))
        np.testing.assert_allclose(weights, exact, rtol=2e-3, atol=0.05)
        np.testing.assert_allclose(coherence, sums, rtol=2e-3, atol=0.5)
    assert np.abs(exact).max() > 5.0


def test_games_are_played_by_the_best_afterstate() -> None:
    """Each is one of the largest r + V after some spawn on the one before."""
    network = random_network(FOUR_BY_FIVE)
    done = learned(network.weights, nothing()[1], range(5, 6))
    assert len(done.path) > 20
    boards = [oracle.from_packed(each) for each in done.path]
    for before, after, reward in zip(boards, done.path[1:], done.rewards[1:], strict=False):
        assert any(is_best(board, after, reward, network) for board, _ in oracle.spawns(before))


def is_best(board: oracle.Board, after: int, reward: float, network: object) -> bool:
    worths = {
        (oracle.smallest(each), points): points + plain_value(FOUR_BY_FIVE, network, each)  # type: ignore[arg-type]
        for each, points in afterstates(board)
    }
    found = worths.get((oracle.smallest(after), reward))
    return found is not None and found >= max(worths.values()) - 0.01


def test_games_are_the_same_in_any_batches() -> None:
    weights, coherence = nothing()
    at_once = learned(weights, coherence, range(6))
    for games in (range(1), range(1, 4), range(4, 6)):
        done = learned(weights, coherence, games)
        weights, coherence = done.weights, done.coherence
    assert np.array_equal(weights, at_once.weights)
    assert np.array_equal(coherence, at_once.coherence)


@kernel
def begun(seed):  # type: ignore[no-untyped-def]
    word, words = next_word(stream(seed, START, np.uint64(0)))
    board = spawn_from_word(np.uint64(0), word)
    word, words = next_word(words)
    return spawn_from_word(board, word), stream(seed, SPAWN, np.uint64(0))


@kernel
def begun_anew(after, words):  # type: ignore[no-untyped-def]
    word, words = next_word(words)
    return spawn_from_word(after, word), words


@kernel
def played(network, tables, board, words, space, n):  # type: ignore[no-untyped-def]
    return play_out(network, tables, board, words, space, n)


@kernel
def corrected(network, coherence, space, begin, end, rate, decay):  # type: ignore[no-untyped-def]
    correct(network, coherence, space, begin, end, rate, decay, True)


@pytest.mark.parametrize(("restart", "n_parts"), [(0, 1), (1, 9), (40, 3), (10**6, 1)])
def test_a_game_restarts_from_the_middle_of_its_last_part(restart: int, n_parts: int) -> None:
    """Part by part in Python: halves of what was played last, as long as they are long enough."""
    weights, coherence = nothing()
    network, tables = NETWORKS[FOUR_BY_FIVE](weights), row_tables()
    space = work_space(M)
    board, words = begun(np.uint64(7))
    begin, parts, score = 0, [], 0.0
    while True:
        end, words, points = played(
            network, tables, np.uint64(board), np.uint64(words), space, begin
        )
        score = score or points
        parts.append(end - begin)
        step = (np.float32(1.0 / M), np.float32(0.5))
        corrected(network, coherence, space, begin, end, *step)
        if not restart or parts[-1] < max(restart, 2):
            break
        begin += parts[-1] // 2
        board, words = begun_anew(space.path[begin - 1], np.uint64(words))
    done = learned(*nothing(), range(1), decay=0.5, restart=restart)
    assert done.counts == (1, sum(parts), 1, score)
    assert np.array_equal(done.weights, weights)
    assert np.array_equal(done.coherence, coherence)
    assert len(parts) >= n_parts
    assert n_parts > 1 or len(parts) == 1


def test_training_never_merges_two_32768_tiles() -> None:
    """A game that is played on from them has both in every afterstate, and small points."""
    weights, space = nothing()[0], work_space(M)
    board = oracle.to_packed([[32768, 32768, 2, 4], [2, 4, 8, 2], [0, 0, 0, 0], [0, 0, 0, 0]])
    words = np.uint64(begun(np.uint64(7))[1])
    network = NETWORKS[FOUR_BY_FIVE](weights)
    n, _, total = played(network, row_tables(), np.uint64(board), words, space, 0)
    assert n > 20
    for packed in space.path[:n].tolist():
        assert sum(row.count(32768) for row in oracle.from_packed(packed)) == 2
    assert 0 < total < 32768


def test_a_later_stage_learns_in_its_own_tables() -> None:
    """A game that has a 16384 tile from its beginning; the tables are those of one stage alone."""
    board = np.uint64(oracle.to_packed([[16384, 64, 8, 2], [2, 4, 0, 2], [0] * 4, [0] * 4]))
    n, learned_alone = count_weights(FOUR_BY_FIVE), np.empty(0)
    for n_stages in (1, 2, 3):
        network = NETWORKS[FOUR_BY_FIVE](np.zeros(n_stages * n, np.float32))
        coherence, space = np.zeros((n_stages * n, 2), np.float32), work_space(M)
        words = np.uint64(begun(np.uint64(7))[1])
        end, _, _ = played(network, row_tables(), board, words, space, 0)
        corrected(network, coherence, space, 0, end, np.float32(1.0 / M), np.float32(0.5))
        if n_stages == 1:
            learned_alone = network.weights.copy()
        else:
            assert np.array_equal(network.weights[n : 2 * n], learned_alone)
            assert not network.weights[:n].any()
            assert not network.weights[2 * n :].any()
            assert not coherence[:n].any()
    assert end > 20
    assert learned_alone.any()


def in_stages(n_stages: int) -> tuple[np.ndarray, np.ndarray]:
    n = n_stages * count_weights(FOUR_BY_FIVE)
    return np.zeros(n, np.float32), np.zeros((n, 2), np.float32)


def test_games_take_turns_to_start_in_each_stage() -> None:
    """Boards of a stage in order; games of a stage without boards begin with an empty board."""
    starts = [
        oracle.to_packed([[16384, tile, 8, 2], [2, 4, 0, 2], [0] * 4, [0] * 4]) for tile in (64, 32)
    ]
    carousel = new_carousel(3)
    carousel.boards[1, :2], carousel.n_entered[1] = starts, 2
    before = carousel.boards.copy()
    for game, start in enumerate([0, starts[0], 0, 0, starts[1], 0, 0, starts[0]]):
        done = learned(*in_stages(3), range(game, game + 1), carousel=carousel)
        boards = [oracle.from_packed(start)]
        for _ in range(1 if start else 2):
            boards = [after for board in boards for after, _ in oracle.spawns(board)]
        assert oracle.smallest(done.path[0]) in {
            oracle.smallest(after) for board in boards for after, _ in afterstates(board)
        }
        whole = (0, 0.0) if start else (1, sum(done.rewards))
        assert done.counts == (1, len(done.path), *whole)
    assert np.array_equal(carousel.boards, before), "no game has entered a stage"


def test_the_carousel_keeps_the_afterstates_that_entered_a_stage() -> None:
    """Without values, the merge of two 4096s is the best action; it makes an 8192."""
    start = oracle.to_packed([[16384, 4096, 4096, 2], [2, 4, 0, 2], [0] * 4, [0] * 4])
    carousel = new_carousel(3)
    carousel.boards[1, 0], carousel.n_entered[1] = start, 1
    for n_before, place in ((0, 0), (CAROUSEL - 1, CAROUSEL - 1), (CAROUSEL, 0)):
        carousel.boards[2], carousel.n_entered[2] = 0, n_before
        done = learned(*in_stages(3), range(1, 2), carousel=carousel)
        assert plain_stage(done.path[0]) == 2
        assert carousel.boards[2, place] == done.path[0]
        assert np.count_nonzero(carousel.boards[2]) == 1
        assert carousel.n_entered.tolist() == [0, 1, n_before + 1]


def test_no_game_begins_after_so_many_moves() -> None:
    n_games, n_moves, *_ = learned(*nothing(), range(100), most_moves=500).counts
    assert n_games < 100
    assert n_moves >= 500
    assert learned(*nothing(), range(n_games)).counts[1] == n_moves
    assert learned(*nothing(), range(n_games - 1)).counts[1] < 500


def test_learning_helps() -> None:
    """The last 200 of 1,000 games score more than five times as much as the first 100."""
    weights, coherence = nothing()
    first = learned(weights, coherence, range(100))
    middle = learned(first.weights, first.coherence, range(100, 800))
    last = learned(middle.weights, middle.coherence, range(800, 1000))
    assert last.counts[3] / 200 > 5 * first.counts[3] / 100
