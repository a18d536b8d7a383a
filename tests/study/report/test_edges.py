"""Which bounds the front is said to lie at."""

from tests.study.made_studies import simulated
from thetafront.study.experiments.widening import find_edges
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.edges import front_edges, front_thetas


def test_a_parameter_without_effect_has_no_edge() -> None:
    """Points lie at bounds of both parameters."""
    data = simulated([(0.0, 1.0), (0.3, 1.0), (0.6, 1.0), (1.0, 1.0)])
    analysis = Analysis(data)
    there = find_edges(data.experiment, front_thetas(analysis))
    assert [(each.parameter.name, each.is_upper) for each in there] == [
        ("effort", False),
        ("effort", True),
        ("idle", True),
    ]
    assert front_edges(analysis) == there[:2]
