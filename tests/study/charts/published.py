"""Published studies, read once in a process."""

from functools import cache
from pathlib import Path

from threadpoolctl import threadpool_limits

from thetafront.study.log.location import Location
from thetafront.study.log.published_study import read_published
from thetafront.study.report.analysis import Analysis

REFERENCE = Path(__file__).parents[3] / "results" / "reference"


@cache
def published(name: str) -> tuple[Location, Analysis]:
    with threadpool_limits(1):
        location, data = read_published(REFERENCE / name)
        return location, Analysis(data)
