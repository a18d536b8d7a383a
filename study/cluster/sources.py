"""A digest of what determines a game: code, and versions of the libraries that compile it.

A worker with another digest might play different games from the same seeds, so it gets no games.
"""

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

from thetafront.agents.agent import N_DIGITS
from thetafront.agents.external.source import list_source_files
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
    """Return the files of ``study`` that a worker needs in order to play."""
    return list_source_files(
        ENTRY, STUDY, lambda name: name.removeprefix(PREFIX) if name.startswith(PREFIX) else ""
    )
