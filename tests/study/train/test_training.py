"""Training: the same to the bit however it is cut, and nothing lost by a kill."""

import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.processes import python
from tests.study.playing import played_by
from tests.study.program import invoked, refused, succeeded
from thetafront.agents.agent import identity
from thetafront.agents.twenty48.ntuple.agent import NTuple
from thetafront.agents.twenty48.ntuple.learned import UNLIMITED, learn_games
from thetafront.agents.twenty48.ntuple.learning import work_space
from thetafront.agents.twenty48.ntuple.network import MANIFEST, network_folder, trained_network
from thetafront.agents.twenty48.ntuple.patterns import (
    count_weights,
    n_looked_up,
    turned_tables,
)
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.study.errors import InputError, RunError
from thetafront.study.train import training as module
from thetafront.study.train.training import CHECKPOINT, Training, TrainingBudget, publish

SMALL = TrainingSettings(patterns="4x5", seed=3)
WORDS = ["--patterns", "4x5", "--seed", "3"]
HASTY = [  # a program that writes checkpoints all the time
    sys.executable,
    "-c",
    "from thetafront.study.train import training as t;"
    "t.CHECKPOINT_SECONDS = t.ROUND_SECONDS = 0.2; t.MAX_SHARE = 1.0;"
    "from thetafront.__main__ import main; main()",
]


@pytest.fixture(autouse=True)
def networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "networks"
    monkeypatch.setenv("THETAFRONT_NETWORKS", str(folder))
    return folder


def new_training(
    name: str,
    settings: TrainingSettings = SMALL,
    n_moves: float = math.inf,
    jobs: int = 1,
    cooling: float = 0.0,
) -> Training:
    network_folder(name).mkdir(parents=True, exist_ok=True)
    budget = TrainingBudget(n_moves=n_moves)
    return Training(network_folder(name) / CHECKPOINT, settings, budget, jobs, cooling)


def train(name: str, n_moves: float, settings: TrainingSettings = SMALL, jobs: int = 1) -> Training:
    training = new_training(name, settings, n_moves, jobs)
    training.run(lambda: None)
    publish(training, name)
    return training


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize(
    "settings",
    [
        SMALL,
        TrainingSettings(patterns="4x5", method="td", rate=0.1, decay=0.5, optimism=3200.0, seed=3),
    ],
)
def test_a_training_in_parts_gives_the_same_weights(
    settings: TrainingSettings, stages: int
) -> None:
    """With stages, games start from boards of the carousel, which the checkpoint keeps."""
    settings = replace(settings, stages=stages)
    ended = []
    for name, stops in (("whole", [60_000]), ("parts", [1, 20_000, 60_000])):
        for k, n_moves in enumerate(stops):
            training = new_training(name, settings, n_moves)
            if k == 0 and stages == 2:
                training.carousel.boards[1, :2] = 0xE0000000000000AB, 0xE00000000000CAB
                training.carousel.n_entered[1] = 2
            training.run(lambda: None)
            publish(training, name)
            assert training.counts.n_moves >= n_moves
        ended.append(training)
    whole, parts = ended
    assert np.array_equal(whole.weights, parts.weights)
    assert np.array_equal(whole.coherence, parts.coherence)
    assert np.array_equal(whole.carousel.boards, parts.carousel.boards)
    assert trained_network("whole").digest == trained_network("parts").digest
    assert (whole.counts.n_games, whole.counts.n_moves) == (
        parts.counts.n_games,
        parts.counts.n_moves,
    )
    last = parts.weights[-count_weights(SMALL.patterns) :]
    assert (last != np.float32(settings.first_weight)).any(), "the last stage learns, too"


