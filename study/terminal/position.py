"""A game of 2048, position by position: a seed gives the same tiles for any player."""

from dataclasses import dataclass, replace

from thetafront.engine.rng import SPAWN
from thetafront.engine.twenty48 import (
    Action,
    Rule,
    afterstate,
    initial,
    largest_exponent,
    legal_actions,
    spawn,
    stream,
    tile,
)


@dataclass(frozen=True)
class Position:
    """The state of a game: its seed and rule, the packed board, points and actions so far."""

    seed: int
    rule: Rule
    board: int
    score: int = 0
    n_moves: int = 0

    @classmethod
    def first(cls, seed: int, rule: Rule) -> "Position":
        """Return the start of the game of a seed."""
        return cls(seed, rule, initial(seed))

    def after(self, action: Action) -> "Position":
        """Return the position after a legal action and the seed's spawn for this move."""
        slid, reward = afterstate(self.board, action, self.rule)
        board = spawn(slid, stream(self.seed, int(SPAWN), self.n_moves))
        return replace(self, board=board, score=self.score + reward, n_moves=self.n_moves + 1)

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions; none if the game is over."""
        return legal_actions(self.board)

    @property
    def largest(self) -> int:
        """The face value of the largest tile."""
        return tile(largest_exponent(self.board))
