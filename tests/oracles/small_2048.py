"""2048 on boards of any size in plain Python: optimal values by a cached recursion.

A board is a tuple of rows of face values, 0 for an empty cell. It knows no nibbles, exponents, 4 x
4 boards or kernels. Lines merge as on large boards.
"""

from functools import cache

from tests.oracles.twenty48 import merge_line

UP, RIGHT, DOWN, LEFT = range(4)

Board = tuple[tuple[int, ...], ...]


@cache
def to_front(line: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    merged, reward = merge_line(list(line))
    return tuple(merged), reward


def flipped(board: Board) -> Board:
    return tuple(row[::-1] for row in board)


def transposed(board: Board) -> Board:
    return tuple(zip(*board, strict=True))


def slide(board: Board, action: int) -> tuple[Board, int]:
    if action in (UP, DOWN):
        after, reward = slide(transposed(board), LEFT if action == UP else RIGHT)
        return transposed(after), reward
    if action == RIGHT:
        after, reward = slide(flipped(board), LEFT)
        return flipped(after), reward
    lines = [to_front(row) for row in board]
    return tuple(line for line, _ in lines), sum(reward for _, reward in lines)


def spawns(board: Board) -> list[tuple[Board, float]]:
    """All boards with one tile more, and their probabilities."""
    empty = [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if not tile]
    result = []
    for r, c in empty:
        for tile, p in ((2, 0.9), (4, 0.1)):
            row = (*board[r][:c], tile, *board[r][c + 1 :])
            result.append(((*board[:r], row, *board[r + 1 :]), p / len(empty)))
    return result


def actions(board: Board) -> list[tuple[int, Board, int]]:
    """Each legal action, its afterstate and its reward."""
    slid = [(action, *slide(board, action)) for action in range(4)]
    return [(action, after, reward) for action, after, reward in slid if after != board]


class Solved:
    """Optimal play from all boards that a game on h x w cells can reach."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        self.values: dict[Board, float] = {}
        nothing = ((0,) * n_columns,) * n_rows
        self.deals: dict[Board, float] = {}
        for one, p_one in spawns(nothing):
            for two, p_two in spawns(one):
                self.deals[two] = self.deals.get(two, 0.0) + p_one * p_two
        self.value_of_the_deal = sum(p * self.value(board) for board, p in self.deals.items())

    def value(self, board: Board) -> float:
        if board not in self.values:
            best = 0.0
            for _, after, reward in actions(board):
                best = max(best, self.action_value(after, reward))
            self.values[board] = best
        return self.values[board]

    def action_value(self, after: Board, reward: int) -> float:
        total = float(reward)
        for child, p in spawns(after):
            total += p * self.value(child)
        return total

    def action_values(self, board: Board) -> dict[int, float]:
        return {
            action: self.action_value(after, reward) for action, after, reward in actions(board)
        }


@cache
def solved(n_rows: int, n_columns: int) -> Solved:
    return Solved(n_rows, n_columns)
