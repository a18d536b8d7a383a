"""The pictures of a study's folder."""

from collections.abc import Mapping
from pathlib import Path

from threadpoolctl import threadpool_limits

from thetafront.study.charts.chart import Chart
from thetafront.study.charts.front import front_chart
from thetafront.study.charts.hypervolume import hypervolume_chart
from thetafront.study.charts.pair import pair_chart
from thetafront.study.charts.scores import scores_chart
from thetafront.study.log.location import make_folder
from thetafront.study.report.analysis import Analysis

PICTURES = {
    "pareto.png": front_chart,
    "hypervolume.png": hypervolume_chart,
    "scores.png": scores_chart,
    "pair.png": pair_chart,
}
"""The pictures of a study's folder, with the functions that make their charts."""


def pictured_charts(analysis: Analysis) -> dict[str, Chart]:
    """Return the charts that are drawn as pictures, by file name."""
    with threadpool_limits(1):  # more threads are slower on matrices this small
        return {name: make(analysis) for name, make in PICTURES.items()}


def draw(charts: Mapping[str, Chart], folder: Path) -> list[Path]:
    """Draw the charts that are not empty into ``folder``, and return the paths of the files.

    InputError if the folder cannot be written.
    """
    # Matplotlib is slow to import, and pages do not need it.
    from thetafront.study.charts.picture import picture, save  # noqa: PLC0415

    make_folder(folder)
    drawn = {folder / name: chart for name, chart in charts.items() if chart.panels}
    for path, chart in drawn.items():
        save(picture(chart), path)
    return [*drawn]
