"""The design: the example's depth and exploration, and the points of each figure.

Notation
--------
===========  =======================================================================================
m            simulations a decision
d            depth: actions that a simulation looks ahead, rollout included
c            exploration, in points
k′, α′       double progressive widening: at most k′·N(s, a)^α′ states follow an action
===========  =======================================================================================

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6; its example has
d = 10, c = 100.
"""

from dataclasses import dataclass, replace
from itertools import product

from agents.twenty48.leaf_value import LeafValue
from agents.twenty48.uct import UCT

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


@dataclass(frozen=True)
class Widening:
    """A setting of double progressive widening in a case's time."""

    case: Case
    k_state: float  # k′
    alpha_state: float  # α′

    @property
    def name(self) -> str:
        """The name of its row."""
        return f"k′ = {self.k_state:g}, α′ = {self.alpha_state:g}, in the time of {self.case.name}"

    def agent(self, n_simulations: int) -> UCT:
        """Return the widening agent with m simulations."""
        k, alpha = self.k_state, self.alpha_state
        return replace(self.case.agent, n_simulations=n_simulations, k_state=k, alpha_state=alpha)


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
    alphas: tuple[float, ...] = (0.0, 0.25, 0.5)  # α′
    n_calibration_rounds: int = 40  # in each step of a calibration
    explorations: tuple[float, ...] = (10.0, 1000.0, 10_000.0)  # c other than the example's
    exploration_cases: tuple[Case, ...] = (cases[0], cases[2])  # whose c is varied

    @property
    def widenings(self) -> list[Widening]:
        """All pairs of k′ and α′, in each case."""
        return [Widening(*each) for each in product(self.cases, self.ks, self.alphas)]

    @property
    def explored(self) -> list[Case]:
        """Plain agents with other c, and with the example's for comparison."""
        each_c = (EXPLORATION, *self.explorations)
        return [replace(case, exploration=c) for case in self.exploration_cases for c in each_c]


DESIGN = Design()
