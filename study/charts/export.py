"""The pictures of a study's folder."""

from pathlib import Path

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


def draw(analysis: Analysis, folder: Path) -> list[Path]:
    """Draw a study's pictures into ``folder``; return their paths, none before a trial is complete.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    # Pages do without Matplotlib, which is slow to import.
    from thetafront.study.charts.picture import picture  # noqa: PLC0415
    from thetafront.study.report.style import save  # noqa: PLC0415

    make_folder(folder)
    charts = {folder / name: make(analysis) for name, make in PICTURES.items()}
    drawn = [path for path, chart in charts.items() if chart.panels]
    for path in drawn:
        save(picture(charts[path]), path)
    return drawn
