"""What is not the package uses its public names only: scripts of papers, benchmarks with them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import thetafront
from thetafront.study.experiments.registry import EXPERIMENTS

PAPERS = Path(__file__).parents[1] / "results" / "papers"
PUBLIC = ("thetafront.agents", "thetafront.engine", "thetafront.study.estimate")
"""Modules whose names are public, beside those of ``thetafront.__all__``."""
SHARED = {
    "thetafront.study.experiments.objectives.formats.format_seconds",
    "thetafront.study.log.location.make_folder",
    "thetafront.study.log.manifest.MANIFEST",
    "thetafront.study.log.manifest.check_output",
    "thetafront.study.log.manifest.earlier_manifest",
    "thetafront.study.log.manifest.write_manifest",
}
"""What is not public, but written once for all that has a folder and a manifest."""


def names(path: Path) -> Iterator[str]:
    """Yield what a file imports of thetafront, as ``module.name``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("thetafront."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("thetafront"):
            yield from (f"{node.module}.{each.name}" for each in node.names)


def is_public(name: str) -> bool:
    """Whether a name is one that users may build on."""
    if any(part.startswith("_") for part in name.split(".")):
        return False
    return name.removeprefix("thetafront.") in {*thetafront.__all__, "study.estimate"} or any(
        name.startswith(f"{module}.") for module in PUBLIC
    )


SCRIPTS = sorted(PAPERS.rglob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(PAPERS)))
def test_papers_use_public_names_or_shared_ones(path: Path) -> None:
    assert [name for name in names(path) if not is_public(name) and name not in SHARED] == []


def test_what_is_public() -> None:
    assert is_public("thetafront.sweep")
    assert is_public("thetafront.agents.twenty48.mcmdp.MonteCarloMDP")
    assert not is_public("thetafront.study.log.ledger.Ledger")
    assert not is_public("thetafront.engine.jit._private")


def test_no_paper_writes_to_the_folder_of_a_study() -> None:
    """Both have a games.csv: a study's export would replace a paper's games."""
    scripts = "".join(path.read_text("utf-8") for path in PAPERS.rglob("*.py"))
    folders = set(re.findall(r'paper\.script\(\w+, "(\w+)"', scripts))
    assert {"dice_report", "pacman_report"} <= folders
    assert not folders & set(EXPERIMENTS)