def test_later_stages_begin_with_the_tables_of_the_first() -> None:
    """No game of so short a training reaches a later stage, so its tables stay as copied."""
    n_weights = count_weights(SMALL.patterns)
    first = train("staged", 50_000)
    whole = train("whole", 100_000)
    staged = train("staged", 100_000, replace(SMALL, stages=2))
    assert np.array_equal(staged.weights[:n_weights], whole.weights)
    assert np.array_equal(staged.weights[n_weights:], first.weights)
    assert np.array_equal(staged.coherence[:n_weights], whole.coherence)
    assert np.array_equal(staged.coherence[n_weights:], first.coherence)
    assert staged.counts.n_moves_before_stages == first.counts.n_moves
    manifest = json.loads((network_folder("staged") / MANIFEST).read_text())
    assert manifest["moves_before_stages"] == first.counts.n_moves
    again = train("staged", 150_000, replace(SMALL, stages=2))
    assert np.array_equal(again.weights[n_weights:], first.weights)
    agent = NTuple(network="staged")
    assert len(agent.knowledge.weights) == 2 * n_weights  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"stages must be 2 .* \(got 1\)"):
        new_training("staged")
    more = new_training("staged", replace(SMALL, stages=3))
    assert np.array_equal(more.weights[2 * n_weights :], again.weights[n_weights:])


def test_a_checkpoint_keeps_the_boards_from_which_games_start() -> None:
    settings = replace(SMALL, stages=2)
    training = new_training("v1", settings, 10_000)
    training.carousel.boards[1, 0], training.carousel.n_entered[1] = 0xE0000000000000AB, 1
    training.run(lambda: None)
    n_weights = count_weights(SMALL.patterns)
    assert training.weights[n_weights:].any(), "some games started with a 16384 tile"
    continued = new_training("v1", replace(SMALL, stages=3))
    assert np.array_equal(continued.carousel.boards[:2], training.carousel.boards)
    assert continued.carousel.n_entered.tolist() == [0, 1, 0]


def test_more_stages_need_a_larger_budget() -> None:
    words = ["train", "ntuple", "--name", "s", *WORDS, "--moves", "2000", "--cooling", "0"]
    assert "stages must be 1 for a new network (got 2)" in refused(*words, "--stages", "2")
    assert not network_folder("s").exists()
    succeeded(None, *words)
    assert "stages: to continue with 2, the budget must be larger than the " in refused(
        *words, "--stages", "2"
    )


def test_a_network_of_one_stage_has_the_digest_of_before() -> None:
    assert SMALL.digest == "a8ac5657866e"


def test_a_checkpoint_whose_indices_are_outside_is_damaged() -> None:
    train("v1", 2000)
    path = network_folder("v1") / CHECKPOINT
    with np.load(path) as saved:
        arrays = dict(saved)
    n = count_weights(SMALL.patterns)
    for indices in (arrays["indices"] + n, arrays["indices"] * 1.0, arrays["indices"][None]):
        np.savez(path, **{**arrays, "indices": indices})
        with pytest.raises(RunError, match="cannot be read"):
            new_training("v1", replace(SMALL, stages=3))


def test_an_agent_plays_with_the_trained_weights(networks: Path) -> None:
    training = train("v1", 100_000)
    agent = NTuple(network="v1")
    assert np.array_equal(agent.knowledge.weights, training.weights)  # type: ignore[attr-defined]
    in_file = np.load(trained_network("v1").weights_file)
    assert np.array_equal(turned_tables(SMALL.patterns, in_file), training.weights)
    scores = [agent.play(seed).score for seed in range(30)]
    in_workers = played_by(agent, 4, jobs=2)
    assert {each.key: each.games[0].score for each in in_workers} == dict(enumerate(scores[:4]))
    plain = [NTuple().play(seed).score for seed in range(30)]
    assert np.mean(scores) > 2 * np.mean(plain)
    before = identity(agent)
    assert before["network_digest"] == trained_network("v1").digest
    train("v1", 150_000)
    assert identity(NTuple(network="v1")) != before, "another network of the same name"
    assert len(list((networks / "v1").glob("weights-*.npy"))) == 1


