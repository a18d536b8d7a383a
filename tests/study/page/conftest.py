import pytest

from study.page.page_data import PageData
from study.store.location import Location
from tests.study.page.published import published


@pytest.fixture(scope="session")
def mcmdp() -> tuple[Location, PageData]:
    """The published study of the Monte Carlo agent."""
    return published("mcmdp")


@pytest.fixture(scope="session")
def zstd() -> tuple[Location, PageData]:
    """The published study of a compressor: a goal that is minimized, a program, baselines."""
    return published("zstd")
