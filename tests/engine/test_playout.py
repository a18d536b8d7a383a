"""Lockstep playouts against plain Python fed the same random words, and against chance."""

import os
import subprocess
import sys

import numpy as np
import pytest

from engine.twenty48 import initial, playouts
from engine.twenty48.playout import N_LANES
from tests.oracles import twenty48 as oracle


def oracle_playout(board: int, stream: int) -> tuple[int, int]:
    """One playout in plain Python: its score and its number of moves.

    Bit 63 of a word transposes the board, bit 0 mirrors it; then it is slid left and not turned back.
    """
    faces = oracle.from_packed(board)
    words = oracle.words(stream)
    score = n_moves = 0
    while oracle.legal_actions(faces):
        word = next(words)
        if word >> 63:
            faces = oracle.transposed(faces)
        if word & 1:
            faces = oracle.mirrored(faces)
        after, reward = oracle.slide(faces, oracle.LEFT)
        if after != faces:
            score += reward
            n_moves += 1
            faces = oracle.spawn(after, word)
    return score, n_moves


def crowded_boards(n: int, seed: int) -> list[int]:
    """Boards as an agent meets them: large tiles, few holes."""
    rng = np.random.default_rng(seed)
    boards = []
    for _ in range(n):
        cells = rng.permutation(np.concatenate([np.arange(1, 12), rng.integers(1, 4, 5)]))
        cells[rng.permutation(16)[: rng.integers(0, 6)]] = 0
        boards.append(int("".join(f"{e:x}" for e in cells), 16))
    return boards


def test_every_playout_is_the_oracles() -> None:
    """Score for score, more playouts than lanes, on early and on crowded boards."""
    boards = [initial(s) for s in range(12)] + crowded_boards(60, seed=3)
    counts = [1 + k % 4 for k in range(len(boards))]
    assert sum(counts) > N_LANES
    scores, n_moves = playouts(boards, counts, 11)
    starts = [board for board, count in zip(boards, counts, strict=True) for _ in range(count)]
    expected = [oracle_playout(b, oracle.substream(11, i)) for i, b in enumerate(starts)]
    assert scores.tolist() == [score for score, _ in expected]
    assert n_moves == sum(moves for _, moves in expected)


def test_a_board_with_two_32768_tiles_plays_on() -> None:
    board = 0x0000_0000_1000_00FF
    scores, _ = playouts([board], [20], 1)
    assert scores.tolist() == [oracle_playout(board, oracle.substream(1, i))[0] for i in range(20)]


def test_a_playout_does_not_depend_on_its_neighbours() -> None:
    """Playout i of a batch is the same with anything behind it; and counts of 0 are passed over."""
    boards = [initial(s) for s in range(300)]
    ones = [1] * 300
    many, _ = playouts(boards, ones, 5)
    for n in (1, 2, 7, 65, 200):
        few, _ = playouts(boards[:n], ones[:n], 5)
        assert few.tolist() == many[:n].tolist()
    counts = [0, 2, 0, 0, 3, 0]
    scores, _ = playouts(boards[:6], counts, 5)
    expected, _ = playouts([boards[1], boards[4]], [2, 3], 5)
    assert scores.tolist() == expected.tolist()


def test_nothing_to_play() -> None:
    scores, n_moves = playouts([], [], 0)
    assert len(scores) == 0
    assert n_moves == 0
    scores, n_moves = playouts([0x11], [0], 0)
    assert len(scores) == 0


def test_boards_and_counts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="1 given for 2 boards"):
        playouts([0x11, 0x12], [1], 0)
    with pytest.raises(ValueError, match="-1 given"):
        playouts([0x11], [-1], 0)


def test_a_finished_board_scores_nothing() -> None:
    scores, n_moves = playouts([0x1212_2121_1212_2121], [5], 0)
    assert scores.tolist() == [0] * 5
    assert n_moves == 0


def test_random_games_average_1095_points_and_118_moves() -> None:
    """40,000 seeded games: within five standard errors of the figures of independent programs."""
    n = 40_000
    scores, n_moves = playouts([initial(s) for s in range(n)], [1] * n, 2)
    error = scores.std() / np.sqrt(n)
    assert abs(scores.mean() - 1095.0) < 5 * error
    assert n_moves / n == pytest.approx(118.4, abs=1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="sets x86 feature names")
@pytest.mark.parametrize("cpu", ["x86-64", "haswell"])
def test_the_same_scores_on_every_instruction_set(cpu: str) -> None:
    """Code for plain x86-64 and for AVX2 gives what the machine's own code gives."""
    program = (
        "from engine.twenty48 import initial, playouts;"
        "scores, n_moves = playouts([initial(s) for s in range(200)], [3] * 200, 8);"
        "print(n_moves, *scores)"
    )
    plain = {**os.environ, "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}
    run = subprocess.run(
        [sys.executable, "-c", program], env=plain, capture_output=True, text=True, check=True
    )
    scores, n_moves = playouts([initial(s) for s in range(200)], [3] * 200, 8)
    assert run.stdout.split() == [str(n_moves), *map(str, scores.tolist())]
