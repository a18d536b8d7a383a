"""A digest of what determines a game: code, and versions of the libraries that compile it.

A worker with another digest might play different games from the same seeds, so it gets no games.
"""

import ast
import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from thetafront.agents.agent import N_DIGITS
from thetafront.engine import jit

STUDY = Path(__file__).resolve().parents[1]
ENTRY = STUDY / "cluster" / "remote.py"
PREFIX = "thetafront.study."
LIBRARIES = ("numpy", "numba", "llvmlite")


@cache
def sources_digest() -> str:
    """Return digits that identify the code that plays games, and the versions of its libraries.

    The digits depend on the code of ``engine``, of ``agents``, and of the modules of ``study`` that
    a worker imports to play. Comments do not count.
    """
    whole = hashlib.sha256(jit.DIGEST.encode())
    for path in modules():
        whole.update(str(path.relative_to(STUDY)).encode() + b"\0")
        whole.update(jit.strip_source(path.read_text("utf-8")).encode() + b"\0")
    whole.update(versions().encode())
    return whole.hexdigest()[:N_DIGITS]


def versions() -> str:
    """Return the versions that determine games, for a message."""
    python = ".".join(platform.python_version_tuple()[:2])
    found = (f"{each} {metadata.version(each)}" for each in LIBRARIES)
    return ", ".join((f"Python {python}", *found))


def modules() -> list[Path]:
    """Follow imports, and return the files of ``study`` that a worker needs in order to play."""
    found: set[Path] = set()
    waiting = [ENTRY]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imported_by(path)
    return sorted(found)


def imported_by(path: Path) -> Iterator[Path]:
    """Yield the files of ``study`` that a file imports, anywhere in its code."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        for name in names:
            if not name.startswith(PREFIX):
                continue
            parts = name.removeprefix(PREFIX).split(".")
            for n in range(1, len(parts) + 1):  # not `study/__init__.py`
                stem = STUDY.joinpath(*parts[:n])
                both = (stem / "__init__.py", stem.with_suffix(".py"))
                yield from (each for each in both if each.is_file())
