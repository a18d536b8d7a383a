"""Monte Carlo tree search on 2048: UCB1, plain or with progressive widening.

Notation
--------
===========  =======================================================================================
m            simulations a decision
d            depth: actions that a simulation looks ahead, rollout included
c            exploration; k, α, k′, α′: widening. See :mod:`agents.twenty48.tree`
U(s)         value of a leaf, see :mod:`agents.twenty48.leaf_value`
===========  =======================================================================================

A simulation goes from the root down the tree, choosing actions by UCB1 while chance chooses spawns, until it
meets a new state or has taken d actions. There U(s) is what is yet to come, and each action on the way gets a
return: the rewards from it on, undiscounted, and U. The decision is the action of largest mean return Q.

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6, Monte Carlo tree search and
its variations by widening; its example has d = 10 and c = 100. Readings of ours:

- The root is open from the start. In the book a decision's first simulation opens it and returns U of the root,
  which nobody uses; so our m simulations are its m + 1.
- The book's tables hold one entry for a state, however it is reached. Ours is a tree.
- A state d actions down is valued by U each time, and no action is tried in it.
- Keeping the tree after a move (``reuse``) is not in the book, but usual. What is kept was looked at to depth
  d − 1, and later simulations look one action deeper; both count in one mean.
- With a single legal action there is nothing to decide, and nothing is simulated.

Simulation i of a decision draws from substream i of the decision's stream: a word for each action that widening
opens, a word for each spawn, then the rollout's.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.parameters import Domain, Value, choice, flag, integer, parameter, real
from agents.policy_dispatch import decides
from agents.twenty48.agent import Agent2048
from agents.twenty48.leaf_value import WEIGHTS, LeafValue, leaf_value
from agents.twenty48.loop import Choice
from agents.twenty48.tree import (
    LAST_ACTION,
    N_DECISION,
    ROOT,
    UNVISITED,
    Tree,
    back_up,
    clear,
    follow,
    new_tree,
    select,
)
from agents.twenty48.tree_reuse import child_with, keep_subtree
from engine.jit import Integer, inlined, kernel
from engine.rng import substream
from engine.twenty48.board import N_ACTIONS
from engine.twenty48.rule import BuiltRule

MOST_SIMULATIONS = 100_000
LARGEST_DEPTH = 1000
LARGEST_NUMBER = 1e9
LARGEST_ALPHA = 10.0
N_CELLS = 16
ROOM_TO_REUSE = 4  # times m nodes: what is kept of a tree seldom is half of it


class SearchSettings(NamedTuple):
    """An agent's parameters as kernels take them: see :class:`UCT`."""

    n_simulations: int
    depth: int
    exploration: float
    leaf_code: int
    weights: npt.NDArray[np.float64]
    k_action: float
    alpha_action: float
    k_state: float
    alpha_state: float
    reuse: bool


class UCTSettings(NamedTuple):
    """The parameters, and the arrays of the tree: of one game, or of a single decision."""

    search: SearchSettings
    tree: Tree


@inlined
def simulate(tree: Tree, settings: SearchSettings, stream: np.uint64) -> Integer:
    """Simulate once from the root; return how many actions were taken, in the tree and in a rollout."""
    node: Integer = ROOT
    n_steps = 0
    while n_steps < settings.depth:
        if tree.n_visits[node] == 0:
            tree.n_visits[node] = 1
            break
        if tree.legal[node] == 0:
            break
        action, stream = select(
            tree,
            node,
            settings.exploration,
            settings.k_action,
            settings.alpha_action,
            stream,
        )
        tree.n_visits[node] += 1
        tree.path[n_steps, 0] = node
        tree.path[n_steps, 1] = action
        node, stream = follow(tree, node, action, settings.k_state, settings.alpha_state, stream)
        n_steps += 1
    value, n_rolled = leaf_value(
        tree.boards[node], settings.depth - n_steps, settings.leaf_code, settings.weights, stream
    )
    back_up(tree, n_steps, value)
    return n_steps + n_rolled


@kernel
def search(tree: Tree, board: np.uint64, settings: SearchSettings, stream: np.uint64) -> Integer:
    """Simulate m times from a board; return how many actions were taken.

    With ``reuse``, the tree goes on from what it knows of the board; otherwise, and where too little room would be
    left in it, it begins again.
    """
    root = child_with(tree, board) if settings.reuse else UNVISITED
    if root == UNVISITED:
        clear(tree, board)
    else:
        keep_subtree(tree, root)
        if tree.header[N_DECISION] + settings.n_simulations > len(tree.boards):
            clear(tree, board)
    tree.n_visits[ROOT] = max(tree.n_visits[ROOT], 1)
    legal = tree.legal[ROOT]
    n_moves: Integer = 0
    if legal & (legal - 1) != 0:
        for i in range(settings.n_simulations):
            n_moves += simulate(tree, settings, substream(stream, np.uint64(i)))
    return n_moves


