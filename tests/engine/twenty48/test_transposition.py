"""Transposition: planes of 512 games become packed boards by definition, and planes again."""

import numpy as np

from tests.engine.twenty48.groups import fours, random_cells, seat
from thetafront.engine.twenty48.lockstep import FOURS, LANES, WORDS, new_group
from thetafront.engine.twenty48.transposition import cross


def test_crossing_over_and_back() -> None:
    """Planes become packed boards and byte counts, and planes again."""
    rng = np.random.default_rng(8)
    group = new_group(np.uint64(0))
    cells = random_cells(rng, LANES)
    seat(group, cells)
    group[FOURS : FOURS + 8 * WORDS] = rng.integers(0, 2**63, 8 * WORDS)
    before, counts = group.copy(), fours(group)
    cross(group)
    for game in range(LANES):
        lane, w = divmod(game, WORDS)
        packed = int("".join(f"{e:x}" for e in cells[game][::-1]), 16)
        assert group[lane * WORDS + w] == packed
        byte = int(group[FOURS + (lane % 8) * WORDS + w]) >> (lane // 8 * 8) & 255
        assert byte == counts[game]
    cross(group)
    assert (group == before).all()
