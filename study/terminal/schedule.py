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
from typing import Any, NamedTuple

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
from thetafront.study.estimate import Z95
from thetafront.study.text import counted

MAX_EMPTY = 15


def get_schedule(name: str, agent: Agent2048) -> Schedule:
    """Return an agent's schedule; InputError if it has none."""
    schedule = getattr(agent, "schedule", None)
    if not isinstance(schedule, Schedule):
        allowed = [each for each, make in AGENTS.items() if hasattr(make(), "schedule")]
        raise InputError(f"agent must have a schedule: one of {', '.join(allowed)} (got {name!r})")
    return schedule


def follows_schedule(agent: Agent2048) -> bool:
    """Return whether every decision follows the schedule, so that playouts can be counted."""
    return isinstance(agent, MonteCarloMDP)


def playouts_per_evaluation(schedule: Schedule) -> npt.NDArray[np.int64]:
    """Return the playouts of an action that leaves 1 to 15 cells empty, shape (15,)."""
    empty = np.arange(1, MAX_EMPTY + 1)
    each: npt.NDArray[np.int64] = np.array(schedule.n_twos) + np.array(schedule.n_fours)
    return empty * each


class GameEvaluations(NamedTuple):
    """The actions that an agent evaluated in one game."""

    n_moves: int  # moves of the game, including those with a single legal action
    n_playout_moves: int  # actions taken inside playouts
    n_evaluations: tuple[int, ...]  # (15,): how many of the actions leave 1, …, 15 cells empty


def evaluations_in_game(agent: Agent2048, seed: int) -> GameEvaluations:
    """Play the game of a seed, and count the actions evaluated."""
    n_evaluations = [0] * MAX_EMPTY
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


class Use:
    """How games use a schedule.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    games : sequence of GameEvaluations
        At least one.

    Attributes
    ----------
    n_games, n_moves : int
        Number of games, and of their moves together.
    evaluations, playouts : float64, shape (15,)
        Actions evaluated per move, and playouts per move, by the cells that actions leave empty.
    playouts_per_move, playouts_sem : float
        Their sum, and its standard error over games; NaN for a single game.
    playout_moves_per_move : float
        Actions inside playouts per move.
    """

    def __init__(self, schedule: Schedule, games: Sequence[GameEvaluations]) -> None:
        by_game = zip(*games, strict=True)
        n_moves, n_playout_moves, counts = (np.array(each, np.float64) for each in by_game)
        per_evaluation = playouts_per_evaluation(schedule)
        self.n_games, self.n_moves = len(games), int(n_moves.sum())
        self.evaluations = counts.sum(axis=0) / n_moves.sum()
        self.playouts = self.evaluations * per_evaluation
        self.playouts_per_move = float(self.playouts.sum())
        self.playout_moves_per_move = float(n_playout_moves.sum() / n_moves.sum())
        self.playouts_sem = math.nan
        if (n := len(games)) > 1:
            deviations = counts @ per_evaluation - self.playouts_per_move * n_moves
            self.playouts_sem = math.sqrt(n / (n - 1) * float(deviations @ deviations))
            self.playouts_sem /= self.n_moves


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
    half = f"{Z95 * use.playouts_sem:,.1f}" if math.isfinite(use.playouts_sem) else "?"
    return (
        f"per move      {use.playouts_per_move:,.1f} ± {half} playouts (95% interval over "
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
