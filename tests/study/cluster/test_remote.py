"""What a worker answers: games as they are here, or why it plays none."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thetafront.agents.agent import Agent
from thetafront.agents.catalog import build
from thetafront.agents.external.program import Program, ProgramAgent
from thetafront.agents.external.report import Report
from thetafront.agents.parameters import plain_values
from thetafront.agents.twenty48.ntuple.network import MANIFEST, TrainedNetwork
from thetafront.agents.twenty48.ntuple.patterns import count_weights
from thetafront.agents.twenty48.ntuple.training_settings import TrainingSettings
from thetafront.study.cluster import remote
from thetafront.study.cluster.remote import Refusal, Wanted, packed, probe
from thetafront.study.cluster.sources import modules, sources_digest
from thetafront.study.experiments.registry import experiment
from thetafront.study.run.worker import Finished, Task

AGENT = build("dice_solver", {"gamma": 0.9})
COIN = """
from thetafront import Experiment, NumericParameter, Space, mean
def play(seed, effort): return {"score": seed * effort}
COIN = Experiment("coin", play, Space((NumericParameter("effort", 1, 9),)), mean("score"))
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spares the benchmark, and leaves this process its threads."""
    monkeypatch.setenv("THETAFRONT_BENCHMARK", "0.1")
    monkeypatch.setattr(remote, "prepare", lambda: None)
    monkeypatch.setattr(remote, "address", lambda: "tcp://w:1")


def play(wanted: Wanted, agent: Agent, *seeds: int) -> Finished[str]:
    """Play games that this worker may play."""
    answer = remote.play(wanted, Task("a", agent, seeds))
    assert isinstance(answer, Finished)
    return answer


def objection(wanted: Wanted, agent: Agent) -> str:
    """Return why this worker plays nothing."""
    answer = remote.play(wanted, Task("a", agent, (1,)))
    assert isinstance(answer, Refusal)
    assert answer.worker == "tcp://w:1"
    return answer.objection


def test_games_are_those_that_this_process_plays() -> None:
    answer = play(Wanted(sources_digest()), AGENT, 3, 4)
    assert (answer.key, answer.error) == ("a", "")
    for game, seed in zip(answer.games, (3, 4), strict=True):
        assert (game.seed, game.score) == (seed, AGENT.play(seed).score)
    assert answer.ended > answer.began
    found = probe(Wanted(sources_digest()), AGENT)
    assert (found.machine.key, found.objection) == (answer.machine, "")
    assert found.n_games >= 2


def test_a_worker_that_is_something_else_plays_nothing() -> None:
    digest = sources_digest()
    said = objection(Wanted("0" * 12), AGENT)
    assert said.startswith(f"its code is {digest} (Python ")
    assert said.endswith(", not 000000000000")
    assert "its class is" in objection(Wanted(digest, "other"), AGENT)


def test_a_definition_must_be_there_and_be_the_same(tmp_path: Path) -> None:
    file = tmp_path / "coin_of_test.py"
    file.write_text(COIN)
    agent = experiment(str(file)).build({})
    wanted = Wanted(sources_digest())
    assert play(wanted, agent, 2).games[0].score == 10.0
    file.write_text(COIN + "\nMORE = 1\n")
    assert f"its {file}:COIN is " in objection(wanted, agent)
    file.unlink()
    assert f"it lacks the definition: {file}" in objection(wanted, agent)


def test_a_program_is_looked_for_where_it_is_played(tmp_path: Path) -> None:
    """What tells that it has not changed is taken there, of its own file."""
    program = tmp_path / "game.sh"
    program.write_text("#!/bin/sh\necho '{\"score\": 3}'\n")
    program.chmod(0o755)
    found = Program((str(program),), report=Report("score", False, ()))
    sent = pickle.loads(pickle.dumps(packed(ProgramAgent(found, ()))))
    program.touch()  # as a copy on another machine, it has other stamps
    wanted = Wanted(sources_digest())
    answer = play(wanted, sent, 1)
    assert answer.games[0].score == 3.0, answer
    again = packed(ProgramAgent(replace(found), ()))
    program.touch()
    assert play(wanted, again, 1).games, "a worker outlives a touched program"
    program.write_text("#!/bin/sh\necho '{\"score\": 4}'\n")
    assert "game.sh is " in objection(wanted, sent)
    again = packed(ProgramAgent(replace(found), ()))
    assert play(wanted, again, 1).games[0].score == 4.0


def test_a_program_that_changes_during_a_task_is_refused(tmp_path: Path) -> None:
    """No task mixes games of two programs, and the run goes on with other workers."""
    program = tmp_path / "game.sh"
    program.write_text('#!/bin/sh\nsleep 0.05; touch "$0"; echo \'{"score": 3}\'\n')
    program.chmod(0o755)
    agent = packed(ProgramAgent(Program((str(program),), report=Report("score", False, ())), ()))
    answer = remote.play(Wanted(sources_digest()), Task("a", agent, (1, 2)))
    assert isinstance(answer, Refusal)
    assert answer.objection.startswith(f"{program} has changed")


def test_an_agent_that_reads_a_file_needs_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THETAFRONT_NETWORKS", str(tmp_path))
    training = TrainingSettings("4x5")
    network = TrainedNetwork("tiny", plain_values(training), 1, 9, 0.0, "0" * 12)
    network.weights_file.parent.mkdir()
    np.save(network.weights_file, np.zeros(count_weights(training.patterns), np.float32))
    manifest = network.weights_file.with_name(MANIFEST)
    manifest.write_text(json.dumps(network.to_json()))
    agent, wanted = build("ntuple", {"network": "tiny"}), Wanted(sources_digest())
    assert probe(wanted, agent).objection == ""
    manifest.write_text(json.dumps({**network.to_json(), "digest": "1" * 12}))
    network.weights_file.rename(replace(network, digest="1" * 12).weights_file)
    said = "it lacks what ntuple reads: network_digest was 000000000000, and is now 111111111111"
    assert probe(wanted, agent).objection == said
    manifest.unlink()
    assert "it lacks what ntuple reads: network must be trained" in probe(wanted, agent).objection


def test_an_error_of_a_game_is_reported() -> None:
    answer = play(Wanted(sources_digest()), AGENT, -1)
    assert answer.error == "ValueError: seed must be between 0 and 2**63 - 1 (got -1)"
    assert (answer.games, answer.is_machines) == ((), False)


def test_the_digest_is_of_what_workers_import() -> None:
    names = {each.name for each in modules()}
    assert {"worker.py", "remote.py", "machine.py", "on_demand.py"} <= names
    assert not {"sweep.py", "cluster.py", "api.py"} & names
