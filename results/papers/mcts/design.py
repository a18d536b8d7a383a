"""The design: the example's depth and exploration, and the agents of each figure.

Notation
--------
===========  =======================================================================================
m            simulations a decision
d            depth: actions that a simulation looks ahead, including its rollout
c            exploration constant, in points
k, α         progressive widening: while at most k·N(s)^α actions of s are open, another is opened;
             N counts visits
k′, α′       the same for states: after N(s, a) visits, at most k′·N(s, a)^α′ states follow a
===========  =======================================================================================

The source leaves two things open: how ties are broken, and how long a rollout is (its function U(s)
is not told the depth that remains). Both are parameters of :class:`agents.twenty48.uct.UCT`.

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6; its example has
d = 10, c = 100.
"""

from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT, RolloutDepth, TieBreaking

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
ROLLOUTS = (LeafValue.RANDOM, LeafValue.LOOKAHEAD)
SIMULATIONS = (1, 3, 10, 30, 100, 300, 1000)  # values of m
CASES = ((LeafValue.RANDOM, 100), (LeafValue.RANDOM, 300), (LeafValue.LOOKAHEAD, 100))
"""Leaf value and m of the plain agents with which agents with widening are compared."""
STATES, ACTIONS = WIDENED = ("states", "actions")  # states after an action; actions of a state
KS = {STATES: (1.0, 2.0, 4.0, 8.0), ACTIONS: (0.5, 1.0, 1.5, 2.0)}  # values of k′ and k
ALPHAS = (0.0, 0.25, 0.5)  # values of both α′ and α
EXPLORATIONS = (10.0, EXPLORATION, 1000.0, 10_000.0)
EXPLORED = (CASES[0], CASES[2])  # cases in which c is varied
CHANGES: dict[str, dict[str, Any]] = {
    "ties broken at random": {"tie_breaking": TieBreaking.RANDOM},
    "rollouts of d actions": {"rollout_depth": RolloutDepth.FULL},
}
"""The other readings, as changes of parameters."""
READ_AT = 100  # m


def plain(leaf_value: LeafValue, m: int, exploration: float = EXPLORATION) -> UCT:
    """Return the example's agent."""
    return UCT(m, DEPTH, exploration, leaf_value)


def row_name(agent: UCT) -> str:
    """Return the name of a plain agent's row."""
    other = "" if agent.exploration == EXPLORATION else f", c = {agent.exploration:g}"
    return f"{TITLES[agent.leaf_value]}, m = {agent.n_simulations}{other}"


class Widening(NamedTuple):
    """A setting of progressive widening that is compared with a plain agent at equal time."""

    leaf_value: str
    plain_n_simulations: int
    widened: str
    k: float
    alpha: float

    @property
    def plain(self) -> UCT:
        """The plain agent, which does not widen."""
        return plain(LeafValue(self.leaf_value), self.plain_n_simulations)

    @property
    def name(self) -> str:
        """The name of the setting's row."""
        mark = "′" if self.widened == STATES else ""
        time = f"in the time of {row_name(self.plain)}"
        return f"k{mark} = {self.k:g}, α{mark} = {self.alpha:g}, {time}"

    def agent(self, m: int) -> UCT:
        """Return the agent with this widening and m simulations."""
        if self.widened == ACTIONS:
            return replace(self.plain, n_simulations=m, k_action=self.k, alpha_action=self.alpha)
        return replace(self.plain, n_simulations=m, k_state=self.k, alpha_state=self.alpha)


def widenings() -> list[Widening]:
    """Return all pairs of k′ and α′ in each case, then all pairs of k and α."""
    return [
        Widening(leaf_value.value, m, widened, k, alpha)
        for widened in WIDENED
        for (leaf_value, m), k, alpha in product(CASES, KS[widened], ALPHAS)
    ]


def readings() -> list[tuple[str, UCT, UCT]]:
    """Return the alternative readings for each leaf value, with the plain and the changed agent.

    The reading that changes the depth of rollouts is combined only with rollouts.
    """
    return [
        (change, plain(leaf_value, READ_AT), replace(plain(leaf_value, READ_AT), **values))
        for change, values in CHANGES.items()
        for leaf_value in (ROLLOUTS if "rollout_depth" in values else TITLES)
    ]
