"""Monte Carlo tree search on 2048: UCB1, plain or with progressive widening.

Notation
--------
===========  =====================================================================================
m            number of simulations per decision
d            depth: maximum number of actions in a simulation, including its rollout
c            exploration constant of UCB1
k, α         parameters of progressive widening, see :mod:`agents.twenty48.tree`
k′, α′       parameters of double progressive widening, see :mod:`agents.twenty48.tree`
U(s)         value of a leaf, see :mod:`agents.twenty48.leaf_value`
===========  =====================================================================================

A simulation begins at the root of the tree. It chooses actions by UCB1 and draws spawns, until it
reaches a new state or has taken d actions. There, U(s) estimates the points that follow. The return
of each action on the path is the undiscounted sum of the rewards from this action on, plus U. The
decision is the action with the largest mean return Q.

Simulation i of a decision draws random words from substream i of the decision's stream. It draws
one word for each action that widening opens, or that UCB1 chooses if ties are random. It also draws
one word for each spawn, and then the words of the rollout. If ties are random, the word that breaks
ties in the decision itself comes from substream m.

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6, Monte Carlo tree
search and its variants with widening; its example has d = 10 and c = 100. Our readings:

- The root is expanded from the start. In the book, the first simulation of a decision only expands
  the root, and the U that it returns is not used. So our m simulations correspond to m + 1
  simulations in the book.
- The book stores counts and values in tables with one entry per state. We store them in a tree.
- A state d actions below the root has the value U at each visit, and no action is taken in it.
- Keeping the tree between moves (``reuse``) is common, but not in the book. Simulations from before
  the last move end at most d − 1 actions below the new root, and later simulations at most d. The
  mean return of a kept node includes both.
- A single legal action is taken without simulations.
- The source leaves open how ties are broken, and whether the length of a rollout depends on the
  remaining depth. Both are parameters here: ``tie_breaking`` and ``rollout_depth``.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.parameters import (
    Domain,
    Tuned,
    Value,
    categorical,
    flag,
    integer,
    parameter,
    real,
)
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.agents.twenty48.leaf_value import WEIGHTS, LeafValue, leaf_value
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.agents.twenty48.tree import (
    LAST_ACTION,
    N_DECISION,
    ROOT,
    UNVISITED,
    SimulationSettings,
    Tree,
    back_up,
    child_with,
    clear,
    follow,
    keep_subtree,
    new_tree,
    select,
    wins_tie,
)
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.rng import next_word, substream
from thetafront.engine.twenty48.board import N_ACTIONS
from thetafront.engine.twenty48.rule import BuiltRule

MAX_SIMULATIONS = 100_000
MAX_DEPTH = 1000
MAX_NUMBER = 1e9
MAX_ALPHA = 10.0
N_CELLS = 16
KEPT_FACTOR = 4  # room for 4·m kept nodes is ample, because more than half of a tree is seldom kept


class TieBreaking(StrEnum):
    """Which of several equally good actions is taken, in the tree and as the decision."""

    FIXED = "fixed"  # the one with the lowest number
    RANDOM = "random"  # any of them, all equally likely


class RolloutDepth(StrEnum):
    """How many actions a rollout has."""

    REMAINING = "remaining"  # d minus the actions in the tree
    FULL = "full"  # d, wherever the rollout begins


class UCTSettings(NamedTuple):
    """The parameters, and the tree of one game or one decision."""

    search: SimulationSettings
    tree: Tree


@inlined
def simulate(tree: Tree, settings: SimulationSettings, stream: np.uint64) -> Integer:
    """Simulate once from the root; return the number of actions, including those of the rollout."""
    node: Integer = ROOT
    n_steps = 0
    while n_steps < settings.depth:
        if tree.n_visits[node] == 0:
            tree.n_visits[node] = 1
            break
        if tree.legal[node] == 0:
            break
        action, stream = select(tree, node, settings, stream)
        tree.n_visits[node] += 1
        tree.path[n_steps, 0] = node
        tree.path[n_steps, 1] = action
        node, stream = follow(tree, node, action, settings, stream)
        n_steps += 1
    n_left = settings.depth if settings.full_rollouts else settings.depth - n_steps
    value, n_rolled = leaf_value(
        tree.boards[node], n_left, settings.leaf_code, settings.weights, stream
    )
    back_up(tree, n_steps, value)
    return n_steps + n_rolled


@kernel
def search(
    tree: Tree, board: np.uint64, settings: SimulationSettings, stream: np.uint64
) -> Integer:
    """Simulate m times from a board; return the number of actions in these simulations.

    If ``reuse`` is true, the subtree of the board is kept, unless the tree would get too large.
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
) -> DecisionTuple2048:
    """Run the simulations, and choose the visited action with the largest Q.

    The tree of the settings has room for at least m + 1 nodes. If ``reuse`` is true, it is the tree
    after the last decision of the game. The values are Q, or NaN for actions that were not visited.
    The third result is the number of actions in simulations. Tiles merge by the common rule,
    whatever ``rule`` says.
    """
    tree = settings.tree
    n_moves = search(tree, board, settings.search, stream)
    values = np.full(N_ACTIONS, np.nan)
    legal = tree.legal[ROOT]
    word = np.uint64(0)
    if settings.search.random_ties:
        word, _ = next_word(substream(stream, np.uint64(settings.search.n_simulations)))
    best = -1
    for action in range(N_ACTIONS):
        if n_moves == 0:  # nothing to decide
            if legal >> action & 1:
                best = action
        elif tree.action_visits[ROOT, action] > 0:
            values[action] = tree.action_values[ROOT, action]
            if (
                best < 0
                or values[action] > values[best]
                or (values[action] == values[best] and wins_tie(word, action, best))
            ):
                best = action
    tree.header[LAST_ACTION] = max(best, 0)
    return best, values, n_moves


