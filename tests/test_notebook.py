"""A notebook: what its cells define is tuned by workers, though no file has it."""

from pathlib import Path

import pytest

from tests.processes import python

DEFINITION = """
from thetafront import Experiment, NumericParameter, Space, mean, open_study, sweep

OFFSET = 7

def scaled(scale):
    def play(seed, x):  # a closure, which uses a global of the notebook
        return scale * x + OFFSET + seed % 2

    return play

SPACE = Space((NumericParameter("x", 0.0, 1.0),))
TOY = Experiment("toy", agent=scaled(3.0), space=SPACE, goal=mean("points"))
"""
SWEEP = """
study = sweep(TOY, trials=4, design_size=4, replicates=3, validate=False, jobs=2, budget=None,
    progress=False)
games, x = study.games, study.trials.set_index("trial")["x"]
"""
CHECKS = """
expected = 3.0 * games["trial"].map(x) + 7 + games["seed"] % 2
assert len(games) == 12, games
assert (games["points"] - expected).abs().max() < 1e-9, games
"""
NOTEBOOK = """
import sys
for number, cell in enumerate(sys.argv[1:], 1):
    exec(compile(cell, f"<ipython-input-{number}>", "exec"), sys.modules["__main__"].__dict__)
"""


@pytest.mark.sweeps
def test_workers_play_a_closure_of_a_cell(tmp_path: Path) -> None:
    """Cells run one after the other in the main module of a process, as in a notebook."""
    python(NOTEBOOK, DEFINITION, SWEEP, CHECKS, cwd=tmp_path)
