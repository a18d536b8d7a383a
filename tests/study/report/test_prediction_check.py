"""Measured costs that are counts are compared with predictions, too."""

import pytest

from tests.study.made_studies import present, simulated
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.prediction_check import check_predictions

POINTS = [(0.1 * k, 0.5) for k in range(11)]


@pytest.mark.parametrize(("factor", "least", "most"), [(1.0, 9, 11), (1.5, 0, 2)])
def test_costs_are_inside_if_they_are_as_predicted(factor: float, least: int, most: int) -> None:
    found = present(check_predictions(Analysis(simulated(POINTS, factor, seed=1))))
    assert found.n_inside >= 9
    assert least <= present(found.n_costs_inside) <= most
    assert found.is_passed is (factor == 1.0)
    assert f" and {found.n_costs_inside} of 11 measured costs" in found.inside_text


def test_single_games_say_nothing_of_the_noise_of_costs() -> None:
    found = present(check_predictions(Analysis(simulated(POINTS, n_games=1, n_of_point=1))))
    assert found.n_costs_inside is None
