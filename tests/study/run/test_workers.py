"""Games over processes: the same ones for any number, and the death of a worker survived."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace

import pytest

from tests.processes import python, wait_until
from tests.study.playing import played_by
from tests.study.program import is_running
from thetafront.agents.agent import Agent, FailedGame, Game, GameError
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.study.errors import InputError
from thetafront.study.run.executor import Executor
from thetafront.study.run.worker import play_outcome
from thetafront.study.run.workers import (
    Finished,
    PlayError,
    Task,
    Workers,
    check_jobs,
    n_cores,
)


class Broken(PureMonteCarlo):
    """An agent that cannot play."""

    def play(self, seed: int) -> Game:
        raise RuntimeError("no idea how")


class Deadly(PureMonteCarlo):
    """An agent whose games kill their worker."""

    def play(self, seed: int) -> Game:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")


class Growing(PureMonteCarlo):
    """An agent that has ever more in memory, as networks are; it tells its process."""

    def play(self, seed: int) -> Game:
        KEPT.append(b"1" * 400_000_000)
        time.sleep(1.1)  # joblib looks once a second
        raise GameError(str(os.getpid()))


KEPT: list[bytes] = []


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_number_of_jobs_does_not_matter(jobs: int) -> None:
    agent = MonteCarloMDP(16, 8, 4, 2, 2.0, 0.5)
    games = [game for each in played_by(agent, 6, jobs) for game in each.games]
    games.sort(key=lambda game: game.seed)
    for alone, game in zip(map(agent.play, range(6)), games, strict=True):
        assert replace(game, seconds=alone.seconds) == alone


def collect_all(workers: Executor[str]) -> dict[str, Finished[str]]:
    while len(workers):
        workers.collect(timeout=60)
    return {finished.key: finished for finished in workers.returned}


def test_a_game_that_fails_says_why() -> None:
    with Workers[str](1) as workers:
        workers.submit(Task("a", Broken(1), (0,)))
        workers.submit(Task("b", PureMonteCarlo(1), (5, 3)))
        finished = collect_all(workers)
    assert (finished["a"].games, finished["a"].error) == ((), "RuntimeError: no idea how")
    assert [game.seed for game in finished["b"].games] == [5, 3]
    assert finished["b"].error == ""


def test_why_a_game_failed_is_one_line() -> None:
    class Wordy(Agent):
        is_ours = False

        def play(self, seed: int) -> Game:
            raise GameError("array([0,\n       1]) is\rno score")

        def warm_up(self) -> None:
            pass

    assert play_outcome(Wordy(), 3) == FailedGame(3, "array([0, 1]) is no score")


def test_a_worker_may_grow() -> None:
    """joblib ends a process that has 300 MB more than after its first task, with a warning."""
    with Workers[str](1) as workers, warnings.catch_warnings(record=True) as warned:
        for name in "abc":
            workers.submit(Task(name, Growing(1), (0,)))
        finished = collect_all(workers)
    assert not warned
    assert len({each.error for each in finished.values()}) == 1
    assert all(each.error.isdecimal() for each in finished.values())


def test_killed_workers_cost_no_game() -> None:
    """Killed again and again, with games in between: nobody is blamed."""
    with Workers[str](2) as workers:
        for seed in range(12):
            workers.submit(Task(str(seed), PureMonteCarlo(20), (seed,)))
        for k in range(3):
            n_before = len(workers.returned)
            while len(workers.returned) < n_before + 2:
                workers.collect(timeout=600)
            victim = multiprocessing.active_children()[0]
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            time.sleep(0.2)
            workers.submit(Task(f"more {k}", PureMonteCarlo(1), (99,)))
        finished = collect_all(workers)
        assert workers.n_deaths >= 1
    assert len(finished) == 12 + 3
    assert all(len(each.games) == 1 for each in finished.values())


def test_a_game_that_kills_its_workers_ends_the_work_and_no_other_is_blamed() -> None:
    with Workers[str](2) as workers:
        for seed in range(4):
            workers.submit(Task(str(seed), PureMonteCarlo(5), (seed,)))
        workers.submit(Task("deadly", Deadly(1), (0,)))
        with pytest.raises(
            PlayError, match="workers keep dying while playing deadly alone, from seed 0 on"
        ):
            collect_all(workers)


def test_workers_do_not_outlive_their_parent() -> None:
    """The parent is killed with kill -9 in the middle of long games; its workers end soon after."""
    program = (
        "import multiprocessing, time\n"
        "from thetafront.agents.twenty48.mcmdp import MonteCarloMDP\n"
        "from thetafront.study.run.workers import Task, Workers\n"
        "with Workers(2) as workers:\n"
        "    for seed in range(4):\n"
        "        agent = MonteCarloMDP(1e5, 1e5, 1e5, 1e5, 1.0)\n"
        "        workers.submit(Task(seed, agent, (seed,)))\n"
        "    workers.collect(timeout=3)\n"
        "    print(*[p.pid for p in multiprocessing.active_children()], flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2
        parent.kill()
        parent.wait()
    wait_until(lambda: not any(is_running(pid) for pid in pids), what="workers end")


def test_ending_at_once_leaves_no_process_but_other_children() -> None:
    """A script or a notebook that sweeps may have processes of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as own:
        (process,) = multiprocessing.active_children()
        with Workers[int](2) as workers:
            for seed in range(4):
                workers.submit(Task(seed, MonteCarloMDP(1e5, 1e5, 1e5, 1e5, 1.0), (seed,)))
            workers.collect(timeout=2)
            assert len(multiprocessing.active_children()) == 3
            workers.stop()
        assert multiprocessing.active_children() == [process]
        assert own.apply(abs, (-1,)) == 1


@pytest.mark.parametrize("jobs", [0, -1, 50_000])
def test_jobs_out_of_range_are_named(jobs: int) -> None:
    with pytest.raises(
        InputError, match=rf"jobs must be between 1 and {32 * n_cores()} \(got {jobs}\)"
    ):
        check_jobs(jobs)


def test_a_worker_imports_little() -> None:
    """So that it starts fast and stays small. (numba imports a part of scipy.)"""
    program = (
        "import sys\n"
        "from thetafront.agents.catalog import build\n"
        "from thetafront.study.run.workers import Task, Workers\n"
        "with Workers(1) as workers:\n"
        "    for name in ('random', 'dice', 'pacman_random'):\n"
        "        workers.submit(Task(name, build(name, {}), (0,)))\n"
        "    while len(workers):\n"
        "        workers.collect(60)\n"
        "    assert all(finished.games for finished in workers.returned)\n"
        "    print(*workers.pool.submit(lambda: sorted(sys.modules)).result())\n"
    )
    modules = set(python(program).split())
    assert "thetafront.study.run.worker" in modules
    heavy = {"matplotlib", "optuna", "pandas", "rich", "scipy.stats", "sqlalchemy", "typer"}
    assert not modules & {*heavy, "thetafront.study.run.workers"}
