"""A notebook: what its cells define is tuned by workers, though no file has it."""

import subprocess
import sys
from pathlib import Path

import pytest

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
AGAIN = """
TOY = Experiment("toy", agent=scaled(4.0), space=SPACE, goal=mean("points"))
"""
NOTEBOOK = """
import sys
for number, cell in enumerate(sys.argv[1:], 1):
    exec(compile(cell, f"<ipython-input-{number}>", "exec"), sys.modules["__main__"].__dict__)
"""


def run(folder: Path, *cells: str) -> "subprocess.CompletedProcess[str]":
    """Run cells one after the other in the main module of a process, as a notebook does."""
    words = [sys.executable, "-c", NOTEBOOK, *cells]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.sweeps
def test_workers_play_a_closure_of_a_cell(tmp_path: Path) -> None:
    done = run(tmp_path, DEFINITION, SWEEP, CHECKS)
    assert (done.returncode, done.stderr) == (0, "")
    done = run(tmp_path, DEFINITION, AGAIN, SWEEP)
    assert "definition has changed: scaled.<locals>.play.scale 4.0 now, not 3.0" in done.stderr
