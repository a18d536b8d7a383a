"""Published studies, read once in a process."""

from functools import cache
from pathlib import Path

from threadpoolctl import threadpool_limits

from thetafront.study.report.analysis import Analysis
from thetafront.study.store.location import Location
from thetafront.study.store.published_study import read_published

REFERENCE = Path(__file__).parents[3] / "results" / "reference"


@cache
def published(name: str) -> tuple[Location, Analysis]:
    with threadpool_limits(1):
        location, data = read_published(REFERENCE / name)
        return location, Analysis(data)
