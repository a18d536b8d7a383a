"""A schedule of playouts as a table, and how real games use it.

Notation
--------
============  ======================================================================================
e             cells that an action leaves empty, 1 to 15; the action has 2e nodes
n₂(e), n₄(e)  playouts of a node of a 2, of a node of a 4: see :mod:`agents.twenty48.schedule`
M, P          moves of a game, and playouts of all its decisions; R is ΣP/ΣM, over n games
============  ======================================================================================

An action is *looked at* where it is legal and not the only one: a single legal action is taken without
playouts. Looking at an action that leaves e cells empty takes e·(n₂(e) + n₄(e)) playouts, whatever the
random numbers are; so the playouts of a game follow from its boards.

Playouts a move are R, over all moves of the games as in all figures of this kind here. Moves of one game
are alike, so games are what counts for the standard error of this ratio: √(n/(n − 1) · Σ (P − R·M)²) / ΣM
(Cochran, *Sampling Techniques*, 1977, ch. 6).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table

from agents.catalog import AGENTS
from agents.parameters import Value
from agents.twenty48.agent import Agent2048
from agents.twenty48.mcmdp import MonteCarloMDP
from agents.twenty48.schedule import Schedule
from engine.twenty48 import afterstate, legal_actions, n_empty
from study.errors import InputError
from study.text import counted

MOST_EMPTY = 15


def schedule_of(name: str, agent: Agent2048) -> Schedule:
    """Return an agent's schedule; InputError if it has none."""
    schedule = getattr(agent, "schedule", None)
    if not isinstance(schedule, Schedule):
        allowed = [each for each, make in AGENTS.items() if hasattr(make(), "schedule")]
        raise InputError(
            f"agent: {name!r} given, which has no schedule; one of {', '.join(allowed)} allowed"
        )
    return schedule


def follows_schedule(agent: Agent2048) -> bool:
    """Tell whether every decision of an agent follows its schedule, so that its playouts can be counted."""
    return isinstance(agent, MonteCarloMDP)


def playouts_per_look(schedule: Schedule) -> npt.NDArray[np.int64]:
    """Return the playouts of an action with 1 to 15 empty cells, all its nodes together, shape (15,)."""
    empty = np.arange(1, MOST_EMPTY + 1)
    each: npt.NDArray[np.int64] = np.array(schedule.n_twos) + np.array(schedule.n_fours)
    return empty * each


@dataclass(frozen=True)
class GameLooks:
    """What an agent looked at in one game.

    Attributes
    ----------
    n_moves : int
        Moves of the game, those with a single legal action among them.
    n_playout_moves : int
        Actions taken inside playouts.
    n_looks : tuple of int, shape (15,)
        How often it looked at an action that leaves 1, …, 15 cells empty.
    """

    n_moves: int
    n_playout_moves: int
    n_looks: tuple[int, ...]


def looks_of_game(agent: Agent2048, seed: int) -> GameLooks:
    """Play the game of a seed, and count what was looked at."""
    n_looks = [0] * MOST_EMPTY
    n_moves = n_playout_moves = 0
    for move in agent.moves(seed):
        n_moves += 1
        n_playout_moves += move.decision.n_playout_moves
        legal = legal_actions(move.board)
        if len(legal) > 1:
            for action in legal:
                after, _ = afterstate(move.board, action, agent.rule)
                n_looks[n_empty(after) - 1] += 1
    return GameLooks(n_moves, n_playout_moves, tuple(n_looks))


@dataclass(frozen=True)
class Use:
    """How games use a schedule.

    Attributes
    ----------
    n_games, n_moves : int
        How many, and their moves together.
    looks_per_move : float64, shape (15,)
        Actions looked at a move, by the cells they leave empty.
    playouts_by_row : float64, shape (15,)
        Playouts a move, likewise.
    playouts_per_move : float
        Their sum.
    playouts_sem : float
        Its standard error over games; NaN for a single game.
    playout_moves_per_move : float
        Actions inside playouts a move.
    """

    n_games: int
    n_moves: int
    looks_per_move: npt.NDArray[np.float64]
    playouts_by_row: npt.NDArray[np.float64]
    playouts_per_move: float
    playouts_sem: float
    playout_moves_per_move: float


