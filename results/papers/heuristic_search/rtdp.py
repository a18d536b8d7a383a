"""Heuristic search: real-time dynamic programming (RTDP) from one start state.

m simulations (:mod:`agents.mdp.search`) are optimistic: greedy play follows whatever looks best
until backups make it look worse than something else. If d is large enough, U of the start converges
to the optimal value as m grows; states that greedy play never reaches cost nothing. Without
discount this needs greedy play to end, as it does in 2048. Otherwise a loop without reward may keep
its initial bound.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7
(``HeuristicSearch``); Barto, Bradtke, Singh, *Learning to act using real-time dynamic programming*,
Artificial Intelligence 72 (1995). Our readings: a backup never raises a value
(:mod:`agents.mdp.kernels`), and a simulation ends in a terminal state.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from results.papers.heuristic_search.greedy_envelope import Flags
from results.papers.heuristic_search.search import (
    MAX_DEPTH,
    MAX_SIMULATIONS,
    RunningSearch,
    SearchSolution,
    simulate,
)
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices, Tables
from thetafront.agents.parameters import IntegerRange
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.rng import PLAYOUT, stream


@kernel
def simulations(
    tables: Tables,
    values: Floats,
    start: Integer,
    terminal: Flags,
    path: Indices,
    touched: Flags,
    n_done: Integer,
    n_simulations: Integer,
    max_backups: Integer,
    seed: np.uint64,
) -> tuple[Integer, Integer]:
    """Run simulations until ``n_simulations`` are done.

    None begins after ``max_backups`` backups of this call. Simulation k draws from the stream
    (seed, PLAYOUT, k). Return simulations in all, and backups of this call.
    """
    n_backups: Integer = 0
    while n_done < n_simulations and n_backups < max_backups:
        outcomes = stream(seed, PLAYOUT, np.uint64(n_done))
        n_backups += simulate(tables, values, start, terminal, path, touched, outcomes)
        n_done += 1
    return n_done, n_backups


class RunningHeuristicSearch(RunningSearch):
    """A heuristic search between two simulations."""

    def __init__(
        self, search: "HeuristicSearch", mdp: FiniteMDP, start: int, bound: Any, seed: int
    ) -> None:
        super().__init__(mdp, start, bound, search.depth, seed)
        self.n_simulations = search.n_simulations
        self.terminal = mdp.terminal

    @property
    def is_done(self) -> bool:
        return bool(self.n_done >= self.n_simulations)

    def advance(self, n_backups: int) -> None:
        self.n_done, n_more = simulations(
            self.tables,
            self.values,
            self.start,
            self.terminal,
            self.path,
            self.touched,
            self.n_done,
            self.n_simulations,
            n_backups,
            self.seed,
        )
        self.n_backups += n_more


@dataclass(frozen=True)
class HeuristicSearch:
    """Solves a finite MDP from one start state by m greedy simulations of depth d.

    m is 1 to 10⁹, d is 1 to 10⁶; ValueError for anything else.
    """

    n_simulations: int
    depth: int

    def __post_init__(self) -> None:
        IntegerRange(1, MAX_SIMULATIONS).check("n_simulations", self.n_simulations)
        IntegerRange(1, MAX_DEPTH).check("depth", self.depth)

    def solve(
        self, mdp: FiniteMDP, start: int, upper_bound: npt.ArrayLike | None = None, seed: int = 0
    ) -> SearchSolution:
        """Search from a state that is not terminal.

        Parameters
        ----------
        mdp, start
            The MDP, and the number of the state.
        upper_bound : array_like of float, shape (n_states,), optional
            An upper bound of the optimal values; by default :func:`agents.mdp.bounds.upper_bound`.
        seed : int
            0 to 2⁶³ − 1. The same seed gives the same solution. A larger m repeats the simulations
            of a smaller one and adds more.

        Raises
        ------
        ValueError
            If the start, bound or seed is bad, or if no bound can be computed.
        """
        run = self.begin(mdp, start, upper_bound, seed)
        run.finish()
        return run.solution()

    def begin(
        self, mdp: FiniteMDP, start: int, upper_bound: npt.ArrayLike | None = None, seed: int = 0
    ) -> RunningHeuristicSearch:
        """Return the search before its first simulation; as :meth:`solve`."""
        return RunningHeuristicSearch(self, mdp, start, upper_bound, seed)
