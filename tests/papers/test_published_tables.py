"""The published tables are what the scripts make of the published games, to the byte."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from results.papers import bellman, decision_tree, expectimax, paper, table1
from results.papers.mcts.__main__ import mcts

REFERENCE = Path(__file__).parents[2] / "results" / "reference"
SCRIPTS: dict[str, tuple[Callable[[paper.Paper], None], int]] = {
    "table1": (table1.table1, 1000),
    "bellman": (bellman.bellman, 1000),
    "expectimax": (expectimax.expectimax, 400),
    "mcts": (mcts, 100),
    "decision_tree": (decision_tree.decision_tree, 20),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_tables_and_text(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(REFERENCE / name, folder)
    run, n_games = SCRIPTS[name]
    add = bellman.add_options if name == "bellman" else lambda parser: None
    paper.script(run, name, n_games, add=add, given=["--output", str(folder)])
    for path in (*REFERENCE.glob(f"{name}/*.csv"), REFERENCE / name / f"{name}.md"):
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name
