"""A user's agent for tests: a compressor, whose games are of no board and have no points."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tests.study.conftest import make_known
from tests.study.made_studies import store_point, store_trial
from thetafront.agents.agent import Agent, check_seed
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.parameters import integer
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.game_summary import GameSummary
from thetafront.study.experiments.objectives.costs import cpu_seconds, reported
from thetafront.study.experiments.objectives.goals import Goal, mean, rate
from thetafront.study.experiments.space import Space
from thetafront.study.log.log import RECORD, Log, event
from thetafront.study.log.seeds import search_seed, validation_seed
from thetafront.study.log.study_record import StudyRecord

RATIO = mean("ratio", unit="bits/char")
ENERGY = reported("energy", unit="joules")
N_TRIALS, N_REPLICATES, N_VALIDATED = 8, 3, 30


@dataclass(frozen=True)
class Compressor(Agent):
    """Reports a ratio below 0 or above, the energy of a file, and two fields with taken names."""

    name: ClassVar[str] = "compressor"

    level: int = integer(1, 1, 100)

    def warm_up(self) -> None:
        pass

    def play(self, seed: int) -> ReportedGame:
        check_seed(seed)
        ratio = 1e-3 * (np.log10(self.level) - 1.0) + np.random.default_rng(seed).normal(0.0, 1e-4)
        fields = {"energy": 1e-3 * self.level, "seed": 3, "file": f"a,{seed} b", "none": None}
        return ReportedGame(seed, float(ratio), 1, 1e-4 * self.level, fields)


@dataclass(frozen=True)
class Tosser(Agent):
    """Reports 1 for heads in most of the games."""

    name: ClassVar[str] = "tosser"

    level: int = integer(1, 1, 100)

    def warm_up(self) -> None:
        pass

    def play(self, seed: int) -> ReportedGame:
        heads = np.random.default_rng(seed).random() < 0.3 + 0.006 * self.level
        return ReportedGame(seed, float(heads), 7, 1e-4 * self.level, {"energy": self.level})


def known(
    patch: pytest.MonkeyPatch, agent: type[Agent], goal: Goal, has_moves: bool = False
) -> Experiment:
    return make_known(
        patch,
        agent,
        title="An agent of somebody's",
        space=Space((NumericParameter("level", 1, 100, integer=True, log=True, symbol="l"),)),
        goal=goal,
        cost=ENERGY,
        costs=(ENERGY, cpu_seconds("game")),
        summary=GameSummary(ReportedGame, has_moves=has_moves),
        reference_score=-0.01,
        reference_costs={"energy_per_game": 1e3, "seconds_per_game": 1.0},
        baselines={"ten": {"level": 10}},
    )


@pytest.fixture
def compressor(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the compressor known by name."""
    return known(monkeypatch, Compressor, RATIO)


@pytest.fixture
def tosser(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the coin known by name; its games have moves."""
    return known(monkeypatch, Tosser, rate("heads"), has_moves=True)


def record_of(experiment: Experiment) -> StudyRecord:
    """The record of a study."""
    space = experiment.space.as_records()
    return StudyRecord(experiment.name, space, 0, "sobol", 16, cost=experiment.cost.name)


def fill(log: Log, experiment: Experiment) -> None:
    """Store a record, complete trials, and two validated points."""
    log.write(event(RECORD, **record_of(experiment).as_data()))
    for number, level in enumerate((1, 2, 5, 10, 20, 40, 70, 100)):
        agent = experiment.build({"level": level})
        games = [agent.play(search_seed(0, number, r)) for r in range(N_REPLICATES)]
        store_trial(log, experiment, {"level": level}, games)
    for number, (level, origin) in enumerate(((10, "ten"), (90, "proposal"))):
        agent = experiment.build({"level": level})
        seeds = (validation_seed(0, number, r) for r in range(N_VALIDATED))
        games_by_replicate = {r: agent.play(seed) for r, seed in enumerate(seeds)}
        store_point(log, {"level": level}, games_by_replicate, origin)
