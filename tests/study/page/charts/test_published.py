"""Every chart of every published study can be drawn."""

import json

import pytest

from tests.study.page.charts.conftest import STUDIES
from tests.study.page.charts.specs import drawn
from tests.study.page.published import published
from thetafront.study.page.charts.front import front_figure
from thetafront.study.page.charts.gain import gain_figure
from thetafront.study.page.charts.importance import importance_figure
from thetafront.study.page.charts.scores import scores_figure
from thetafront.study.page.charts.slices import slices_figure
from thetafront.study.page.charts.theta import theta_figure

FIGURES = (
    front_figure,
    scores_figure,
    theta_figure,
    importance_figure,
    slices_figure,
    gain_figure,
)
MOST_BYTES = 400_000


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_charts_of_a_published_study_are_drawn_and_small(study: str) -> None:
    data = published(study)[1]
    size = 0
    for make in FIGURES:
        figure = make(data)
        if figure.chart is None:
            assert study == "dice_study"
            assert figure.key == "scores", "values are exact: there is no spread"
            continue
        spec = json.dumps(figure.chart.to_dict(), ensure_ascii=False, separators=(",", ":"))
        size += len(spec.encode())
        svg = drawn(figure.chart)
        assert svg.count("<path") > 10
        assert "NaN" not in svg
        assert len(figure.table)
        assert 50 < len(figure.text) < 1200
    assert size < MOST_BYTES
