"""Batches of playouts: their contract, and statistics of whole games.

test_lockstep and test_swar compare single steps with plain Python.
"""

import sys

import numpy as np
import pytest

from tests.processes import python
from thetafront.engine.twenty48 import Rule, initial, parse, playouts


def test_scores_are_in_the_order_of_the_boards() -> None:
    """Finished boards score nothing, at any position; only one board can merge two 8192s."""
    over = 0x1212_2121_1212_2121
    rich = parse("8192 8192 2 4 / 8 16 32 64 / 128 256 512 1024 / 2048 4096 2 4")
    early = initial(1)
    scores, _ = playouts([over, rich, over, early, over], [700, 40, 3, 900, 5], 5)
    assert not scores[:700].any()
    assert (scores[700:740] >= 16384).all()
    assert not scores[740:743].any()
    assert (scores[743:1643] > 0).all()
    assert scores[743:1643].max() < 16384
    assert not scores[1643:].any()


def test_the_seed_decides() -> None:
    boards = [initial(s) for s in range(700)]
    first, again, other = (playouts(boards, [1] * 700, seed)[0] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).mean() > 0.9


def test_scores_fit_their_end_boards_and_moves() -> None:
    """Playouts one by one: the score limits the number of moves."""
    for seed in range(40):
        (score,), n_moves = playouts([initial(seed)], [1], seed)
        assert score % 4 == 0
        assert n_moves > 5
        assert score <= n_moves * 400


def test_cascades_make_the_game_easier() -> None:
    """20,000 random games from the start on planes, and 2,000 on packed boards only."""
    starts = [initial(seed) for seed in range(200)]
    common, cascade = (playouts(starts, [100] * 200, 3, rule)[0] for rule in Rule)
    error = np.hypot(common.std(), cascade.std()) / np.sqrt(20_000)
    assert cascade.mean() - common.mean() > 10 * error
    few = np.concatenate([playouts(starts[k : k + 1], [40], k, Rule.CASCADE)[0] for k in range(50)])
    assert abs(few.mean() - cascade.mean()) < 5 * cascade.std() / np.sqrt(2000)


def test_a_board_scores_the_same_at_any_position() -> None:
    """No bias by position: 100,000 playouts each at the front, in the middle and at the end."""
    n = 100_000
    board = initial(1)
    short = parse("2 4 2 4 / 8 16 8 16 / 2 4 2 4 / 8 16 8 .")
    scores, _ = playouts([board, short, board, short, board], [n] * 5, 9)
    parts = [scores[k * n : (k + 1) * n] for k in (0, 2, 4)]
    error = parts[0].std() / np.sqrt(n)
    assert np.ptp([part.mean() for part in parts]) < 6 * error


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 511, 512, 513, 1200])
def test_any_number_of_playouts(n: int) -> None:
    """Numbers around those where planes take over and lanes run out: all games end."""
    scores, n_moves = playouts([initial(4)], [n], 6)
    assert len(scores) == n
    assert (scores > 0).all()
    assert 40 * n < n_moves < 320 * n


def test_nothing_to_play() -> None:
    scores, n_moves = playouts([], [], 0)
    assert len(scores) == 0
    assert n_moves == 0
    assert len(playouts([0x11], [0], 0)[0]) == 0
    scores, n_moves = playouts([0x1212_2121_1212_2121], [5], 0)  # the game is over
    assert scores.tolist() == [0] * 5
    assert n_moves == 0


def test_boards_and_counts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must have one entry per board, 2 \(got 1\)"):
        playouts([0x11, 0x12], [1], 0)
    with pytest.raises(ValueError, match="boards must have at least one tile"):
        playouts([0, initial(1)], [65, 65], 0)
    with pytest.raises(ValueError, match="counts must be 0 or more"):
        playouts([0x11], [-1], 0)


def test_random_games_average_1095_points_and_118_moves() -> None:
    """A million seeded games, within five standard errors of the means of independent programs."""
    n_starts, n_each = 20_000, 50
    scores, n_moves = playouts([initial(s) for s in range(n_starts)], [n_each] * n_starts, 2)
    error = scores.std() / np.sqrt(n_starts * n_each)
    assert abs(scores.mean() - 1095.0) < 5 * error + 0.5  # the figure is rounded
    assert n_moves / (n_starts * n_each) == pytest.approx(118.4, abs=0.2)


@pytest.mark.skipif(sys.platform != "linux", reason="sets x86 feature names")
@pytest.mark.slow
@pytest.mark.parametrize("cpu", ["x86-64", "haswell"])
def test_the_same_scores_on_every_instruction_set(cpu: str) -> None:
    """Code for plain x86-64 and for AVX2 gives the same scores as the machine's own code."""
    program = (
        "from thetafront.engine.twenty48 import initial, playouts;"
        "scores, n_moves = playouts([initial(s) for s in range(200)], [3] * 200, 8);"
        "print(n_moves, *scores)"
    )
    found = python(program, env={"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""})
    scores, n_moves = playouts([initial(s) for s in range(200)], [3] * 200, 8)
    assert found.split() == [str(n_moves), *map(str, scores.tolist())]
