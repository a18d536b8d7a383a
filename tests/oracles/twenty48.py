"""2048 in plain Python, on face values: slow, and written from the rules only.

A board is a tuple of rows of face values, 0 for an empty cell; the rules are those of boards of any
size. It knows no nibbles, exponents or kernels, and shares with the engine only the names of the
rules of merging. 32768 does not merge.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from thetafront.engine.twenty48 import Rule

UP, RIGHT, DOWN, LEFT = range(4)
MASK = 2**64 - 1
LARGEST = 32768

Line = tuple[int, ...]
Board = tuple[Line, ...]


@cache
def merge_line(line: Line) -> tuple[Line, int]:
    """Push a line to its front; each tile merges at most once, the front pair first."""
    tiles = [tile for tile in line if tile]
    merged: list[int] = []
    reward = 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile and tile != LARGEST:
            tile += tiles.pop(0)
            reward += tile
        merged.append(tile)
    return (*merged, *[0] * (len(line) - len(merged))), reward


@cache
def cascade_line(line: Line) -> tuple[Line, int]:
    """Move the tiles to the front one by one; each joins an equal one that it meets.

    That one may have been joined before: 2 2 4 8 becomes 16.
    """
    cells = list(line)
    reward = 0
    for start in range(1, len(line)):
        tile, at = cells[start], start
        if not tile:
            continue
        cells[start] = 0
        while at > 0 and not cells[at - 1]:
            at -= 1
        if at > 0 and cells[at - 1] == tile and tile != LARGEST:
            cells[at - 1] = 2 * tile
            reward += 2 * tile
        else:
            cells[at] = tile
    return tuple(cells), reward


LINE_RULES = {Rule.COMMON: merge_line, Rule.CASCADE: cascade_line}


def slide(board: Board, action: int, rule: Rule = Rule.COMMON) -> tuple[Board, int]:
    """Slide a board; the others are turned so that the action is to the left, and back."""
    if action in (UP, DOWN):
        after, reward = slide(transposed(board), LEFT if action == UP else RIGHT, rule)
        return transposed(after), reward
    if action == RIGHT:
        after, reward = slide(mirrored(board), LEFT, rule)
        return mirrored(after), reward
    lines = [LINE_RULES[rule](row) for row in board]
    return tuple(line for line, _ in lines), sum(reward for _, reward in lines)


def slides(board: Board, rule: Rule = Rule.COMMON) -> dict[int, tuple[Board, int]]:
    """The afterstate and the reward of each legal action."""
    slid = {action: slide(board, action, rule) for action in range(4)}
    return {action: each for action, each in slid.items() if each[0] != board}


def legal_actions(board: Board) -> list[int]:
    return list(slides(board))


def empty_cells(board: Board) -> list[tuple[int, int]]:
    return [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if not tile]


def put(board: Board, cell: tuple[int, int], tile: int) -> Board:
    row, column = cell
    new = (*board[row][:column], tile, *board[row][column + 1 :])
    return (*board[:row], new, *board[row + 1 :])


def spawns(board: Board) -> list[tuple[Board, float]]:
    """All boards with one tile more, and their probabilities: cell by cell, first a 2."""
    empty = empty_cells(board)
    chances = ((2, 0.9), (4, 0.1))
    return [(put(board, cell, tile), p / len(empty)) for cell in empty for tile, p in chances]


def transposed(board: Board) -> Board:
    return tuple(zip(*board, strict=True))


def mirrored(board: Board) -> Board:
    return tuple(row[::-1] for row in board)


def turns(board: Board) -> list[Board]:
    """The eight turns and reflections of a board."""
    found = []
    for turn in [transposed, mirrored] * 4:
        board = turn(board)
        found.append(board)
    return found


def turned(board: Board, word: int) -> Board:
    """Turn a board by a random word: bit 63 transposes, bit 0 mirrors."""
    if word >> 63:
        board = transposed(board)
    return mirrored(board) if word & 1 else board


def to_faces(exponents: Sequence[Sequence[int]]) -> Board:
    return tuple(tuple(2**e if e else 0 for e in row) for row in exponents)


def from_packed(board: int) -> Board:
    """Cell (row, column) is nibble 4·row + column, the lowest first."""
    cells = [int(digit, 16) for digit in f"{board:016x}"[::-1]]
    return to_faces([cells[4 * row : 4 * row + 4] for row in range(4)])


def to_packed(board: Sequence[Sequence[int]]) -> int:
    digits = [f"{tile.bit_length() - 1 if tile else 0:x}" for row in board for tile in row]
    return int("".join(digits[::-1]), 16)


def smallest(packed: int) -> int:
    """One number for all symmetric boards."""
    return min(map(to_packed, turns(from_packed(packed))))


# --- the random words, from the papers and the documentation of engine.rng ---


def mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def substream(stream: int, index: int) -> int:
    inner = mix(stream ^ 0xD1342543DE82EF95)
    return mix((inner + (index + 1) * 0x9E3779B97F4A7C15) & MASK)


def words(stream: int) -> Iterator[int]:
    while True:
        stream = (stream + 0x9E3779B97F4A7C15) & MASK
        yield mix(stream)


def chosen_tile(word: int) -> int:
    """31 bits below a tenth of 2³¹: a 4."""
    return 4 if (word >> 32) % 2**31 < round(2**31 / 10) else 2


def spawn(board: Board, word: int) -> Board:
    empty = empty_cells(board)
    if not empty:
        return board
    cell = empty[(word % 2**32) * len(empty) // 2**32]
    return put(board, cell, chosen_tile(word))
