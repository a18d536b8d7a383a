"""How many states follow a move of 2048, and how many there are: Ripstein (2023), §2, Figure 2.

Notation
--------
=====  =============================================================================================
L      number of legal actions of a board, the paper's "number of legal moves"
m      number of its empty cells
c      number of merges of its legal actions, all together
mₐ     empty cells after action a: m and its merges
=====  =============================================================================================

The paper counts 2·L·m + c states after a move, and 64 with eight free cells and four actions that
merge nothing. A 2 or a 4 may spawn in each of mₐ cells, so there are Σ 2·mₐ = 2·(L·m + c) pairs of
an action and a spawn: the formula lacks c, except where nothing merges. (The paper's m are the
empty cells "after tiles have been combined". These differ by action, and counted so, c is in m
already.) Two pairs may lead to the same board, so there may be fewer different states.
"""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from results.papers import paper
from results.papers.heuristic_search.small_board import Small2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.engine.twenty48 import (
    Action,
    afterstate,
    legal_actions,
    n_empty,
    parse,
    tile,
    unpack,
)
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

AGENT = MonteCarloMDP(24, 12, 8, 6, 2.5, 1.0)
SHAPES = ((1, 2), (2, 2), (1, 4), (2, 3))
EXAMPLE = "2 4 . . / . . 8 16 / 4 2 . . / . . 16 8"
DRAWN = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 16 128 . ."
CRIMSON = "#CC3311"


def successors(board: int) -> dict[Action, list[tuple[int, float]]]:
    """Return each legal action's boards after one spawn, with their probabilities."""
    found = {}
    for action in legal_actions(board):
        after, _ = afterstate(board, action)
        empty = [cell for cell in range(16) if not after >> 4 * cell & 15]
        found[action] = [
            (after | exponent << 4 * cell, p / len(empty))
            for cell in empty
            for exponent, p in ((1, 0.9), (2, 0.1))
        ]
    return found


def counts_of(board: int) -> dict[str, int]:
    """Count what follows a board: the formula's terms, pairs of action and spawn, and states."""
    following = successors(board)
    m = n_empty(board)
    merges = sum(n_empty(afterstate(board, action)[0]) - m for action in following)
    return {
        "n_actions": len(following),
        "n_empty": m,
        "n_merges": merges,
        "formula": 2 * len(following) * m + merges,
        "n_pairs": sum(len(each) for each in following.values()),
        "n_states": len({after for each in following.values() for after, _ in each}),
    }


def boards_frame(seeds: Sequence[int]) -> pd.DataFrame:
    """Return one row a board of games by :data:`AGENT`: :func:`counts_of`, with its seed."""
    lines = [
        {"seed": seed, "n_moves": move.n_moves, **counts_of(move.board)}
        for seed in seeds
        for move in AGENT.moves(seed)
    ]
    return pd.DataFrame(lines)


def small_frame() -> pd.DataFrame:
    """Return the numbers of boards on which a player may have to move, on small boards."""
    return pd.DataFrame(
        [
            {
                "n_rows": rows,
                "n_columns": columns,
                "n_states": Small2048(rows, columns).mdp.n_states - 1,  # without the deal
                "bound": bound(rows * columns),
            }
            for rows, columns in SHAPES
        ]
    )


def bound(n_cells: int) -> int:
    """Return how many boards there are, reachable or not, up to the largest tile 2ⁿ⁺¹."""
    return int((n_cells + 2) ** n_cells)


def mean_over_games(frame: pd.DataFrame, values: pd.Series) -> Estimate:
    """Estimate the mean of a board, games counting alike: boards of one game are no sample."""
    return intervals.mean(values.groupby(frame["seed"]).mean().to_numpy(float))


def written(estimate: Estimate, form: str) -> str:
    """Write a number with its interval."""
    return f"{estimate.value:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"


