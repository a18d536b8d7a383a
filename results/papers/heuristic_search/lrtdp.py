"""Labelled heuristic search: labelled RTDP, which knows when it is done.

A *round* is a simulation (:mod:`agents.mdp.search`), which ends in a solved state, and the
labelling after it: the search goes back along the path, last state first. If the envelope of a
state (:mod:`agents.mdp.greedy_envelope`) has no residual above δ, the whole envelope is labelled
*solved*. Otherwise it is backed up in reverse order, and the round ends. Rounds go on until the
start is solved.

A label stays true: values of solved states no longer change, and all others only fall.
:mod:`agents.mdp.greedy_envelope` says what δ proves. Without discount it proves something only if
greedy play ends, as it does in 2048; elsewhere a loop without reward may be labelled solved at its
initial bound.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.8
(``LabeledHeuristicSearch``); Bonet and Geffner (2003), Algorithms 3 and 4. Our readings: terminal
states are solved from the beginning, a backup never raises a value (:mod:`agents.mdp.kernels`), and
the number of rounds is limited.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from results.papers.heuristic_search.greedy_envelope import Flags, Workspace, expand, new_workspace
from results.papers.heuristic_search.search import (
    MAX_DEPTH,
    MAX_SIMULATIONS,
    RunningSearch,
    SearchSolution,
    simulate,
)
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices, Tables, lower
from thetafront.agents.parameters import IntegerRange, RealRange
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.rng import PLAYOUT, stream


@dataclass(frozen=True, eq=False)
class LabelledSolution(SearchSolution):
    """A solution with labels, shape (n_states,).

    If the start is not solved, the search stopped at its maximum of rounds.
    """

    solved: Flags
    n_rounds: int

    @property
    def is_solved(self) -> bool:
        """Whether the start is solved."""
        return bool(self.solved[self.start])


@kernel
def label(
    tables: Tables,
    values: Floats,
    state: Integer,
    delta: float,
    solved: Flags,
    work: Workspace,
    number: Integer,
) -> tuple[bool, Integer]:
    """Label the envelope of a state as solved, or back it up in reverse order.

    Return whether the state is solved now, and the number of backups, including those that only
    compute a residual.
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
    values: Floats,
    start: Integer,
    delta: float,
    solved: Flags,
    work: Workspace,
    path: Indices,
    touched: Flags,
    n_envelopes: Integer,
    n_done: Integer,
    max_rounds: Integer,
    max_backups: Integer,
    seed: np.uint64,
) -> tuple[Integer, Integer, Integer]:
    """Do rounds until the start is solved or ``max_rounds`` are done.

    No round begins after ``max_backups`` backups of this call. Round k draws from the stream
    (seed, PLAYOUT, k). Return envelopes and rounds in all, and backups of this call.
    """
    n_backups: Integer = 0
    while not solved[start] and n_done < max_rounds and n_backups < max_backups:
        outcomes = stream(seed, PLAYOUT, np.uint64(n_done))
        n_path = simulate(tables, values, start, solved, path, touched, outcomes)
        n_backups += n_path
        for i in range(n_path - 1, -1, -1):
            if solved[path[i]]:
                continue  # visited twice, and solved with the envelope of a later state
            n_envelopes += 1
            is_solved, n_more = label(tables, values, path[i], delta, solved, work, n_envelopes)
            n_backups += n_more
            if not is_solved:
                break
        n_done += 1
    return n_envelopes, n_done, n_backups


class RunningLabelledSearch(RunningSearch):
    """A labelled heuristic search between two rounds."""

    def __init__(
        self, search: "LabelledHeuristicSearch", mdp: FiniteMDP, start: int, bound: Any, seed: int
    ) -> None:
        super().__init__(mdp, start, bound, search.depth, seed)
        self.delta = float(search.delta)
        self.max_rounds = search.max_rounds
        self.solved = mdp.terminal
        self.work = new_workspace(mdp.n_states)
        self.n_envelopes: Integer = 0

    @property
    def is_done(self) -> bool:
        return bool(self.solved[self.start] or self.n_done >= self.max_rounds)

    @property
    def n_touched(self) -> int:
        return int((self.touched | (self.work.met > 0)).sum())

    def advance(self, n_backups: int) -> None:
        self.n_envelopes, self.n_done, n_more = rounds(
            self.tables,
            self.values,
            self.start,
            self.delta,
            self.solved,
            self.work,
            self.path,
            self.touched,
            self.n_envelopes,
            self.n_done,
            self.max_rounds,
            n_backups,
            self.seed,
        )
        self.n_backups += n_more

    def solution(self) -> LabelledSolution:
        """Derive policy, residual and labels from the values so far."""
        found = super().solution()
        return LabelledSolution(**vars(found), solved=self.solved, n_rounds=int(self.n_done))


@dataclass(frozen=True)
class LabelledHeuristicSearch:
    """Solves a finite MDP from one start state by greedy simulations, until the start is solved.

    Parameters
    ----------
    depth : int
        d, 1 to 10⁶.
    delta : float
        δ, 0 or more, in the unit of rewards. 0 asks for values that are exact up to rounding; use
        it only where no state can be reached twice.
    max_rounds : int
        1 to 10⁹.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    depth: int
    delta: float
    max_rounds: int = 1_000_000

    def __post_init__(self) -> None:
        IntegerRange(1, MAX_DEPTH).check("depth", self.depth)
        IntegerRange(1, MAX_SIMULATIONS).check("max_rounds", self.max_rounds)
        RealRange(0).check("delta", self.delta)

    def solve(
        self, mdp: FiniteMDP, start: int, upper_bound: npt.ArrayLike | None = None, seed: int = 0
    ) -> LabelledSolution:
        """Search until the start is solved; as :meth:`agents.mdp.rtdp.HeuristicSearch.solve`."""
        run = self.begin(mdp, start, upper_bound, seed)
        run.finish()
        return run.solution()

    def begin(
        self, mdp: FiniteMDP, start: int, upper_bound: npt.ArrayLike | None = None, seed: int = 0
    ) -> RunningLabelledSearch:
        """Return the search before its first round; as :meth:`solve`."""
        return RunningLabelledSearch(self, mdp, start, upper_bound, seed)
