"""What an agent thinks of one board: its values, how sure it is of them, and what thinking costs.

The *standard error* of an action's value is the standard deviation of that value over repeated decisions,
each with a random stream of its own: how far the value of one decision is from the mean of many, for any
agent whatever its values are made of. Repeat k of the decision with stream s has the stream
``stream(s, agent.purpose, k)``, so that all figures but the times can be had again.
"""

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table
from rich.text import Text

from agents.agent import warm
from agents.parameters import Value
from agents.twenty48.agent import Agent2048, Decision
from engine.twenty48 import (
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
from study.errors import InputError
from study.experiments.objectives import format_seconds

FEWEST_REPEATS = 2
SECONDS_OF_REPEATS = 2.0

ARROWS = {Action.UP: "↑", Action.RIGHT: "→", Action.DOWN: "↓", Action.LEFT: "←"}


@dataclass(frozen=True)
class Thought:
    """A decision and its cost.

    Attributes
    ----------
    decision : Decision
        What the agent thinks and does.
    seconds : float
        CPU seconds of the deciding thread.
    """

    decision: Decision
    seconds: float


def think(agent: Agent2048, board: int, stream: int) -> Thought:
    """Decide on a board on which some action is legal, by a clock that starts warm."""
    warm(agent)
    began = time.thread_time()
    action, values, n_playout_moves = agent.decide(board, stream)
    seconds = time.thread_time() - began
    return Thought(Decision(Action(action), values, n_playout_moves), seconds)


@dataclass(frozen=True)
class Opinion:
    """What an agent thinks of one action.

    Attributes
    ----------
    action : Action
        Which.
    legal : bool
        Whether it moves a tile. If not, ``reward`` and ``n_empty`` are 0.
    reward : int
        Points that it wins at once.
    n_empty : int
        Cells that it leaves empty, before the spawn.
    value : float
        In the decision, in points from the board on; NaN where the agent gives none.
    standard_error : float
        The standard deviation of the value over the repeats, in points; NaN for fewer than two values.
    mean : float
        The mean of the value over the repeats.
    share_chosen : float
        The share of the repeats that chose it.
    """

    action: Action
    legal: bool
    reward: int
    n_empty: int
    value: float
    standard_error: float
    mean: float
    share_chosen: float


@dataclass(frozen=True)
class Mind:
    """What an agent thinks of a board.

    Attributes
    ----------
    board : int
        The packed board.
    stream : int
        The random stream of the decision.
    decision : Decision
        The decision with that stream.
    opinions : tuple of Opinion, shape (4,)
        By action: up, right, down, left.
    n_repeats : int
        How often the decision was repeated with other streams.
    seconds : float
        CPU seconds of a decision, the median over the repeats.
    """

    board: int
    stream: int
    decision: Decision
    opinions: tuple[Opinion, ...]
    n_repeats: int
    seconds: float

    @property
    def n_legal(self) -> int:
        """How many actions are legal."""
        return sum(opinion.legal for opinion in self.opinions)


def board_of(text: str) -> int:
    """Read a board to decide on.

    Raises
    ------
    InputError
        If it is no board, or has no tile, or no action is legal on it.
    """
    try:
        board = parse(text)
    except ValueError as error:
        raise InputError(str(error)) from None
    if not board:
        raise InputError("board: 16 empty cells given, a board with one tile at least allowed")
    if not legal_actions(board):
        rows = " / ".join(" ".join(row.split()) for row in render(board).splitlines())
        raise InputError(
            f"board: {rows} given, where the game is over; a board on which some action moves a "
            "tile allowed"
        )
    return board


def look(
    agent: Agent2048,
    board: int,
    stream_: int,
    n_repeats: int,
    clock: Callable[[], float] = time.monotonic,
) -> Mind:
    """Have an agent decide on a board, once with a given stream and then again and again with others.

    Parameters
    ----------
    agent : Agent2048
        Who decides.
    board : int
        A packed board on which some action is legal.
    stream_ : int
        The random stream of the decision.
    n_repeats : int
        How often at most, two at least, to repeat it; no more are begun after two seconds.
    clock : callable
        Returns the time in seconds.
    """
    decision = think(agent, board, stream_).decision
    values, actions, seconds = [], [], []
    began = clock()
    for k in range(n_repeats):
        if k >= FEWEST_REPEATS and clock() - began > SECONDS_OF_REPEATS:
            break
        thought = think(agent, board, stream(stream_, agent.purpose, k))
        values.append(thought.decision.values)
        actions.append(thought.decision.action)
        seconds.append(thought.seconds)
    repeated = np.array(values)
    legal = legal_actions(board)
    opinions = []
    for action in Action:
        after, reward = afterstate(board, action, agent.rule)
        mean, deviation = moments(repeated[:, action])
        opinions.append(
            Opinion(
                action=action,
                legal=action in legal,
                reward=reward,
                n_empty=n_empty(after) if action in legal else 0,
                value=float(decision.values[action]),
                standard_error=deviation,
                mean=mean,
                share_chosen=actions.count(action) / len(actions),
            )
        )
    median = statistics.median(seconds)
    return Mind(board, stream_, decision, tuple(opinions), len(actions), median)


def moments(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation of the values there are; NaN where there are too few."""
    values = values[np.isfinite(values)]
    mean = float(values.mean()) if len(values) else math.nan
    return mean, float(values.std(ddof=1)) if len(values) > 1 else math.nan


def points(value: float) -> str:
    """Write points for people; ``-`` for what is not known."""
    return f"{value:,.1f}" if math.isfinite(value) else "-"


def mind_table(mind: Mind) -> Table:
    """Lay out the four actions; those that are illegal are dim."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("action")
    for title in ("reward", "empty cells", "value", "standard error", "mean of repeats", "chosen"):
        table.add_column(title, justify="right")
    for opinion in mind.opinions:
        chosen = opinion.action == mind.decision.action
        name = f"{ARROWS[opinion.action]} {opinion.action.name.lower()}"
        cells = ["-"] * 6
        if opinion.legal:
            cells = [
                f"{opinion.reward:,}",
                f"{opinion.n_empty}",
                points(opinion.value),
                points(opinion.standard_error),
                points(opinion.mean),
                f"{opinion.share_chosen:.1%}",
            ]
        style = "bold" if chosen else "" if opinion.legal else "dim"
        table.add_row(name, *cells, style=style)
    return table


def mind_for_people(mind: Mind) -> Text:
    """Say in lines of text what was decided, at which cost, and what the columns are."""
    chosen = mind.decision.action
    lines = [
        f"choice        {ARROWS[chosen]} {chosen.name.lower()} (stream {mind.stream})",
        f"a decision    {format_seconds(mind.seconds)} of CPU (median of {mind.n_repeats} repeats, warm)"
        f", {mind.decision.n_playout_moves:,} playout moves",
    ]
    if mind.n_legal == 1:
        lines.append(
            "              a single action is legal: there is nothing to decide, and values say nothing"
        )
    elif not np.isfinite(mind.decision.values).any():
        lines.append("              this agent gives actions no values")
    else:
        lines += [
            "values        points from this board on, in the decision with that stream",
            "              standard error: the standard deviation of the value over the repeats,",
            "              which are the same decision with other streams; chosen: the share of them",
        ]
    return Text("\n".join(lines))


def answer_of(mind: Mind, name: str, params: Mapping[str, Value]) -> dict[str, Any]:
    """Return what ``act --json`` prints; what is not known is null."""

    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "agent": name,
        "params": dict(params),
        "board": [[tile(int(exponent)) for exponent in row] for row in unpack(mind.board)],
        "stream": mind.stream,
        "choice": mind.decision.action.name.lower(),
        "n_legal_actions": mind.n_legal,
        "n_playout_moves": mind.decision.n_playout_moves,
        "n_repeats": mind.n_repeats,
        "cpu_seconds_median": mind.seconds,
        "actions": [
            {
                "action": opinion.action.name.lower(),
                "legal": opinion.legal,
                "reward_points": opinion.reward if opinion.legal else None,
                "n_empty": opinion.n_empty if opinion.legal else None,
                "value_points": known(opinion.value),
                "standard_error_points": known(opinion.standard_error),
                "mean_of_repeats_points": known(opinion.mean),
                "share_chosen": opinion.share_chosen,
            }
            for opinion in mind.opinions
        ],
    }