class CellWeights(Domain):
    """None, or sixteen numbers: one weight per cell, in reading order.

    In text, the numbers are separated by spaces.
    """

    allowed = f"none, or 16 numbers from {-MAX_NUMBER:g} to {MAX_NUMBER:g}"

    def read(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.strip() == "none":
            return ()
        try:
            return tuple(map(float, value.split()))
        except ValueError:
            return value

    def accepts(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) in {0, N_CELLS}
            and all(abs(weight) <= MAX_NUMBER for weight in value)
        )

    def plain(self, value: Any) -> Value:
        return " ".join(f"{weight:.17g}" for weight in value)


@register
@dataclass(frozen=True)
class UCT(Agent2048):
    """Searches a tree by simulations (Kochenderfer, Wheeler, Wray 2022, §9.6).

    In games and decisions of this agent, ``n_playout_moves`` counts the actions in simulations,
    both in the tree and in rollouts.

    If ``reuse`` is true, a decision in a game depends on the earlier decisions of the game, but
    :meth:`act` always begins with an empty tree. ``tree`` is the tree of one game (see
    :meth:`in_game`) and is not a parameter.

    The tuned space contains the book's example (random rollouts with m = 100, d = 10 and c = 100)
    and all leaf values:

    - m from 4 (one simulation per action) to 2,000. With m = 2,000 and the most expensive leaf
      value, a move takes a millisecond or more.
    - d from 1 to 30. With d = 1, rollouts have no depth left, and only the next reward counts. The
      scale is linear: a logarithmic scale would spend a quarter of the trials on d = 1. A d above
      30 seems to gain nothing. With random rollouts, c = 10,000 and 150 µs per move, the mean score
      of 60 games was 28,900 ± 1,600 points (standard error) for d = 30 and m = 125. It was 25,700 ±
      1,500 points for d = 60 and m = 100.
    - c from 10 to 10,000. Most differences between the returns of actions are larger than 10 and
      smaller than 10,000. From 100 on, scores hardly depend on c (``results/reference/mcts``).
    - k′ from 0.3 (with α′ = 0, one state per action) to 30, which does not restrict the search at
      all. A chance node has at most 30 spawns, so with α′ above 0 a search never reaches 30·N^α′
      distinct states. All decisions are then exactly those with k′ = 0. The value 0 itself cannot
      be reached on a logarithmic scale.

    Raises
    ------
    ValueError
        If ``weights`` are given together with a leaf value that does not use weights.
    """

    name: ClassVar[str] = "uct"

    n_simulations: int = integer(
        100, 1, MAX_SIMULATIONS, "simulations per move", "m", Tuned(4, 2000, log=True)
    )
    depth: int = integer(
        10,
        1,
        MAX_DEPTH,
        "longest simulation, in actions; full rollouts make it up to twice as long",
        "d",
        Tuned(1, 30),
    )
    exploration: float = real(
        100.0,
        0,
        MAX_NUMBER,
        "UCB1's exploration constant, in points",
        "c",
        Tuned(10.0, 10_000.0, log=True),
    )
    leaf_value: LeafValue = categorical(
        LeafValue.RANDOM, "value of the state in which a simulation ends", "U", tuned=True
    )
    weights: tuple[float, ...] = parameter(
        (),
        CellWeights(),
        "cell weights that replace those of the weights_a or weights_b leaf value",
    )
    k_action: float = real(
        0.0,
        0,
        MAX_NUMBER,
        "after N visits of a state, about k·N^α actions are considered; k = 0: all",
    )
    alpha_action: float = real(0.5, 0, MAX_ALPHA, "α, the power in k·N^α")
    k_state: float = real(
        0.0,
        0,
        MAX_NUMBER,
        "after N visits of an action, about k′·N^α′ spawns are considered; k′ = 0: all",
        "k′",
        Tuned(0.3, 30.0, log=True),
    )
    alpha_state: float = real(0.5, 0, MAX_ALPHA, "the power in k′·N^α′", "α′", Tuned(0.0, 1.0))
    reuse: bool = flag(False, "whether each move continues with the previous move's tree")
    tie_breaking: TieBreaking = categorical(
        TieBreaking.FIXED, "which of several equally good actions is taken", later=True
    )
    rollout_depth: RolloutDepth = categorical(
        RolloutDepth.REMAINING,
        "whether a rollout gets the remaining depth or the full depth",
        later=True,
    )
    tree: Tree | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights and self.leaf_value not in WEIGHTS:
            raise ValueError(
                f"weights must be left out with leaf_value {self.leaf_value}; they are for "
                f"{' or '.join(WEIGHTS)} (got {len(self.weights)} numbers)"
            )

    @cached_property
    def simulation_settings(self) -> SimulationSettings:
        """The parameters in the form that kernels take."""
        weights = self.weights or WEIGHTS.get(self.leaf_value, (0.0,) * 16)
        return SimulationSettings(
            n_simulations=self.n_simulations,
            depth=self.depth,
            exploration=self.exploration,
            leaf_code=self.leaf_value.code,
            weights=np.array(weights, np.float64),
            k_action=self.k_action,
            alpha_action=self.alpha_action,
            k_state=self.k_state,
            alpha_state=self.alpha_state,
            reuse=self.reuse,
            random_ties=self.tie_breaking is TieBreaking.RANDOM,
            full_rollouts=self.rollout_depth is RolloutDepth.FULL,
        )

    @property
    def settings(self) -> UCTSettings:
        return UCTSettings(self.simulation_settings, self.tree or self.empty_tree())

    def empty_tree(self) -> Tree:
        """Return an empty tree with room for a decision and for the nodes that are kept."""
        n_kept = KEPT_FACTOR * self.n_simulations if self.reuse else 0
        return new_tree(n_kept + self.n_simulations + 1, self.depth)

    def in_game(self) -> "UCT":
        return replace(self, tree=self.empty_tree())