@decides(UCTSettings)
@kernel
def uct_decision(
    settings: UCTSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> Choice:
    """Decide by simulations.

    Parameters
    ----------
    settings : UCTSettings
        The parameters, and a tree with room for m + 1 nodes; with ``reuse``, as the game's last decision left it.
    board : uint64
        The state.
    stream : uint64
        Random stream of this decision.
    rule : None
        How tiles merge: as in the common game.

    Returns
    -------
    action : int
        The action of largest Q among those tried, the first of equals; -1 if none is legal.
    values : float64, shape (4,)
        Q of each action; NaN for those not tried, and for a single legal one.
    n_simulated_moves : int
        Actions taken in the simulations.
    """
    tree = settings.tree
    n_moves = search(tree, board, settings.search, stream)
    values = np.full(N_ACTIONS, np.nan)
    legal = tree.legal[ROOT]
    best = -1
    for action in range(N_ACTIONS):
        if n_moves == 0:  # nothing to decide
            if legal >> action & 1:
                best = action
        elif tree.action_visits[ROOT, action] > 0:
            values[action] = tree.action_values[ROOT, action]
            if best < 0 or values[action] > values[best]:
                best = action
    tree.header[LAST_ACTION] = max(best, 0)
    return best, values, n_moves


class CellWeights(Domain):
    """Sixteen finite numbers, a weight for each cell in reading order, or none; as text, with blanks between."""

    allowed = f"16 numbers from {-LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}, or none,"

    def read(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return tuple(map(float, value.split()))
        except ValueError:
            return value

    def accepts(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) in {0, N_CELLS}
            and all(abs(weight) <= LARGEST_NUMBER for weight in value)
        )

    def plain(self, value: Any) -> Value:
        return " ".join(f"{weight:.17g}" for weight in value)


@dataclass(frozen=True)
class UCT(Agent2048):
    """Searches a tree by simulations (Kochenderfer, Wheeler, Wray 2022, §9.6).

    ``n_playout_moves`` of its games and decisions are the actions taken in simulations: those chosen in the tree,
    and those of rollouts.

    Parameters
    ----------
    n_simulations : int
        m, 1 to 100,000: simulations a decision.
    depth : int
        d, 1 to 1000: actions that a simulation looks ahead, rollout included.
    exploration : float
        c, 0 to 10⁹, in points.
    leaf_value : LeafValue
        How a leaf is valued; its name will do.
    weights : tuple of float, shape (16,) or (0,)
        The cells' weights in reading order, −10⁹ to 10⁹ each, in place of those that ``weights_a`` or
        ``weights_b`` name; empty for the named ones.
    k_action, alpha_action : float
        k, 0 to 10⁹, and α, 0 to 10: no more than k·N(s)^α actions of a state are open before another is opened.
        k = 0 stands for no widening: all legal actions are open.
    k_state, alpha_state : float
        k′ and α′, likewise, of the states that follow an action. k′ = 0: every visit samples.
    reuse : bool
        Whether, in a game, what the tree knows of the board that comes is kept for the next decision. Then a
        decision in a game depends on those before it, too; :meth:`act` begins without any.
    tree : Tree, optional
        The arrays of one game, see :meth:`in_game`; not a parameter.

    Raises
    ------
    ValueError
        If a number is out of range or, of simulations or actions, no integer, a leaf's value has another name, or
        weights are given that nothing reads.
    """

    name: ClassVar[str] = "uct"

    n_simulations: int = integer(100, 1, MOST_SIMULATIONS)
    depth: int = integer(10, 1, LARGEST_DEPTH)
    exploration: float = real(100.0, 0, LARGEST_NUMBER)
    leaf_value: LeafValue = choice(LeafValue.RANDOM)
    weights: tuple[float, ...] = parameter((), CellWeights())
    k_action: float = real(0.0, 0, LARGEST_NUMBER)
    alpha_action: float = real(0.5, 0, LARGEST_ALPHA)
    k_state: float = real(0.0, 0, LARGEST_NUMBER)
    alpha_state: float = real(0.5, 0, LARGEST_ALPHA)
    reuse: bool = flag()
    tree: Tree | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights and self.leaf_value not in WEIGHTS:
            raise ValueError(
                f"weights: {len(self.weights)} numbers given with leaf_value {self.leaf_value}, "
                f"which reads none; {' or '.join(WEIGHTS)} allowed"
            )

    @cached_property
    def search_settings(self) -> SearchSettings:
        """The parameters as kernels take them."""
        weights = self.weights or WEIGHTS.get(self.leaf_value, (0.0,) * 16)
        return SearchSettings(
            n_simulations=int(self.n_simulations),
            depth=int(self.depth),
            exploration=float(self.exploration),
            leaf_code=self.leaf_value.code,
            weights=np.array(weights, np.float64),
            k_action=float(self.k_action),
            alpha_action=float(self.alpha_action),
            k_state=float(self.k_state),
            alpha_state=float(self.alpha_state),
            reuse=bool(self.reuse),
        )

    @property
    def settings(self) -> UCTSettings:
        return UCTSettings(self.search_settings, self.own_tree())

    def own_tree(self) -> Tree:
        """Return the arrays of this game; outside a game, new ones."""
        if self.tree is not None:
            return self.tree
        n_kept = ROOM_TO_REUSE * self.n_simulations if self.reuse else 0
        return new_tree(n_kept + self.n_simulations + 1, self.depth)

    def in_game(self) -> "UCT":
        return replace(self, tree=replace(self, tree=None).own_tree())
