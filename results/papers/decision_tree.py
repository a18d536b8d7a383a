"""How many states follow a move of 2048, and how many the game has: Ripstein (2023), §2.

Notation
--------
=====  =============================================================================================
L      number of legal actions of a board, the paper's "number of legal moves"
m      number of empty cells of the board
c      number of merges by all legal actions together
mₐ     number of empty cells after action a: m plus the number of merges by a
=====  =============================================================================================

The paper's formula gives 2·L·m + c states after a move. The paper's example has eight empty cells
and four actions that merge nothing, so the formula gives 64 states. But after action a, a 2 or a 4
can spawn in each of mₐ cells, so there are Σ 2·mₐ = 2·(L·m + c) pairs of an action and a spawn. The
formula is too low by c, which is 0 only if nothing merges. (The paper counts the empty cells "after
tiles have been combined". Their number differs between actions, and already includes the cells that
merges leave empty.) Two pairs may lead to the same board, so there may be fewer states than pairs.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from results.papers import paper
from results.papers.heuristic_search.small_board import small_2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.engine import twenty48
from thetafront.study import estimate as intervals

AGENT = MonteCarloMDP(24, 12, 8, 6, 2.5, 1.0)
SHAPES = ((1, 2), (2, 2), (1, 4), (2, 3))
EXAMPLE = "2 4 . . / . . 8 16 / 4 2 . . / . . 16 8"
DRAWN = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 16 128 . ."
CRIMSON = "#CC3311"


def successors(board: int) -> dict[twenty48.Action, list[tuple[int, float]]]:
    """Return each legal action's boards after one spawn, with their probabilities."""
    found = {}
    for action in twenty48.legal_actions(board):
        after, _ = twenty48.afterstate(board, action)
        empty = [cell for cell in range(16) if not after >> 4 * cell & 15]
        found[action] = [
            (after | exponent << 4 * cell, p / len(empty))
            for cell in empty
            for exponent, p in ((1, 0.9), (2, 0.1))
        ]
    return found


def count_successors(board: int) -> dict[str, int]:
    """Count what follows a board: the formula's terms, pairs of action and spawn, and states."""
    following = successors(board)
    m = twenty48.n_empty(board)
    merges = sum(
        twenty48.n_empty(twenty48.afterstate(board, action)[0]) - m for action in following
    )
    return {
        "n_actions": len(following),
        "n_empty": m,
        "n_merges": merges,
        "formula": 2 * len(following) * m + merges,
        "n_pairs": sum(len(each) for each in following.values()),
        "n_states": len({after for each in following.values() for after, _ in each}),
    }


def boards_frame(seeds: Sequence[int]) -> pd.DataFrame:
    """Return what :func:`count_successors` finds for each board of games by :data:`AGENT`."""
    return pd.DataFrame(
        {"seed": seed, "n_moves": move.n_moves, **count_successors(move.board)}
        for seed in seeds
        for move in AGENT.moves(seed)
    )


def small_frame() -> pd.DataFrame:
    """Return the number of reachable boards of each small shape, with an upper bound."""
    frame = pd.DataFrame(SHAPES, columns=["n_rows", "n_columns"])
    # One state is not counted: the empty board before the game.
    n_states = [small_2048(*shape).mdp.n_states - 1 for shape in SHAPES]
    return frame.assign(n_states=n_states, bound=[(h * w + 2) ** (h * w) for h, w in SHAPES])


def mean_counts(boards: pd.DataFrame) -> dict[str, paper.Interval]:
    """Average over the boards of each game, which are dependent, and then over games."""
    found = boards.assign(
        exact=boards["formula"] == boards["n_pairs"], lacking=boards["n_pairs"] - boards["formula"]
    )
    by_game = found.astype(float).groupby("seed").mean()
    return {
        str(name): paper.interval(intervals.mean(each.to_numpy())) for name, each in by_game.items()
    }


def draw_board(axes: Axes, x: float, y: float, board: int, colour: str) -> None:
    """Draw a small picture of a board; the middle of its left edge is at (x, y)."""
    size = 0.8
    frame = FancyBboxPatch(
        (x, y - size / 2), size, size, boxstyle="round,pad=0.03", ec=colour, fc="#FAFAFA", lw=2
    )
    axes.add_patch(frame)
    for (row, column), exponent in np.ndenumerate(twenty48.unpack(board)):
        if exponent:
            place = x + (column + 0.5) * size / 4, y + size / 2 - (row + 0.5) * size / 4
            axes.text(
                *place, str(twenty48.tile(int(exponent))), ha="center", va="center", fontsize=7
            )


def decision_tree_figure() -> Figure:
    """Draw a board, the boards after each action, and the states after each spawn: Figure 2."""
    board = twenty48.parse(DRAWN)
    following = successors(board)
    figure, axes = paper.new_figure(8.6, 9.4)
    axes.set_axis_off()
    n_states = sum(len(each) for each in following.values())
    heights = iter(np.arange(n_states, 0, -1.0))
    middle = (n_states + 1) / 2
    draw_board(axes, 0.0, middle, board, paper.BLACK)
    for action, spawns in following.items():
        after, reward = twenty48.afterstate(board, action)
        mine = [next(heights) for _ in spawns]
        place = float(np.mean(mine))
        axes.plot([0.83, 2.37], [middle, place], color=paper.BLACK, linewidth=1, zorder=0)
        axes.text(1.6, (middle + place) / 2, f"{action.name.lower()}, R = {reward}", ha="center",
                  fontsize=9, backgroundcolor="white")  # fmt: skip
        draw_board(axes, 2.4, place, after, paper.GREEN)
        for (state, p), height in zip(spawns, mine, strict=True):
            axes.plot([3.23, 4.97], [place, height], color=paper.BLACK, linewidth=1, zorder=0)
            axes.text(4.4, place + (height - place) * 0.67, f"{p:g}", ha="center", va="center",
                      fontsize=9, backgroundcolor="white")  # fmt: skip
            draw_board(axes, 5.0, height, state, CRIMSON)
    axes.set_xlim(-0.1, 5.9)
    axes.set_ylim(0.4, n_states + 0.6)
    axes.set_aspect("equal")
    return figure


def decision_tree(of: paper.Paper) -> None:
    """Count the states, and write the results."""
    boards, small = boards_frame(of.seeds), small_frame()
    tables = {
        "boards": boards.groupby("seed").mean().reset_index().drop(columns="n_moves"),
        "small_boards": small,
    }
    of.write(
        "decision_tree",
        tables,
        {"decision_tree": decision_tree_figure()},
        example=count_successors(twenty48.parse(EXAMPLE)),
        means=mean_counts(boards),
        n_boards=len(boards),
        n_merging=(boards["n_merges"] > 0).sum(),
    )


if __name__ == "__main__":
    paper.script(decision_tree, "decision_tree", 20)
