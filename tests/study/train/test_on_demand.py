"""Training on demand: once, from where an earlier one ended, in the room there is."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.study.playing import played_by
from tests.study.program import refused
from thetafront.agents.twenty48.ntuple.agent import NTuple
from thetafront.agents.twenty48.ntuple.learned import learned_file, learned_now, learned_weights
from thetafront.agents.twenty48.ntuple.learner import NTupleLearner
from thetafront.agents.twenty48.random import RandomAgent
from thetafront.study.errors import InputError
from thetafront.study.train import on_demand as module
from thetafront.study.train import training as training_module
from thetafront.study.train.on_demand import learn_first, round_numbers
from thetafront.study.train.training import Training

MOVES = 60_000


@pytest.fixture(autouse=True)
def networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("THETAFRONT_NETWORKS", str(tmp_path))
    monkeypatch.setattr(module, "round_numbers", lambda: [20_000, 50_000, 10**9])
    learned_weights.cache_clear()
    return tmp_path


def learner(n_moves: int = MOVES, seed: int = 3) -> NTupleLearner:
    return NTupleLearner("4x5", training_moves=n_moves, training_seed=seed)  # type: ignore[arg-type]


def file_of(agent: NTupleLearner) -> Path:
    return learned_file(agent.training, agent.training_moves)


def starts_of_trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After how many moves each part of a training began, from now on."""
    starts: list[int] = []

    class Counted(Training):
        def run(self, show: object) -> None:
            starts.append(self.counts.n_moves)
            super().run(show)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "Training", Counted)
    return starts


def forbid_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("trained")

    monkeypatch.setattr(module, "Training", refuse)


def test_round_numbers_rise_by_factors_of_two_or_so() -> None:
    assert round_numbers()[:5] == [5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000]


def test_it_is_trained_once_to_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_module, "POLL_INTERVAL", 0.001)
    agent, shown = learner(), set[tuple[bool, int]]()
    learn_first(agent, lambda training, n: shown.add((isinstance(training, Training), n)))
    assert shown == {(True, MOVES)}
    expected = learned_now(agent.training, MOVES)
    assert np.array_equal(learned_weights(agent.training, MOVES), expected)
    forbid_training(monkeypatch)
    learn_first(learner())
    learn_first(RandomAgent())
    assert learner().play(5).score == agent.play(5).score


