"""Optimal play of 2048 on small boards, by a cached recursion in plain Python."""

from functools import cache

from tests.oracles.twenty48 import Board, slides, spawns


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
            self.values[board] = max(self.action_values(board).values(), default=0.0)
        return self.values[board]

    def action_values(self, board: Board) -> dict[int, float]:
        return {
            action: reward + sum(p * self.value(child) for child, p in spawns(after))
            for action, (after, reward) in slides(board).items()
        }


@cache
def solved(n_rows: int, n_columns: int) -> Solved:
    return Solved(n_rows, n_columns)
