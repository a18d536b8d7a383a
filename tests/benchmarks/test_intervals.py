"""The summary of intervals of a few games."""

import math

import numpy as np

from results.benchmarks.intervals import cells, judged
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.shrinkage import Moments


def test_games_without_an_interval_are_not_counted() -> None:
    """Games with equal scores give none alone, and one with others."""
    assert cells(np.array([1.0, 0.0, 0.0]), np.array([2.0, 2.0, math.nan])) == ["0.500", "1.00"]
    goal, points = mean("score"), [np.array([1.0] * 9 + [2.0]), np.arange(10.0)]
    (_, alone), (_, with_others) = judged(goal, [*map(Moments.from_sample, points)], points, 2)
    assert np.isnan(alone).any()
    assert np.isfinite(with_others).all()