def decision_tree_markdown(boards: pd.DataFrame, small: pd.DataFrame) -> str:
    """Write answers and tables as Markdown."""
    example = counts_of(parse(EXAMPLE))
    merging = boards[boards["n_merges"] > 0]
    exact = boards["formula"] == boards["n_pairs"]
    lacking = boards["n_pairs"] - boards["formula"]
    n = boards["seed"].nunique()
    found = (
        ("(action, spawn) pairs after a move", boards["n_pairs"], ".2f"),
        ("different states after a move", boards["n_states"], ".2f"),
        ("the formula, m before the move", boards["formula"], ".2f"),
        ("share of boards on which it is exact", exact, ".1%"),
        ("pairs that it lacks", lacking, ".2f"),
    )
    rows = [(what, written(mean_over_games(boards, values), form)) for what, values, form in found]
    sizes = [
        (f"{row['n_rows']} x {row['n_columns']}", f"{row['n_states']:,}", f"{row['bound']:,}")
        for row in small.to_dict("records")
    ]
    sizes.append(("4 x 4", "not known", f"{bound(16):.2e}"))
    return paper.document(
        "The number of states of 2048: Ripstein (2023), §2",
        f"On a board with eight free cells and four actions that merge nothing, "
        f"{example['n_pairs']} states follow ({example['n_states']} different ones), as the paper "
        f"says: `{EXAMPLE}`. In general the numbers of actions L, empty cells m and merges c give "
        "2·(L·m + c) pairs of an action and a spawn; the paper's 2·L·m + c lacks c of them, "
        "wherever something merges.",
        "## After one move",
        paper.markdown_table(["", f"mean over {n} games (95%)"], rows),
        f"All {len(boards):,} boards of {n} games by the Monte Carlo MDP agent, seeds "
        f"{boards['seed'].min()} to {boards['seed'].max()}; on {len(merging):,} of them an "
        "action merges tiles. Games count alike, and intervals are over games.",
        "## In the whole game",
        paper.markdown_table(
            ["board", "reachable states", "boards of all tiles up to the largest possible"], sizes
        ),
        "Reachable states: all boards on which it is the player's turn or the game is over, "
        "enumerated. On n cells no tile above 2ⁿ⁺¹ is possible, so there are (n + 2)ⁿ boards, "
        "reachable or not.",
    )


def draw_board(axes: Axes, x: float, y: float, board: int, colour: str) -> None:
    """Draw a small board with its middle left at a point."""
    size = 0.8
    frame = FancyBboxPatch(
        (x, y - size / 2), size, size, boxstyle="round,pad=0.03", ec=colour, fc="#FAFAFA", lw=2
    )
    axes.add_patch(frame)
    for (row, column), exponent in np.ndenumerate(unpack(board)):
        if exponent:
            place = x + (column + 0.5) * size / 4, y + size / 2 - (row + 0.5) * size / 4
            axes.text(*place, str(tile(int(exponent))), ha="center", va="center", fontsize=7)


@mpl.rc_context(paper.STYLE)
def decision_tree_figure() -> Figure:
    """Draw a board, its afterstates and the states after each spawn: the paper's Figure 2."""
    board = parse(DRAWN)
    following = successors(board)
    figure = Figure(figsize=(8.6, 9.4), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    n_states = sum(len(each) for each in following.values())
    heights = iter(np.arange(n_states, 0, -1.0))
    middle = (n_states + 1) / 2
    draw_board(axes, 0.0, middle, board, paper.BLACK)
    for action, spawns in following.items():
        after, reward = afterstate(board, action)
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
    axes.set_title("Figure 2 of Ripstein (2023) on a board with two legal actions")
    paper.caption(
        figure,
        "Left: the player is to move. Green: after an action, before the spawn; playouts of pure "
        "Monte Carlo begin here. Red: after a spawn, with its probability, 0.9/m for a 2 and 0.1/m "
        "for a 4 in each of the m empty cells; playouts of the MDP agent begin here.",
    )
    return figure


def decision_tree(of: paper.Paper) -> None:
    """Count, and write the results."""
    boards, small = boards_frame(of.seeds), small_frame()
    tables = {
        "boards": boards.groupby("seed").mean().reset_index().drop(columns="n_moves"),
        "small_boards": small,
    }
    figures = {"decision_tree": decision_tree_figure()}
    of.write("decision_tree", decision_tree_markdown(boards, small), tables, figures)


if __name__ == "__main__":
    paper.script(decision_tree, "decision_tree", 20)
