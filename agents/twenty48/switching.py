"""The Monte Carlo MDP agent that looks deeper on crowded boards.

Where every legal action leaves at most k cells empty, it decides by expectimax to depth d
(:mod:`agents.twenty48.expectimax`), with a number of playouts of its own at the leaves; elsewhere it decides as the plain
agent does (:mod:`agents.twenty48.expectation`).

Source: Ripstein (2023), §5.2, "Dynamic policy switching", which was never tried. Readings of ours:

- It says "few tiles on the board", and gives the reason that few *open* cells leave few states to search: few
  open cells are meant.
- All actions of a decision are looked at equally deep, and so the switch is made by the action that leaves the
  most cells empty: values of different depths are no fair comparison, since at each further level a maximum
  takes the place of random play.
- "Its own number of playouts" is one number for a whole decision, shared out among the leaves, of which there may
  be twenty or twenty thousand: so it says what a decision costs, whatever k and d are. Every leaf gets one at
  least, and one that only spawns of 4s lead to θ₅ times fewer than the others, as nodes of 4s do in the plain
  agent.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from agents.parameters import integer, real
from agents.policy_dispatch import decides
from agents.twenty48.agent import Agent2048
from agents.twenty48.expectation import ExpectationSettings, decide_by_expectation
from agents.twenty48.expectimax import decide_by_expectimax
from agents.twenty48.loop import Choice
from agents.twenty48.schedule import AUTHORS_THETA, LARGEST_COUNT, Schedule
from engine.jit import Integer, kernel
from engine.twenty48.board import N_ACTIONS, afterstate, n_empty
from engine.twenty48.rule import BuiltRule

LARGEST_SWITCH_AT = 15
LARGEST_DEPTH = 5
MOST_LEAVES = 10_000_000
LEAVES_PER_CELL = 8  # four actions, two kinds of tiles


@kernel
def crowdedness(board: np.uint64) -> tuple[Integer, Integer]:
    """Count the legal actions, and the cells left empty by the one that leaves the most."""
    n_legal = 0
    most: Integer = np.int64(0)
    for action in range(N_ACTIONS):
        after, _ = afterstate(board, action, None)
        if after != board:
            n_legal += 1
            most = max(most, n_empty(after))
    return n_legal, most


class SwitchingSettings(NamedTuple):
    """The agent's parameters as kernels take them: see :class:`Switching`; ``plain`` where it looks no deeper."""

    plain: ExpectationSettings
    switch_at: int
    depth: int
    leaf_playouts: int
    two_to_four: float


@decides(SwitchingSettings)
@kernel
def switching_decision(
    settings: SwitchingSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> Choice:
    """Decide by expectimax on a crowded board, by the plain agent elsewhere. The rule is the common one."""
    n_legal, most = crowdedness(board)
    if settings.depth == 1 or n_legal <= 1 or most > settings.switch_at:
        return decide_by_expectation(settings.plain, board, stream, rule)
    action, values, n_playout_moves, _ = decide_by_expectimax(
        board,
        settings.depth,
        settings.leaf_playouts,
        settings.two_to_four,
        settings.plain.top_share,
        stream,
    )
    return action, values, n_playout_moves


@dataclass(frozen=True)
class Switching(Agent2048):
    """Plays as :class:`~agents.twenty48.mcmdp.MonteCarloMDP`, and by expectimax on crowded boards.

    Parameters
    ----------
    theta1, theta2, theta3, theta4, theta5, theta6
        As for :class:`~agents.twenty48.mcmdp.MonteCarloMDP`. θ₅ and θ₆ hold for deep decisions too: a
        leaf reached only through spawns of 4s gets θ₅ times fewer playouts.
    switch_at : int
        k, 0 to 15: it looks deeper where no action leaves more cells empty.
    depth : int
        d, 1 to 5: chance nodes down to a leaf. At 1 it is the plain agent.
    leaf_playouts : int
        Playouts of a deep decision, all leaves together, 1 to 1,000,000; every leaf gets one at least.
    min_playouts : int
        The least number of playouts of a node, where it does not look deeper.

    Raises
    ------
    ValueError
        If a number is out of range, or ``switch_at`` and ``depth`` together may mean many million leaves: more
        than ten by the rule of thumb (8k)ᵈ, of which merges deeper down may make two or three times as many.
    """

    name: ClassVar[str] = "switching"

    theta1: float = real(AUTHORS_THETA[0], 0, LARGEST_COUNT)
    theta2: float = real(AUTHORS_THETA[1], 0, LARGEST_COUNT)
    theta3: float = real(AUTHORS_THETA[2], 0, LARGEST_COUNT)
    theta4: float = real(AUTHORS_THETA[3], 0, LARGEST_COUNT)
    theta5: float = real(AUTHORS_THETA[4], 1, LARGEST_COUNT)
    theta6: float = real(AUTHORS_THETA[5], 0, 1, open_low=True)
    switch_at: int = integer(3, 0, LARGEST_SWITCH_AT)
    depth: int = integer(2, 1, LARGEST_DEPTH)
    leaf_playouts: int = integer(4000, 1, LARGEST_COUNT)
    min_playouts: int = integer(3, 1, LARGEST_COUNT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (LEAVES_PER_CELL * self.switch_at) ** self.depth > MOST_LEAVES:
            raise ValueError(
                f"depth: {self.depth} given with switch_at {self.switch_at}, which may mean "
                f"(8 x {self.switch_at})**{self.depth} leaves; up to {MOST_LEAVES:,} allowed"
            )

    @property
    def schedule(self) -> Schedule:
        """Playouts by empty cells and spawned tile, where it does not look deeper."""
        theta = (self.theta1, self.theta2, self.theta3, self.theta4, self.theta5)
        return Schedule.from_theta(theta, self.min_playouts)

    @cached_property
    def settings(self) -> SwitchingSettings:
        return SwitchingSettings(
            ExpectationSettings(self.schedule.table(), float(self.theta6)),
            int(self.switch_at),
            int(self.depth),
            int(self.leaf_playouts),
            float(self.theta5),
        )
