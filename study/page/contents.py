"""The charts of a page, by its sections."""

from collections.abc import Mapping, Sequence

from thetafront.study.page.charts.front import front_figure
from thetafront.study.page.charts.gain import gain_figure
from thetafront.study.page.charts.importance import Importance, importance_figure
from thetafront.study.page.charts.scores import scores_figure
from thetafront.study.page.charts.slices import slices_figure
from thetafront.study.page.charts.theta import theta_figure
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis

Contents = Mapping[str, Sequence[Figure]]


def contents_of(page: Analysis, importance: Importance | None = None) -> Contents:
    """Make all charts; ``importance`` are the indices of parameters where they are known."""
    return {
        "front": [front_figure(page)],
        "scores": [scores_figure(page), theta_figure(page)],
        "matter": [importance_figure(page, importance), slices_figure(page)],
        "gain": [gain_figure(page)],
    }
