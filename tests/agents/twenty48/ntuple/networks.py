"""Small networks for tests, and their values in plain Python."""

from collections.abc import Iterator

import numpy as np

from tests.oracles import twenty48 as oracle
from thetafront.agents.twenty48.ntuple.patterns import (
    CELLS,
    NETWORKS,
    Network,
    PatternSet,
    count_weights,
)

FOUR_BY_FIVE = PatternSet.FOUR_BY_FIVE


def random_network(pattern_set: PatternSet, seed: int = 1) -> Network:
    """A network whose weights are drawn from −100 to 100."""
    random = np.random.default_rng(seed)
    weights = random.uniform(-100.0, 100.0, count_weights(pattern_set)).astype(np.float32)
    return NETWORKS[pattern_set](weights)


def symmetric_boards(packed: int) -> Iterator[list[int]]:
    """The exponents of the eight symmetric boards, in reading order."""
    cells = np.array([(packed >> 4 * k) & 15 for k in range(16)]).reshape(4, 4)
    for board in (cells, cells.T):
        for turns in range(4):
            yield np.rot90(board, turns).ravel().tolist()


def plain_indices(pattern_set: PatternSet, packed: int) -> list[int]:
    """The indices of an afterstate's weights, from the patterns' cells only."""
    indices = []
    base = 0
    for digits in CELLS[pattern_set]:
        for board in symmetric_boards(packed):
            index = sum(board[int(cell, 16)] * 16**k for k, cell in enumerate(digits))
            indices.append(base + index)
        base += 16 ** len(digits)
    return indices


def plain_value(pattern_set: PatternSet, network: Network, packed: int) -> float:
    return float(sum(float(network.weights[k]) for k in plain_indices(pattern_set, packed)))


def random_boards(n: int, seed: int = 2, largest: int = 9) -> Iterator[int]:
    """Boards with a legal action and some empty cells."""
    random = np.random.default_rng(seed)
    while n:
        cells = random.integers(1, largest, 16) * (random.random(16) < 0.75)
        packed = sum(int(cell) << 4 * k for k, cell in enumerate(cells))
        if oracle.legal_actions(oracle.from_packed(packed)):
            n -= 1
            yield packed
