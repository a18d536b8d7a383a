"""The design: the example's depth and exploration, and the points of each figure.

Notation
--------
===========  =======================================================================================
m            simulations a decision
d            depth: actions that a simulation looks ahead, rollout included
c            exploration, in points
k, α         progressive widening: another action of s is opened while k·N(s)^α or fewer are open
k′, α′       the same for states: at most k′·N(s, a)^α′ of them follow an action
===========  =======================================================================================

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6; its example has
d = 10, c = 100.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT

DEPTH = 10
EXPLORATION = 100.0
TITLES = {
    LeafValue.RANDOM: "random rollouts",
    LeafValue.LOOKAHEAD: "rollouts with lookahead",
    LeafValue.WEIGHTS_A: "weights A",
    LeafValue.WEIGHTS_B: "weights B",
    LeafValue.SCORE: "the board's score",
}
"""The leaf values, in the example's order."""


@dataclass(frozen=True)
class Case:
    """A plain agent, without widening."""

    leaf_value: LeafValue
    n_simulations: int  # m
    exploration: float = EXPLORATION

    @property
    def name(self) -> str:
        """The name of its row."""
        other = "" if self.exploration == EXPLORATION else f", c = {self.exploration:g}"
        return f"{TITLES[self.leaf_value]}, m = {self.n_simulations}{other}"

    @property
    def agent(self) -> UCT:
        """The agent."""
        return UCT(self.n_simulations, DEPTH, self.exploration, self.leaf_value)


class Widened(StrEnum):
    """What progressive widening limits."""

    STATES = "states"  # that follow an action
    ACTIONS = "actions"  # of a state

    @property
    def symbols(self) -> tuple[str, str]:
        """The source's k and α of it."""
        return ("k", "α") if self is Widened.ACTIONS else ("k′", "α′")


@dataclass(frozen=True)
class Widening:
    """A setting of progressive widening in a case's time."""

    case: Case
    widened: Widened
    k: float
    alpha: float

    @property
    def name(self) -> str:
        """The name of its row."""
        k, alpha = self.widened.symbols
        return f"{k} = {self.k:g}, {alpha} = {self.alpha:g}, in the time of {self.case.name}"

    def agent(self, n_simulations: int) -> UCT:
        """Return the widening agent with m simulations."""
        plain = replace(self.case.agent, n_simulations=n_simulations)
        if self.widened is Widened.ACTIONS:
            return replace(plain, k_action=self.k, alpha_action=self.alpha)
        return replace(plain, k_state=self.k, alpha_state=self.alpha)


@dataclass(frozen=True)
class Design:
    """What is played and timed."""

    simulations: tuple[int, ...] = (1, 3, 10, 30, 100, 300, 1000)  # m of the points, increasing
    depths: tuple[int, ...] = tuple(range(1, 21))  # at which decisions are timed; with 10
    n_rounds: int = 60  # of timing
    cases: tuple[Case, ...] = (  # to compare widening with
        Case(LeafValue.RANDOM, 100),
        Case(LeafValue.RANDOM, 300),
        Case(LeafValue.LOOKAHEAD, 100),
    )
    ks: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)  # k′; all pairs with α′ are played
    action_ks: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0)  # k, of at most four actions
    alphas: tuple[float, ...] = (0.0, 0.25, 0.5)  # α′, and α
    n_calibration_rounds: int = 40  # in each step of a calibration
    explorations: tuple[float, ...] = (10.0, 1000.0, 10_000.0)  # c other than the example's
    exploration_cases: tuple[Case, ...] = (cases[0], cases[2])  # whose c is varied
    reading_simulations: int = 100  # m of the plain agents that read the source in other ways

    @property
    def widenings(self) -> list[Widening]:
        """All pairs of k′ and α′ in each case, then all pairs of k and α."""
        return [
            Widening(case, widened, k, alpha)
            for widened in Widened
            for case, k, alpha in product(self.cases, self.ks_of(widened), self.alphas)
        ]

    def ks_of(self, widened: Widened) -> tuple[float, ...]:
        """Return each k′, or each k."""
        return self.action_ks if widened is Widened.ACTIONS else self.ks

    @property
    def explored(self) -> list[Case]:
        """Plain agents with other c, and with the example's for comparison."""
        each_c = (EXPLORATION, *self.explorations)
        return [replace(case, exploration=c) for case in self.exploration_cases for c in each_c]


DESIGN = Design()
