"""The chart of importance, against a plain estimate of the model's indices."""

import numpy as np
import pytest

from tests.study.charts.specs import rows_of
from thetafront.study.charts.importance import importance_chart
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.importance import coordinates


def test_bars_are_of_the_model(pacman: Analysis) -> None:
    model = pacman.combined
    assert model is not None
    chart = importance_chart(pacman)
    rng = np.random.default_rng(1)
    n, d = 1500, 5
    first, second = rng.random((n, d)), rng.random((n, d))
    at_first = model.posterior.mean(coordinates(first, model.cube))
    naive = np.empty((2, d))
    for k in range(d):
        mixed = first.copy()
        mixed[:, k] = second[:, k]
        change = at_first - model.posterior.mean(coordinates(mixed, model.cube))
        naive[:, k] = 0.5 * (change**2).mean(axis=0) / at_first.var(axis=0)
    rows = rows_of(chart)
    assert len(rows) == 2 * d
    for row in rows:
        objective = 0 if row["of"] == "win rate" else 1
        assert row["value"] == pytest.approx(naive[objective, row["parameter"]], abs=0.08)
    assert [*chart.table["parameter"]] == ["γ", "r", "δ", "N", "steps"]
