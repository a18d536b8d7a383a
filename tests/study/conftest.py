"""Quick experiments: the real agents on spaces of a few playouts, and of a few simulations and words."""

import pytest

from study.experiment import EXPERIMENTS, Experiment
from study.space import Choice, Parameter, Space

QUICK = Experiment(
    name="quick",
    title="2048, pure Monte Carlo, for tests",
    agent="pmcts",
    space=Space((Parameter("n_playouts", 1, 40, integer=True, symbol="n"),)),
    reference_score=0.0,
    reference_costs={"seconds_per_move": 0.01, "playout_moves_per_move": 1e6},
    baselines={"four playouts": {"n_playouts": 4}},
)


WORDS = Experiment(
    name="words",
    title="2048, Monte Carlo tree search, for tests",
    agent="uct",
    space=Space(
        (
            Parameter("n_simulations", 2, 12, integer=True, symbol="m"),
            Choice("leaf_value", ("score", "weights_a", "random"), symbol="U"),
            Parameter("exploration", 10.0, 5000.0, log=True, symbol="c"),
        )
    ),
    reference_score=0.0,
    reference_costs={"seconds_per_move": 0.01, "playout_moves_per_move": 1e6},
    baselines={"six": {"n_simulations": 6, "leaf_value": "weights_a", "exploration": 100.0}},
)


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