def use_of(schedule: Schedule, games: Sequence[GameLooks]) -> Use:
    """Sum up what was looked at in some games; there must be one at least."""
    n = len(games)
    n_moves = np.array([game.n_moves for game in games], np.float64)
    n_looks = np.array([game.n_looks for game in games], np.float64)
    looks_per_move = n_looks.sum(axis=0) / n_moves.sum()
    by_row = looks_per_move * playouts_per_look(schedule)
    ratio = float(by_row.sum())
    deviations = n_looks @ playouts_per_look(schedule) - ratio * n_moves
    sem = math.nan
    if n > 1:
        sem = math.sqrt(n / (n - 1) * float((deviations**2).sum())) / float(n_moves.sum())
    return Use(
        n_games=n,
        n_moves=int(n_moves.sum()),
        looks_per_move=looks_per_move,
        playouts_by_row=by_row,
        playouts_per_move=ratio,
        playouts_sem=sem,
        playout_moves_per_move=sum(game.n_playout_moves for game in games) / float(n_moves.sum()),
    )


def schedule_table(schedule: Schedule, use: Use | None) -> Table:
    """Lay the schedule out by empty cells, with its use in games where there are any."""
    table = Table(box=None, pad_edge=False, padding=(0, 2), show_footer=use is not None)
    table.add_column("empty cells", "a move", justify="right")
    table.add_column("playouts of\na node of a 2", justify="right")
    table.add_column("playouts of\na node of a 4", justify="right")
    table.add_column("playouts of\nthe action", justify="right")
    if use is not None:
        looks = f"{use.looks_per_move.sum():.3f}"
        table.add_column("actions looked\nat, a move", looks, justify="right")
        total = f"{use.playouts_per_move:,.1f}"
        table.add_column("playouts\na move", total, justify="right")
        table.add_column("share of\nplayouts", justify="right")
    for row, in_all in enumerate(playouts_per_look(schedule)):
        cells = [f"{schedule.n_twos[row]:,}", f"{schedule.n_fours[row]:,}", f"{in_all:,}"]
        if use is not None:
            cells += [
                f"{use.looks_per_move[row]:.3f}",
                f"{use.playouts_by_row[row]:,.1f}",
                share(float(use.playouts_by_row[row]), use.playouts_per_move),
            ]
        table.add_row(str(row + 1), *cells)
    return table


def share(part: float, whole: float) -> str:
    """Write a share in percent; ``-`` of nothing."""
    return f"{part / whole:.1%}" if whole else "-"


def use_for_people(use: Use) -> str:
    """Say in lines of text how games use the schedule."""
    error = f"{use.playouts_sem:,.1f}" if math.isfinite(use.playouts_sem) else "?"
    return (
        f"a move        {use.playouts_per_move:,.1f} ± {error} playouts (standard error over "
        f"{counted(use.n_games, 'game')}, {counted(use.n_moves, 'move')})\n"
        f"              {use.playout_moves_per_move:,.0f} playout moves\n"
        "              a single legal action is taken without playouts, and counts as none"
    )


def answer_of(
    name: str, params: Mapping[str, Value], schedule: Schedule, use: Use | None, seed: int
) -> dict[str, Any]:
    """Return what ``schedule --json`` prints."""
    rows: list[dict[str, Any]] = [
        {
            "n_empty": row + 1,
            "playouts_of_a_node_of_2": schedule.n_twos[row],
            "playouts_of_a_node_of_4": schedule.n_fours[row],
            "playouts_of_an_action": int(in_all),
        }
        for row, in_all in enumerate(playouts_per_look(schedule))
    ]
    answer: dict[str, Any] = {
        "agent": name,
        "params": dict(params),
        "rows": rows,
        "games": None,
    }
    if use is not None:
        for row, looks, playouts in zip(rows, use.looks_per_move, use.playouts_by_row, strict=True):
            row.update(looks_per_move=float(looks), playouts_per_move=float(playouts))
        answer["games"] = {
            "n_games": use.n_games,
            "first_seed": seed,
            "n_moves": use.n_moves,
            "playouts_per_move": {
                "mean": use.playouts_per_move,
                "sem": use.playouts_sem if math.isfinite(use.playouts_sem) else None,
            },
            "playout_moves_per_move": use.playout_moves_per_move,
        }
    return answer
