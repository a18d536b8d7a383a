"""Check the style of pages, docstrings and messages: proselint, and our own list of words."""

import ast
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from proselint.checks import __register__
from proselint.registry.checks import Check, types

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "docs",
    "agents",
    "engine",
    "study",
    "src",
    "tests",
    "results/papers",
    "results/benchmarks",
)
PROSE = {".md", ".ipynb", ".j2", ".txt"}
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`|\]\([^)]*\)|{[{%].*?[%}]}|<[^>]*>", re.M | re.S)
WORDS = {  # what to write instead
    "a pointer is told": "a tooltip shows",
    "afresh": "again",
    "anew": "again",
    "asks nobody": "works offline",
    "beforehand": "in advance",
    "beside each other": "side by side",
    "dearer": "more expensive",
    "dearest": "most expensive",
    "each for itself": "each by itself",
    "errors go together": "errors are correlated",
    "flaw": "problem",
    "flaws": "problems",
    "goes on with it": "continues it",
    "going on:": "resuming:",
    "hands over": "returns",
    "is told": "is shown",
    "learnt": "learned",
    "left to win": "still to be gained",
    "likewise": "in the same way",
    "over each other": "overlaid",
    "such as it is": "unchanged",
    "thinks about": "computes",
    "too dear": "too expensive",
    "whoever": "anyone who",
    "wish": "query, or request",
    "wishes": "queries, or requests",
}
OFF = (  # a table repeats its numbers, code has straight quotes, and so on
    *("dates_times", "lexical_illusions", "misc.but", "misc.capitalization", "restricted"),
    "typography",
)
OURS = Check(types.PreferredFormsSimple(items=WORDS), path="words", message="write '{}'")
CHECKS = [*(each for each in __register__ if not each.path.startswith(OFF)), OURS]


def blank(text: str) -> str:
    """Return a text of the same lines without characters."""
    return re.sub(r"[^\n]", " ", text)


def prose(path: Path) -> str:
    """Return the texts of a file that users read, each on its own line."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = [each for each in json.loads(text)["cells"] if each["cell_type"] == "markdown"]
        text = "\n\n".join("".join(each["source"]) for each in cells)
    if path.suffix != ".py":
        return CODE.sub(lambda found: blank(found[0]), text)
    lines = [""] * (text.count("\n") + 2)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for at, line in enumerate(node.value.split("\n"), node.lineno - 1):
                lines[min(at, len(lines) - 1)] += f" {line}"
    return re.sub(r"``[^`]*``", "", "\n".join(lines))


def problems(paths: Iterable[Path]) -> list[str]:
    """Return a line for each problem of style."""
    found = []
    for path in paths:
        text = f"\n{prose(path)}\n"
        paragraphs = re.sub(r"(?<=\S)\n(?=\S)", " ", text)
        for result in (each for check in CHECKS for each in check.check_with_flags(paragraphs)):
            (start, end), line = result.span, text.count("\n", 0, result.span[0] + 1)
            found.append(f"{path}:{line}: {text[start:end].strip()!r}: {result.message}")
    return found


def files() -> list[Path]:
    """Return all files with prose."""
    return [*ROOT.glob("*.md"), ROOT / "results" / "README.md"] + [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in PROSE or (path.suffix == ".py" and folder != "tests")
        if path != Path(__file__)
    ]


if __name__ == "__main__":
    found = problems(files())
    print(*found, sep="\n")
    sys.exit(bool(found))
