"""Heuristic search: real-time dynamic programming from one start state.

Notation
--------
That of :mod:`agents.bellman`, and

===========  =======================================================================================
U            values, an upper bound of the optimal ones to begin with
m            simulations: games played greedily by U, as U is at each moment
d            depth: actions of a simulation, at most
===========  =======================================================================================

Each state on the way is backed up before its action is chosen, and its outcome is drawn. An upper bound is
optimism: what looks best is looked at until it looks worse than something else, so that with d large enough U
comes down to the optimal value of the start as m grows. States that greedy play never reaches are never looked at.

A solver of finite MDPs, :class:`~agents.finite_mdp.FiniteMDP`. It is not an :class:`agents.agent.Agent`: those
play 2048.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7 (``HeuristicSearch``); Barto,
Bradtke, Singh, *Learning to act using real-time dynamic programming*, Artificial Intelligence 72 (1995). Readings of
ours: a backup never raises a value, as said in :mod:`agents.bellman`; a simulation ends in a terminal state.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.agent import check_seed
from agents.bellman import NOTHING, Tables, draw_outcome, lower
from agents.finite_mdp import FiniteMDP
from agents.solution import Solution, check_start, solution_of
from agents.upper_bound import initial_values
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, stream

__all__ = ["HeuristicSearch"]

# Between two calls of a kernel, well under a second apart, an interrupt is answered.
BACKUPS_PER_CHUNK = 200_000


@kernel
def simulations(
    tables: Tables,
    values: npt.NDArray[np.float64],
    start: Integer,
    depth: Integer,
    n_done: Integer,
    n_simulations: Integer,
    max_backups: Integer,
    seed: np.uint64,
) -> tuple[Integer, Integer]:
    """Simulate on until ``n_simulations`` are done, or ``max_backups`` are made.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U, which is lowered.
    start, depth : int
        Where simulations begin, and their actions at most.
    n_done, n_simulations : int
        Simulations made before, and wanted in all: those to be made are numbered from ``n_done`` on.
    max_backups : int
        No simulation is begun after so many backups.
    seed : uint64
        Names the streams; simulation k draws from a stream of its own.

    Returns
    -------
    n_done, n_backups : int
        Simulations made in all, and backups made now.
    """
    n_backups: Integer = 0
    while n_done < n_simulations and n_backups < max_backups:
        outcomes = stream(seed, PLAYOUT, np.uint64(n_done))
        state = start
        for _ in range(depth):
            _, action = lower(tables, values, state)
            if action == NOTHING:
                break
            n_backups += 1
            state, outcomes = draw_outcome(tables, action, outcomes)
        n_done += 1
    return n_done, n_backups


@dataclass(frozen=True)
class HeuristicSearch:
    """Solves a finite MDP from one start state by greedy simulations.

    Parameters
    ----------
    n_simulations : int
        m, 1 or more.
    depth : int
        d, 1 or more.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    n_simulations: int
    depth: int

    def __post_init__(self) -> None:
        for name, value in (("n_simulations", self.n_simulations), ("depth", self.depth)):
            if value < 1:
                raise ValueError(f"{name}: {value} given, 1 or more allowed")

    def solve(
        self,
        mdp: FiniteMDP,
        start: int,
        upper_bound: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> Solution:
        """Search from a state.

        Parameters
        ----------
        mdp : FiniteMDP
            The process.
        start : int
            A state that is not terminal.
        upper_bound : array_like of float, shape (n_states,), optional
            No value below the optimal one; :func:`agents.upper_bound.upper_bound` if none is given.
        seed : int
            Names every random number, 0 to 2⁶³ − 1. With more simulations, those of fewer are the first.

        Returns
        -------
        Solution
            The same for the same search, process, start, bound and seed.

        Raises
        ------
        ValueError
            If the start, the bound or the seed is none, or there is no bound to be computed.
        """
        check_start(mdp, start)
        check_seed(seed)
        values = initial_values(mdp, upper_bound)
        tables = mdp.tables
        n_done: Integer = 0
        n_backups: Integer = 0
        while n_done < self.n_simulations:
            n_done, n_more = simulations(
                tables,
                values,
                start,
                self.depth,
                n_done,
                self.n_simulations,
                BACKUPS_PER_CHUNK,
                np.uint64(seed),
            )
            n_backups += n_more
        return solution_of(mdp, start, values, int(n_backups))
