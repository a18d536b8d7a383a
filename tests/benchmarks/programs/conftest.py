"""The file that xz compresses is made where it is missing; git does not keep it."""

import subprocess
import sys

import pytest

from results.benchmarks.programs.contest import FOLDER


@pytest.fixture(scope="session")
def corpus() -> None:
    words = [sys.executable, str(FOLDER / "xz" / "corpus.py"), str(FOLDER / "xz" / "corpus.bin")]
    subprocess.run(words, check=True)
