"""Labelled heuristic search: real-time dynamic programming that knows when it is done.

Notation
--------
That of :mod:`agents.mdp.kernels`, :mod:`agents.mdp.greedy_simulation` and :mod:`agents.mdp.greedy_envelope`, and

===========  =======================================================================================
round        a simulation, and the labelling after it
*solved*     the label of a state no state of whose envelope had a residual above δ
===========  =======================================================================================

A simulation ends in a solved state. Then the states on its way are taken, the last one first: if the envelope of one
has no residual above δ, all of it is solved; if it has, its states are backed up, those found last first, and the
round is over. Rounds are played until the start is solved.

A label stays true. Values of solved states are not changed any more, and those of others only come down: what
was best in a solved state still is. What δ promises is told in :mod:`agents.mdp.greedy_envelope`. Without discount it is
worth something only if greedy play comes to an end, as it does in 2048; elsewhere a loop that earns nothing may
be solved at its bound.

A solver of finite MDPs, :class:`~agents.mdp.finite_mdp.FiniteMDP`. It is not an :class:`agents.agent.Agent`: those
play games.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.8 (``LabeledHeuristicSearch``);
Bonet, Geffner, *Labeled RTDP: Improving the Convergence of Real-Time Dynamic Programming*, ICAPS 2003, Algorithms 3
and 4. Readings of ours: terminal states are solved from the beginning; a backup never raises a value, as said in
:mod:`agents.mdp.kernels`; the number of rounds has a limit.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.mdp.bounds import initial_values
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.greedy_envelope import Workspace, expand, new_workspace
from agents.mdp.greedy_simulation import (
    BACKUPS_PER_CHUNK,
    LARGEST_DEPTH,
    MOST_SIMULATIONS,
    simulate,
)
from agents.mdp.kernels import Tables, lower
from agents.mdp.solution import Solution, check_search, solution_of
from agents.parameters import check_count
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, stream


@dataclass(frozen=True, eq=False)
class LabelledSolution(Solution):
    """Values, what to do by them, and where they are known to be good.

    Attributes
    ----------
    solved : bool, shape (n_states,)
        The labels. If the start has none, the search was ended by its number of rounds.
    n_rounds : int
        Rounds played.
    """

    solved: npt.NDArray[np.bool_]
    n_rounds: int

    @property
    def is_solved(self) -> bool:
        """Whether the start is solved."""
        return bool(self.solved[self.start])


@kernel
def label(
    tables: Tables,
    values: npt.NDArray[np.float64],
    state: Integer,
    delta: float,
    solved: npt.NDArray[np.bool_],
    work: Workspace,
    number: Integer,
) -> tuple[bool, Integer]:
    """Solve the envelope of a state, or back it up in reverse; parameters are those of :func:`expand`.

    Returns
    -------
    is_solved : bool
        Whether the state is solved now.
    n_backups : int
        Backups made, those that only look at a residual too.
    """
    n, residual = expand(tables, values, state, delta, solved, work, number)
    if residual <= delta:
        for i in range(n):
            solved[work.envelope[i]] = True
        return True, n
    for i in range(n - 1, -1, -1):
        lower(tables, values, work.envelope[i])
    return False, 2 * n


@kernel
def rounds(
    tables: Tables,
    values: npt.NDArray[np.float64],
    start: Integer,
    delta: float,
    solved: npt.NDArray[np.bool_],
    work: Workspace,
    path: npt.NDArray[np.int64],
    n_envelopes: Integer,
    n_done: Integer,
    most_rounds: Integer,
    max_backups: Integer,
    seed: np.uint64,
) -> tuple[Integer, Integer, Integer]:
    """Play rounds until the start is solved, ``most_rounds`` are played, or ``max_backups`` are made.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U, which is lowered.
    start : int
        Where simulations begin.
    delta : float
        δ.
    solved : bool, shape (n_states,)
        The labels, which are added to.
    work : Workspace
        For the envelopes.
    path : int64, shape (d,)
        For the states of a simulation.
    n_envelopes, n_done : int
        Envelopes looked at and rounds played before.
    most_rounds, max_backups : int
        No round is begun after so many rounds in all, or backups now.
    seed : uint64
        Names the streams; round k draws from a stream of its own.

    Returns
    -------
    n_envelopes, n_done, n_backups : int
        Envelopes looked at and rounds played in all, and backups made now.
    """
    n_backups: Integer = 0
    while not solved[start] and n_done < most_rounds and n_backups < max_backups:
        outcomes = stream(seed, PLAYOUT, np.uint64(n_done))
        n_path = simulate(tables, values, start, solved, path, outcomes)
        n_backups += n_path
        for i in range(n_path - 1, -1, -1):
            if solved[path[i]]:
                continue  # met again on the way, and solved with the envelope of a later state
            n_envelopes += 1
            is_solved, n_more = label(tables, values, path[i], delta, solved, work, n_envelopes)
            n_backups += n_more
            if not is_solved:
                break
        n_done += 1
    return n_envelopes, n_done, n_backups


@dataclass(frozen=True)
class LabelledHeuristicSearch:
    """Solves a finite MDP from one start state by greedy simulations, until it is solved.

    Parameters
    ----------
    depth : int
        d, 1 to 10⁶.
    delta : float
        δ, 0 or more, in the unit of rewards. At 0, values have to be exact, down to rounding: to be asked for only
        where no state can be met again.
    most_rounds : int
        Rounds at most, 1 to 10⁹.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    depth: int
    delta: float
    most_rounds: int = 1_000_000

    def __post_init__(self) -> None:
        check_count("depth", self.depth, 1, LARGEST_DEPTH)
        check_count("most_rounds", self.most_rounds, 1, MOST_SIMULATIONS)
        if not 0 <= self.delta < np.inf:
            raise ValueError(f"delta: {self.delta} given, a finite number of 0 or more allowed")

    def solve(
        self,
        mdp: FiniteMDP,
        start: int,
        upper_bound: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> LabelledSolution:
        """Search from a state until it is solved.

        Parameters
        ----------
        mdp : FiniteMDP
            The process.
        start : int
            A state that is not terminal.
        upper_bound : array_like of float, shape (n_states,), optional
            No value below the optimal one; :func:`agents.mdp.bounds.upper_bound` if none is given.
        seed : int
            Names every random number, 0 to 2⁶³ − 1.

        Returns
        -------
        LabelledSolution
            The same for the same search, process, start, bound and seed.

        Raises
        ------
        ValueError
            If the start, the bound or the seed is none, or there is no bound to be computed.
        """
        check_search(mdp, start, seed)
        values = initial_values(mdp, upper_bound)
        tables = mdp.tables
        solved = mdp.terminal
        work = new_workspace(mdp.n_states)
        path = np.empty(self.depth, np.int64)
        n_envelopes: Integer = 0
        n_done: Integer = 0
        n_backups: Integer = 0
        while not solved[start] and n_done < self.most_rounds:
            n_envelopes, n_done, n_more = rounds(
                tables,
                values,
                start,
                float(self.delta),
                solved,
                work,
                path,
                n_envelopes,
                n_done,
                self.most_rounds,
                BACKUPS_PER_CHUNK,
                np.uint64(seed),
            )
            n_backups += n_more
        found = solution_of(mdp, start, values, int(n_backups))
        return LabelledSolution(**vars(found), solved=solved, n_rounds=int(n_done))
