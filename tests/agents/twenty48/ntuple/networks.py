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


def random_network(pattern_set: PatternSet, seed: int = 1, n_stages: int = 1) -> Network:
    """A network whose weights are drawn from −100 to 100."""
    random = np.random.default_rng(seed)
    weights = random.uniform(-100.0, 100.0, n_stages * count_weights(pattern_set))
    return NETWORKS[pattern_set](weights.astype(np.float32))


def symmetric_boards(packed: int) -> list[list[int]]:
    """The exponents of the eight symmetric boards, in reading order."""
    cells = [(packed >> 4 * k) & 15 for k in range(16)]
    board = tuple(tuple(cells[k : k + 4]) for k in range(0, 16, 4))
    return [[e for row in each for e in row] for each in oracle.turns(board)]


def plain_stage(packed: int) -> int:
    tiles = {tile for row in oracle.from_packed(packed) for tile in row}
    if max(tiles) < 16384:
        return 0
    return next(k for k in range(1, 16) if 2 ** (14 - k) not in tiles)


def plain_indices(pattern_set: PatternSet, packed: int, n_stages: int = 1) -> list[int]:
    """The indices of an afterstate's weights in memory, from the patterns' cells only."""
    indices = []
    base = min(plain_stage(packed), n_stages - 1) * count_weights(pattern_set)
    for digits in CELLS[pattern_set]:
        for board in symmetric_boards(packed):
            index = sum(board[int(cell, 16)] * 16**k for k, cell in enumerate(reversed(digits)))
            indices.append(base + index)
        base += 16 ** len(digits)
    return indices


def plain_value(pattern_set: PatternSet, network: Network, packed: int) -> float:
    n_stages = len(network.weights) // count_weights(pattern_set)
    indices = plain_indices(pattern_set, packed, n_stages)
    return float(sum(float(network.weights[k]) for k in indices))


def random_boards(n: int, seed: int = 2, largest: int = 9) -> Iterator[int]:
    """Boards with a legal action and some empty cells."""
    random = np.random.default_rng(seed)
    while n:
        cells = random.integers(1, largest, 16) * (random.random(16) < 0.75)
        packed = sum(int(cell) << 4 * k for k, cell in enumerate(cells))
        if oracle.legal_actions(oracle.from_packed(packed)):
            n -= 1
            yield packed
