"""Fixtures of users' agents: what their games have started ends with the test."""

from collections.abc import Iterator

import pytest

from thetafront.agents.external.child import end_programs
from thetafront.agents.external.processes import Orphans


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """End all processes after a test."""
    yield
    end_programs()


@pytest.fixture
def adopted() -> Iterator[None]:
    """Adopt orphans during a test, as a worker does."""
    Orphans.adopt()
    yield
    end_programs()
    Orphans.adopt(False)
