"""Heuristic search: real-time dynamic programming from one start state.

Notation
--------
That of :mod:`agents.mdp.kernels` and :mod:`agents.mdp.greedy_simulation`, and

===========  =======================================================================================
m            simulations
===========  =======================================================================================

An upper bound is optimism: what looks best is looked at until it looks worse than something else, so that with d
large enough U comes down to the optimal value of the start as m grows. States that greedy play never reaches are
never looked at. Without discount that needs greedy play to come to an end, as it does in 2048; elsewhere a loop that
earns nothing may keep its bound.

A solver of finite MDPs, :class:`~agents.mdp.finite_mdp.FiniteMDP`. It is not an :class:`agents.agent.Agent`: those
play games.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7 (``HeuristicSearch``); Barto,
Bradtke, Singh, *Learning to act using real-time dynamic programming*, Artificial Intelligence 72 (1995). Readings of
ours: a backup never raises a value, as said in :mod:`agents.mdp.kernels`; a simulation ends in a terminal state.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.mdp.bounds import initial_values
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.greedy_simulation import (
    BACKUPS_PER_CHUNK,
    LARGEST_DEPTH,
    MOST_SIMULATIONS,
    simulate,
)
from agents.mdp.kernels import Tables
from agents.mdp.solution import Solution, check_search, solution_of
from agents.parameters import check_count
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, stream


@kernel
def simulations(
    tables: Tables,
    values: npt.NDArray[np.float64],
    start: Integer,
    terminal: npt.NDArray[np.bool_],
    path: npt.NDArray[np.int64],
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
    start : int
        Where simulations begin.
    terminal : bool, shape (n_states,)
        Where they end.
    path : int64, shape (d,)
        For the states of a simulation.
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
        n_backups += simulate(tables, values, start, terminal, path, outcomes)
        n_done += 1
    return n_done, n_backups


@dataclass(frozen=True)
class HeuristicSearch:
    """Solves a finite MDP from one start state by greedy simulations.

    Parameters
    ----------
    n_simulations : int
        m, 1 to 10⁹.
    depth : int
        d, 1 to 10⁶.

    Raises
    ------
    ValueError
        If a number is no integer, or out of range.
    """

    n_simulations: int
    depth: int

    def __post_init__(self) -> None:
        check_count("n_simulations", self.n_simulations, 1, MOST_SIMULATIONS)
        check_count("depth", self.depth, 1, LARGEST_DEPTH)

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
            No value below the optimal one; :func:`agents.mdp.bounds.upper_bound` if none is given.
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
        check_search(mdp, start, seed)
        values = initial_values(mdp, upper_bound)
        tables, terminal = mdp.tables, mdp.terminal
        path = np.empty(self.depth, np.int64)
        n_done: Integer = 0
        n_backups: Integer = 0
        while n_done < self.n_simulations:
            n_done, n_more = simulations(
                tables,
                values,
                start,
                terminal,
                path,
                n_done,
                self.n_simulations,
                BACKUPS_PER_CHUNK,
                np.uint64(seed),
            )
            n_backups += n_more
        return solution_of(mdp, start, values, int(n_backups))
