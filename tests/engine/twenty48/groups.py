"""Groups of 512 games as arrays: bit-planes written and read by their definition."""

import numpy as np
import numpy.typing as npt

from thetafront.engine.twenty48.lockstep import FOURS, LANES, WORDS

Array = npt.NDArray[np.int64]
LANE_NUMBERS = np.arange(64, dtype=np.uint64)


def bits(group: npt.NDArray[np.uint64], plane: int, n_planes: int) -> Array:
    """The bits of each game in some planes, shape (512, n_planes), games in the order of (l, w)."""
    words = group[plane : plane + n_planes * WORDS].reshape(n_planes, WORDS)
    spread = (words[None] >> LANE_NUMBERS[:, None, None]) & np.uint64(1)
    return spread.transpose(0, 2, 1).reshape(LANES, n_planes).astype(np.int64)


def exponents(group: npt.NDArray[np.uint64]) -> Array:
    """The boards of a group, shape (512, 16)."""
    return bits(group, 0, 64).reshape(LANES, 16, 4) @ np.array([1, 2, 4, 8])


def fours(group: npt.NDArray[np.uint64]) -> Array:
    """The numbers of 4s spawned, shape (512,)."""
    return bits(group, FOURS, 8) @ (1 << np.arange(8))


def seat(group: npt.NDArray[np.uint64], cells: Array) -> None:
    """Put 512 boards, exponents of shape (512, 16), into a group."""
    planes = (cells[:, :, None] >> np.arange(4) & 1).reshape(64, WORDS, 64).astype(np.uint64)
    words = (planes << LANE_NUMBERS[:, None, None]).sum(0, dtype=np.uint64)
    group[: 64 * WORDS] = words.T.reshape(-1)


def cells_of(lines: Array) -> Array:
    """The exponents of packed lines, shape (n, 4)."""
    return lines[:, None] >> np.arange(0, 16, 4) & 15


def faces_of(cells: Array) -> Array:
    """The face values of exponents."""
    return np.where(cells > 0, 1 << cells, 0)


def random_cells(rng: np.random.Generator, n: int) -> Array:
    """Boards of every kind: sparse, full, with few kinds of tiles (many merges), with 32768s."""
    top = rng.choice([2, 3, 6, 12, 16], (n, 1))
    cells = rng.integers(1, top, (n, 16)) + (rng.random((n, 1)) < 0.25) * (16 - top)
    return np.where(rng.random((n, 16)) < rng.choice([0.2, 0.6, 1.0], (n, 1)), cells, 0)
