"""The scripts make the published tables and texts of the published games, except for rounding."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from results.papers import bellman, decision_tree, expectimax, paper, replicates, table1
from results.papers.heuristic_search.__main__ import heuristic_search
from results.papers.mcts.__main__ import mcts
from results.papers.pacman.__main__ import pacman

REFERENCE = Path(__file__).parents[2] / "results" / "reference"
SCRIPTS = {  # with the published numbers of games per row
    "table1": (table1.table1, 1000),
    "bellman": (bellman.bellman, 1000),
    "expectimax": (expectimax.expectimax, 400),
    "replicates": (replicates.replicates, 1000),
    "mcts": (mcts, 100),
    "decision_tree": (decision_tree.decision_tree, 20),
    "heuristic_search": (heuristic_search, 6),
    "pacman_report": (pacman, 200),
}


def run(name: str, folder: Path) -> None:
    script, n_games = SCRIPTS[name]
    paper.script(script, name, n_games, given=["--jobs", "1", "--output", str(folder)])


@pytest.mark.parametrize("name", SCRIPTS)
def test_tables_and_text(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(REFERENCE / name, folder, ignore=shutil.ignore_patterns("*.png"))
    run(name, folder)
    for path in REFERENCE.glob(f"{name}/*.csv"):
        mine, theirs = (pd.read_csv(each) for each in (folder / path.name, path))
        # numpy adds in another order where a processor has wider registers.
        pd.testing.assert_frame_equal(mine, theirs, rtol=1e-9, atol=0, obj=path.name)
    for path in REFERENCE.glob(f"{name}/*.md"):
        assert (folder / path.name).read_text() == path.read_text(), path.name
    text = next(folder.glob("*.md")).read_text()
    assert not re.search(r"\bnan\b|[{}]", text)
    figures = sorted(path.name for path in folder.glob("*.png"))
    assert figures == sorted(path.name for path in REFERENCE.glob(f"{name}/*.png"))
    assert sorted(re.findall(r"\]\((\w+\.png)\)", text)) == figures, "each has a caption"
    manifest = json.loads((folder / "manifest.json").read_text())
    earlier = json.loads((REFERENCE / name / "manifest.json").read_text())
    assert manifest["earlier_runs"][:-1] == earlier.pop("earlier_runs", [])
    assert manifest["earlier_runs"][-1] == earlier


def test_missing_games_are_played(tmp_path: Path) -> None:
    """Some of those of one simulation a decision, which take no time."""
    folder = tmp_path / "mcts"
    shutil.copytree(REFERENCE / "mcts", folder, ignore=shutil.ignore_patterns("*.png"))
    games = pd.read_csv(folder / "games.csv", dtype=str)
    cheap = games["n_playout_moves"].astype(int) < 20 * games["n_moves"].astype(int)
    is_missing = cheap & (games["seed"].astype(int) < 10)
    assert is_missing.sum() > 50
    games[~is_missing].to_csv(folder / "games.csv", index=False)
    run("mcts", folder)
    again = pd.read_csv(folder / "games.csv", dtype=str)
    untimed = [
        each.drop(columns="cpu_seconds").sort_values(["agent", "seed"], ignore_index=True)
        for each in (again, games)
    ]
    pd.testing.assert_frame_equal(*untimed)
    theirs, mine = ((each / "readings.csv").read_bytes() for each in (REFERENCE / "mcts", folder))
    assert mine == theirs, "of other agents"
