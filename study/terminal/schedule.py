"""A schedule of playouts as a table, and how real games use it.

Notation
--------
============  ======================================================================================
e             cells that an action leaves empty, 1 to 15; the action has 2e nodes
n₂(e), n₄(e)  playouts of a node of a 2, of a node of a 4: see :mod:`agents.twenty48.schedule`
M, P          moves of a game, and playouts of all its decisions; R is ΣP/ΣM, over n games
============  ======================================================================================

An action is *evaluated* where it is legal and not the only one: a single legal action is taken
without playouts. Evaluating an action that leaves e cells empty takes e·(n₂(e) + n₄(e)) playouts,
whatever the random numbers are; so the playouts of a game follow from its boards.

Playouts per move are R, over the moves of all games. Moves of one game are correlated, so the
standard error of this ratio is over games: √(n/(n − 1) · Σ (P − R·M)²) / ΣM (Cochran, *Sampling
Techniques*, 1977, ch. 6).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table

from thetafront.agents.catalog import AGENTS
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.schedule import Schedule
from thetafront.engine.twenty48 import afterstate, legal_actions, n_empty
from thetafront.study.errors import InputError
from thetafront.study.text import counted

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
    """Tell whether every decision follows the schedule, so that playouts can be counted."""
    return isinstance(agent, MonteCarloMDP)


def playouts_per_evaluation(schedule: Schedule) -> npt.NDArray[np.int64]:
    """Return the playouts of an action that leaves 1 to 15 cells empty, shape (15,)."""
    empty = np.arange(1, MOST_EMPTY + 1)
    each: npt.NDArray[np.int64] = np.array(schedule.n_twos) + np.array(schedule.n_fours)
    return empty * each


@dataclass(frozen=True)
class GameEvaluations:
    """The actions that an agent evaluated in one game.

    Attributes
    ----------
    n_moves : int
        Moves of the game, including those with a single legal action.
    n_playout_moves : int
        Actions taken inside playouts.
    n_evaluations : tuple of int, shape (15,)
        How many of the actions leave 1, …, 15 cells empty.
    """

    n_moves: int
    n_playout_moves: int
    n_evaluations: tuple[int, ...]


def evaluations_in_game(agent: Agent2048, seed: int) -> GameEvaluations:
    """Play the game of a seed, and count the actions evaluated."""
    n_evaluations = [0] * MOST_EMPTY
    n_moves = n_playout_moves = 0
    for move in agent.moves(seed):
        n_moves += 1
        n_playout_moves += move.decision.n_playout_moves
        legal = legal_actions(move.board)
        if len(legal) > 1:
            for action in legal:
                after, _ = afterstate(move.board, action, agent.rule)
                n_evaluations[n_empty(after) - 1] += 1
    return GameEvaluations(n_moves, n_playout_moves, tuple(n_evaluations))


@dataclass(frozen=True)
class Use:
    """How games use a schedule.

    Attributes
    ----------
    n_games, n_moves : int
        Number of games, and of their moves together.
    evaluations : float64, shape (15,)
        Actions evaluated per move, by the cells they leave empty.
    playouts : float64, shape (15,)
        Playouts per move, likewise.
    playouts_per_move : float
        Their sum.
    playouts_sem : float
        Its standard error over games; NaN for a single game.
    playout_moves_per_move : float
        Actions inside playouts per move.
    """

    n_games: int
    n_moves: int
    evaluations: npt.NDArray[np.float64]
    playouts: npt.NDArray[np.float64]
    playouts_per_move: float
    playouts_sem: float
    playout_moves_per_move: float


def use_of(schedule: Schedule, games: Sequence[GameEvaluations]) -> Use:
    """Summarize some games; there must be one at least."""
    n = len(games)
    n_moves = np.array([game.n_moves for game in games], np.float64)
    n_evaluations = np.array([game.n_evaluations for game in games], np.float64)
    evaluations = n_evaluations.sum(axis=0) / n_moves.sum()
    playouts = evaluations * playouts_per_evaluation(schedule)
    ratio = float(playouts.sum())
    deviations = n_evaluations @ playouts_per_evaluation(schedule) - ratio * n_moves
    sem = math.nan
    if n > 1:
        sem = math.sqrt(n / (n - 1) * float((deviations**2).sum())) / float(n_moves.sum())
    return Use(
        n_games=n,
        n_moves=int(n_moves.sum()),
        evaluations=evaluations,
        playouts=playouts,
        playouts_per_move=ratio,
        playouts_sem=sem,
        playout_moves_per_move=sum(game.n_playout_moves for game in games) / float(n_moves.sum()),
    )


def schedule_table(schedule: Schedule, use: Use | None) -> Table:
    """Lay the schedule out by empty cells, with its use where there are games."""
    table = Table(box=None, pad_edge=False, padding=(0, 2), show_footer=use is not None)
    table.add_column("empty cells", "per move", justify="right")
    for of in ("a node of a 2", "a node of a 4", "the action"):
        table.add_column(f"playouts of\n{of}", justify="right")
    if use is not None:
        evaluations = f"{use.evaluations.sum():.3f}"
        table.add_column("actions evaluated\nper move", evaluations, justify="right")
        table.add_column("playouts\nper move", f"{use.playouts_per_move:,.1f}", justify="right")
        table.add_column("share of\nplayouts", justify="right")
    for row, in_all in enumerate(playouts_per_evaluation(schedule)):
        cells = [f"{schedule.n_twos[row]:,}", f"{schedule.n_fours[row]:,}", f"{in_all:,}"]
        if use is not None:
            playouts = float(use.playouts[row])
            share = f"{playouts / use.playouts_per_move:.1%}" if use.playouts_per_move else "-"
            cells += [f"{use.evaluations[row]:.3f}", f"{playouts:,.1f}", share]
        table.add_row(str(row + 1), *cells)
    return table


def use_text(use: Use) -> str:
    """Say in lines of text how games use the schedule."""
    error = f"{use.playouts_sem:,.1f}" if math.isfinite(use.playouts_sem) else "?"
    return (
        f"per move      {use.playouts_per_move:,.1f} ± {error} playouts (standard error over "
        f"{counted(use.n_games, 'game')}, {counted(use.n_moves, 'move')})\n"
        f"              {use.playout_moves_per_move:,.0f} playout moves\n"
        "              a single legal action is taken without playouts, and is not evaluated"
    )


def schedule_json(
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
        for row, in_all in enumerate(playouts_per_evaluation(schedule))
    ]
    games = None
    if use is not None:
        for row, evaluations, playouts in zip(rows, use.evaluations, use.playouts, strict=True):
            row.update(evaluations_per_move=float(evaluations), playouts_per_move=float(playouts))
        games = {
            "n_games": use.n_games,
            "first_seed": seed,
            "n_moves": use.n_moves,
            "playouts_per_move": {
                "mean": use.playouts_per_move,
                "sem": use.playouts_sem if math.isfinite(use.playouts_sem) else None,
            },
            "playout_moves_per_move": use.playout_moves_per_move,
        }
    return {"agent": name, "params": dict(params), "rows": rows, "games": games}
