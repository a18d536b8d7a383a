"""Faults of a cluster, with real processes: no game lost, none twice, each the same to the bit."""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest

from tests.cluster.ground import Ground, nannies, playing, psutil, wait_for
from tests.study.run.test_workers import Deadly, collect_all
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.engine.jit import ROOT
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.run.workers import PlayError, Task

SECONDS = 400.0
STOPPED_SECONDS = 40.0
FAILURE = r"[34] of [34] games failed; the first: killed by SIGKILL \(seed \d+\)"


def check(ground: Ground, sweep: subprocess.Popen[bytes], expected: pd.DataFrame) -> str:
    """Wait for the end of a sweep, compare its games, and return what it said."""
    code = sweep.wait(SECONDS)
    said = ground.said("sweep")
    assert code == 0, said
    assert "Traceback" not in said
    pd.testing.assert_frame_equal(ground.games(), expected)
    return said


def killed(process: psutil.Process) -> None:
    process.kill()
    psutil.wait_procs([process], timeout=10)


def test_killed_workers_cost_no_game(ground: Ground, of_one_machine: pd.DataFrame) -> None:
    """One, and then all that may play, while another is refused: others come after them."""
    ground.scheduler()
    workers = ground.workers(2)
    ground.plain_worker(2)
    sweep = ground.sweep()
    ground.wait_for_games(4)
    killed(playing(workers)[0])
    wait_for("another comes", lambda: len(playing(workers)) == 2)
    for each in playing(workers):
        killed(each)
    said = check(ground, sweep, of_one_machine)
    assert "2 workers on 1 machine at" in said
    assert "left or died; " in said
    assert "gets no games: it plays 2 games in one process" in said


def test_a_killed_nanny_and_its_worker_come_back(
    ground: Ground, of_one_machine: pd.DataFrame
) -> None:
    ground.scheduler()
    workers = ground.workers(2)
    sweep = ground.sweep()
    ground.wait_for_games(4)
    (nanny,) = nannies(workers)
    before = playing(workers)
    killed(nanny)
    for each in before:
        if each.is_running():
            killed(each)
    wait_for("others play", lambda: len(playing(workers)) == 2)
    check(ground, sweep, of_one_machine)


def test_a_killed_scheduler_is_taken_up_again(ground: Ground, of_one_machine: pd.DataFrame) -> None:
    """Workers come back by themselves, and the sweep goes on."""
    scheduler = ground.scheduler()
    ground.workers(2)
    sweep = ground.sweep()
    ground.wait_for_games(4)
    os.killpg(scheduler.pid, signal.SIGKILL)
    scheduler.wait()
    time.sleep(3)
    n = ground.n_stored()
    ground.scheduler()
    ground.wait_for_games(n + 1)
    said = check(ground, sweep, of_one_machine)
    assert f"the scheduler at {ground.address} does not answer; retrying for 120 s" in said
    assert "the scheduler is back after" in said
    assert f"a scheduler answers at {ground.address}" in ground.said("worker")


def test_a_killed_coordinator_is_resumed_by_the_same_command(
    ground: Ground, of_one_machine: pd.DataFrame
) -> None:
    ground.scheduler()
    ground.workers(2)
    sweep = ground.sweep(log="first")
    ground.wait_for_games(4)
    os.killpg(sweep.pid, signal.SIGKILL)
    sweep.wait()
    n = ground.n_stored()
    assert 4 <= n < 80
    said = check(ground, ground.sweep(), of_one_machine)
    assert f"{n} games already stored" in said


def test_workers_come_late_and_leave(ground: Ground, of_one_machine: pd.DataFrame) -> None:
    ground.scheduler()
    first = ground.workers(1, "first")
    sweep = ground.sweep()
    ground.wait_for_games(4)
    ground.workers(2, "second")
    ground.wait_for_games(ground.n_stored() + 4)
    first.terminate()
    assert first.wait(20) == 130
    assert ground.said("first").strip().endswith("interrupted")
    said = check(ground, sweep, of_one_machine)
    assert "Traceback" not in ground.said("first")
    assert "a worker left or died" in said


def test_a_partition_costs_time_only(ground: Ground, of_one_machine: pd.DataFrame) -> None:
    """The scheduler is stopped, and goes on."""
    scheduler = ground.scheduler()
    ground.workers(2)
    sweep = ground.sweep()
    ground.wait_for_games(4)
    os.killpg(scheduler.pid, signal.SIGSTOP)
    time.sleep(STOPPED_SECONDS)
    assert sweep.poll() is None
    os.killpg(scheduler.pid, signal.SIGCONT)
    check(ground, sweep, of_one_machine)


def test_a_game_that_ends_its_worker_fails_its_trial_and_no_other(ground: Ground) -> None:
    """As on one machine, where the words are the same."""
    text = (ground.folder / "sleeper.py").read_text().replace("KILLS = False", "KILLS = True")
    (ground.folder / "killer.py").write_text(text.replace("effort > 70", "81 < effort <= 88"))
    ground.scheduler()
    ground.workers(2)
    sweep = ground.sweep(file="killer.py")
    assert ground.alone(file="killer.py") == 0, ground.said("alone")
    assert sweep.wait(SECONDS) == 0, ground.said("sweep")
    trials = {
        name: pd.read_csv(ground.folder / "results" / name / "trials.csv")
        for name in ("sleeper", "alone")
    }
    for table in trials.values():
        failed = table[table["state"] == "fail"]
        assert list(failed["effort"].between(82, 88)) == [True] * len(failed)
        assert len(failed)
        assert failed["error"].str.fullmatch(FAILURE).all()
        assert (table["state"] == "complete").sum() == 20


def test_an_agent_that_ends_its_workers_is_found_and_no_other_is_blamed(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask blames all tasks of a worker that dies, and gives them up after four deaths."""
    from thetafront.study.cluster.dask_workers import DaskWorkers

    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # where the agent is
    ground.scheduler()
    ground.workers(2)
    with DaskWorkers[str](ground.address) as workers:
        workers.admit(EXPERIMENTS["dice"].by("n_sweeps"), {})
        workers.submit(Task("deadly", Deadly(1), (0,)))
        for seed in range(6):
            workers.submit(Task(f"{seed}", PureMonteCarlo(5), (seed,)))
        with pytest.raises(PlayError, match="keep dying while playing deadly alone"):
            collect_all(workers)
        assert "left or died" in " ".join(workers.drain_messages())
        played = {each.key: [game.seed for game in each.games] for each in workers.returned}
        # On a loaded machine some may still be in flight.
        assert played
        assert played.items() <= {f"{seed}": [seed] for seed in range(6)}.items()


def test_interrupting_leaves_no_process(ground: Ground) -> None:
    """Neither of the worker command nor, when that is killed, of what it has started."""
    ground.scheduler()
    for number in (signal.SIGINT, signal.SIGKILL):
        workers = ground.workers(2, f"worker{number}")
        children = [*nannies(workers), *playing(workers)]
        os.kill(workers.pid, number)
        workers.wait(20)
        _, alive = psutil.wait_procs(children, timeout=10)
        assert not alive
