"""The Monte Carlo MDP agent with expectimax on crowded boards.

If every legal action leaves at most k cells empty, the agent decides by expectimax to depth d
(:mod:`agents.twenty48.playout_expectimax`), with a separate number of playouts. On other boards it
decides like the plain agent (:mod:`agents.twenty48.expectation`).

Source: Ripstein (2023), §5.2, "Dynamic policy switching". The author did not try this idea. Our
readings:

- The source says "few tiles on the board", but its reason is that few *open* cells leave few states
  to search. So we read it as few open cells.
- All actions of a decision are searched to the same depth. Values of different depths cannot be
  compared, because each further level replaces random play by a maximum. So the agent switches only
  if the action that leaves the most cells empty leaves at most k.
- "Its own number of playouts" is one number for the whole decision. It is divided among the leaves,
  of which there may be twenty or twenty thousand. So this number determines the cost of a decision,
  whatever k and d are. Each leaf gets at least one playout. A leaf to which only spawned 4s lead
  gets 1/θ₅ of the playouts of any other leaf, like a node after a 4 in the plain agent.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.parameters import Tuned, flag, integer, real
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.agents.twenty48.expectation import ExpectationSettings, decide_by_expectation
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.agents.twenty48.playout_expectimax import decide_by_expectimax
from thetafront.agents.twenty48.schedule import MAX_COUNT, Theta
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.twenty48.board import N_ACTIONS, afterstate, n_empty
from thetafront.engine.twenty48.rule import BuiltRule

MAX_SWITCH_AT = 15
MAX_DEPTH = 5
MAX_LEAVES = 10_000_000
LEAVES_PER_CELL = 8  # four actions, two kinds of tiles


@kernel
def crowdedness(board: np.uint64) -> tuple[Integer, Integer]:
    """Return the number of legal actions, and the largest number of cells that any leaves empty."""
    n_legal = 0
    most: Integer = np.int64(0)
    for action in range(N_ACTIONS):
        after, _ = afterstate(board, action, None)
        if after != board:
            n_legal += 1
            most = max(most, n_empty(after))
    return n_legal, most


class SwitchingSettings(NamedTuple):
    """The parameters of :class:`Switching` in the form that kernels take.

    ``plain`` is for boards that are not crowded.
    """

    plain: ExpectationSettings
    switch_at: int
    depth: int
    leaf_playouts: int
    two_to_four: float
    gamma: float
    whole_score: bool


@decides(SwitchingSettings)
@kernel
def switching_decision(
    settings: SwitchingSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide by expectimax on a crowded board, and like the plain agent on any other board.

    Tiles merge by the common rule.
    """
    n_legal, most = crowdedness(board)
    if settings.depth == 1 or n_legal <= 1 or most > settings.switch_at:
        return decide_by_expectation(settings.plain, board, stream, rule)
    action, values, n_playout_moves, _ = decide_by_expectimax(
        board,
        settings.depth,
        settings.leaf_playouts,
        settings.two_to_four,
        settings.plain.top_share,
        settings.gamma,
        settings.whole_score,
        stream,
    )
    return action, values, n_playout_moves


@register
@dataclass(frozen=True)
class Switching(Theta, Agent2048):
    """Plays by expectimax on crowded boards, and otherwise like the ``mcmdp`` agent.

    With k = 0 or d = 1, it always plays like ``mcmdp``. θ₅ and θ₆ apply to expectimax as well, and
    each leaf gets at least one playout. Equation 4 is in :mod:`agents.twenty48.playout_expectimax`.

    Raises
    ------
    ValueError
        If a number is out of range, or if (8k)ᵈ is above ten million. This is an estimate of the
        number of leaves; because of merges, the true number may be two or three times as large.
    """

    name: ClassVar[str] = "switching"

    switch_at: int = integer(
        3,
        0,
        MAX_SWITCH_AT,
        "a board is crowded if no move leaves more empty cells than this",
        "k",
        Tuned(1, 6),
    )
    depth: int = integer(2, 1, MAX_DEPTH, "spawns looked ahead on crowded boards", "d", Tuned(2, 3))
    leaf_playouts: int = integer(
        4000,
        1,
        MAX_COUNT,
        "approximate playouts per move on crowded boards",
        "N",
        Tuned(100, 50_000, log=True),
    )
    gamma: float = real(1.0, 0, 1, "discount on crowded boards", open_low=True, later=True)
    whole_score: bool = flag(
        False, "whether playouts return the whole game's score, not the remaining one", later=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (LEAVES_PER_CELL * self.switch_at) ** self.depth > MAX_LEAVES:
            raise ValueError(
                f"depth must give at most {MAX_LEAVES:,} leaves (got {self.depth} with "
                f"switch_at {self.switch_at}: up to (8 x {self.switch_at})**{self.depth})"
            )

    @cached_property
    def settings(self) -> SwitchingSettings:
        return SwitchingSettings(
            ExpectationSettings(self.schedule.table(), self.theta6),
            self.switch_at,
            self.depth,
            self.leaf_playouts,
            self.theta5,
            self.gamma,
            self.whole_score,
        )
