"""Every link of the documentation, a README or a published text leads somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("engine", "agents", "study", "src", "tests", "results/benchmarks", "results/papers")
READMES = [ROOT / "README.md", ROOT / "results" / "README.md"]
READMES += [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.md"))]
DOCS = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")])
TEXTS = [
    *READMES,
    *DOCS,
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "results/reference").glob("*/*.md")),
]
SOURCES = ("ripstein", "kochenderfer", "thanki", "verghese")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)


def anchors_of(text: str) -> set[str]:
    """The anchors of a text's headings, as GitHub makes them of their words."""
    found = (re.sub(r"[^\w\- ]", "", each.lower()) for each in HEADING.findall(text))
    return {each.replace(" ", "-") for each in found}


def targets_of(text: str) -> list[str]:
    return [each for each in LINK.findall(CODE.sub("", text)) if "://" not in each]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in targets_of(path.read_text("utf-8")):
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), target
        assert there.is_relative_to(ROOT), target
        assert path not in DOCS or there.is_file(), f"{target}: the site has files, no folders"
        if anchor:
            assert anchor in anchors_of(there.read_text("utf-8")), target


def test_a_broken_link_is_seen() -> None:
    text = "# The paper's *Table* 1\n[a](x.md) ![b](y.png) `[c](z)` [d](https://e.org) [f](#g)\n"
    assert targets_of(text) == ["x.md", "y.png", "#g"]
    assert anchors_of(text) == {"the-papers-table-1"}


def test_results_are_indexed() -> None:
    """The items of the sources are numbered without gaps, and every folder is in the table."""
    text = (ROOT / "results" / "README.md").read_text("utf-8")
    papers = (ROOT / "results" / "papers" / f"{source}.md" for source in SOURCES)
    items = "".join(path.read_text("utf-8").partition("\n## Every item\n")[2] for path in papers)
    numbers = [int(each) for each in re.findall(r"^\| (\d+) \|", items, re.M)]
    assert numbers
    assert numbers == list(range(1, len(numbers) + 1))
    for folder in (ROOT / "results" / "reference").iterdir():
        assert f"(reference/{folder.name})" in text, folder.name
