"""A schedule of playouts as a table, and how often real games use each of its rows.

Notation
--------
============  ======================================================================================
e             cells that an action leaves empty, 1 to 15; each of them has two nodes, one for a
              spawned 2 and one for a spawned 4
n₂(e)         playouts from a node for a spawned 2: see :mod:`agents.twenty48.schedule`
n₄(e)         playouts from a node for a spawned 4
M, P          moves of a game, and playouts of all its decisions
R             playouts per move: ΣP/ΣM over n games
============  ======================================================================================

An action is *evaluated* if it is legal and not the only legal one: a single legal action is taken
without playouts. Evaluating an action that leaves e cells empty takes e·(n₂(e) + n₄(e)) playouts,
whatever the random numbers are. So the number of playouts of a game follows from its boards.

Moves of one game are correlated, so the standard error of R is computed over games:
√(n/(n − 1) · Σ (P − R·M)²) / ΣM (Cochran, *Sampling Techniques*, 1977, ch. 6).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.table import Table

from thetafront.agents.catalog import AGENTS
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Agent2048
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


def schedule_frame(schedule: Schedule) -> pd.DataFrame:
    """Return how many playouts a node and an action take, one row per number of empty cells."""
    frame = pd.DataFrame(
        {
            "n_empty": np.arange(1, MAX_EMPTY + 1),
            "playouts_of_a_node_of_2": schedule.n_twos,
            "playouts_of_a_node_of_4": schedule.n_fours,
        }
    )
    of_both = frame["playouts_of_a_node_of_2"] + frame["playouts_of_a_node_of_4"]
    return frame.assign(playouts_of_an_action=frame["n_empty"] * of_both)


class GameEvaluations(NamedTuple):
    """The actions that an agent evaluated in one game."""

    n_moves: int  # moves of the game, including those with a single legal action
    n_playout_moves: int  # actions taken inside playouts
    n_evaluations: tuple[int, ...]  # (15,): how many of the actions leave 1, …, 15 cells empty


def evaluations_in_game(agent: Agent2048, seed: int) -> GameEvaluations:
    """Play the game of a seed, and count the evaluated actions."""
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


@dataclass(frozen=True)
class Use:
    """How games use a schedule."""

    n_games: int
    n_moves: int  # of all games together
    # The rows of `schedule_frame`, with evaluated actions and playouts, both per move.
    rows: pd.DataFrame
    playouts_per_move: float  # sum over the rows
    playouts_sem: float  # its standard error, over games; NaN for a single game
    playout_moves_per_move: float  # actions inside playouts

    @classmethod
    def from_games(cls, schedule: Schedule, games: Sequence[GameEvaluations]) -> "Use":
        """Compute the use from one or more games."""
        by_game = zip(*games, strict=True)
        n_moves, n_playout_moves, counts = (np.array(each, np.float64) for each in by_game)
        frame = schedule_frame(schedule)
        per_evaluation = frame["playouts_of_an_action"].to_numpy()
        evaluations = counts.sum(axis=0) / n_moves.sum()
        playouts = evaluations * per_evaluation
        ratio, sem = float(playouts.sum()), math.nan
        if (n := len(games)) > 1:
            deviations = counts @ per_evaluation - ratio * n_moves
            sem = math.sqrt(n / (n - 1) * float(deviations @ deviations)) / float(n_moves.sum())
        return cls(
            n,
            int(n_moves.sum()),
            frame.assign(evaluations_per_move=evaluations, playouts_per_move=playouts),
            ratio,
            sem,
            float(n_playout_moves.sum() / n_moves.sum()),
        )


def schedule_table(schedule: Schedule, use: Use | None) -> Table:
    """Lay out the schedule by empty cells and, if there are games, how they use it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2), show_footer=use is not None)
    table.add_column("empty cells", "per move", justify="right")
    for of in ("after\na spawned 2", "after\na spawned 4", "of\nthe action"):
        table.add_column(f"playouts {of}", justify="right")
    formats = ["{:d}", "{:,d}", "{:,d}", "{:,d}"]
    frame = schedule_frame(schedule) if use is None else use.rows
    if use is not None:
        evaluations = f"{use.rows['evaluations_per_move'].sum():.3f}"
        table.add_column("actions evaluated\nper move", evaluations, justify="right")
        table.add_column("playouts\nper move", f"{use.playouts_per_move:,.1f}", justify="right")
        table.add_column("share of\nplayouts", justify="right")
        formats += ["{:.3f}", "{:,.1f}", "{:.1%}" if use.playouts_per_move else "-"]
        frame = frame.assign(share=frame["playouts_per_move"] / (use.playouts_per_move or 1.0))
    for row in frame.itertuples(index=False):
        table.add_row(*(form.format(each) for form, each in zip(formats, row, strict=True)))
    return table


def use_text(use: Use) -> str:
    """Say in lines of text how games use the schedule."""
    half = f"{Z95 * use.playouts_sem:,.1f}" if math.isfinite(use.playouts_sem) else "?"
    return (
        f"per move      {use.playouts_per_move:,.1f} ± {half} playouts (95% interval over "
        f"{counted(use.n_games, 'game')}, {counted(use.n_moves, 'move')})\n"
        f"              {use.playout_moves_per_move:,.0f} playout moves\n"
        "              the only legal action is taken without playouts, and not evaluated"
    )


def schedule_json(
    name: str, params: Mapping[str, Value], schedule: Schedule, use: Use | None, seed: int
) -> dict[str, Any]:
    """Return what ``schedule --json`` prints."""
    frame = schedule_frame(schedule) if use is None else use.rows
    games = use and {
        "n_games": use.n_games,
        "first_seed": seed,
        "n_moves": use.n_moves,
        "playouts_per_move": {
            "mean": use.playouts_per_move,
            "sem": use.playouts_sem if math.isfinite(use.playouts_sem) else None,
        },
        "playout_moves_per_move": use.playout_moves_per_move,
    }
    rows = frame.to_dict("records")
    return {"agent": name, "params": dict(params), "rows": rows, "games": games}
