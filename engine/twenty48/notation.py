"""Boards as grids of exponents, and as text with face values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

SIZE = 4
N_CELLS = SIZE * SIZE
MAX_EXPONENT = 15
EMPTY_WORDS = (".", "0", "-", "_")


def tile(exponent: int) -> int:
    """Return the face value of an exponent, 2ᵉ; 0 for an empty cell."""
    return 1 << exponent if exponent else 0


def pack(grid: npt.ArrayLike) -> int:
    """Pack a (4, 4) grid of exponents (0 for an empty cell), top row first, into a board.

    ValueError if the shape is not (4, 4), or an entry is not an integer from 0 to 15.
    """
    exponents: npt.NDArray[Any] = np.asarray(grid)
    if exponents.shape != (SIZE, SIZE):
        raise ValueError(f"grid must have shape (4, 4) (got {exponents.shape})")
    board = 0
    for cell, exponent in enumerate(exponents.ravel().tolist()):
        if isinstance(exponent, bool) or exponent != int(exponent):
            raise ValueError(f"grid exponents must be integers from 0 to 15 (got {exponent!r})")
        if not 0 <= exponent <= MAX_EXPONENT:
            raise ValueError(
                "grid exponents must be between 0 and 15, since a board holds tiles up to 32768 "
                f"(got {exponent})"
            )
        board |= int(exponent) << (4 * cell)
    return board


def unpack(board: int) -> npt.NDArray[np.int64]:
    """Return the exponents of a board, shape (4, 4), the top row first."""
    if not 0 <= int(board) < 1 << 64:
        raise ValueError(f"board must be between 0 and 2**64 - 1 (got {board})")
    exponents = [int(board) >> (4 * cell) & 15 for cell in range(N_CELLS)]
    return np.array(exponents, dtype=np.int64).reshape(SIZE, SIZE)


def parse_exponent(word: str) -> int:
    """Return the exponent of a cell's text."""
    if word in EMPTY_WORDS:
        return 0
    face = int(word) if word.isdecimal() else 0
    exponent = face.bit_length() - 1
    if not 1 <= exponent <= MAX_EXPONENT or face != 1 << exponent:
        more = "; two 32768 tiles do not merge" if face > 1 << MAX_EXPONENT else ""
        raise ValueError(
            "board tiles must be powers of two from 2 to 32768, or '.' or 0 for an empty cell "
            f"(got {word!r}){more}"
        )
    return exponent


def parse(text: str) -> int:
    """Read a board from text: 16 face values in reading order, ``.`` or ``0`` for an empty cell.

    Values are separated by white space, commas, ``/``, ``|`` or ``;``. :func:`render` writes this
    format.

    Raises
    ------
    ValueError
        If there are not 16 values, or one is neither a tile nor an empty cell.
    """
    for separator in ",/|;":
        text = text.replace(separator, " ")
    words: Sequence[str] = text.split()
    if len(words) != N_CELLS:
        raise ValueError(f"board must have {N_CELLS} cells (got {len(words)})")
    return pack(np.array([parse_exponent(word) for word in words]).reshape(SIZE, SIZE))


def render(board: int) -> str:
    """Write a board as four lines of face values, with ``.`` for an empty cell."""
    faces = [[str(tile(int(e))) if e else "." for e in row] for row in unpack(board)]
    width = max(len(face) for row in faces for face in row)
    return "\n".join(" ".join(face.rjust(width) for face in row) for row in faces)
