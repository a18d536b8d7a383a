"""One decision inspected: the value of each action, its standard error, and the cost of deciding.

The *standard error* of an action's value is the standard deviation of that value over repeated
decisions with different random streams. This definition is valid for any agent, however the agent
computes values. If the decision has stream s, repeat k has the stream ``stream(s, agent.purpose,
k)``. So all numbers except the times are reproducible.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from thetafront.agents.agent import warm
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Agent2048, Decision2048
from thetafront.engine.twenty48 import (
    Action,
    afterstate,
    legal_actions,
    n_empty,
    parse,
    render,
    stream,
    tile,
    unpack,
)
from thetafront.study.errors import InputError
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.experiments.play_summary import finite

MIN_REPEATS = 2
SECONDS_OF_REPEATS = 2.0

ARROWS = {Action.UP: "↑", Action.RIGHT: "→", Action.DOWN: "↓", Action.LEFT: "←"}


@dataclass(frozen=True)
class TimedDecision:
    """A decision, and the CPU seconds of the deciding thread."""

    decision: Decision2048
    seconds: float


def decide(agent: Agent2048, board: int, stream: int) -> TimedDecision:
    """Decide on a board with a legal action, and measure the time without compilation."""
    warm(agent)
    began = time.thread_time()
    action, values, n_playout_moves = agent.decide(board, stream)
    seconds = time.thread_time() - began
    return TimedDecision(Decision2048(Action(action), values, n_playout_moves), seconds)


@dataclass(frozen=True)
class ActionValue:
    """What an agent computes for one action; None for what it does not compute."""

    action: str  # its name, in lower case
    legal: bool  # whether it moves a tile
    reward_points: int | None  # points that it gains at once; None if it is illegal
    n_empty: int | None  # cells that it leaves empty, before the spawn; None if it is illegal
    # Its value in the decision: points to be gained from this board on, or a heuristic's value.
    value: float | None
    # The standard deviation of the value over the repeats; None for fewer than two values.
    standard_error: float | None
    mean_of_repeats: float | None  # the mean of the value over the repeats
    share_chosen: float  # the share of the repeats that chose this action


@dataclass(frozen=True)
class Inspection:
    """A decision on a board and its repeats."""

    board: int  # packed
    stream: int  # the random stream of the decision
    decision: Decision2048  # the decision with that stream
    actions: tuple[ActionValue, ...]  # (4,): by action: up, right, down, left
    n_repeats: int  # how often the decision was repeated with other streams
    seconds: float  # CPU seconds of a decision, the median over the repeats

    @property
    def n_legal(self) -> int:
        """How many actions are legal."""
        return sum(each.legal for each in self.actions)


def parse_board(text: str) -> int:
    """Parse a board to decide on; InputError if it is invalid or empty, or if the game is over."""
    try:
        board = parse(text)
    except ValueError as error:
        raise InputError(str(error)) from None
    if not board:
        raise InputError("board must have at least one tile (got 16 empty cells)")
    if not legal_actions(board):
        rows = " / ".join(" ".join(row.split()) for row in render(board).splitlines())
        raise InputError(f"board must have a legal action (got {rows}, where the game is over)")
    return board


def inspect(
    agent: Agent2048,
    board: int,
    stream_: int,
    n_repeats: int,
    clock: Callable[[], float] = time.monotonic,
) -> Inspection:
    """Have an agent decide on a board with a given stream, then repeatedly with other streams.

    On the packed ``board``, some action must be legal. There are at least two repeats, and at most
    ``n_repeats``; after two seconds by the clock, no new repeat begins.
    """
    decision = decide(agent, board, stream_).decision
    repeats: list[TimedDecision] = []
    began = clock()
    for k in range(n_repeats):
        if k >= MIN_REPEATS and clock() - began > SECONDS_OF_REPEATS:
            break
        repeats.append(decide(agent, board, stream(stream_, agent.purpose, k)))
    values = np.array([each.decision.values for each in repeats])
    chosen = [each.decision.action for each in repeats]
    legal = legal_actions(board)
    actions = []
    for action in Action:
        after, reward = afterstate(board, action, agent.rule)
        is_legal = action in legal
        known = values[np.isfinite(values[:, action]), action]
        actions.append(
            ActionValue(
                action=action.name.lower(),
                legal=is_legal,
                reward_points=reward if is_legal else None,
                n_empty=n_empty(after) if is_legal else None,
                value=finite(float(decision.values[action])),
                standard_error=float(known.std(ddof=1)) if len(known) > 1 else None,
                mean_of_repeats=float(known.mean()) if len(known) else None,
                share_chosen=chosen.count(action) / len(chosen),
            )
        )
    seconds = statistics.median(each.seconds for each in repeats)
    return Inspection(board, stream_, decision, tuple(actions), len(repeats), seconds)


def tenths(value: float | None) -> str:
    """Write a value to one digit after the point; ``-`` for None."""
    return "-" if value is None else f"{value:,.1f}"


def inspection_table(found: Inspection) -> Table:
    """Lay out the four actions: the chosen action is bold, and illegal actions are dim."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("action")
    for title in ("reward", "empty cells", "value", "standard error", "mean of repeats", "chosen"):
        table.add_column(title, justify="right")
    for action, each in zip(Action, found.actions, strict=True):
        cells = ["-"] * 6
        if each.legal:
            cells = [
                f"{each.reward_points:,}",
                f"{each.n_empty}",
                tenths(each.value),
                tenths(each.standard_error),
                tenths(each.mean_of_repeats),
                f"{each.share_chosen:.1%}",
            ]
        style = "bold" if action == found.decision.action else "" if each.legal else "dim"
        table.add_row(f"{ARROWS[action]} {each.action}", *cells, style=style)
    return table


def inspection_text(found: Inspection) -> str:
    """Return the choice, its cost and the meaning of the columns as lines of text."""
    chosen = found.decision.action
    lines = [
        f"choice        {ARROWS[chosen]} {chosen.name.lower()} (stream {found.stream})",
        f"a decision    {format_seconds(found.seconds)} of CPU (median of {found.n_repeats} "
        f"repeats, warm), {found.decision.n_playout_moves:,} playout moves",
    ]
    if found.n_legal == 1:
        lines.append("              only one action is legal, so there is nothing to decide")
    elif not np.isfinite(found.decision.values).any():
        lines.append("              this agent assigns no values to actions")
    else:
        lines += [
            f"value         the value by which the decision (stream {found.stream}) ranked the",
            "              action: points from this board on, or for expectimax, the value of its",
            "              heuristic",
            "              standard error: the value's standard deviation over repeats of the",
            "              decision with other streams; chosen: the share of repeats that",
            "              chose this action",
        ]
    return "\n".join(lines)


def inspection_json(found: Inspection, name: str, params: Mapping[str, Value]) -> dict[str, Any]:
    """Return what ``act --json`` prints."""
    return {
        "agent": name,
        "params": dict(params),
        "board": [[tile(int(exponent)) for exponent in row] for row in unpack(found.board)],
        "stream": found.stream,
        "choice": found.decision.action.name.lower(),
        "n_legal_actions": found.n_legal,
        "n_playout_moves": found.decision.n_playout_moves,
        "n_repeats": found.n_repeats,
        "cpu_seconds_median": found.seconds,
        "actions": [asdict(each) for each in found.actions],
    }
