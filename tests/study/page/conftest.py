from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from study.page.page_data import PageData
from study.store.location import Location
from study.store.published_study import read_published

REFERENCE = Path(__file__).parents[3] / "results" / "reference"


def published(name: str) -> tuple[Location, PageData]:
    with threadpool_limits(1):
        location, data = read_published(REFERENCE / name)
        return location, PageData.of(data)


@pytest.fixture(scope="session")
def mcmdp() -> tuple[Location, PageData]:
    """The published study of the Monte Carlo agent."""
    return published("mcmdp")


@pytest.fixture(scope="session")
def zstd() -> tuple[Location, PageData]:
    """The published study of a compressor: a goal that is minimized, a program, baselines."""
    return published("zstd")
