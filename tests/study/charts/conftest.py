"""Studies for charts: a small one made by hand, and a published one with categories."""

import pytest

from tests.study.charts.published import published
from tests.study.conftest import QUICK
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.report.analysis import Analysis

STUDIES = ("dice_study", "heuristic", "mcmdp", "ntuple", "pacman", "switching", "uct", "zstd")


@pytest.fixture(scope="package")
def small() -> Analysis:
    """Eight trials of three games, and three validated points, one of them beaten."""
    study = new_study()
    add_trials(study, QUICK)
    add_point(study, 4, spread(2000, 300), 0.04)
    add_point(study, 9, spread(1500, 300), 0.09)
    add_point(study, 25, spread(5000, 500), 0.25)
    return Analysis(data_of(study, QUICK))


@pytest.fixture(scope="package")
def pacman() -> Analysis:
    """A published study: a win rate, one categorical parameter, a baseline."""
    return published("pacman")[1]