def test_shorter_and_longer_trainings_share_its_checkpoints(
    networks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_first(learner())
    assert {each.name for each in networks.glob("*/*/*")} == {
        "moves-20000.npz",
        "moves-50000.npz",
        "moves-60000.npz",
    }
    starts = starts_of_trainings(monkeypatch)
    learn_first(learner(70_000))
    assert 50_000 <= starts[0] < MOVES
    for n_moves in (20_000, 50_000, 70_000):
        found = learned_weights(learner().training, n_moves)
        assert np.array_equal(found, learned_now(learner().training, n_moves)), n_moves
    forbid_training(monkeypatch)
    learn_first(learner(50_000))


def test_a_network_that_diverges_knows_nothing(networks: Path) -> None:
    """Its agent plays as one that has learned nothing, whoever learns."""
    wild = NTupleLearner("4x5", "td", rate=2.0, decay=1.0, training_moves=MOVES)  # type: ignore[arg-type]
    assert not learned_now(wild.training, MOVES).any()
    learn_first(wild)
    assert not learned_weights(wild.training, MOVES).any()
    assert wild.play(1).score == NTuple().play(1).score
    longer = replace(wild, training_moves=10 * MOVES)
    learn_first(longer)
    assert not learned_weights(longer.training, 10 * MOVES).any()
    assert {each.name for each in networks.glob("*/*/*")} == {
        "moves-60000.npz",
        "moves-600000.npz",
    }


def test_a_killed_training_is_continued(networks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last checkpoint is where it goes on from, and the end is as if nothing had happened."""
    n_moves = 3_000_000
    program = (
        "from thetafront.study.train import on_demand, training as t;"
        "from thetafront.agents.twenty48.ntuple.learner import NTupleLearner as L;"
        "t.CHECKPOINT_SECONDS = t.ROUND_SECONDS = 0.2; t.MAX_SHARE = 1.0;"
        f"on_demand.learn_first(L('4x5', training_moves={n_moves}, training_seed=3))"
    )
    agent = learner(n_moves)
    unfinished = file_of(agent).with_name(f"towards-{file_of(agent).name}")
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        while not unfinished.exists():
            assert process.poll() is None, "it has exited on its own"
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert not file_of(agent).exists()
    starts = starts_of_trainings(monkeypatch)
    leftover = unfinished.with_name(".moves-1.npz.part")
    leftover.touch()
    learn_first(agent)
    assert starts[0] > 0
    assert not leftover.exists()
    assert np.array_equal(
        learned_weights(agent.training, n_moves), learned_now(agent.training, n_moves)
    )
    assert not unfinished.exists()


def test_processes_that_ask_at_once_train_once() -> None:
    program = (
        "from thetafront.study.train.training import Training as T;"
        "from thetafront.study.train.on_demand import learn_first;"
        "from thetafront.agents.twenty48.ntuple.learner import NTupleLearner as L;"
        "run = T.run; T.run = lambda self, show: (print('trained'), run(self, show));"
        "learn_first(L('4x5', training_moves=2_000_000, training_seed=3)); print('ready')"
    )
    words = [sys.executable, "-c", program]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = "".join(process.communicate()[0] for process in both)
    assert said.count("ready") == 2
    assert said.count("trained") == 1


def test_workers_have_an_agent_learn_before_its_games(networks: Path) -> None:
    """What one of them has learned, the other one plays with."""
    played = played_by(learner(200_000), 4, jobs=2)
    assert not [each.error for each in played if each.error]
    assert len(list(networks.glob("*/*/moves-200000.npz"))) == 1
    assert sum(each.learning_seconds > 0 for each in played) == 4
    (other,) = played_by(RandomAgent(), 1, jobs=1)
    assert other.learning_seconds == 0.0
    scores = {game.seed: game.score for each in played for game in each.games}
    assert scores == {seed: learner(200_000).play(seed).score for seed in range(4)}


def test_the_least_recently_used_are_deleted(
    networks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = [learner(20_000, seed) for seed in range(4)]
    for age, agent in enumerate(agents[:3]):
        learn_first(agent)
        os.utime(file_of(agent), (1e9 + age, 1e9 + age))
    learn_first(agents[0])  # used again
    size = max(file_of(agent).stat().st_size for agent in agents[:3])
    monkeypatch.setenv("THETAFRONT_LEARNED_GB", str(3.5 * size / 1e9))
    learn_first(agents[3])
    assert [file_of(agent).exists() for agent in agents] == [True, False, True, True]
    monkeypatch.setenv("THETAFRONT_LEARNED_GB", "0")
    learn_first(agents[1])
    assert [file_of(agent).exists() for agent in agents] == [False, True, False, False]


def test_a_damaged_file_is_trained_anew(networks: Path) -> None:
    learn_first(learner())
    for name in ("moves-20000.npz", "moves-50000.npz", "moves-60000.npz"):
        (path,) = networks.glob(f"*/*/{name}")
        path.write_bytes(path.read_bytes()[:100])
    for n_moves in (70_000, MOVES):
        learn_first(learner(n_moves))
        expected = learned_now(learner().training, n_moves)
        assert np.array_equal(learned_weights(learner().training, n_moves), expected)


@pytest.mark.parametrize("given", ["much", "-1", "nan"])
def test_room_that_is_no_number_is_refused_before_anything_is_written(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THETAFRONT_LEARNED_GB", given)
    with pytest.raises(InputError, match="THETAFRONT_LEARNED_GB"):
        learn_first(learner())
    line = refused("sweep", "ntuple", "--results", str(tmp_path))
    assert f"THETAFRONT_LEARNED_GB must be a number of gigabytes (got '{given}')" in line
    assert not list(tmp_path.iterdir())
