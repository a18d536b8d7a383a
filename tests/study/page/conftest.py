import pytest

from tests.study.charts.published import published
from thetafront.study.log.location import Location
from thetafront.study.report.analysis import Analysis


@pytest.fixture(scope="session")
def mcmdp() -> tuple[Location, Analysis]:
    """The published study of the Monte Carlo agent."""
    return published("mcmdp")


@pytest.fixture(scope="session")
def zstd() -> tuple[Location, Analysis]:
    """The published study of a compressor: a goal that is minimized, a program, baselines."""
    return published("zstd")
