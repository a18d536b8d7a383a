"""A sampler in a process of its own: the same proposals, and a search that survives its death."""

import os
import signal
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.study.made_studies import new_study_in
from tests.study.run.test_proposals import DIRECTIONS, N_DESIGN, OBJECTIVES, SPACE, complete
from tests.study.run.test_search import Watch, states_of, trials_of
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.log import Log
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.proposals import Proposals, Proposer, StaleError
from thetafront.study.run.search import MAX_DEATHS, Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import PlayError, Workers
from thetafront.study.samplers import make_sampler
from thetafront.study.samplers.knowledge_gradient import KnowledgeGradientSampler

KEPT: list[Any] = []

SETTINGS = SearchSettings(
    n_trials=14, n_replicates=2, seed=5, sampler="knowledge-gradient", design_size=8
)


def gradient(number: int) -> Any:
    return make_sampler("knowledge-gradient", 3, number, N_DESIGN, OBJECTIVES)


def process_of(proposals: Proposals) -> int | None:
    """Return the identifier of the process that proposes, while there is one."""
    return next(iter(proposals.pool._processes), None)


def proposed(in_subprocess: bool) -> list[Any]:
    """Return twelve proposals, four at a time, each four after the ones before have ended."""
    design = [SPACE.from_unit([u] * 6) for u in (0.9, 0.1, 0.5, 0.3)]
    trials = [complete(number, params) for number, params in enumerate(design)]
    proposals = Proposals(trials, DIRECTIONS, SPACE, gradient, False, in_subprocess)
    found: list[Any] = []
    for _ in range(3):
        proposals.begin(4)
        made = proposals.take()
        for each in made:
            proposals.learn(complete(each.number, each.params))
        found += made
    proposals.close()
    return found


def test_a_process_of_its_own_proposes_what_a_thread_does() -> None:
    assert proposed(in_subprocess=True) == proposed(in_subprocess=False)


def test_the_death_of_the_process_is_told_while_it_works_and_after() -> None:
    trials = [complete(0, SPACE.from_unit([0.5] * 6))]
    proposals = Proposals(trials, DIRECTIONS, SPACE, gradient, False, True)
    process = process_of(proposals)
    assert process is not None
    os.kill(process, signal.SIGKILL)
    for _ in range(2):
        proposals.begin()
        with pytest.raises(BrokenProcessPool):
            proposals.take()
    proposals.close()


class Growing(KnowledgeGradientSampler):
    """A sampler that keeps more memory than loky lets a worker keep."""

    def plan(self, *arguments: Any) -> None:
        KEPT.append(np.ones(60_000_000))
        super().plan(*arguments)


def growing(number: int) -> Any:
    return Growing(3, OBJECTIVES)


@pytest.mark.slow
def test_a_process_that_grows_continues_with_what_it_knows() -> None:
    """With psutil, loky looks at a worker's memory when a task ends, and would replace it."""
    design = [SPACE.from_unit([u] * 6) for u in (0.9, 0.1, 0.5, 0.3)]
    trials = [complete(number, params) for number, params in enumerate(design)]
    proposals = Proposals(trials, DIRECTIONS, SPACE, growing, False, True)
    process = process_of(proposals)
    numbers = []
    for _ in range(3):
        proposals.begin(2)
        numbers += [each.number for each in proposals.take()]
        time.sleep(1.1)
    assert process_of(proposals) == process
    proposals.close()
    assert numbers == [4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("ended", "number", "said"),
    [
        ([], 5, "trial 5 requested, but the process's copy of the study proposes 4"),
        ([], 2, "trial 2 requested, but the process's copy of the study proposes 4"),
        ([7], 4, "trial 7 has ended, but the process's copy of the study has 4 trials"),
    ],
)
def test_a_copy_that_is_not_up_to_date_is_found_out(
    ended: list[int], number: int, said: str
) -> None:
    design = [SPACE.from_unit([u] * 6) for u in (0.9, 0.1, 0.5, 0.3)]
    trials = [complete(number, params) for number, params in enumerate(design)]
    proposer = Proposer(trials, DIRECTIONS, SPACE, gradient)
    with pytest.raises(StaleError, match=said):
        proposer.answer([complete(each, design[0]) for each in ended], [number])


def test_no_process_is_left_after_the_end() -> None:
    trials = [complete(0, SPACE.from_unit([0.5] * 6))]
    proposals = Proposals(trials, DIRECTIONS, SPACE, gradient, False, True)
    proposals.begin()
    proposals.take()
    process = process_of(proposals)
    assert process is not None
    proposals.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def search_apart(experiment: Experiment, folder: Path, n_kills: int) -> tuple[Log, Watch]:
    """Run a search whose sampler's process is killed after each of its first proposals."""
    study = new_study_in(folder, SETTINGS.record(experiment))
    watch = Watch()
    source = Search(experiment, study, SETTINGS, 2, watch.message, in_subprocess=True)
    killed: set[int] = set()

    def kill() -> None:
        process = process_of(source.proposals)
        if process is None or process in killed or source.n_games < 4:
            return
        if len(killed) < n_kills:
            killed.add(process)
            os.kill(process, signal.SIGKILL)

    with Workers[Any](2) as workers:
        try:
            Dispatch(source, workers, watch, each_turn=kill).run()
        finally:
            assert len(killed) == n_kills
    return study, watch


@pytest.mark.sweeps
def test_a_search_continues_when_the_process_that_proposes_is_killed(
    quick: Experiment, tmp_path: Path
) -> None:
    study, watch = search_apart(quick, tmp_path, n_kills=1)
    assert [text for text in watch.messages if "died" in text] == [
        "the process that proposes trials died; a new one continues"
    ]
    assert states_of(study) == ["complete"] * SETTINGS.n_trials
    assert all(set(trial.games) == {0, 1} for trial in trials_of(study))


@pytest.mark.sweeps
def test_a_search_ends_when_the_process_that_proposes_dies_again_and_again(
    quick: Experiment, tmp_path: Path
) -> None:
    with pytest.raises(PlayError, match=f"died {MAX_DEATHS} times in a row"):
        search_apart(quick, tmp_path, n_kills=MAX_DEATHS)
    study, _ = search_apart(quick, tmp_path, n_kills=0)
    assert len(trials_of(study)) == SETTINGS.n_trials, "the same command goes on"
