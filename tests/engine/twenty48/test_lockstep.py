"""512 games on bit-planes against plain Python with the same random words, at every step."""

import numba
import numpy as np
import numpy.typing as npt
import pytest
from numba.core.codegen import get_host_cpu_features

from tests.engine.compiled import compiled
from tests.engine.twenty48.groups import (
    bits,
    cells_of,
    exponents,
    faces_of,
    fours,
    random_cells,
    seat,
)
from tests.oracles import twenty48 as oracle
from thetafront.engine.twenty48 import Rule, lockstep
from thetafront.engine.twenty48.lockstep import (
    COINS,
    GROUP,
    LANES,
    OVER,
    RESULT,
    STREAM,
    WORDS,
    find_over,
    new_group,
    play_steps,
)


def rotate(x: int, k: int) -> int:
    return (x << k | x >> (64 - k)) & oracle.MASK


def next_plane(a: int, b: int) -> tuple[int, int, int]:
    """xoroshiro128+ from its authors' description."""
    word = (a + b) & oracle.MASK
    b ^= a
    return word, rotate(a, 24) ^ b ^ (b << 16) & oracle.MASK, rotate(b, 37)


def words_of_next_step(group: npt.NDArray[np.uint64]) -> list[list[int]]:
    """For each w, the sixteen words of one step: two coins and fourteen more."""
    drawn = []
    for w in range(WORDS):
        a, b = int(group[STREAM + w]), int(group[STREAM + WORDS + w])
        words = [int(group[COINS + w]), int(group[COINS + WORDS + w])]
        while len(words) < 16:
            word, a, b = next_plane(a, b)
            words.append(word)
        drawn.append(words)
    return drawn


def oracle_step(faces: oracle.Board, number: int, rule: Rule) -> tuple[oracle.Board, bool]:
    """One step from its 16-bit number: the board after it, and whether a 4 was spawned."""
    if number & 1:
        faces = oracle.transposed(faces)
    if number & 2:
        faces = oracle.mirrored(faces)
    after, _ = oracle.slide(faces, oracle.LEFT, rule)
    if after == faces:
        return faces, False
    empty = [(row, column) for row in range(4) for column in (3, 2, 1, 0) if not after[row][column]]
    k, fraction = divmod(number * len(empty), 1 << 16)
    four = fraction < 6552
    return oracle.put(after, empty[k], 4 if four else 2), four


@pytest.mark.parametrize(
    ("seed", "rule"), [(0, Rule.COMMON), (1, Rule.COMMON), (2, Rule.COMMON), (3, Rule.CASCADE)]
)
def test_every_board_after_every_step_is_that_of_the_oracle(seed: int, rule: Rule) -> None:
    group = new_group(np.uint64(seed))
    cells = random_cells(np.random.default_rng(seed), LANES)
    seat(group, cells)
    assert (exponents(group) == cells).all()
    boards = [oracle.to_faces(c.reshape(4, 4).tolist()) for c in cells]
    n_fours = np.zeros(LANES, np.int64)
    n_spawned = 0
    for _ in range(50):
        words = words_of_next_step(group)
        play_steps(group.reshape(1, GROUP), 1, rule.built)
        for game in range(LANES):
            lane, w = divmod(game, WORDS)
            number = sum((words[w][k] >> lane & 1) << k for k in range(16))
            before = len(oracle.empty_cells(boards[game]))
            boards[game], four = oracle_step(boards[game], number, rule)
            n_spawned += before != len(oracle.empty_cells(boards[game]))
            n_fours[game] += four
        expected = [oracle.to_packed(board) for board in boards]
        packed = exponents(group).astype(object) @ (1 << np.arange(0, 64, 4, dtype=object))
        assert packed.tolist() == expected
        over = [not oracle.legal_actions(board) and any(map(any, board)) for board in boards]
        assert find_over(group) == sum(over)
        assert bits(group, OVER, 1)[:, 0].tolist() == over
    assert (fours(group) == n_fours).all()
    assert n_spawned > 5000


@pytest.mark.parametrize("rule", Rule)
def test_every_row_slides_as_in_plain_python(rule: Rule) -> None:
    """All 65,536 rows, four a board: the row after it, whether it moved, and its empty cells."""
    slide = compiled(lockstep.slide)
    group = new_group(np.uint64(0))
    rows = cells_of(np.arange(65536))
    before = faces_of(rows)
    expected = np.array([oracle.LINE_RULES[rule](tuple(row))[0] for row in before.tolist()])
    for first in range(0, 65536, 4 * LANES):
        part = slice(first, first + 4 * LANES)
        seat(group, rows[part].reshape(LANES, 16))
        group[COINS : COINS + 2 * WORDS] = 0
        slide(group, rule.built)
        assert (faces_of(exponents(group).reshape(-1, 4)) == expected[part]).all()
        result = bits(group, RESULT, 16).reshape(-1, 4)  # moved, and three bits of a number
        assert (result[:, 0] == (expected[part] != before[part]).any(axis=1)).all()
        assert (result[:, 1:] @ [1, 2, 4] == (expected[part] == 0).sum(axis=1)).all()


def test_an_empty_board_never_moves_and_is_never_over() -> None:
    group = new_group(np.uint64(1))
    play_steps(group.reshape(1, GROUP), 20, None)
    assert not group[: 64 * WORDS].any()
    assert not fours(group).any()
    assert find_over(group) == 0


def test_neighbouring_lanes_are_independent() -> None:
    """Coins of neighbouring lanes, words and steps agree half of the time."""
    group = new_group(np.uint64(2))
    tosses = []
    for _ in range(2000):
        play_steps(group.reshape(1, GROUP), 1, None)
        tosses.append(bits(group, COINS, 2))
    coins = np.array(tosses)  # (step, game, coin); games in the order of (l, w)
    assert abs(coins.mean() - 0.5) < 5 * 0.5 / np.sqrt(coins.size)
    for one, other in (
        (coins[:, :-WORDS], coins[:, WORDS:]),  # the next lane of the same word
        (coins[:, :-1], coins[:, 1:]),  # the next word
        (coins[:-1], coins[1:]),  # the next step
        (coins[..., 0], coins[..., 1]),  # the other coin
    ):
        assert abs((one == other).mean() - 0.5) < 5 * 0.5 / np.sqrt(one.size)


@pytest.mark.parametrize("rule", Rule)
def test_the_loops_are_vectorized(rule: Rule) -> None:
    """One word of scalar code in a stage would cost a factor of four or more."""
    features = get_host_cpu_features()
    if "+avx512f" not in features and "+avx2" not in features:
        pytest.skip("the machine has neither AVX-512 nor AVX2")
    # Compiled anew: of code that comes from the cache, numba has no assembly to show.
    fresh = numba.njit(lockstep.play_steps.py_func, nogil=True, error_model="numpy")
    fresh(new_group(np.uint64(0)).reshape(1, GROUP), 1, rule.built)
    (code,) = fresh.inspect_asm().values()
    # Some processors have 512-bit registers, and are faster with 256 bits.
    found = 2 * code.count("zmm") + code.count("ymm")
    assert found >= 1600, (
        f"play_steps mentions 256-bit registers {found} times (512-bit ones count twice), 1600 or "
        "more expected: a loop over the words of a plane is not vectorized. A call left in it, an "
        "index that LLVM cannot prove to be in order, or a body so small that it was unrolled "
        "first, does that."
    )
