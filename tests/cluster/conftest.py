"""What tests on more than one machine need; they are skipped where it is not installed."""

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from tests.cluster.postgres import Server, why_not

if TYPE_CHECKING:
    from tests.cluster.ground import Ground

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server; tests that kill it start it again."""
    if reason := why_not():
        pytest.skip(reason)
    # Not pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory(prefix="thetafront-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        server = Server(Path(folder) / "server")
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def database(postgres: Server) -> str:
    """The URL of a new database."""
    return postgres.new_database(f"study_{next(NUMBERS)}")


@pytest.fixture
def ground(tmp_path: Path) -> "Iterator[Ground]":
    """Make a folder for processes, and end them."""
    pytest.importorskip("distributed", reason="Dask is not installed: make test-cluster")
    from tests.cluster.ground import Ground

    made = Ground(tmp_path)
    try:
        yield made
    finally:
        made.end()


@pytest.fixture(scope="session")
def of_one_machine(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Return the games of the same sweep on one machine."""
    from tests.cluster.ground import Ground

    made = Ground(tmp_path_factory.mktemp("alone"))
    try:
        assert made.alone() == 0, made.said("alone")
        return made.games("alone")
    finally:
        made.end()
