"""How pictures are drawn: axes that can be read."""

from thetafront.study.experiments.objectives import SECONDS
from thetafront.study.report.style import cost_axis, new_figure

MICROSECOND = 1e-6


def test_labels_of_a_wide_axis_are_fewer() -> None:
    """Three decades with five labels each ran into each other."""
    shown = {}
    for decades in (1, 3):
        figure, axes = new_figure(8.6, 5.6)
        axes.plot([MICROSECOND, MICROSECOND * 10**decades], [0.0, 1.0])
        cost_axis(axes, SECONDS)
        low, high = axes.get_xlim()
        shown[decades] = sum(low <= tick <= high for tick in axes.get_xticks())
        assert figure.axes == [axes]
    assert shown == {1: 6, 3: 10}
