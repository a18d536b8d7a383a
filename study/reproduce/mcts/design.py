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

from dataclasses import dataclass
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


def plain_agent(leaf_value: LeafValue, n_simulations: int, exploration: float = EXPLORATION) -> UCT:
    """Return the agent without widening."""
    return UCT(n_simulations, DEPTH, exploration, leaf_value)


def plain_name(leaf_value: LeafValue, n_simulations: int, exploration: float = EXPLORATION) -> str:
    """Return the name of its row."""
    other = "" if exploration == EXPLORATION else f", c = {exploration:g}"
    return f"{TITLES[leaf_value]}, m = {n_simulations}{other}"


@dataclass(frozen=True)
class Case:
    """A plain agent, whose time per move is the budget of widening."""

    leaf_value: LeafValue
    n_simulations: int  # m

    @property
    def name(self) -> str:
        """The name of the plain agent's row."""
        return plain_name(self.leaf_value, self.n_simulations)

    @property
    def agent(self) -> UCT:
        """The plain agent."""
        return plain_agent(self.leaf_value, self.n_simulations)


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
        return UCT(
            n_simulations,
            DEPTH,
            EXPLORATION,
            self.case.leaf_value,
            k_state=self.k_state,
            alpha_state=self.alpha_state,
        )


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
    exploration_cases: tuple[Case, ...] = (  # whose c is varied
        Case(LeafValue.RANDOM, 100),
        Case(LeafValue.LOOKAHEAD, 100),
    )

    @property
    def widenings(self) -> list[Widening]:
        """All pairs of k′ and α′, in each case."""
        return [Widening(*each) for each in product(self.cases, self.ks, self.alphas)]


DESIGN = Design()
