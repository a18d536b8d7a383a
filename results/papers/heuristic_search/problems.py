"""Problems: each has a start state, an exact solution, and upper bounds that a search can lower.

Notation
--------
===========  =======================================================================================
V*           optimal value of each state, in points
L            the bound of *best luck*, the return of a player who also chooses the outcomes:
             L(s) = max over a of R(a) + γ·max over s′ of L(s′); 0 if s is terminal
U            the bound of a search, which backups lower
===========  =======================================================================================

The bounds V* + λ·(L − V*), with λ from 0 to 1, lie between V* and L. They are unknown before the
problem is solved, and show what a better bound would be worth. No backup raises them: a backup
raises neither V* nor L, and for a weighted mean of two bounds, it gives at most the weighted mean
of their backups.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from results.papers.heuristic_search.small_board import DEAL, small_2048
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices, Tables
from thetafront.agents.mdp.value_iteration import ValueIteration, sweep_until
from thetafront.engine.dice import REROLL_COST, THREE_DICE
from thetafront.engine.jit import kernel

BEST_LUCK, BETWEEN, OPTIMUM = "best luck", "a tenth of best luck's excess", "the optimum itself"
LATE = [[64, 64, 4], [2, 8, 2]]
EXACT = 1e-12  # points
MAX_SWEEPS = 10_000  # of a policy: if play never ends, its values may fall forever


@kernel
def best_luck(tables: Tables) -> Floats:
    """Return L, shape (n_states,); each outcome must have a larger number than its state."""
    luck = np.zeros(len(tables.first_action) - 1)
    for state in range(len(luck) - 1, -1, -1):
        best = -np.inf
        for action in range(tables.first_action[state], tables.first_action[state + 1]):
            luckiest = -np.inf
            for i in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
                luckiest = max(luckiest, luck[tables.outcome[i]])
            best = max(best, tables.reward[action] + tables.discount * luckiest)
        if best > -np.inf:
            luck[state] = best
    return luck


def backwards(mdp: FiniteMDP) -> FiniteMDP:
    """Return the same MDP with states, actions and outcomes in reverse order."""
    return FiniteMDP(
        mdp.n_actions - mdp.first_action[::-1],
        mdp.reward[::-1],
        mdp.n_outcomes - mdp.first_outcome[::-1],
        mdp.n_states - 1 - mdp.outcome[::-1],
        mdp.probability[::-1],
        mdp.discount,
    )


@dataclass(frozen=True, eq=False)
class Problem:
    """An MDP, a start state, and upper bounds by name; the first bound is L."""

    name: str
    mdp: FiniteMDP
    start: int
    own_bounds: Mapping[str, Floats]

    @cached_property
    def n_playing(self) -> int:
        """Number of states with an action; a sweep backs up each of them once."""
        return int((~self.mdp.terminal).sum())

    @cached_property
    def optimal_values(self) -> Floats:
        """V*, shape (n_states,), by value iteration until no value changes by more than EXACT."""
        return ValueIteration(EXACT).solve(self.reversed_mdp).values[::-1].copy()

    @cached_property
    def reversed_mdp(self) -> FiniteMDP:
        """The MDP in reverse order.

        Its Gauss-Seidel sweeps back up the states that can follow a state before the state itself.
        """
        return backwards(self.mdp)

    def policy_value(self, policy: Indices) -> float:
        """Return the mean return of a policy from the start; −∞ if its costs never end."""
        tables, values = self.reversed_mdp.tables, np.zeros(self.mdp.n_states)
        reward, chosen = np.full_like(tables.reward, -np.inf), -1 - policy[policy >= 0]
        reward[chosen] = tables.reward[chosen]  # all other actions have reward −∞
        alone = tables._replace(reward=reward)
        _, residual = sweep_until(alone, values, values, EXACT, MAX_SWEEPS, True)
        return float(values[-1 - self.start]) if residual <= EXACT else -np.inf

    @property
    def optimum(self) -> float:
        """V* of the start."""
        return float(self.optimal_values[self.start])

    @cached_property
    def bounds(self) -> dict[str, Floats]:
        """Bounds by name: those that can be computed in advance, then those that need V*."""
        excess = self.own_bounds[BEST_LUCK] - self.optimal_values
        return {
            **self.own_bounds,
            BETWEEN: self.optimal_values + 0.1 * excess,
            OPTIMUM: self.optimal_values,
        }


def board(n_rows: int, n_columns: int, faces: list[list[int]] | None = None) -> Problem:
    """Return 2048 on a small board; the start is the state before the game, or ``faces``."""
    game = small_2048(n_rows, n_columns)
    start = DEAL if faces is None else game.state(faces)
    name = f"2048 on {n_rows} × {n_columns}"
    if faces is not None:
        name += ", from " + " / ".join(" ".join(map(str, row)) for row in faces)
    bounds = {BEST_LUCK: best_luck(game.mdp.tables), "the board's worth": game.upper_bound()}
    return Problem(name, game.mdp, start, bounds)


def three_dice() -> Problem:
    """Return three dice without a discount; the start is before the first roll.

    With best luck, the player sticks, or pays for one reroll that gives the best final score.
    """
    rules = THREE_DICE.mdp
    first = np.flatnonzero(rules.start)
    mdp = FiniteMDP(
        np.concatenate([rules.first_action, [len(rules.reward) + 1]]),
        np.concatenate([rules.reward, [0.0]]),
        np.concatenate([rules.first_outcome, [len(rules.outcome) + len(first)]]),
        np.concatenate([rules.outcome, first]),
        np.concatenate([rules.probability, rules.start[first]]),
        1.0,
    )
    final = THREE_DICE.final_scores
    best = float(final.max())
    luck = np.array([*np.maximum(final, best - REROLL_COST), 0.0, best])
    bounds = {BEST_LUCK: luck, "the best score": np.where(mdp.terminal, 0.0, best)}
    return Problem("three dice", mdp, mdp.n_states - 1, bounds)


def problems() -> list[Problem]:
    """Return all problems, the smallest first."""
    return [three_dice(), board(2, 2), board(2, 3), board(2, 3, LATE)]
