"""One solver on one problem, with looks on the way: U of the start, and what its policy earns.

Value iteration begins with 0 in every state, so its U rises; heuristic search begins with an upper
bound and lowers it. Value iteration stops at a sweep with a residual of δ or less, labelled search
when the start is solved to within δ. Plain heuristic search does not know when it is done: it gets
as many backups as synchronous value iteration takes.

A sweep has one backup for each state with an action. Seconds are CPU time of backups alone, warm;
looking on the way is not in them.
"""

import time
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from results.papers.heuristic_search.problems import Problem
from results.papers.heuristic_search.search import NO_LABELS, Search
from thetafront.agents.mdp.kernels import Floats, greedy
from thetafront.agents.mdp.value_iteration import sweep_until

DELTA = 0.01  # points
# A call of this many backups takes well under a second, so Ctrl-C is answered in time.
BACKUPS_PER_CALL = 200_000
DEPTH = 1000  # actions; no game here is as long
LOOKS_A_DECADE = 4

SYNCHRONOUS = "value iteration, synchronous"
FORWARDS = "value iteration, Gauss-Seidel"
BACKWARDS = "value iteration, Gauss-Seidel backwards"
SEARCH, LABELLED = "heuristic search", "labelled heuristic search"
SWEEPS = (SYNCHRONOUS, FORWARDS, BACKWARDS)


class Look(NamedTuple):
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


def sweeps(problem: Problem, method: str) -> list[Look]:
    """Solve by value iteration from 0 on; look after sweeps."""
    mdp = problem.reversed_mdp if method == BACKWARDS else problem.mdp
    values, scratch = np.zeros(mdp.n_states), np.empty(mdp.n_states)
    looks, marks = list[Look](), milestones(problem)
    wanted, n_backups, seconds, residual = next(marks), 0, 0.0, np.inf
    while residual > DELTA:
        begin = time.thread_time()
        _, residual = sweep_until(mdp.tables, values, scratch, DELTA, 1, method != SYNCHRONOUS)
        seconds += time.thread_time() - begin
        n_backups += problem.n_playing
        done = bool(residual <= DELTA)
        if done or n_backups >= wanted:
            found = values[::-1].copy() if method == BACKWARDS else values
            looks.append(look(problem, found, n_backups, problem.n_playing, seconds, done))
            wanted = next(each for each in marks if each > n_backups)
    return looks


def search(problem: Problem, running: Search, max_backups: float) -> list[Look]:
    """Search until it is done, or has ``max_backups``; look on the way."""
    looks = [look(problem, running.values, 0, 0, 0.0, done=False)]
    seconds, n_backups, marks = 0.0, 0, milestones(problem)
    while not looks[-1].done:
        wanted = min(next(each for each in marks if each > n_backups), max_backups)
        while n_backups < wanted and not running.is_done:
            begin = time.thread_time()
            running.advance(min(int(wanted) - n_backups, BACKUPS_PER_CALL))
            seconds += time.thread_time() - begin
            n_backups = running.n_backups
        done = running.is_done or n_backups >= max_backups
        looks.append(look(problem, running.values, n_backups, running.n_touched, seconds, done))
    return looks


def solve(problem: Problem, method: str, bound: str, seed: int, max_backups: int) -> list[Look]:
    """Solve by a method; searches begin with a bound, and plain search has ``max_backups``."""
    if method in SWEEPS:
        return sweeps(problem, method)
    delta, limit = (DELTA, np.inf) if method == LABELLED else (NO_LABELS, max_backups)
    begun = Search(problem.mdp, problem.start, problem.bounds[bound], seed, DEPTH, delta)
    return search(problem, begun, limit)
