"""The pictures of a study's folder."""

from collections.abc import Mapping
from pathlib import Path

from thetafront.study.charts.chart import Chart
from thetafront.study.charts.front import front_chart
from thetafront.study.charts.hypervolume import hypervolume_chart
from thetafront.study.charts.importance import Importance
from thetafront.study.charts.pair import pair_chart
from thetafront.study.charts.scores import scores_chart
from thetafront.study.log.location import make_folder
from thetafront.study.report.analysis import Analysis

FILES = {
    "front": "pareto.png",
    "gain": "hypervolume.png",
    "scores": "scores.png",
    "pair": "pair.png",
}
"""Their file names, by the keys of their charts."""


def pictured_charts(analysis: Analysis, importance: Importance | None = None) -> dict[str, Chart]:
    """Return the charts of which a study's folder has pictures, by key.

    ``importance`` is as for :func:`study.charts.pair.pair_chart`.
    """
    charts = [each(analysis) for each in (front_chart, hypervolume_chart, scores_chart)]
    return {each.key: each for each in (*charts, pair_chart(analysis, importance))}


def draw(charts: Mapping[str, Chart], folder: Path) -> list[Path]:
    """Draw a study's pictures into ``folder``; return their paths, none before a trial is complete.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    # Pages do without Matplotlib, which is slow to import.
    from thetafront.study.charts.picture import picture, save  # noqa: PLC0415

    make_folder(folder)
    drawn = {folder / name: charts[key] for key, name in FILES.items() if charts[key].panels}
    for path, chart in drawn.items():
        save(picture(chart), path)
    return [*drawn]
