"""Games over processes: the same ones for any number, and the death of a worker survived."""

import multiprocessing
import os
import signal

import pytest

from agents.agent import Agent, Game
from agents.mcmdp import MonteCarloMDP
from agents.pmcts import PureMonteCarlo
from study.errors import InputError
from study.workers import Workers, check_jobs, play_all


class Broken(PureMonteCarlo):
    """An agent that cannot play."""

    def play(self, seed: int) -> Game:
        raise RuntimeError("no idea how")


class Deadly(PureMonteCarlo):
    """An agent whose games kill their worker."""

    def play(self, seed: int) -> Game:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")


def results(agent: Agent, jobs: int) -> list[tuple[int, int, int, int]]:
    games = [finished.game for finished in play_all(agent, range(6), jobs)]
    return sorted((g.seed, g.score, g.n_moves, g.end_board) for g in games if g is not None)


def test_the_number_of_jobs_does_not_matter() -> None:
    agent = MonteCarloMDP.from_theta(16, 8, 4, 2, 2.0, 0.5)
    alone = [agent.play(seed) for seed in range(6)]
    expected = [(g.seed, g.score, g.n_moves, g.end_board) for g in alone]
    for jobs in (1, 3):
        assert results(agent, jobs) == expected


def test_a_game_that_fails_says_why() -> None:
    with Workers[str](1) as workers:
        workers.submit("a", Broken(1), 0)
        workers.submit("b", PureMonteCarlo(1), 0)
        finished = {}
        while len(workers):
            finished.update({each.key: each for each in workers.collect(timeout=30)})
    assert finished["a"].game is None
    assert finished["a"].error == "RuntimeError: no idea how"
    assert finished["b"].game is not None


def test_a_killed_worker_costs_no_game() -> None:
    with Workers[int](2) as workers:
        for seed in range(8):
            workers.submit(seed, PureMonteCarlo(20), seed)
        games = [each.game for each in workers.collect(timeout=30)]
        victim = multiprocessing.active_children()[0]
        assert victim.pid is not None
        os.kill(victim.pid, signal.SIGKILL)
        while len(workers):
            games += [each.game for each in workers.collect(timeout=30)]
        assert workers.n_deaths == 1
    assert sorted(game.seed for game in games if game is not None) == list(range(8))


def test_a_game_that_kills_its_workers_is_given_up() -> None:
    with Workers[str](1) as workers:
        workers.submit("deadly", Deadly(1), 0)
        finished = []
        while len(workers):
            finished += workers.collect(timeout=30)
        assert [each.error for each in finished] == [
            "a worker died 3 times while this game was in flight"
        ]
        workers.submit("fine", PureMonteCarlo(1), 0)
        (fine,) = workers.collect(timeout=30)
        assert fine.game is not None


def test_ending_at_once_leaves_no_process() -> None:
    workers = Workers[int](2)
    workers.open()
    for seed in range(4):
        workers.submit(seed, MonteCarloMDP.from_theta(2048, 512, 256, 64, 1.0), seed)
    workers.collect(timeout=2)
    assert len(multiprocessing.active_children()) == 2
    workers.close(at_once=True)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [0, -1, 5000])
def test_jobs_out_of_range_are_named(jobs: int) -> None:
    with pytest.raises(InputError, match=f"jobs: {jobs} given, 1 to 1024 allowed"):
        check_jobs(jobs)
