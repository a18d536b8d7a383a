"""One solver on one problem, looked at on the way: U of the start, and what its policy earns.

Value iteration begins with 0 in every state, so its U rises; heuristic search begins with an upper
bound and lowers it. Value iteration stops at a sweep with a residual of δ or less, labelled search
when the start is solved to within δ. Plain heuristic search does not know when it is done: it gets
as many backups as synchronous value iteration takes.

A sweep has one backup for each state with an action. Seconds are CPU time of backups alone, warm;
looking on the way is not in them.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from results.papers.heuristic_search.lrtdp import LabelledHeuristicSearch
from results.papers.heuristic_search.problems import Problem
from results.papers.heuristic_search.rtdp import HeuristicSearch
from results.papers.heuristic_search.search import BACKUPS_PER_CHUNK, MAX_SIMULATIONS, RunningSearch
from thetafront.agents.mdp.kernels import Floats, greedy
from thetafront.agents.mdp.value_iteration import sweep_until

DELTA = 0.01  # points
DEPTH = 1000  # actions; no game here is as long
LOOKS_A_DECADE = 4
MOST_SWEEPS = 100_000

SYNCHRONOUS = "value iteration, synchronous"
FORWARDS = "value iteration, Gauss-Seidel"
BACKWARDS = "value iteration, Gauss-Seidel backwards"
SEARCH, LABELLED = "heuristic search", "labelled heuristic search"
SWEEPS = (SYNCHRONOUS, FORWARDS, BACKWARDS)
ZERO = "0"
Clock = Callable[[], float]


@dataclass(frozen=True)
class Look:
    """A solver on its way, or at its end."""

    n_backups: int
    n_touched: int  # states backed up at least once
    seconds: float
    value: float  # U of the start
    policy_value: float  # what greedy play earns from the start on average, exactly
    done: bool


def milestones(problem: Problem) -> Iterator[int]:
    """Yield numbers of backups, evenly on a logarithmic scale, without end."""
    first = max(10, problem.n_playing // 100)
    return (round(first * 10 ** (k / LOOKS_A_DECADE)) for k in count())


def look(
    problem: Problem, values: Floats, n_backups: int, n_touched: int, seconds: float, done: bool
) -> Look:
    """Look at values, in the order of the problem's states."""
    _, policy = greedy(problem.mdp.tables, values)
    earned = problem.policy_value(policy)
    return Look(n_backups, n_touched, seconds, float(values[problem.start]), earned, done)


def sweeps(problem: Problem, method: str, clock: Clock = time.thread_time) -> list[Look]:
    """Solve by value iteration from 0 on; look after sweeps."""
    reverse = method == BACKWARDS
    mdp = problem.reversed_mdp if reverse else problem.mdp
    tables, values = mdp.tables, np.zeros(mdp.n_states)
    scratch = np.empty_like(values)
    looks: list[Look] = []
    next_look, seconds, residual = milestones(problem), 0.0, np.inf
    wanted = next(next_look)
    for number in range(1, MOST_SWEEPS + 1):
        begin = clock()
        _, residual = sweep_until(tables, values, scratch, DELTA, 1, method != SYNCHRONOUS)
        seconds += clock() - begin
        n_backups, done = number * problem.n_playing, bool(residual <= DELTA)
        if done or n_backups >= wanted:
            found = values[::-1].copy() if reverse else values
            looks.append(look(problem, found, n_backups, problem.n_playing, seconds, done))
        while n_backups >= wanted:
            wanted = next(next_look)
        if done:
            break
    return looks


def search(
    problem: Problem,
    method: str,
    bound: Floats,
    seed: int,
    most_backups: int,
    clock: Clock = time.thread_time,
) -> list[Look]:
    """Solve by heuristic search, plain (``most_backups``) or labelled; look on the way."""
    running: RunningSearch
    if method == LABELLED:
        running = LabelledHeuristicSearch(DEPTH, DELTA).begin(
            problem.mdp, problem.start, bound, seed
        )
    else:
        running = HeuristicSearch(MAX_SIMULATIONS, DEPTH).begin(
            problem.mdp, problem.start, bound, seed
        )
    looks = [look(problem, running.values, 0, 0, 0.0, done=False)]
    seconds = 0.0
    for wanted in milestones(problem):
        until = wanted if method == LABELLED else min(wanted, most_backups)
        n_backups = int(running.n_backups)
        if until <= n_backups:
            continue
        while n_backups < until and not running.is_done:
            begin = clock()
            running.advance(min(until - n_backups, BACKUPS_PER_CHUNK))
            seconds += clock() - begin
            n_backups = int(running.n_backups)
        done = running.is_done or (method == SEARCH and n_backups >= most_backups)
        looks.append(look(problem, running.values, n_backups, running.n_touched, seconds, done))
        if done:
            break
    return looks
