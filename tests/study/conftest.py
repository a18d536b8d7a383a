"""Experiments for tests: real agents on small spaces, and two games that cost nothing.

These are a coin that is won or lost, and a problem that is solved exactly. Besides, one thread for
linear algebra, a pseudo-terminal, and workers without processes.
"""

import math
import os
import pty
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import cloudpickle
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from thetafront.agents.agent import Agent, Game, check_seed
from thetafront.agents.catalog import AGENTS
from thetafront.agents.parameters import integer, real
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
from thetafront.study.experiments.game_summary import GameSummary, TileSummary
from thetafront.study.experiments.objectives.costs import (
    BACKUPS,
    PLAYOUT_MOVES,
    SECONDS,
    SOLVING_SECONDS,
    SWEEPS,
)
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, SCORE, WIN_RATE
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space
from thetafront.study.page import results
from thetafront.study.page.document import BEGINNING
from thetafront.study.run import workers

QUICK = Experiment(
    name="quick",
    title="2048, pure Monte Carlo, for tests",
    agent="pmcts",
    space=Space((NumericParameter("n_playouts", 1, 40, integer=True, symbol="n"),)),
    goal=SCORE,
    cost=SECONDS,
    costs=(SECONDS, PLAYOUT_MOVES),
    summary=TileSummary(Game2048),
    reference_score=0.0,
    reference_costs={"seconds_per_move": 0.01, "playout_moves_per_move": 1e6},
    baselines={"four playouts": {"n_playouts": 4}},
)


WORDS = replace(
    QUICK,
    name="words",
    title="2048, Monte Carlo tree search, for tests",
    agent="uct",
    space=Space(
        (
            NumericParameter("n_simulations", 2, 12, integer=True, symbol="m"),
            CategoricalParameter("leaf_value", ("score", "weights_a", "random"), symbol="U"),
            NumericParameter("exploration", 10.0, 5000.0, log=True, symbol="c"),
        )
    ),
    baselines={"six": {"n_simulations": 6, "leaf_value": "weights_a", "exploration": 100.0}},
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Use one thread for linear algebra: more are up to ten times slower on small matrices."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the experiment with words known by name."""
    monkeypatch.setitem(EXPERIMENTS, "words", WORDS)
    return WORDS


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the quick experiment known by name."""
    monkeypatch.setitem(EXPERIMENTS, "quick", QUICK)
    return QUICK


@dataclass(frozen=True)
class CoinGame(Game, kind="coin"):
    """A game of a coin."""

    won: bool
    n_backups: int


@dataclass(frozen=True)
class Coin(Agent):
    """Wins with probability effort/(effort + 20) + bias, in effort microseconds a move."""

    name: ClassVar[str] = "coin"

    effort: int = integer(10, 1, 1000)
    bias: float = real(0.0, -1.0, 1.0)

    @property
    def p_win(self) -> float:
        return self.effort / (self.effort + 20) + self.bias

    def warm_up(self) -> None:
        pass

    def play(self, seed: int) -> CoinGame:
        check_seed(seed)
        draw = np.random.default_rng(seed)
        won, n_moves = bool(draw.random() < self.p_win), int(draw.integers(5, 15))
        seconds = 1e-6 * self.effort * n_moves
        return CoinGame(
            seed, 500.5 if won else -500.0, n_moves, seconds, won, self.effort * n_moves
        )


@dataclass(frozen=True)
class SolvedGame(Game, kind="solved"):
    """A problem that was solved; its score is an expectation."""

    n_sweeps: int


@dataclass(frozen=True)
class Solver(Agent):
    """Expects 13 − 3·exp(−sweeps/20) points, whatever the seed."""

    name: ClassVar[str] = "solver"
    is_random: ClassVar[bool] = False

    sweeps: int = integer(10, 1, 1000)

    @property
    def worth(self) -> float:
        return 13.0 - 3.0 * math.exp(-self.sweeps / 20)

    def warm_up(self) -> None:
        pass

    def play(self, seed: int) -> SolvedGame:
        check_seed(seed)
        return SolvedGame(seed, self.worth, 1, 1e-5 * self.sweeps, self.sweeps)


def make_known(patch: pytest.MonkeyPatch, agent: type[Agent], **definition: Any) -> Experiment:
    """Make an agent known by its name, and its experiment by the same."""
    patch.setitem(AGENTS, agent.name, agent)
    experiment = Experiment(name=agent.name, agent=agent.name, **definition)
    patch.setitem(EXPERIMENTS, agent.name, experiment)
    return experiment


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the coin known by name, with its agent."""
    return make_known(
        monkeypatch,
        Coin,
        title="A coin",
        space=Space((NumericParameter("effort", 1, 100, integer=True, log=True, symbol="e"),)),
        reference_score=0.0,
        reference_costs={"seconds_per_move": 0.001, "backups_per_move": 1000.0},
        baselines={"ten": {"effort": 10}},
        goal=WIN_RATE,
        cost=SECONDS,
        costs=(SECONDS, BACKUPS),
        summary=GameSummary(CoinGame),
    )


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the problem known by name, with its agent."""
    return make_known(
        monkeypatch,
        Solver,
        title="A problem solved",
        space=Space((NumericParameter("sweeps", 1, 200, integer=True, log=True, symbol="s"),)),
        reference_score=5.0,
        reference_costs={"solving_seconds": 0.01, "n_sweeps": 1000.0},
        baselines={"ten": {"sweeps": 10}},
        goal=EXACT_SCORE,
        cost=SOLVING_SECONDS,
        costs=(SOLVING_SECONDS, SWEEPS),
        summary=GameSummary(SolvedGame),
    )


@pytest.fixture
def pair() -> Iterator[tuple[int, int]]:
    """Both ends of a pseudo-terminal."""
    ends = pty.openpty()
    yield ends
    for each in ends:
        os.close(each)


class PoolOfNone:
    """A pool whose tasks are played in this process, though they travel as to another one."""

    def __init__(self, **_: Any) -> None:
        self._processes: dict[int, Any] = {}

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(function(*cloudpickle.loads(cloudpickle.dumps(arguments))))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool) -> None:
        """Have nothing to end."""


def without_pictures(patch: pytest.MonkeyPatch) -> None:
    """Leave out a study's pictures and page, which take longer to make than most tests."""
    patch.setattr(results, "draw", lambda *_: [])
    patch.setattr(results, "page_html", lambda *_, **__: BEGINNING)


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write results without pictures, and an empty page."""
    without_pictures(monkeypatch)


def without_processes(patch: pytest.MonkeyPatch) -> None:
    """Let workers play in this process: for tests of what is played, which are quicker so."""
    patch.setattr(workers, "ProcessPoolExecutor", PoolOfNone)
    patch.setattr(workers, "start_trackers", lambda: None)


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers play in this process."""
    without_processes(monkeypatch)