def test_several_threads_learn_too() -> None:
    training = train("both", 300_000, jobs=2)
    assert training.counts.n_moves >= 300_000
    assert training.recent_scores[1] > 3000
    assert np.isfinite(training.weights).all()


def test_a_killed_training_continues_from_its_checkpoint(
    networks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is as if nothing had happened."""
    command = [*HASTY, "train", "ntuple", "--name", "k", *WORDS]
    checkpoint = networks / "k" / "checkpoint.npz"
    for _ in range(3):
        process = subprocess.Popen([*command, "--moves", str(10**9)], stderr=subprocess.DEVNULL)
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        while not (checkpoint.exists() and checkpoint.stat().st_mtime_ns > before):
            assert process.poll() is None, "it has exited on its own"
            time.sleep(0.05)
        time.sleep(0.3)  # into games, or the next checkpoint
        process.kill()
        process.wait()
    counts = new_training("k").counts
    assert counts.n_games > 0
    n_moves = counts.n_moves + 1000
    assert np.array_equal(train("k", n_moves).weights, train("undisturbed", n_moves).weights)


def test_an_interrupt_writes_a_checkpoint(networks: Path) -> None:
    command = [*HASTY, "train", "ntuple", "--name", "i", *WORDS, "--moves", str(10**9)]
    checkpoint = networks / "i" / "checkpoint.npz"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while not checkpoint.exists():
            assert process.poll() is None, "it has exited on its own"
            time.sleep(0.05)
        before = new_training("i").counts.n_games
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command resumes" in out
    assert new_training("i").counts.n_games > before
    assert not (networks / "i" / MANIFEST).exists()


def test_cooling_is_learning_in_steps_at_a_rate_that_falls() -> None:
    """Step by step from the same games by plain calls of `learn_games`, to the bit."""
    cooled = new_training("c", n_moves=30_000, cooling=0.4)
    cooled.run(lambda: None)
    cooled.cool(lambda: None)
    flat = new_training("f", n_moves=18_000)
    flat.run(lambda: None)
    n_games, n_moves = flat.counts.n_games, flat.counts.n_moves
    for rate, end in zip(np.arange(0.955, 0.1, -0.09), np.arange(0.04, 0.41, 0.04), strict=True):
        step = replace(SMALL, rate=float(rate))
        most = n_moves_at(flat.counts.n_moves, end) - n_moves
        space = work_space(n_looked_up(SMALL.patterns))
        done = learn_games(step, *flat.arrays, space, n_games, UNLIMITED, max(0, most))
        n_games, n_moves = n_games + done[0], n_moves + done[1]
    assert np.array_equal(cooled.weights, flat.weights)
    assert (cooled.counts.n_games, cooled.counts.n_moves) == (n_games, n_moves)
    assert n_moves >= 30_000


def n_moves_at(n_warm: int, end: float) -> int:
    """The moves at which a step of cooling ends, of 40% in all."""
    return n_warm + (round(n_warm / 0.6) - n_warm) * round(end / 0.04) // 10


def test_a_longer_training_goes_on_from_before_cooling(networks: Path) -> None:
    def command(name: str, moves: int) -> str:
        succeeded(None, "train", "ntuple", "--name", name, *WORDS, "--moves", str(moves))
        return trained_network(name).digest

    first = command("parts", 20_000)
    manifest = json.loads((networks / "parts" / MANIFEST).read_text())
    assert manifest["moves_before_cooling"] >= 14_000
    assert manifest["cooling"] == 0.3
    assert manifest["n_moves"] >= manifest["moves_to_repeat"] >= 20_000
    assert command("repeated", manifest["moves_to_repeat"]) == first
    assert command("parts", 60_000) == command("whole", 60_000) != first
    next((networks / "parts").glob("weights-*.npy")).unlink()
    assert command("parts", 60_000) == command("whole", 60_000), "cooled again"


def test_a_budget_that_is_spent_is_not_spent_again() -> None:
    words = ("train", "ntuple", "--name", "v", *WORDS, "--moves", "5000")
    assert "to play: thetafront play ntuple --set network=v" in succeeded(None, *words)
    assert "has already been trained for this long" in succeeded(None, *words)


def test_cooling_does_not_exceed_the_budget() -> None:
    words = ("train", "ntuple", "--name", "v", *WORDS, "--moves")
    succeeded(None, *words, "5000", "--cooling", "0")
    digest = trained_network("v").digest
    assert "has already been trained for this long" in succeeded(None, *words, "5000")
    assert trained_network("v").digest == digest
    for moves, most in (("8000", "0.3"), ("20000", "0.7")):
        line = refused(*words, moves, "--cooling", "0.9")
        assert line.startswith(f"thetafront: cooling must be at most {most}")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["chess", "--name", "v"], "kind must be ntuple (got 'chess')"),
        (["ntuple", "--name", "../v"], "name must be a name of letters"),
        (["ntuple", "--name", "none"], "name must not be 'none'"),
        (
            ["ntuple", "--name", "v", "--cpu-seconds", "0"],
            "cpu seconds must be a finite number above 0 (got 0)",
        ),
        (
            ["ntuple", "--name", "v", "--cpu-seconds", "nan"],
            "cpu seconds must be a finite number above 0 (got nan)",
        ),
        (["ntuple", "--name", "v", "--moves", "-1"], "moves must be between 1 and"),
        (["ntuple", "--name", "v", "--patterns", "9x9"], "patterns must be one of 4x5"),
        (["ntuple", "--name", "v", "--method", "q"], "method must be one of tc, td (got 'q')"),
        (["ntuple", "--name", "v", "--rate", "0"], "rate must be above 0 and up to 2 (got 0)"),
        (["ntuple", "--name", "v", "--decay", "1.5"], "decay must be between 0 and 1 (got 1.5)"),
        (["ntuple", "--name", "v", "--jobs", "0"], "jobs must be between 1 and 64 (got 0)"),
        (["ntuple", "--name", "v", "--seed", "-1"], "seed must be an integer"),
        (["ntuple", "--name", "v", "--cooling", "1"], "cooling must be between 0 and 0.9 (got 1)"),
        (["ntuple", "--name", "v", "--cooling", "nan"], "cooling must be between 0 and 0.9"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_made(
    words: list[str], line: str, networks: Path
) -> None:
    assert refused("train", *words).startswith(f"thetafront: {line}")
    assert not networks.exists()


def test_other_settings_of_a_network_are_refused() -> None:
    train("v", 1)
    line = refused("train", "ntuple", "--name", "v", "--patterns", "4x5", "--seed", "4")
    assert "seed must be 3 for network 'v'" in line


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: os.truncate(path, 1000),
    "emptied": lambda path: os.truncate(path, 0),
    "foreign": lambda path: np.save(path, np.zeros(10)),
    "pickled": lambda path: np.save(path, np.array([print], dtype=object), allow_pickle=True),
    "zipped": lambda path: zipfile.ZipFile(path, "w").close(),
    "gone": Path.unlink,
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "no numbers": lambda path: np.save(path, np.full_like(np.load(path), np.nan)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_files_that_are_no_network_are_refused(damage: str, networks: Path) -> None:
    train("v", 1)
    weights = next((networks / "v").glob("weights-*.npy"))
    DAMAGES[damage](weights)
    line = refused("play", "ntuple", "--set", "network=v", "--games", "1")
    assert "network: " in line
    assert "run the command that trained the network" in line
    weights.unlink(missing_ok=True)
    train("v", 1)
    played = succeeded(None, "play", "ntuple", "--set", "network=v", "--games", "1", "--json")
    assert json.loads(played)["params"]["network_digest"] == trained_network("v").digest


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1, "training": {}}'])
def test_manifests_of_other_things_are_refused(text: str, networks: Path) -> None:
    train("v", 1)
    (networks / "v" / MANIFEST).write_text(text)
    assert "manifest" in refused("play", "ntuple", "--set", "network=v", "--games", "1")


@pytest.mark.parametrize(("name", "code"), [(MANIFEST, 2), (CHECKPOINT, 1)])
def test_a_pipe_in_a_networks_folder_is_not_waited_for(
    name: str, code: int, networks: Path
) -> None:
    train("v", 1)
    checkpoint = networks / "v" / CHECKPOINT
    before = checkpoint.read_bytes()
    (networks / "v" / name).unlink()
    os.mkfifo(networks / "v" / name)
    words = ["train", "ntuple", "--name", "v", *WORDS, "--moves", "100"]
    done = invoked(None, *words, code=code)
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
    assert name == CHECKPOINT or checkpoint.read_bytes() == before


def test_a_checkpoint_that_is_damaged_or_gone_is_named(networks: Path) -> None:
    """And not trained anew from the start; the network plays."""
    train("v", 1)
    checkpoint = networks / "v" / CHECKPOINT
    for size in (checkpoint.stat().st_size // 2, 0):
        os.truncate(checkpoint, size)
        done = invoked(None, "train", "ntuple", "--name", "v", *WORDS, "--moves", "9", code=1)
        assert "checkpoint.npz: cannot be read" in done.stderr
        assert checkpoint.exists()
    checkpoint.unlink()
    assert "has lost its checkpoint.npz" in refused("train", "ntuple", "--name", "v", *WORDS)
    assert NTuple(network="v").play(1).n_moves > 0
    line = refused("play", "ntuple", "--set", "network=w", "--games", "1")
    command = "to train it: thetafront train ntuple --name w"
    assert f"network must be one of none, v (got 'w'); {command}" in line
    shutil.rmtree(networks / "v")
    untrained = refused("play", "ntuple", "--set", "network=w")
    assert f"network must be trained first (got 'w'); {command}" in untrained


def test_weights_that_grow_beyond_all_bounds_end_a_training(networks: Path) -> None:
    words = ["--patterns", "4x5", "--method", "td", "--rate", "2", "--moves", "1000000"]
    done = invoked(None, "train", "ntuple", "--name", "v", *words, code=1)
    assert "use a smaller --rate" in done.stderr
    assert not list((networks / "v").iterdir())


def test_an_agent_refuses_a_network_that_has_learned_since(networks: Path) -> None:
    train("v", 1)
    agent = pickle.loads(pickle.dumps(NTuple(network="v")))
    train("v", 5000)
    with pytest.raises(ValueError, match=r"network 'v' has changed"):
        agent.play(1)


def test_warming_suffices_with_a_network_too(networks: Path) -> None:
    train("v", 1)
    program = (
        "from thetafront.agents.twenty48.ntuple.agent import NTuple;"
        "from tests.agents import conformance as c;"
        "c.small_variants = lambda name: [NTuple(network='v', depth=2)]; c.check_warming('ntuple')"
    )
    python(program)


def test_too_little_memory_is_said_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    free = SimpleNamespace(available=100e6)
    monkeypatch.setattr(module.psutil, "virtual_memory", lambda: free)
    with pytest.raises(RunError, match="4x6 by tc takes 1,208 MB, but only 100 MB are free"):
        new_training("v", TrainingSettings())


def test_the_manifest_tells_what_made_a_network(networks: Path) -> None:
    train("v", 5000)
    manifest = json.loads((networks / "v" / MANIFEST).read_text())
    assert manifest["training"]["patterns"] == "4x5"
    assert manifest["n_moves"] >= 5000
    assert manifest["versions"]["numba"]
    assert manifest["jobs"] == 1
    train("v", 5000)
    assert json.loads((networks / "v" / MANIFEST).read_text()) == manifest, "nothing new"
    assert manifest.pop("earlier_runs") == []
    train("v", 9000, jobs=2)
    again = json.loads((networks / "v" / MANIFEST).read_text())
    assert (again["jobs"], again["earlier_runs"]) == (2, [manifest])
