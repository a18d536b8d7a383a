"""What the documentation says exists: commands, options, targets, names, links; and its words."""

import ast
import json
import re
import runpy
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from typer import Context
from typer.main import get_command

import thetafront
from thetafront.study.charts.export import PICTURES
from thetafront.study.cli import app

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "study", "engine", "agents", "src", "tests")
FOLDERS += ("results/papers", "results/benchmarks")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "results/README.md")]
PAGES += [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
PAGES += NOTEBOOKS
TEXTS = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / "results/reference").glob("*/*.md"))]
SOURCES = ("ripstein", "kochenderfer", "thanki", "verghese")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(?:^|[\s/])thetafront ([a-z][\w-]*)([^#\n]*)", re.M)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# Of studies of users.
OF_DEFINITIONS = {"--min-won", "--elo", "--min-result", "--max-seconds-per-game"}
OF_OTHERS = {"--host", "--tls-ca-file"}  # of Dask
OF_OTHERS |= {"--seeds", "--size", "--in-flight", "--trials", "--storage", "--batch"}  # of examples


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def content(path: Path) -> str:
    """Return a page as Markdown; a notebook's outputs are left out."""
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [(each["cell_type"], "".join(each["source"])) for each in json.loads(text)["cells"]]
    return "\n\n".join(
        source if kind == "markdown" else f"```python\n{source}\n```" for kind, source in cells
    )


def texts(kinds: set[str]) -> list[str]:
    """Return the blocks of code of some kinds, of all pages."""
    found = [block for path in PAGES for block in BLOCK.findall(content(path))]
    return [text for kind, text in found if kind in kinds]


def spans(path: Path) -> list[str]:
    """Return the inline code of a page."""
    return INLINE.findall(BLOCK.sub("", content(path)))


@lru_cache
def options() -> dict[str, set[str]]:
    """Return the options of each command."""
    program: Any = get_command(app)
    found = {}
    for name, command in program.commands.items():
        parameters = command.get_params(Context(command, info_name=name))
        found[name] = {word for each in parameters for word in each.opts if word.startswith("-")}
    found["pick"] |= OF_DEFINITIONS
    return found


def said(path: Path) -> list[str]:
    """Return every piece of code of a page in which a command may stand."""
    blocks = [text for kind, text in BLOCK.findall(content(path)) if kind != "python"]
    return [*blocks, *spans(path)]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_and_options_exist(path: Path) -> None:
    for text in said(path):
        for name, words in COMMAND.findall(text):
            assert name in options(), text
            unknown = set(OPTION.findall(words)) - options()[name]
            assert not unknown, (name, unknown)
    known = set().union(*options().values()) | OF_OTHERS
    mentioned = {
        word for text in spans(path) if text.startswith("--") for word in OPTION.findall(text)
    }
    assert mentioned <= known, mentioned - known


def test_an_option_that_does_not_exist_is_seen() -> None:
    ((name, words),) = COMMAND.findall("x\n.venv/bin/thetafront sweep a.py --budgit 1h  # --no")
    assert name == "sweep"
    assert set(OPTION.findall(words)) - options()[name] == {"--budgit"}


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_targets_and_modules_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for text in said(path):
        named = re.findall(r"(?:^|\s)make ([a-z][\w-]*)", text, re.M)
        assert set(named) <= targets, set(named) - targets
        for module in re.findall(r"python -m ((?:results|tests)\.[\w.]+\w)", text):
            place = ROOT / module.replace(".", "/")
            assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module


def test_code_compiles_and_names_are_public() -> None:
    blocks = texts({"python"})
    assert len(blocks) >= 10
    for block in blocks:
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module == "thetafront":
                assert {each.name for each in node.names} <= {*thetafront.__all__}
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "thetafront"
            ):
                assert node.attr in thetafront.__all__


def test_definitions_and_reports_are_toml_and_json() -> None:
    assert [tomllib.loads(text) for text in texts({"toml"})]
    assert [json.loads(text) for text in texts({"json"})]


def test_the_reference_has_every_public_name() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
    assert sorted(re.findall(r"^::: thetafront\.(\w+)$", page, re.M)) == sorted(thetafront.__all__)


@pytest.mark.parametrize("page", ["docs/reference/files.md", "study/charts/README.md"])
def test_the_lists_of_files_and_of_charts_have_every_picture(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert [name for name in PICTURES if f"`{name}`" not in text] == []


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    files = [*(ROOT / "docs").rglob("*.md"), *NOTEBOOKS]
    pages = {path.relative_to(ROOT / "docs").with_suffix(".md").as_posix() for path in files}
    assert set(re.findall(r"[\w/-]+\.md", menu)) == pages


def tool(name: str) -> dict[str, Any]:
    """Return what a tool of the documentation defines; skip the test where it cannot run."""
    pytest.importorskip("mkdocs", reason="installed by make docs")
    pytest.importorskip("nbclient", reason="installed by make docs")
    return runpy.run_path(str(ROOT / "docs" / "tools" / f"{name}.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_show_what_they_store(path: Path) -> None:
    def kinds(cells: Any) -> list[list[list[str]]]:
        outputs = [each["outputs"] for each in cells if each["cell_type"] == "code"]
        return [[sorted(each.get("data", ["text"])) for each in some] for some in outputs]

    stored = json.loads(path.read_text("utf-8"))["cells"]
    assert kinds(tool("notebooks")["executed"](path).cells) == kinds(stored)


def test_the_page_of_a_notebook_has_its_outputs(tmp_path: Path) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "<5>\n"},
        {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": "<svg/>"}},
        {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<p>a\n\nb</p>"}},
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "{1: 2}"}},
    ]
    code = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "x"}
    words = {"cell_type": "markdown", "metadata": {}, "id": "a", "source": "# Words"}
    cells = [words, code | {"id": "b", "outputs": outputs}]
    path = tmp_path / "some.ipynb"
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    shown = tool("notebooks")["markdown"](path)
    assert shown.startswith("# Words\n\n```python\nx\n```\n\n```text\n<5>\n```\n\n<img ")
    assert "base64,PHN2Zy8+" in shown
    assert "<div>\n<p>a\nb</p>\n</div>\n\n```text\n{1: 2}\n```" in shown
    assert shown.endswith('<a href="some.ipynb" download>some.ipynb</a>')


def test_the_site_has_the_files_to_which_pages_link() -> None:
    hook = tool("repository_links")
    docs = ROOT / "docs"
    page, studies = docs / "how-to" / "pick.md", "../../results/reference"
    assert hook["target"](f"{studies}/mcmdp", page) == ROOT / "results/reference/mcmdp/report.html"
    assert hook["target"](f"{studies}/bench", page) is None, "a folder without a page"
    assert hook["target"]("../../../elsewhere.md", page) is None
    assert hook["uri"](page, docs) == "how-to/pick.md"
    assert hook["uri"](docs / "notebooks/own-agent.ipynb", docs) == "notebooks/own-agent.md"
    assert hook["uri"](ROOT / "engine/README.md", docs) == "repository/engine/README.md"
    assert ROOT / "results/reference/index.html" in hook["links"](docs / "how-to" / "read.md")
    script = ROOT / "results" / "reference" / "thetafront-page.js"
    assert script in hook["links"](ROOT / "results/reference/mcmdp/report.html")


def test_readmes_are_short() -> None:
    long = {path: 51 for path in PAGES if path.name == "README.md" and "docs" not in path.parts}
    long |= {ROOT / "README.md": 120, ROOT / "tests/README.md": 95}
    long |= {ROOT / "results/benchmarks/programs/README.md": 76}
    for path, limit in long.items():
        assert len(path.read_text("utf-8").splitlines()) < limit, path


def test_the_style_of_prose_is_checked_outside_of_code(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("A `dearest` θ.\n\n```text\nwhoever\n```\n\nWhoever\nplays all the time.\n")
    module = tmp_path / "module.py"
    module.write_text('"""Some words.\n\nErrors go together."""\n\ndearest = "not a word"\n')
    problems = runpy.run_path(str(ROOT / "docs" / "tools" / "style.py"))["problems"]
    places = [each.rpartition(f"{tmp_path}/")[2] for each in problems([page, module])]
    assert [each.split(": write")[0] for each in places] == [
        "page.md:7: 'Whoever'",
        "module.py:3: 'Errors go together'",
    ]


def test_the_columns_of_notation_tables_are_apart() -> None:
    """A rewritten docstring must not fill the gap between symbols and their meanings."""
    table = re.compile(r"^( *=+)( +)=+\n(.*?)^ *=+ +=+$", re.M | re.S)
    n_tables = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for found in table.finditer(path.read_text("utf-8")):
                n_tables += 1
                begin, end = len(found[1]), len(found[1]) + len(found[2])
                joined = [row for row in found[3].split("\n") if row[begin:end].strip(" =")]
                assert not joined, f"{path}: {joined[0]}"
    assert n_tables > 20


def anchors_of(text: str) -> set[str]:
    """The anchors of a text's headings, as GitHub makes them of their words."""
    found = (re.sub(r"[^\w\- ]", "", each.lower()) for each in HEADING.findall(text))
    return {each.replace(" ", "-") for each in found}


def targets_of(text: str) -> list[str]:
    return [each for each in LINK.findall(CODE.sub("", text)) if "://" not in each]


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    for target in targets_of(path.read_text("utf-8")):
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), target
        assert there.is_relative_to(ROOT), target
        assert not path.is_relative_to(ROOT / "docs") or there.is_file(), (
            f"{target}: the site has files, no folders"
        )
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
