"""Monte Carlo tree search in plain Python: dicts, lists and boards of face values, as a recursion.

It gets random words in the order that the agent's documentation defines, and shares nothing else.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.oracles import twenty48 as game

Board = game.Board
Leaf = Callable[[Board, int, Iterator[int]], tuple[float, int]]


@dataclass
class State:
    """A state with its numbers, by action; what follows an action, by cell and tile."""

    board: Board
    valued: bool = False
    n: dict[int, int] = field(default_factory=dict)
    q: dict[int, float] = field(default_factory=dict)
    following: dict[int, dict[tuple[tuple[int, int], int], "Successor"]] = field(
        default_factory=dict
    )


@dataclass
class Successor:
    state: State
    visits: int = 0


def chosen(options: Sequence[int], word: int) -> int:
    return options[(word % 2**32) * len(options) // 2**32]


def first_in_tie(actions: Sequence[int], word: int) -> int:
    """The action with the largest 16 bits of the word: action a has the bits from 16·a on."""
    return max(actions, key=lambda a: word >> 16 * a & 0xFFFF)


@dataclass
class Search:
    """Parameters, as the book names them; ``k`` and ``k_state`` None for no widening."""

    d: int
    c: float
    leaf: Leaf
    k: float | None = None
    alpha: float = 0.5
    k_state: float | None = None
    alpha_state: float = 0.5
    random_ties: bool = False
    full_rollouts: bool = False
    n_moves: int = 0

    def action_of(self, s: State, words: Iterator[int]) -> int:
        legal = game.legal_actions(s.board)
        n = sum(s.n.values())
        shut = [a for a in legal if a not in s.n]
        if self.k is not None and shut and len(s.n) <= self.k * n**self.alpha:
            return chosen(shut, next(words))
        word = next(words) if self.random_ties else 0
        if self.k is None and shut:
            return first_in_tie(shut, word)
        bounds = {a: s.q[a] + self.c * math.sqrt(math.log(n) / s.n[a]) for a in sorted(s.n)}
        best = max(bounds.values())
        return first_in_tie([a for a in bounds if bounds[a] == best], word)

    def successor_of(self, s: State, a: int, after: Board, words: Iterator[int]) -> State:
        following = s.following.setdefault(a, {})
        n = s.n.get(a, 0)
        word = next(words)
        empty = game.empty_cells(after)
        if (
            self.k_state is not None
            and following
            and len(following) >= self.k_state * n**self.alpha_state
        ):
            bag = [
                key
                for cell in empty
                for key in ((cell, 2), (cell, 4))
                for _ in range(following[key].visits if key in following else 0)
            ]
            assert len(bag) == n
            key = bag[(word % 2**32) * n // 2**32]
        else:
            cell = empty[(word % 2**32) * len(empty) // 2**32]
            key = (cell, game.chosen_tile(word))
            if key not in following:
                following[key] = Successor(State(game.put(after, *key)))
        following[key].visits += 1
        return following[key].state

    def simulate(self, s: State, d: int, words: Iterator[int]) -> float:
        if d == 0 or not s.valued or not game.legal_actions(s.board):
            s.valued = s.valued or d > 0
            value, n_rolled = self.leaf(s.board, self.d if self.full_rollouts else d, words)
            self.n_moves += n_rolled
            return value
        a = self.action_of(s, words)
        after, reward = game.slide(s.board, a)
        self.n_moves += 1
        q = reward + self.simulate(self.successor_of(s, a, after, words), d - 1, words)
        s.n[a] = s.n.get(a, 0) + 1
        old = s.q.get(a, 0.0)
        s.q[a] = old + (q - old) / s.n[a]
        return q

    def run(self, root: State, m: int, stream: int) -> None:
        root.valued = True
        for i in range(m):
            self.simulate(root, self.d, game.words(game.substream(stream, i)))

    def decision(self, root: State, m: int, stream: int) -> int:
        word = next(game.words(game.substream(stream, m))) if self.random_ties else 0
        best = max(root.q.values())
        return first_in_tie([a for a in sorted(root.q) if root.q[a] == best], word)


# --- leaves ---


def rewards_of(board: Board) -> dict[int, int]:
    return {a: reward for a, (_, reward) in game.slides(board).items()}


def rollout(board: Board, d: int, words: Iterator[int], greedy: bool) -> tuple[float, int]:
    total, n_moves = 0, 0
    while n_moves < d and (rewards := rewards_of(board)):
        word = next(words)
        if greedy:
            best = [a for a in rewards if rewards[a] == max(rewards.values())]
            axes = {a in {game.UP, game.DOWN} for a in best}
            if max(rewards.values()) > 0 and len(axes) == 1:
                word = word % 2**63 + (axes.pop() << 63)
        start = game.turned(board, word)
        after, reward = game.slide(start, game.LEFT)
        if after == start:
            continue
        assert not greedy or reward == max(rewards.values())
        board = game.spawn(after, word)
        total += reward
        n_moves += 1
    return float(total), n_moves


def random_leaf(board: Board, d: int, words: Iterator[int]) -> tuple[float, int]:
    return rollout(board, d, words, greedy=False)


def lookahead_leaf(board: Board, d: int, words: Iterator[int]) -> tuple[float, int]:
    return rollout(board, d, words, greedy=True)


def weights_leaf(weights: Sequence[float]) -> Leaf:
    def leaf(board: Board, d: int, words: Iterator[int]) -> tuple[float, int]:
        tiles = [tile for row in board for tile in row]
        total = sum(w * tile for w, tile in zip(weights, tiles, strict=True))
        return (float(total) if game.legal_actions(board) else 0.0), 0

    return leaf


def score_leaf(board: Board, d: int, words: Iterator[int]) -> tuple[float, int]:
    """A tile t = 2ᵉ is merged from two halves, and so on down to 2s: (e − 1)·t points."""

    def points(tile: int) -> int:
        return 0 if tile <= 2 else tile + 2 * points(tile // 2)

    total = sum(points(tile) for row in board for tile in row)
    return (float(total) if game.legal_actions(board) else 0.0), 0
