"""Which bounds the front is said to lie at."""

from dataclasses import replace

import pytest

from tests.study.made_studies import present, simulated
from thetafront.study.charts.theta import theta_chart
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.widening import Edge, find_edges
from thetafront.study.report import edges
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_edges, front_thetas, is_better, movable_edges

POINTS = [(0.0, 1.0), (0.3, 1.0), (0.6, 1.0), (1.0, 1.0)]


def test_a_parameter_without_effect_has_no_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points lie at bounds of both parameters; both can be widened if a user asks for it."""
    data = simulated(POINTS)
    analysis = Analysis(data)
    there = find_edges(data.experiment, front_thetas(analysis))
    assert [(each.parameter.name, each.is_upper) for each in there] == [
        ("effort", True),
        ("idle", True),
    ]
    assert front_edges(analysis) == there[:1]
    caption = theta_chart(analysis).caption
    assert "effort at its highest, 1" in caption
    assert "idle at its" not in caption
    assert movable_edges(analysis) == there
    lower = replace(there[0], is_upper=False)
    monkeypatch.setattr(edges, "front_edges", lambda _: [lower])
    assert movable_edges(analysis) == [lower, there[1]], "a named parameter moves as advised"


def test_a_small_gain_is_no_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "MIN_GAIN", 2.0)  # no θ can gain twice the front's range
    assert front_edges(Analysis(simulated(POINTS))) == []


@pytest.mark.parametrize("is_upper", [False, True])
def test_each_of_two_values_may_be_better_than_the_other(is_upper: bool) -> None:
    """Half-way between them is the lower one."""
    model = present(Analysis(simulated(POINTS)).combined)
    parameter = NumericParameter("effort", 0, 1, integer=True)
    thetas = [{"effort": int(is_upper), "idle": 1.0}]
    assert is_better(Edge(parameter, is_upper, 2 * is_upper - 1, 1, 4), thetas, model)
