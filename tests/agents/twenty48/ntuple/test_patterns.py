"""Values and indices of networks against sums over the patterns' cells in plain Python."""

import itertools
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pytest

from tests.agents.twenty48.ntuple.networks import (
    plain_indices,
    plain_stage,
    plain_value,
    random_boards,
    random_network,
    symmetric_boards,
)
from thetafront.agents.twenty48.afterstate_value import value
from thetafront.agents.twenty48.ntuple.patterns import (
    CELLS,
    MAX_STAGES,
    NETWORKS,
    Network,
    Pattern,
    PatternSet,
    count_weights,
    n_looked_up,
    put_indices,
    turned_indices,
    turned_tables,
    without_parts,
)
from thetafront.engine.jit import kernel

ORDER = 0xFEDC_BA98_7654_3210  # each cell has its number
SMALL = (PatternSet.FOUR_BY_FIVE, PatternSet.SIX_BY_FIVE, PatternSet.FOUR_BY_FIVE_PLUS)


@kernel
def value_of(network: Network, board: np.uint64) -> np.float32:
    return value(network, board)


@kernel
def indices_of(network: Network, board: np.uint64, indices: npt.NDArray[np.uint64]) -> None:
    put_indices(network, board, indices)


@pytest.mark.parametrize("n_stages", [1, 2, MAX_STAGES])
@pytest.mark.parametrize("pattern_set", SMALL)
def test_a_value_is_the_sum_over_patterns_and_symmetric_boards(
    pattern_set: PatternSet, n_stages: int
) -> None:
    network = random_network(pattern_set, n_stages=n_stages)
    boards = list(random_boards(100, largest=16))
    assert {plain_stage(each) for each in boards} >= set(range(MAX_STAGES))
    for board in boards:
        found = value_of(network, np.uint64(board))
        assert found == pytest.approx(plain_value(pattern_set, network, board), abs=0.01)


@pytest.mark.parametrize("n_stages", [1, 3])
@pytest.mark.parametrize("pattern_set", PatternSet)
def test_indices_are_those_of_the_cells(pattern_set: PatternSet, n_stages: int) -> None:
    indices = np.zeros(n_looked_up(pattern_set), np.uint64)
    n_weights = n_stages * count_weights(pattern_set)
    empty = NETWORKS[pattern_set](np.empty(n_weights, np.float32))  # indices read no weight
    for board in random_boards(50, largest=16):
        indices_of(empty, np.uint64(board), indices)
        assert sorted(indices.tolist()) == sorted(plain_indices(pattern_set, board, n_stages))
        assert indices.max() < n_weights


@pytest.mark.parametrize(
    ("pattern_set", "n_stages"),
    [
        (PatternSet.FOUR_BY_FIVE, 1),
        (PatternSet.FOUR_BY_FIVE_PLUS, 2),
        (PatternSet.FIVE_BY_SIX, 1),  # 335 MB, so not with two stages
    ],
)
def test_files_have_a_patterns_first_cell_as_the_lowest_digit(
    pattern_set: PatternSet, n_stages: int
) -> None:
    """And memory the last one: each index is put together from its digits in Python."""
    random = np.random.default_rng(3)
    n = n_stages * count_weights(pattern_set)
    in_file = random.random(n, np.float32)
    in_memory = turned_tables(pattern_set, in_file)
    indices = random.integers(0, n, 300)
    turned = turned_indices(pattern_set, indices)
    for index, other in zip(indices.tolist(), turned.tolist(), strict=True):
        base = index // count_weights(pattern_set) * count_weights(pattern_set)
        for cells in CELLS[pattern_set]:
            if index < base + 16 ** len(cells):
                break
            base += 16 ** len(cells)
        digits = f"{index - base:0{len(cells)}x}"
        assert other == base + int(digits[::-1], 16)
        assert in_memory[other] == in_file[index]
    assert np.array_equal(turned_tables(pattern_set, in_memory), in_file)
    assert np.array_equal(turned_indices(pattern_set, turned), indices)


def test_the_sets_are_named_by_their_patterns() -> None:
    for pattern_set in (each for each in PatternSet if each == each.played):
        n, length = map(int, pattern_set.split("x"))
        assert [len(set(each)) for each in CELLS[pattern_set]] == [length] * n
        assert count_weights(pattern_set) == n * 16**length


def smallest(cells: Iterable[str]) -> tuple[int, ...]:
    """The same cells, turned and mirrored to be the first of their forms."""
    forms = [[symmetric[int(cell, 16)] for cell in cells] for symmetric in symmetric_boards(ORDER)]
    return min(tuple(sorted(form)) for form in forms)


@pytest.mark.parametrize("pattern_set", [each for each in PatternSet if each != each.played])
def test_parts_are_lines_and_squares_within_the_patterns(pattern_set: PatternSet) -> None:
    """All of these, but for symmetric ones."""
    lines_and_squares = {smallest(each) for each in ("0123", "4567", "0145", "1256", "569a")}
    patterns = CELLS[pattern_set.played]
    parts = CELLS[pattern_set][len(patterns) :]
    within = {smallest(cells) for each in patterns for cells in itertools.combinations(each, 4)}
    assert {smallest(each) for each in parts} == within & lines_and_squares
    for each in parts:
        assert any(set(each) < set(whole) for whole in patterns)


@pytest.mark.parametrize("pattern_set", PatternSet)
def test_no_set_has_a_pattern_twice(pattern_set: PatternSet) -> None:
    """Not even turned or mirrored."""
    patterns = CELLS[pattern_set]
    assert len({smallest(each) for each in patterns}) == len(patterns)


@pytest.mark.parametrize(
    ("pattern_set", "n_stages"),
    [
        (PatternSet.FOUR_BY_FIVE, 2),  # which has none
        (PatternSet.FOUR_BY_FIVE_PLUS, 2),
        (PatternSet.SIX_BY_FIVE_PLUS, 2),
        (PatternSet.FOUR_BY_SIX_PLUS, 1),
    ],
)
def test_a_network_without_its_parts_has_the_same_values(
    pattern_set: PatternSet, n_stages: int
) -> None:
    network = random_network(pattern_set, n_stages=n_stages)
    before = network.weights.copy()
    played = NETWORKS[pattern_set.played](without_parts(pattern_set, network.weights))
    assert len(played.weights) == n_stages * count_weights(pattern_set.played)
    for board in random_boards(100, largest=16):
        expected = value_of(network, np.uint64(board))
        assert value_of(played, np.uint64(board)) == pytest.approx(expected, abs=0.01)
    assert np.array_equal(network.weights, before)


@pytest.mark.parametrize("digits", ["0246", "210", "10", "054"])
def test_patterns_of_other_forms_are_refused(digits: str) -> None:
    with pytest.raises(ValueError, match="pattern must be at most three ascending stretches"):
        Pattern.from_digits(digits)
