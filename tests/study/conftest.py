"""A quick experiment: the real agent on a space of a few playouts."""

import pytest

from study.experiment import EXPERIMENTS, Experiment
from study.space import Parameter, Space

QUICK = Experiment(
    name="quick",
    title="2048, pure Monte Carlo, for tests",
    agent="pmcts",
    space=Space((Parameter("n_playouts", 1, 40, integer=True, symbol="n"),)),
    reference_score=0.0,
    reference_costs={"seconds_per_move": 0.01, "playout_moves_per_move": 1e6},
    baselines={"four playouts": {"n_playouts": 4}},
)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Make the quick experiment known by name."""
    monkeypatch.setitem(EXPERIMENTS, "quick", QUICK)
    return QUICK
